"""Choose the theorem that applies to a flow, and state in errors why none does."""

from typing import TypeVar

import jax
import numpy as np
from jaxtyping import PyTree

from lazyrich._core.array_namespace import detach, is_concrete
from lazyrich._core.runtime_errors import any_nonfinite
from lazyrich._core.types import AnyArray
from lazyrich._validate.arrays import all_finite
from lazyrich.explanation import format_defect
from lazyrich.flow import GradientFlow
from lazyrich.nondimensionalize import ScaledFlow
from lazyrich.theorems.theorem import Defects, NoTheoremApplies, Theorem, holds
from lazyrich.trajectory import Provenance

T = TypeVar("T", bound=Theorem)
AllDefects = dict[str, Defects]  # name of the theorem → hypothesis → defect


def select_theorems(theorem: Theorem | str | None, kind: type[T], theorems: tuple[T, ...]) -> tuple[T, ...]:
    """Return all theorems of a registry, or only the requested one."""
    if theorem is None:
        return theorems
    if isinstance(theorem, kind):
        return (theorem,)
    if not isinstance(theorem, (str, Theorem)):
        raise TypeError(f"theorem must be a Theorem or its name; found {theorem!r}")
    named = {one.name: one for one in theorems}
    name = theorem if isinstance(theorem, str) else theorem.name
    if name not in named:
        raise ValueError(f"no theorem is called {name!r}; there are {', '.join(named)}")
    return (named[name],)


def relevant_theorems(flow: GradientFlow, theorems: tuple[T, ...]) -> tuple[T, ...]:
    """Return the theorems without those about weight decay, if the flow has none: they say nothing more about it."""
    if flow.decay is not None or len(theorems) == 1:
        return theorems
    return tuple(theorem for theorem in theorems if not theorem.covers_decay)


def first_applicable(scaled: ScaledFlow, theorems: tuple[T, ...]) -> tuple[T | None, AllDefects]:
    """Return the first theorem whose hypotheses all hold, or None, and the defects measured so far."""
    theorems = relevant_theorems(scaled.flow, theorems)
    all_defects: AllDefects = {}
    values = detach(scaled.flow)
    for theorem in theorems:
        all_defects[theorem.name] = theorem.measure(values)
        if all(holds(defect) for defect in all_defects[theorem.name].values()):
            return theorem, all_defects
    return None, all_defects


def no_theorem_error(opening: str, all_defects: AllDefects, advice: str) -> NoTheoremApplies:
    """Return an error that lists the nearest theorems and the hypotheses that fail."""
    fitting = {name: d for name, d in all_defects.items() if None not in d.values() and float("inf") not in d.values()}
    lines = []
    for name, defects in (fitting or all_defects).items():
        missing = [
            f"{hypothesis} ({'not the case' if format_defect(defect) == '✗' else f'off by {format_defect(defect)}'})"
            for hypothesis, defect in defects.items()
            if defect is not None and not holds(defect)
        ]
        lines.append(f"  {name}: {', '.join(missing)}")
    nearest = "Nearest theorems, with the hypotheses that fail:\n" if fitting else "Hypotheses that fail:\n"
    return NoTheoremApplies(f"{opening}. {nearest}" + "\n".join(lines) + f"\n{advice}", all_defects)


def too_large_errors(scaled: ScaledFlow) -> dict[str, AnyArray]:
    """Return the error condition of numbers that cannot be scaled inside `jit`."""
    message = (
        "inside jit or vmap, weights or labels are so large beside those that are known that float64 needs other units "
        "for them, which are chosen outside only: call it there, or measure all of them in units nearer to one"
    )
    return {message: scaled.traced_too_large}


def overflow_errors(result: PyTree, what: str) -> dict[str, AnyArray]:
    """Return the error condition of a traced result that overflows; raise the error if the result is concrete."""
    message = (
        f"{what} has numbers that float64 does not hold: inputs, labels, weights, rates or times are too large or "
        "too small for each other. Measure them in other units, nearer to one"
    )
    concrete_leaves = [leaf for leaf in jax.tree.leaves(result) if is_concrete(leaf)]
    if not all(all_finite(np.asarray(leaf)) for leaf in concrete_leaves):
        raise OverflowError(message)
    return {message: any_nonfinite(result)}


def largest_entry(tree: PyTree) -> float:
    """Return the largest absolute value in a tree of arrays."""
    return max(float(np.max(np.abs(np.asarray(leaf)))) for leaf in jax.tree.leaves(tree))


def exact_provenance(theorem: Theorem, defects: Defects, *notes: str) -> Provenance:
    """Return the provenance of a result in closed form: the theorem, its references, its largest defect, and notes."""
    concrete_defects = [float(np.asarray(d)) for d in defects.values() if is_concrete(d)]
    measured = f"hypotheses hold to {max(concrete_defects):.0e}" if max(concrete_defects, default=0.0) > 1e-14 else ""
    detail = "; ".join(part for part in (theorem.reference_text, measured, *notes) if part)
    return Provenance("exact", theorem.name, detail, theorem.sources)
