"""Hypotheses about weight decay, and the penalty that it puts on the predictor."""

from jaxtyping import Array, Float

from lazyrich._core.array_namespace import xp
from lazyrich._core.types import AnyArray
from lazyrich.flow import GradientFlow
from lazyrich.theorems.hypotheses import Defect

LayerDecays = tuple[Float[Array, ""], ...]


def every_layer_decays(flow: GradientFlow) -> Defect:
    """Every layer has weight decay: λ_l > 0."""
    if flow.decay is None:
        return float("inf")
    return xp.where(xp.min(xp.stack(flow.decay)) > 0, 0.0, 1.0)


def decays_of(flow: GradientFlow) -> LayerDecays:
    """Return λ_l for each layer of a flow that has weight decay."""
    assert flow.decay is not None
    return flow.decay


NEGLIGIBLE = (
    1e-11  # relative to the correlation of features and labels: solvers cannot tell a smaller penalty from zero
)


def raise_if_negligible(penalty: float, pull: float) -> None:
    """Raise an error if the penalty is so small beside the largest correlation of features and labels that rounding
    decides what it does."""
    if 0 < penalty < NEGLIGIBLE * pull:
        raise ValueError(
            f"weight decay makes a penalty of {penalty:.1e}, less than {NEGLIGIBLE:.0e} of what the labels pull "
            f"({pull:.1e}): float64 cannot tell it from none. Raise the decay, or ask for the limit without it, "
            "decay=None"
        )


def product_penalty(flow: GradientFlow) -> AnyArray:
    r"""Return μ, where $\mu\|\beta\|$ is the least penalty of two layers whose product is β.

    It is $\sqrt{\lambda_1\lambda_2}$, since $\tfrac12(\lambda_1a^2 + \lambda_2b^2) \ge \sqrt{\lambda_1\lambda_2}|ab|$;
    half of λ for a layer that is multiplied by itself.
    """
    decay = decays_of(flow)
    return decay[0] / 2 if len(decay) == 1 else xp.sqrt(decay[0]) * xp.sqrt(decay[1])
