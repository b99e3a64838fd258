"""What a theorem is: a formula, its hypotheses, and where it stands."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from lazyrich._check import concrete
from lazyrich.flow import GradientFlow
from lazyrich.units import moderate

# A hypothesis holds when its defect is below this: rounding, not approximation.
HOLDS = 1e-11

Hypothesis = Callable[[GradientFlow], Any]


@dataclass(frozen=True)
class Theorem:
    """A formula that holds under hypotheses, each measured on the flow at hand.

    `formula(flow, times)` gives the layers along time; that of a limit, `formula(flow)`, the predictor, the network or
    None, and a certificate. `places` are pairs of a source's key and the place in it.
    The statement is the docstring of the formula.
    """

    name: str
    places: tuple[tuple[str, str], ...]
    hypotheses: tuple[Hypothesis, ...]
    formula: Callable[..., Any]

    @property
    def statement(self) -> str:
        """What the theorem says."""
        return self.formula.__doc__ or ""

    @property
    def sources(self) -> tuple[str, ...]:
        return tuple(key for key, _ in self.places)

    @property
    def where(self) -> str:
        """The places in the sources, readable."""
        return "; ".join(f"{key}, {place}" if place else key for key, place in self.places)

    def defects(self, flow: GradientFlow) -> dict[str, Any]:
        """Name of each hypothesis → defect: 0 when it holds exactly, inf when it makes no sense.

        After an infinite one the rest are not asked (None): they are about a structure that is not there. A defect that
        depends on traced values is traced itself.
        """
        known = moderate(untangled(flow)).flow
        found: dict[str, Any] = {}
        for hypothesis in self.hypotheses:
            lost = any(defect is None or _infinite(defect) for defect in found.values())
            found[label(hypothesis)] = None if lost else hypothesis(known)
        return found

    def __repr__(self) -> str:
        return f"Theorem({self.name}: {self.where})"


class NoTheoremApplies(ValueError):
    """No theorem covers the flow. `defects` says what is missing: theorem name → hypothesis → defect."""

    def __init__(self, message: str, defects: dict[str, dict[str, Any]]):
        super().__init__(message)
        self.defects = defects


def label(hypothesis: Hypothesis) -> str:
    """The name of a hypothesis in words."""
    return hypothesis.__name__.replace("_", " ")


def held(defect: Any) -> bool:
    """Does a hypothesis with this defect hold?"""
    return defect is not None and (not concrete(defect) or bool(np.asarray(defect) <= HOLDS))


def _infinite(defect: Any) -> bool:
    return concrete(defect) and bool(np.isinf(np.asarray(defect)))


def untangled(tree: Any) -> Any:
    """The values, without derivatives: under `grad` alone they are known numbers, and hypotheses can be measured."""
    return jax.tree.map(lambda leaf: leaf if concrete(leaf) else jax.lax.stop_gradient(leaf), tree)


def guarded(theorem: Theorem, defects: dict[str, Any], result: Any) -> Any:
    """The result, which raises at run time if a hypothesis that could not be measured before turns out not to hold."""
    for name, defect in defects.items():
        if not concrete(defect):
            message = (
                f"inside jit or vmap the theorem '{theorem.name}' was taken, but the hypothesis '{name}' does not "
                "hold; lazyrich.explain(flow) outside of it says more"
            )
            result = eqx.error_if(result, ~(defect <= HOLDS), message)
    return result


def relative(size: Array, unit: Array) -> Array:
    """size / unit, with 0/0 = 0."""
    return jnp.where(size == 0, 0.0, size / jnp.where(unit == 0, 1.0, unit))
