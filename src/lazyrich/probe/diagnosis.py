"""Compare copies of a model that were trained from rescaled initializations: table, text and plot."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from lazyrich._validate.integers import pluralize
from lazyrich.probe.report import Report

if TYPE_CHECKING:
    import matplotlib.figure


# Fractions of the loss at the start (or of the best constant output's, if lower). A run that has not reached the first
# level has not learned. Runs are compared at the last level that all have reached.
LOSS_LEVELS = tuple(0.9 * 0.8**k for k in range(20))

Match = Literal["loss", "steps"]


@dataclass(frozen=True)
class TrainingRun:
    """One trained copy: its report, the loss of every step, and the seconds spent on training."""

    report: Report
    losses: Sequence[float]
    seconds: float
    stop_reason: str = ""  # why it diverged, if it did
    learned: bool = True  # the loss fell well below its start, and below that of a constant output
    step_of_level: Mapping[int, int] = field(
        default_factory=dict
    )  # step at which its loss reached each of the `LOSS_LEVELS`
    base: float = math.nan  # the loss that the levels are fractions of

    @property
    def diverged(self) -> bool:
        return bool(self.stop_reason)

    @property
    def regime(self) -> str:
        """The regime of the report, or `not learned`."""
        return self.report.regime if self.learned else "not learned"

    @property
    def loss(self) -> float:
        """The loss on the inputs of the probe."""
        return float(self.report.data.loss[-1])

    @property
    def S(self) -> float:
        """The kernel distance to the start."""
        return self.report.evidence["kernel"]

    @property
    def parameter_distance(self) -> float:
        """‖θ − θ₀‖, over all layers."""
        return float(np.sqrt((self.report.data.parameter_distance.isel(step=-1) ** 2).sum()))

    @property
    def hamming_distance(self) -> float:
        """The fraction of (unit, input) pairs that switched, averaged over layers; NaN without activations."""
        last = self.report.data.hamming_distance.isel(step=-1)
        return float(last.mean()) if last.size else math.nan

    @property
    def steps_to_learn(self) -> float:
        """The steps until the loss is at the first of the `LOSS_LEVELS`: counted, or if it was not reached, from the
        rate at which the logarithm of the loss fell in the second half of the run; infinite if it did not fall."""
        if self.step_of_level:
            return float(self.step_of_level[min(self.step_of_level)])
        half = np.log(np.maximum(np.asarray(self.losses[len(self.losses) // 2 :], float), 1e-300))
        slope = float(np.polyfit(np.arange(len(half)), half, 1)[0]) if len(half) > 1 else 0.0
        missing = math.log(max(float(np.exp(half.mean())), 1e-300) / (LOSS_LEVELS[0] * self.base))
        return len(self.losses) + max(missing, 0.0) / -slope if slope < 0 else math.inf

    def truncated_at(self, step: int) -> "TrainingRun":
        """Return the run as it was at this snapshot."""
        return replace(self, report=self.report.truncated_at(step), losses=self.losses[:step])


@dataclass(frozen=True)
class Diagnosis:
    """Runs by α, where 1 is the unchanged model; print it for a table and its interpretation.

    Runs that have learned are compared at equal loss, the lowest of the `LOSS_LEVELS` that all of them reached. With
    `match="steps"`, or where no two reached a common level, they are compared as they ended. Given other diagnoses,
    from other seeds, `matched` and `level` refer to all of them, and `summary` and `plot` show means with standard
    errors.
    """

    runs: Mapping[float, TrainingRun]
    match: Match = "loss"
    knob: str = ""  # its name
    reason: str = ""  # why it is not `upstream_`, if it was chosen
    code: Mapping[float, str] = field(default_factory=dict)  # lines that make each change

    def matched_level(self, *others: "Diagnosis") -> int | None:
        """Return the index in `LOSS_LEVELS` at which the runs are compared, or None at equal steps."""
        learned = [
            set.intersection(*(set(of.runs[alpha].step_of_level) for of in (self, *others)))
            for alpha in self.runs
            if all(of.runs[alpha].learned and not of.runs[alpha].diverged for of in (self, *others))
        ]
        common = set.intersection(*learned) if len(learned) > 1 and self.match == "loss" else set()
        return max(common, default=None)

    def matched_runs(self, *others: "Diagnosis") -> dict[float, list[TrainingRun]]:
        """Return by α the runs that are compared, as they were at the common level: one of each diagnosis."""
        level, seeds = self.matched_level(*others), (self, *others)
        whole = {alpha: [of.runs[alpha] for of in seeds] for alpha in sorted(self.runs)}
        whole = {alpha: runs for alpha, runs in whole.items() if not any(run.diverged for run in runs)}
        if level is None:
            return whole
        return {
            alpha: [run.truncated_at(run.step_of_level[level]) for run in runs]
            for alpha, runs in whole.items()
            if all(run.learned for run in runs)
        }

    def summary(self, *others: "Diagnosis") -> str:
        """Return a table of the runs, and its interpretation in words."""
        level, matched = self.matched_level(*others), self.matched_runs(*others)
        over = f"; {1 + len(others)} seeds, mean ± standard error" if others else ""
        lines = [f"Compared at equal steps{over}. Their losses differ, and at equal loss the order can be another one."]
        if len(matched) < 2:
            lines = [f"Nothing to compare{over}: {pluralize(len(matched), 'start')} came to the end."]
        if level is not None:
            lines = [
                f"Compared at equal loss, {LOSS_LEVELS[level]:.0%} of what they began with or of a constant's{over}."
            ]
        lines.append(
            "    α  regime                         loss                S       patterns           ‖Δθ‖           step"
        )
        for alpha in sorted(self.runs):
            for run in (of.runs[alpha] for of in (self, *others)):
                if run.diverged:
                    lines.append(
                        f"{alpha:5g}  diverged at step {len(run.losses)}, {run.stop_reason}: lower its learning rate"
                    )
                elif alpha not in matched and not run.learned:
                    lines.append(
                        f"{alpha:5g}  not learned: its loss ended at {run.loss:.3g}, after "
                        f"{pluralize(len(run.losses), 'step')}; {_pace_text(run.steps_to_learn)}"
                    )
            if alpha in matched:
                runs = matched[alpha]
                kinds = Counter(run.regime for run in runs).most_common()
                regime = kinds[0][0] if len(kinds) == 1 else ", ".join(f"{kind} {n}" for kind, n in kinds)
                of = [[r.loss, r.S, r.hamming_distance, r.parameter_distance, len(r.losses)] for r in runs]
                columns = zip(*of, strict=True)
                table_columns = [
                    _format_mean(x, form) for x, form in zip(columns, (".3g", ".3f", ".1%", ".3g", ".3g"), strict=True)
                ]
                widths = (12, 16, 14, 14, 14)
                lines.append(
                    f"{alpha:5g}  {regime:<22}"
                    + " ".join(f"{x:>{w}}" for x, w in zip(table_columns, widths, strict=True))
                )
        return "\n".join([*self._knob_lines(), *lines, *self._conclusion(matched, level), *self._advice(matched)])

    __str__ = summary

    def _knob_lines(self) -> Iterator[str]:
        if self.reason:
            yield f"Knob: {self.knob}, f(θ₀) + α · (f(θ) − f(θ₀)), since `upstream_` cannot be used: {self.reason}."

    def _advice(self, matched: Mapping[float, Sequence[TrainingRun]]) -> Iterator[str]:
        """Say how long to train, and which lines make the change that turned the kernel most."""
        if level_steps := [len(run.losses) for runs in matched.values() for run in runs]:
            few, many = min(level_steps), max(level_steps)
            count = pluralize(many, "step") if few == many else f"{few} to {many} steps"
            yield f"How long: {count} to the loss that is compared."
        S = {alpha: float(np.mean([run.S for run in runs])) for alpha, runs in matched.items()}
        if len(S) < 2 or 1.0 not in S:
            return
        for word, alpha in (("richer", max(S, key=S.__getitem__)), ("lazier", min(S, key=S.__getitem__))):
            if alpha != 1 and self.code.get(alpha):
                yield f"To make it {word}, S = {S[1.0]:.2g} → {S[alpha]:.2g} (α = {alpha:g}):"
                yield from (f"    {line}" for line in self.code[alpha].splitlines())

    def _conclusion(self, matched: Mapping[float, Sequence[TrainingRun]], level: int | None) -> Iterator[str]:
        base = matched.get(1.0, [])
        for alpha, runs in matched.items():
            if alpha == 1 or not base:
                continue
            was, became = ({run.regime for run in one} for one in (base, runs))
            regime = ""
            if len(was) == len(became) == 1:
                regime = f"stays {min(was)}; " if was == became else f"goes from {min(was)} to {min(became)}; "
            S, moved, loss, steps = (
                _format_factor(np.mean([of(run) for run in runs]), np.mean([of(run) for run in base]))
                for of in (lambda r: r.S, lambda r: r.parameter_distance, lambda r: r.loss, lambda r: len(r.losses))
            )
            cost = f"the loss ends at {loss} that of α = 1" if level is None else f"it takes {steps} the steps of α = 1"
            yield (
                f"α = {alpha:g}: {regime}the kernel turns {S} as much, with {moved} the movement of parameters; {cost}."
            )

    def plot(self, *others: "Diagnosis") -> "matplotlib.figure.Figure":
        """Plot loss, kernel, activation patterns and parameters over the steps, for every α."""
        from lazyrich.probe.plots import plot_diagnosis

        return plot_diagnosis([self, *others])


def _pace_text(steps: float) -> str:
    """Describe how long a run needs that has not learned."""
    if steps == math.inf:
        return "it did not fall at the end, so another learning rate may help, and more steps will not"
    return f"at this pace it needs about {steps:.2g} steps"


def _format_mean(values: Sequence[float], form: str) -> str:
    mean, error = float(np.mean(values)), float(np.std(values)) / math.sqrt(max(len(values) - 1, 1))
    return f"{mean:{form}}" + (f" ± {error:{form.replace('3g', '2g')}}" if len(values) > 1 else "")


def _format_factor(value: float, base: float) -> str:
    return f"{value / base:.2g}×" if base > 0 else "incomparably"
