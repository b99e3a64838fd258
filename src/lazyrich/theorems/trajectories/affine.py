"""Models that are affine in their parameters: linear regression, and the tangent model of any network."""

import equinox as eqx
import numpy as np
from jaxtyping import Array, Float

from lazyrich._core.array_namespace import is_concrete
from lazyrich._core.types import AnyArray, Layers
from lazyrich.flow import GradientFlow
from lazyrich.inits import gaussian
from lazyrich.theorems.equations import LINEAR
from lazyrich.theorems.example_flows import underdetermined_problem, with_logistic_loss, with_relu
from lazyrich.theorems.hypotheses import affine_in_parameters, square_loss
from lazyrich.theorems.regression import MAX_UNCERTAINTY, as_regression, evolve_from_zero
from lazyrich.theorems.theorem import TrajectoryTheorem


def affine_model(flow: GradientFlow, times: Float[Array, " t"]) -> Layers:
    r"""A model that is affine in its parameters, with the square loss: linear regression, and the tangent model of any
    network.

    With $K = \sum_l\eta_lJ_lJ_l^\top$, which never changes,

    $$f(t) = y + e^{-\kappa Kt}(f_0 - y), \qquad
      \theta_l(t) = \theta_l(0) + \eta_lJ_l^\top\,\kappa t\,\varphi_1(-\kappa Kt)\,(y - f_0), \qquad
      \varphi_1(x) = (e^x - 1)/x.$$

    K may be singular: parameters in the null space of J do not move (Jacot et al. 2018; Chizat et al. 2019; smith2022,
    section 3). The formula is evaluated with the singular values of J, not of K, which would square the condition
    number.

    >>> from lazyrich import DeepLinear, Problem, exact
    >>> flow = GradientFlow(DeepLinear([[[0.0, 3.0]]]), Problem([[2.0, 0.0]], [2.0]))       # K = 4; the 3 is not seen
    >>> exact(flow, [0.5, 1e6], theorem="affine model").beta
    Array([[0.86466472, 3.        ],
           [1.        , 3.        ]], dtype=float64)
    """
    A, r, layers = as_regression(flow)
    w, uncertain = evolve_from_zero(A, r, times)
    return layers(refuse_uncertain(w, uncertain))


def refuse_uncertain(w: AnyArray, uncertain: AnyArray) -> AnyArray:
    """Return the parameters, or raise an error if rounding leaves them uncertain."""
    message = (
        "features or samples are so nearly dependent that float64 does not tell what is learned of their difference. "
        "Ask for earlier times, or drop one of them"
    )
    if not is_concrete(uncertain):
        w = eqx.error_if(w, uncertain > MAX_UNCERTAINTY, message)
    elif float(uncertain) > MAX_UNCERTAINTY:
        raise RuntimeError(
            f"{message} (rounding leaves the parameters uncertain by {float(uncertain):.0e} of their size)"
        )
    return w


def _example(rng: np.random.Generator, key: Array) -> GradientFlow:
    return GradientFlow(gaussian(key, (5, 2)), underdetermined_problem(rng, c=2), 0.7)


THEOREM = TrajectoryTheorem(
    name="affine model",
    title="The lazy limit: models that are affine in their parameters",
    intuition="The tangent kernel of a model that is affine in its parameters never moves. The residual "
    "therefore decays along the eigenvectors of the kernel, each at the rate of its eigenvalue. This is the lazy "
    "regime itself: linear regression, and the tangent model of any network.",
    claims=(
        "smith2022/kernel-method",
        "smith2022/kernel-limit",
        "dln/depth-one",
        "dln/simultaneous",
        "kunin2024/kernel-drives-outputs",
    ),
    references=(("smith2022", "section 3.2"), ("chizat2019", ""), ("jacot2018", "")),
    hypotheses={affine_in_parameters: with_relu, square_loss: with_logistic_loss},
    formula=affine_model,
    example=_example,
    equations=(LINEAR,),
    special_cases=(
        ("linear regression", "smith2022, section 3"),
        ("tangent model of any network", "Jacot 2018; Chizat 2019"),
    ),
    holds_nearby=lambda flow: True,
    holds_nearby_in=("X", "y"),
)
