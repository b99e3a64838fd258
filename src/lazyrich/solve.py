"""explain, exact, solve, limit: the one room that knows every theorem."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from lazyrich._check import as_array, as_times, concrete
from lazyrich.flow import GradientFlow
from lazyrich.networks import Network
from lazyrich.numerics import integrate
from lazyrich.problem import steady
from lazyrich.rounding import caution
from lazyrich.theorems import EXACT, LIMITS
from lazyrich.theorems.hypotheses import SHOWN_ON_THE_WAY
from lazyrich.theorems.limits.commuting import commuting_limit
from lazyrich.theorems.limits.diagonal import diagonal_limit
from lazyrich.theorems.result import Certificate, Limit
from lazyrich.theorems.theorem import HOLDS, NoTheoremApplies, Theorem, guarded, held, label, untangled
from lazyrich.trajectory import By, Trajectory
from lazyrich.units import moderate

TRUSTED = 1e-6  # a limit whose certificate is worse is not returned


@dataclass(frozen=True)
class Explanation:
    """Which theorem covers a flow, and what every other one lacks: theorem × hypothesis → defect.

    It prints as a table, renders in notebooks, and is true when a theorem applies.
    """

    flow: GradientFlow
    theorems: tuple[Theorem, ...]
    defects: tuple[dict[str, Any], ...]
    of: str = "trajectory"

    @property
    def used(self) -> Theorem | None:
        """The theorem that `exact` and `solve`, or `limit`, would use."""
        for theorem, found in zip(self.theorems, self.defects, strict=True):
            if all(held(defect) for defect in found.values()):
                return theorem
        return None

    def __bool__(self) -> bool:
        return self.used is not None

    @property
    def _fitting(self) -> list[int]:
        """The theorems that are about this kind of network; all, if none is."""
        fits = [i for i, found in enumerate(self.defects) if not any(_shown(d) == "✗" for d in found.values())]
        return fits or list(range(len(self.theorems)))

    def _cells(self) -> tuple[list[str], list[list[str]]]:
        shown = [(self.theorems[i], self.defects[i]) for i in self._fitting]
        names = list(dict.fromkeys(label(h) for theorem, _ in shown for h in theorem.hypotheses))
        rows = [[name, *(_shown(found[name]) if name in found else "" for _, found in shown)] for name in names]
        return ["", *(theorem.name for theorem, _ in shown)], rows

    @property
    def _column(self) -> int:
        return 1 + self._fitting.index(self.theorems.index(self.used)) if self.used else 0

    @property
    def _others(self) -> str:
        others = [t.name for i, t in enumerate(self.theorems) if i not in self._fitting]
        return f"About other networks: {', '.join(others)}." if others else ""

    @property
    def verdict(self) -> str:
        """What would be used, in words."""
        if self.of == "limit":
            if self.used is None:
                return "No theorem says where this flow stops; limit() would refuse."
            return f"limit() would use: {self.used.name} ({self.used.where})"
        if self.used is None:
            return "No theorem covers this flow; solve() would integrate it."
        return f"exact() and solve() would use: {self.used.name} ({self.used.where})"

    def __str__(self) -> str:
        header, rows = self._cells()
        used = self._column
        words = [["", name] if " " not in name else name.rsplit(" ", 1) for name in header]
        head = [[pair[0] for pair in words], [pair[1] for pair in words]]
        marks = ["defect", *("used" if i == used else "" for i in range(1, len(header)))]
        table = [*head, marks, *rows]
        widths = [max(len(row[i]) for row in table) for i in range(len(header))]

        def line(row: Sequence[str]) -> str:
            first, *rest = row
            cells = [cell.rjust(width) for cell, width in zip(rest, widths[1:], strict=True)]
            return "  ".join([first.ljust(widths[0]), *cells]).rstrip()

        rule = "─" * (sum(widths) + 2 * len(widths) - 2)
        body = [line(row) for row in rows]
        note = f"0: holds exactly; up to {HOLDS:g} counts as held; blank: not needed"
        if any(cell in "✗–" and cell for row in rows for cell in row[1:]):
            note += "; ✗: makes no sense here; –: not asked"
        end = [part for part in (note, self._others, self.verdict) if part]
        return "\n".join([*(line(row) for row in (*head, marks)), rule, *body, rule, *end])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        header, rows = self._cells()
        used = self._column

        def row(cells: Sequence[str], tag: str) -> str:
            mark = ' style="background:#009E7322;font-weight:bold"'
            inner = (f"<{tag}{mark if i and i == used else ''}>{escape(cell)}</{tag}>" for i, cell in enumerate(cells))
            return f"<tr>{''.join(inner)}</tr>"

        head, body = row(header, "th"), "".join(row(cells, "td") for cells in rows)
        end = escape(f"{self._others} {self.verdict}".strip())
        return f"<table><thead>{head}</thead><tbody>{body}</tbody></table><p>{end}</p>"


def _shown(defect: Any) -> str:
    if defect is None:
        return "–"
    if not concrete(defect):
        return "traced"
    size = float(np.asarray(defect))
    return "✗" if np.isinf(size) else "0" if size == 0 else f"{size:.0e}"


def explain(flow: GradientFlow, of: str = "trajectory") -> Explanation:
    """What each theorem needs, measured on this flow, and which one would be used.

    `of="limit"` asks for the theorems about where the flow stops, `LIMITS`, instead of those about its trajectory.

    >>> import numpy as np
    >>> from lazyrich import DeepLinear, Problem
    >>> flow = GradientFlow(DeepLinear([[[1.0, 0.0]], [[1.0]]]), Problem(np.eye(2), [0.0, 1.0]))
    >>> explain(flow).used.name, explain(flow).defects[0]["whitened inputs"]
    ('single neuron', 0.0)
    """
    if not isinstance(flow, GradientFlow):
        raise TypeError(f"explain takes a GradientFlow; found {type(flow).__name__}")
    if of not in ("trajectory", "limit"):
        raise ValueError(f"explain speaks of the 'trajectory' or of the 'limit'; found {of!r}")
    theorems = EXACT if of == "trajectory" else LIMITS
    return Explanation(flow, theorems, tuple(theorem.defects(flow) for theorem in theorems), of)


def exact(flow: GradientFlow, times: Any, *, theorem: Theorem | str | None = None, lift: bool = True) -> Trajectory:
    """The trajectory in closed form, or `NoTheoremApplies` with the measured defects.

    The first theorem of `EXACT` whose hypotheses hold is used; `theorem`, a member of `EXACT` or its name, asks for
    one. `traj.by` says which it was and where it stands; `cite(traj)` gives BibTeX.

    - `lift=False`: for wide two-layer networks with isotropic imbalance, leave out the small equation that fixes the
      rotation of the hidden units. Predictor, kernel, losses and singular values are the same, and much cheaper.

    `jit`, `vmap` and `grad` go through it, with respect to the network (along
    initializations that keep the hypotheses), the rates, and, where no frame depends on them, the labels. Under `grad`
    alone the hypotheses are measured as usual; under `jit` and `vmap` the first theorem that fits the structure is
    taken, and what could not be measured is checked when it runs.

    >>> import numpy as np
    >>> from lazyrich import Problem, inits
    >>> flow = GradientFlow(inits.neuron([0.1, 0.0], delta=1.0), Problem(np.eye(2), [1.0, 2.0]))
    >>> traj = exact(flow, [0.0, 1e6])
    >>> traj.beta[-1], traj.by.method
    (Array([1., 2.], dtype=float64), 'single neuron')
    """
    times = as_times(times)
    if not isinstance(flow, GradientFlow):
        raise TypeError(f"exact takes a GradientFlow; found {type(flow).__name__}")
    chosen, defects = _chosen(flow, theorem)
    options = {} if lift or chosen.name != "isotropic imbalance" else {"lift": False}
    units = moderate(flow)
    if units.faint:
        raise OverflowError(
            f"labels (up to {_largest(flow.problem.y):.0e}), inputs (up to {_largest(flow.problem.X):.0e}) and network "
            f"(up to {_largest(flow.net.layers):.0e}, parts down to {_smallest(flow.net.strengths):.0e}) are so far "
            "apart that one of them cannot be told from zero in float64: pass zeros, or other scales"
        )
    layers = units.layers(chosen.formula(units.flow, units.times(times), **options))
    layers = guarded(chosen, defects, _finite(layers, f"the trajectory by '{chosen.name}'"))
    # What a network keeps outside of its layers is repeated along time.
    nets = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (len(times), *leaf.shape)), flow.net).with_layers(layers)
    return Trajectory(flow, times, nets, _by(chosen, defects, lift, caution(flow, times)))


def _finite(result: Any, what: str) -> Any:
    """The result, if it is made of numbers."""
    known = [leaf for leaf in jax.tree.leaves(result) if concrete(leaf)]
    if not all(bool(np.all(np.isfinite(np.asarray(leaf)))) for leaf in known):
        raise OverflowError(
            f"{what} has numbers that float64 does not hold: inputs, labels, weights, rates or times are too large or "
            "too small for each other. Measure them in other units, nearer to one"
        )
    return result


def solve(flow: GradientFlow, times: Any, **options: Any) -> Trajectory:
    """Exact if a theorem applies, integrated if none does; `traj.by` says which.

    Options are those of `integrate`; they matter only if it is used.

    >>> import numpy as np
    >>> from lazyrich import Problem, inits
    >>> net = inits.neuron([0.1, 0.0], delta=1.0)
    >>> for X in (np.eye(2), np.diag([1.0, 2.0])):
    ...     print(solve(GradientFlow(net, Problem(X, [1.0, 2.0])), [0.0, 1.0]).by.way)
    exact
    integrated
    """
    if not isinstance(flow, GradientFlow):
        raise TypeError(f"solve takes a GradientFlow; found {type(flow).__name__}")
    explanation = explain(flow)
    unknown = [d for found in explanation.defects for d in found.values() if d is not None and not concrete(d)]
    if unknown:
        raise ValueError(
            "solve chooses by measured hypotheses, which are not known inside jit or vmap: call exact(flow, times) or "
            "integrate(flow, times) there, after explain(flow) outside"
        )
    if explanation and options.get("until") is None:
        return exact(flow, times, theorem=explanation.used)
    return integrate(flow, times, **options)


def _chosen(
    flow: GradientFlow, theorem: Theorem | str | None, theorems: tuple[Theorem, ...] = EXACT
) -> tuple[Theorem, dict[str, Any]]:
    candidates = theorems
    if theorem is not None:
        if not isinstance(theorem, (str, Theorem)):
            raise TypeError(f"theorem must be a Theorem or its name; found {theorem!r}")
        name = theorem if isinstance(theorem, str) else theorem.name
        candidates = tuple(known for known in theorems if known.name == name)
        if not candidates:
            raise ValueError(f"no theorem is called {name!r}; there are {', '.join(known.name for known in theorems)}")
    found = {}
    for candidate in candidates:
        found[candidate.name] = candidate.defects(flow)
        if all(held(defect) for defect in found[candidate.name].values()):
            return candidate, found[candidate.name]
    slopes = jax.tree.leaves(untangled(flow).gradient())
    moves = any(not concrete(slope) or bool(np.any(np.asarray(slope))) for slope in slopes)
    raise NoTheoremApplies(_refusal(candidates, found, theorems is EXACT, moves), found)


def _refusal(theorems: tuple[Theorem, ...], found: dict[str, dict[str, Any]], trajectory: bool, moves: bool) -> str:
    """The theorems that come nearest, and what they lack."""
    fitting = {name: d for name, d in found.items() if None not in d.values() and float("inf") not in d.values()}
    lines = []
    for name, defects in (fitting or found).items():
        missing = [
            f"{hypothesis} ({'not the case' if _shown(defect) == '✗' else f'off by {_shown(defect)}'})"
            for hypothesis, defect in defects.items()
            if defect is not None and not held(defect)
        ]
        lines.append(f"  {name}: {', '.join(missing)}")
    if trajectory:
        opening = "no theorem gives this trajectory in closed form. "
        advice = "Use lazyrich.integrate(flow, times), or lazyrich.solve, which integrates when it must"
    else:
        opening = "no theorem says where this flow stops. "
        advice = "lazyrich.integrate(flow, times) follows it as far as you like, which is not a limit"
        if moves and any(_known_later(theorem, found[theorem.name]) for theorem in theorems):
            advice = (
                "This shows on the way: follow the flow further and ask again from there, "
                "lazyrich.limit(lazyrich.integrate(flow, times))"
            )
    nearest = "Nearest, and what is missing:\n" if fitting else "What is missing:\n"
    return opening + nearest + "\n".join(lines) + "\n" + advice


def _known_later(theorem: Theorem, defects: dict[str, Any]) -> bool:
    """Does it lack only what the flow itself will show?"""
    pairs = zip(theorem.hypotheses, defects.values(), strict=True)
    missing = [hypothesis for hypothesis, defect in pairs if not held(defect)]
    return all(hypothesis in SHOWN_ON_THE_WAY for hypothesis in missing)


def limit(flow: GradientFlow | Trajectory, *, theorem: Theorem | str | None = None, scales: Any = None) -> Limit:
    """Where the flow stops, from the implicit-bias theorem that applies; or `NoTheoremApplies` with the defects.

    `lim.value` is the predictor (`lim.kind` says whether a point or a direction), `lim.net` the network where the
    theorem gives it, `lim.certificate` the measured optimality, `lim.by` the theorem. Nothing is integrated.

    Of a trajectory it is the limit of the flow that goes on from its end: where a hypothesis is about what will happen
    (the sign of a neuron's outer weight), it may hold there and not at the start.

    `scales`: the limits from the same network with its layers multiplied by each of these numbers, one row each. For
    diagonal networks and commuting measurements one path serves them all, from the lazy to the rich.

    `grad` goes through it, by implicit differentiation where a solver is used: with respect to the initialization, the
    rates, the labels and, for data of full rank, the inputs. Directions are the exception.

    >>> from lazyrich import Problem, inits
    >>> problem = Problem([[1.0, 2.0, 2.1]], [3.0])
    >>> for alpha in (10.0, 1e-2, 1e-8):                     # from the shortest β to the sparsest
    ...     print(limit(GradientFlow(inits.ones(3, alpha), problem)).value.round(3))
    [0.319 0.638 0.67 ]
    [0.008 0.571 0.881]
    [0.    0.21  1.228]
    """
    if isinstance(flow, Trajectory):
        flow = flow.flow.at(flow.end)
    if not isinstance(flow, GradientFlow):
        raise TypeError(f"limit takes a GradientFlow or a Trajectory; found {type(flow).__name__}")
    if scales is not None:
        scales = as_array("scales", scales, (1,))
        if concrete(scales) and not np.all(np.asarray(scales) > 0):
            raise ValueError(f"scales must be positive; found {float(np.min(np.asarray(scales))):g}")
    chosen, defects = _chosen(flow, theorem, LIMITS)
    units = moderate(eqx.tree_at(lambda flow: flow.problem.X, flow, steady(flow.problem.X)))
    if scales is None:
        value, net, certificate = chosen.formula(units.flow)
        net = None if net is None else units.net(net)
    elif chosen.formula in (diagonal_limit, commuting_limit):
        value, net, certificate = chosen.formula(units.flow, scales)
    else:
        value, net, certificate = _each_scale(units.flow, chosen, scales)
    value = units.net(value) if isinstance(value, Network) else units.beta(value)
    value = _finite(value, f"the limit by '{chosen.name}'")
    kind = "direction" if chosen.name.endswith("margin") else "point"
    if flow.net.linear:
        shape = (flow.problem.d, *flow.problem.y.shape[1:])
        value = value.reshape(shape if scales is None else (len(scales), *shape))
    value = guarded(chosen, defects, value)
    if not concrete(certificate):
        message = f"the limit by '{chosen.name}' could not be certified; call lazyrich.limit outside of jit to see why"
        value = eqx.error_if(value, ~(certificate.worst < TRUSTED), message)
    elif not float(certificate.worst) < TRUSTED:
        raise RuntimeError(
            f"the limit was computed from the theorem '{chosen.name}', but its optimality could not be certified "
            f"({certificate}). The initialization (up to {_largest(flow.net.layers):.0e}) is likely too small or too "
            f"large beside the labels (up to {_largest(flow.problem.y):.0e}), or the data are too ill-conditioned, for "
            "float64; try another scale, or lazyrich.potentials.basis_pursuit for the rich limit itself"
        )
    by = _by(chosen, defects, True, caution(flow, np.array([np.inf])))
    return Limit(value, certificate, kind, by, net, scales)


def _largest(tree: Any) -> float:
    return max(float(jnp.max(jnp.abs(leaf))) for leaf in jax.tree.leaves(tree))


def _smallest(sizes: jax.Array) -> float:
    """Of those that are not zero."""
    return float(jnp.min(jnp.where(sizes > 0, sizes, jnp.inf)))


def _each_scale(flow: GradientFlow, theorem: Theorem, scales: Any) -> tuple[Any, None, Certificate]:
    """The limit at each scale, with the hypotheses measured anew."""
    results = []
    for scale in scales:
        layers = jax.tree.map(lambda leaf, s=scale: s * leaf, flow.net.layers)
        there = flow.at(flow.net.with_layers(layers))
        _chosen(there, theorem, LIMITS)
        value, _, certificate = theorem.formula(there)
        results.append((value, certificate))
    values, certificates = jax.tree.map(lambda *leaves: jnp.stack(leaves), *results)
    return values, None, certificates


def _by(theorem: Theorem, defects: dict[str, Any], lift: bool, words: str = "") -> By:
    detail = theorem.where
    known = [float(np.asarray(d)) for d in defects.values() if concrete(d)]
    if max(known, default=0.0) > 1e-14:
        detail += f"; hypotheses hold to {max(known):.0e}"
    if theorem.name == "isotropic imbalance" and not lift:
        detail += "; hidden units up to a rotation"
    detail += f"; {words}" if words else ""
    return By("exact", theorem.name, detail, theorem.sources)
