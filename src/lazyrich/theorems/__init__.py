"""Every theorem the library computes, in the order in which they are tried.

A new one is a formula in `trajectories/` or `limits/`, its hypotheses, and an entry here; contract tests run over it.
"""

from lazyrich.theorems import hypotheses as h
from lazyrich.theorems.limits.commuting import commuting_limit
from lazyrich.theorems.limits.diagonal import diagonal_limit
from lazyrich.theorems.limits.linear import affine_limit, orthogonal_limit, unseen_limit
from lazyrich.theorems.limits.margin import l1_margin, l2_margin
from lazyrich.theorems.limits.neuron import leaky_limit, neuron_limit, rank_one_limit
from lazyrich.theorems.theorem import Theorem
from lazyrich.theorems.trajectories.affine import affine_model
from lazyrich.theorems.trajectories.aligned import aligned_modes
from lazyrich.theorems.trajectories.commuting import commuting_factorization
from lazyrich.theorems.trajectories.deep import deep_modes
from lazyrich.theorems.trajectories.diagonal import diagonal_coordinates
from lazyrich.theorems.trajectories.isotropic import isotropic_imbalance
from lazyrich.theorems.trajectories.neuron import single_neuron

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
            ("varre2023", "theorem C.12"),
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

# Where flows stop. The formula of each gives the predictor, the network where it is known, and a certificate.
LIMITS = (
    Theorem(
        "diagonal bias",
        (
            ("azulay2021", "theorem 1 and appendix A"),
            ("woodworth2020", "theorems 1 and 3"),
            ("smith2022", "section 4"),
        ),
        (h.diagonal_network, h.square_loss, h.solvable_coordinates, h.reachable_labels),
        diagonal_limit,
    ),
    Theorem(
        "single-neuron bias",
        (("kunin2024", "theorem 1, with the sign of a"), ("azulay2021", "theorem 2")),
        (h.two_linear_layers, h.one_hidden_unit, h.one_output, h.square_loss, h.known_sign),
        neuron_limit,
    ),
    Theorem(
        "rank-one bias",
        (("azulay2021", "proposition 1"), ("kunin2024", "theorem 15")),
        (h.two_linear_layers_or_more, h.one_output, h.square_loss, h.balanced_weights, h.clear_of_saddles),
        rank_one_limit,
    ),
    Theorem(
        "spectral bias",
        (("varre2023", "theorem 3.1 and corollary 3.1"),),
        (h.two_linear_layers, h.square_loss, h.orthogonal_start),
        orthogonal_limit,
    ),
    Theorem(
        "vanishing bias",
        (("azulay2021", "theorem 3, with its true condition"),),
        (h.two_linear_layers_or_more, h.square_loss, h.wide_enough, h.moving, h.nothing_unseen, h.clear_of_saddles),
        unseen_limit,
    ),
    Theorem(
        "leaky-neuron bias",
        (("azulay2021", "theorem 4: a KKT point, if the loss goes to zero"),),
        (h.leaky_neuron, h.square_loss, h.independent_samples, h.known_sign),
        leaky_limit,
    ),
    Theorem(
        "commuting bias",
        (("gunasekar2017", ""), ("smith2022", "theorem 1")),
        (h.factored_matrix, h.square_loss, h.commuting_measurements, h.reachable_labels),
        commuting_limit,
    ),
    Theorem(
        "affine bias",
        (("jacot2018", ""), ("chizat2019", ""), ("smith2022", "section 3")),
        (h.affine_in_parameters, h.square_loss),
        affine_limit,
    ),
    Theorem(
        "l1 margin",
        (("gunasekar2018", ""), ("moroshko2020", "")),
        (h.diagonal_network, h.depth_two, h.margin_loss, h.two_living_sides, h.separable_data),
        l1_margin,
    ),
    Theorem(
        "l2 margin",
        (("soudry2018", ""), ("ji2019", "")),
        (h.linear_network, h.one_output, h.margin_loss, h.separable_data),
        l2_margin,
    ),
)
