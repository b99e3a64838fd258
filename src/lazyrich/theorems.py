"""Every theorem the library computes, in the order in which they are tried.

A new one is a formula in `closed_form/`, its hypotheses, and an entry here; contract tests then run over it.
"""

from lazyrich import hypotheses as h
from lazyrich.closed_form.commuting import commuting_factorization
from lazyrich.closed_form.deep import deep_modes
from lazyrich.closed_form.diagonal import diagonal_coordinates
from lazyrich.closed_form.modes import aligned_modes
from lazyrich.closed_form.neuron import single_neuron
from lazyrich.closed_form.riccati import isotropic_imbalance
from lazyrich.closed_form.tangent import affine_model
from lazyrich.theorem import Theorem

EXACT = (
    Theorem(
        "single neuron",
        (("kunin2024", "section 3 and appendix A.2, as one formula"),),
        (h.two_linear_layers, h.one_hidden_unit, h.one_output, h.square_loss, h.whitened_inputs),
        single_neuron,
    ),
    Theorem(
        "aligned modes",
        (
            ("saxe2014", ""),
            ("dln", "sections 5 and 9"),
            ("varre2023", "lemma C.12"),
            ("kunin2024", "theorem 11"),
        ),
        (h.two_linear_layers, h.square_loss, h.whitened_inputs, h.modes_apart),
        aligned_modes,
    ),
    Theorem(
        "isotropic imbalance",
        (
            ("kunin2024", "section 4 and appendix B"),
            ("fukumizu1998", ""),
            ("braun2022", ""),
            ("domine2025", ""),
            ("varre2023", "section 3"),
        ),
        (h.two_linear_layers, h.square_loss, h.whitened_inputs, h.isotropic_imbalance),
        isotropic_imbalance,
    ),
    Theorem(
        "deep aligned modes",
        (("saxe2014", ""), ("dln", "sections 5 and 6")),
        (h.three_linear_layers_or_more, h.square_loss, h.whitened_inputs, h.balanced_layers, h.aligned_with_target),
        deep_modes,
    ),
    Theorem(
        "diagonal coordinates",
        (("azulay2021", "section 4 and appendix A"), ("woodworth2020", ""), ("smith2022", "section 4")),
        (h.diagonal_network, h.square_loss, h.orthogonal_features, h.solvable_coordinates),
        diagonal_coordinates,
    ),
    Theorem(
        "commuting factorization",
        (("smith2022", "section 4.1"), ("gunasekar2017", "")),
        (h.factored_matrix, h.square_loss, h.commuting_measurements, h.orthogonal_eigenvalues),
        commuting_factorization,
    ),
    Theorem(
        "affine model",
        (("smith2022", "section 3.2"), ("chizat2019", ""), ("jacot2018", "")),
        (h.affine_in_parameters, h.square_loss),
        affine_model,
    ),
)
