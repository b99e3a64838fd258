"""Define a theorem: a formula, its hypotheses, its references, and example flows on which it holds and fails."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import jax
import numpy as np
from jaxtyping import Array, PyTree

from lazyrich._core.array_namespace import detach, is_concrete, tree_to_numpy, xp
from lazyrich._core.device import to_jax_zero_copy
from lazyrich._core.types import AnyArray, Layers
from lazyrich._io.html import html_pre, html_table
from lazyrich.flow import GradientFlow
from lazyrich.networks import Network
from lazyrich.nondimensionalize import nondimensionalize
from lazyrich.theorems.sensitivity import DEFECT_TOLERANCE as DEFECT_TOLERANCE
from lazyrich.theorems.sensitivity import amplify_defect, exceeds_rounding, sensitivity

Hypothesis = Callable[[GradientFlow], AnyArray]
Defects = dict[str, AnyArray]  # hypothesis → defect
FlowTransform = Callable[[GradientFlow], GradientFlow]
Example = Callable[[np.random.Generator, Array], GradientFlow]
NO_DECAY = "no weight decay"  # the hypothesis of every theorem that does not cover weight decay
FINITE_DATA = "finitely many samples"  # the hypothesis of every theorem, which the flow of a Population does not meet


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Theorem:
    """A formula that holds under hypotheses, each measured on the flow at hand. The statement is the formula's
    docstring.

    - `title`: a heading for its page; `intuition`: three sentences that a newcomer understands, with TeX in dollars;
    - `references`: pairs of a source's key and the place in it; `claims`: ids of the verdicts that concern it, such as
      "kunin2024/theorem-1";
    - `hypotheses`: each with a change of the example after which it alone fails;
    - `example(rng, key)`: a random flow on which the theorem holds;
    - `counterexample`: in words, and a change of the example after which the formula must be wrong. A theorem without a
      hypothesis that can fail slightly has none;
    - `covers_decay`: whether the formula holds for flows with weight decay. If not, such flows are refused, and nothing
      of this need stand among the hypotheses.
    """

    name: str
    references: tuple[tuple[str, str], ...]
    hypotheses: Mapping[Hypothesis, FlowTransform]
    formula: Callable[..., PyTree]
    example: Example
    counterexample: tuple[str, FlowTransform] | None = None
    covers_decay: bool = False
    title: str = ""
    intuition: str = ""
    claims: tuple[str, ...] = ()

    @property
    def statement(self) -> str:
        """The statement of the theorem: the docstring of its formula."""
        return self.formula.__doc__ or ""

    @property
    def sources(self) -> tuple[str, ...]:
        return tuple(key for key, _ in self.references)

    @property
    def reference_text(self) -> str:
        """The references as text."""
        return "; ".join(f"{key}, {place}" if place else key for key, place in self.references)

    def defects(self, flow: GradientFlow) -> Defects:
        """Measure each hypothesis on the flow: 0 if it holds exactly, inf if it does not make sense.

        Once a defect is infinite, the remaining hypotheses are not measured (None). A defect that depends on traced
        values is traced. A defect larger than rounding is multiplied by the amplification of the weakest mode that is
        to be learned.
        """
        return self.measure(detach(nondimensionalize(flow).flow))

    def measure(self, values: GradientFlow) -> Defects:
        """Return the defects of a flow in scaled units that `detach` has converted."""
        defects: Defects = {} if values.decay is None or self.covers_decay else {NO_DECAY: float("inf")}
        if not values.problem.has_samples:
            defects[FINITE_DATA] = float("inf")
        for hypothesis in self.hypotheses:
            failed = any(defect is None or _is_infinite(defect) for defect in defects.values())
            defects[hypothesis_name(hypothesis)] = None if failed else hypothesis(values)
        if any(map(_is_infinite, defects.values())) or not any(map(exceeds_rounding, defects.values())):
            return defects
        factor = sensitivity(values)
        return {
            name: amplify_defect(defect, factor) if exceeds_rounding(defect) else defect
            for name, defect in defects.items()
        }

    def sample_flow(self, seed: int = 0) -> GradientFlow:
        """Return a random flow on which the theorem holds."""
        return self.example(np.random.default_rng(seed), jax.random.key(seed))

    def violating(self, hypothesis: Hypothesis, seed: int = 0) -> GradientFlow:
        """Return a flow on which only this hypothesis fails."""
        return self.hypotheses[hypothesis](self.sample_flow(seed))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name}: {self.reference_text})"

    def _repr_html_(self) -> str:
        needs = ", ".join(map(hypothesis_name, self.hypotheses))
        return html_table([("stands in", self.reference_text), ("needs", needs)], (self.name, "")) + html_pre(
            inspect.cleandoc(self.statement)
        )


@dataclass(frozen=True)
class Equation:
    """A differential equation that theorems solve: its name, and TeX."""

    name: str
    formula: str


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class TrajectoryTheorem(Theorem):
    """A closed form: `formula(flow, times)` returns the network's layers along time.

    - `formula_up_to_rotation`: the same, with the hidden units up to a rotation, where that is much cheaper;
    - `equations`: the differential equations that it solves;
    - `special_theorems`: other theorems that are special cases of it, each with its condition;
    - `special_cases`: classical special cases, each with a reference;
    - `limiting_betas`: by name, the limit of the predictor in an extreme regime, as a function of flow and times; None
      where the flow is not on that side;
    - `holds_nearby(flow)`: whether the theorem also holds, to first order, for all nearby networks, rates and κ; then
      the formula is differentiated directly. `holds_nearby_in` lists which of "X" and "y" may vary, too. All other
      derivatives solve the variational equation along the formula's path.
    """

    formula_up_to_rotation: Callable[..., PyTree] | None = None
    equations: tuple[Equation, ...] = ()
    special_theorems: tuple[tuple["TrajectoryTheorem", str], ...] = ()
    special_cases: tuple[tuple[str, str], ...] = ()
    limiting_betas: Mapping[str, Callable[[GradientFlow, Array], Array | None]] = field(default_factory=dict)
    holds_nearby: Callable[[GradientFlow], bool] = lambda flow: False
    holds_nearby_in: tuple[str, ...] = ()

    def layers(self, flow: GradientFlow, times: AnyArray, hidden_rotation: bool = True) -> Layers:
        """Evaluate the closed form: the layers, stacked along time. Without `hidden_rotation`, hidden units are
        determined up to a rotation."""
        if hidden_rotation:
            return self.formula(flow, times)
        if self.formula_up_to_rotation is None:
            raise ValueError(
                f"hidden_rotation=False leaves out the rotation of the hidden units; the theorem '{self.name}', which "
                "is used here, has no such part. Call exact(flow, times) without it"
            )
        return self.formula_up_to_rotation(flow, times)

    def networks_up_to_rotation(self, flow: GradientFlow, times: Array) -> Network:
        """Return the networks along time, with hidden units up to a rotation where that is cheaper."""
        return stack_networks(flow.net, (self.formula_up_to_rotation or self.formula)(flow, times), len(times))


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class LimitTheorem(Theorem):
    """A formula for the limit of a flow: `formula(flow)` returns the predictor, the network or None, and a certificate.

    - `limits_at_scales(flow, scales)`: predictors and certificates of the network scaled by each of the scales, if one
      computation gives them all;
    - `is_direction`: whether the limit is a direction, of norm one, in which the predictor diverges; else a point;
    - `up_to_rotation`: whether the network is known only up to a rotation of its hidden units;
    - `decided_by_flow`: hypotheses that are decided during the flow, and not at its start.
    """

    limits_at_scales: Callable[..., PyTree] | None = None
    is_direction: bool = False
    up_to_rotation: bool = False
    decided_by_flow: tuple[Hypothesis, ...] = ()

    @property
    def kind(self) -> str:
        return "direction" if self.is_direction else "point"

    def may_apply_later(self, defects: Defects) -> bool:
        """Return whether only hypotheses fail that the flow itself will decide."""
        decided = {hypothesis_name(hypothesis) for hypothesis in self.decided_by_flow}
        return all(name in decided for name, defect in defects.items() if not holds(defect))


class NoTheoremApplies(ValueError):
    """No theorem covers the flow. `defects` says what is missing: theorem name → hypothesis → defect."""

    def __init__(self, message: str, defects: dict[str, Defects]):
        super().__init__(message)
        self.defects = defects


def hypothesis_name(hypothesis: Hypothesis) -> str:
    """Return the name of a hypothesis in words."""
    return hypothesis.__name__.replace("_", " ")


def holds(defect: AnyArray) -> bool:
    """Return whether a hypothesis with this defect holds. A traced defect counts as held until the program runs."""
    return defect is not None and (not is_concrete(defect) or bool(np.asarray(defect) <= DEFECT_TOLERANCE))


def _is_infinite(defect: AnyArray) -> bool:
    return defect is not None and is_concrete(defect) and bool(np.isinf(np.asarray(defect)))


def unmet_hypotheses(theorem: Theorem, defects: Defects) -> Defects:
    """Return the error conditions, for `raise_if`, of hypotheses that can be measured only when the program runs."""
    return {
        f"inside jit or vmap the theorem '{theorem.name}' was taken, but the hypothesis '{name}' does not hold; "
        "lazyrich.explain(flow) outside of it says more": ~(defect <= DEFECT_TOLERANCE)
        for name, defect in defects.items()
        if not is_concrete(defect)
    }


def stack_networks(net: Network, layers: Layers, count: int) -> Network:
    """Stack networks along time from their layers. Arrays that a network keeps outside its layers are repeated."""
    if is_concrete(net, layers):
        net, layers = tree_to_numpy((net, layers))
    along = jax.tree.map(lambda leaf: xp.broadcast_to(leaf, (count, *leaf.shape)), net).with_layers(layers)
    return jax.tree.map(to_jax_zero_copy, along)
