"""explain, exact, solve: the one room that knows every theorem."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from lazyrich._check import as_times, concrete
from lazyrich.flow import GradientFlow
from lazyrich.numerics import integrate
from lazyrich.theorem import HOLDS, NoTheoremApplies, Theorem, guarded, held, label
from lazyrich.theorems import EXACT
from lazyrich.trajectory import By, Trajectory


@dataclass(frozen=True)
class Explanation:
    """Which theorem covers a flow, and what every other one lacks: theorem × hypothesis → defect.

    It prints as a table, renders in notebooks, and is true when a theorem applies.
    """

    flow: GradientFlow
    theorems: tuple[Theorem, ...]
    defects: tuple[dict[str, Any], ...]

    @property
    def used(self) -> Theorem | None:
        """The theorem that `exact` and `solve` would use."""
        for theorem, found in zip(self.theorems, self.defects, strict=True):
            if all(held(defect) for defect in found.values()):
                return theorem
        return None

    def __bool__(self) -> bool:
        return self.used is not None

    def _cells(self) -> tuple[list[str], list[list[str]]]:
        names = list(dict.fromkeys(label(h) for theorem in self.theorems for h in theorem.hypotheses))
        rows = []
        for name in names:
            row = [_shown(found[name]) if name in found else "" for found in self.defects]
            rows.append([name, *row])
        return ["", *(theorem.name for theorem in self.theorems)], rows

    @property
    def verdict(self) -> str:
        """What would be used, in words."""
        if self.used is None:
            return "No theorem covers this flow; solve() would integrate it."
        return f"exact() and solve() would use: {self.used.name} ({self.used.where})"

    def __str__(self) -> str:
        header, rows = self._cells()
        used = self.theorems.index(self.used) + 1 if self.used else 0
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
        note = f"0: holds exactly; up to {HOLDS:g} counts as held; ✗: makes no sense here; –: not asked; blank: not needed"
        return "\n".join([*(line(row) for row in (*head, marks)), rule, *body, rule, note, self.verdict])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        header, rows = self._cells()
        used = self.theorems.index(self.used) + 1 if self.used else 0

        def row(cells: Sequence[str], tag: str) -> str:
            mark = ' style="background:#009E7322;font-weight:bold"'
            inner = (f"<{tag}{mark if i and i == used else ''}>{escape(cell)}</{tag}>" for i, cell in enumerate(cells))
            return f"<tr>{''.join(inner)}</tr>"

        body = "".join(row(cells, "td") for cells in rows)
        return f"<table><thead>{row(header, 'th')}</thead><tbody>{body}</tbody></table><p>{escape(self.verdict)}</p>"


def _shown(defect: Any) -> str:
    if defect is None:
        return "–"
    if not concrete(defect):
        return "traced"
    size = float(np.asarray(defect))
    return "✗" if np.isinf(size) else "0" if size == 0 else f"{size:.0e}"


def explain(flow: GradientFlow) -> Explanation:
    """What each theorem needs, measured on this flow, and which one would be used.

    >>> import numpy as np
    >>> from lazyrich import DeepLinear, Problem
    >>> flow = GradientFlow(DeepLinear([[[1.0, 0.0]], [[1.0]]]), Problem(np.eye(2), [0.0, 1.0]))
    >>> explain(flow).used.name, explain(flow).defects[0]["whitened inputs"]
    ('single neuron', 0.0)
    """
    if not isinstance(flow, GradientFlow):
        raise TypeError(f"explain takes a GradientFlow; found {type(flow).__name__}")
    return Explanation(flow, EXACT, tuple(theorem.defects(flow) for theorem in EXACT))


def exact(
    flow: GradientFlow, times: Any, *, theorem: Theorem | str | None = None, lift: bool = True
) -> Trajectory:
    """The trajectory in closed form, or `NoTheoremApplies` with the measured defects.

    The first theorem of `EXACT` whose hypotheses hold is used; `theorem`, a member of `EXACT` or its name, asks for one.
    `traj.by` says which it was and where it stands; `cite(traj)` gives BibTeX.

    - `lift=False`: for wide two-layer networks with isotropic imbalance, leave out the small equation that fixes the
      rotation of the hidden units. Predictor, kernel, losses and singular values are the same, and much cheaper.

    `jit`, `vmap` and `grad` go through it, with respect to the network, the rates and the labels. Under `grad` alone the
    hypotheses are measured as usual; under `jit` and `vmap` the first theorem that fits the structure is taken, and
    what could not be measured is checked when it runs.

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
    chosen = _chosen(flow, theorem)
    options = {} if lift or chosen.name != "isotropic imbalance" else {"lift": False}
    layers = guarded(chosen, flow, chosen.formula(flow, times, **options))
    nets = flow.net.with_layers(layers)
    # What a network keeps outside of its layers is stacked along time too.
    nets = _stacked(flow, nets, len(times))
    return Trajectory(flow, times, nets, _by(chosen, flow, lift))


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


def _chosen(flow: GradientFlow, theorem: Theorem | str | None) -> Theorem:
    candidates: tuple[Theorem, ...] = EXACT
    if theorem is not None:
        name = theorem if isinstance(theorem, str) else theorem.name
        candidates = tuple(known for known in EXACT if known.name == name)
        if not candidates:
            raise ValueError(f"no theorem is called {name!r}; there are {', '.join(known.name for known in EXACT)}")
    found = {}
    for candidate in candidates:
        found[candidate.name] = candidate.defects(flow)
        if all(held(defect) for defect in found[candidate.name].values()):
            return candidate
    raise NoTheoremApplies(_refusal(found), found)


def _refusal(found: dict[str, dict[str, Any]]) -> str:
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
    return (
        "no theorem gives this trajectory in closed form. "
        + ("Nearest, and what is missing:\n" if fitting else "What is missing:\n")
        + "\n".join(lines)
        + "\nUse lazyrich.integrate(flow, times), or lazyrich.solve, which integrates when it must"
    )


def _by(theorem: Theorem, flow: GradientFlow, lift: bool) -> By:
    detail = theorem.where
    defects = [d for d in theorem.defects(flow).values() if d is not None and concrete(d)]
    worst = max((float(np.asarray(d)) for d in defects), default=0.0)
    if worst > 1e-14:
        detail += f"; hypotheses hold to {worst:.0e}"
    if theorem.name == "isotropic imbalance" and not lift:
        detail += "; hidden units up to a rotation"
    return By("exact", theorem.name, detail, theorem.sources)


def _stacked(flow: GradientFlow, nets: Any, n: int) -> Any:
    import equinox as eqx
    import jax
    import jax.numpy as jnp

    start, tree = jax.tree.flatten(flow.net)
    moved = jax.tree.leaves(nets)
    pairs = zip(start, moved, strict=True)
    return jax.tree.unflatten(
        tree, [m if not eqx.is_array(s) or m is not s else jnp.broadcast_to(s, (n, *s.shape)) for s, m in pairs]
    )
