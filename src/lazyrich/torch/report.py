"""What a probe has found: the numbers as an xarray dataset, the regime in words with its evidence, and a picture."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import matplotlib.figure
    import xarray

# A network is lazy if everything that was measured lies below the first number, rich if all lies above the second.
# kernel: the distance S of the tangent kernel to the start. gap: between the model and its tangent model, as a share of
# the distance that the function has gone.
THRESHOLDS = {"kernel": (0.01, 0.05), "gap": (0.2, 0.5)}
EARLY = 0.1  # the function has to go so much of its size before there is a regime to see
NOTHING = 1e-5  # of the distance gone: a start so small is zero up to rounding
DRIFT = 0.05  # conserved quantities may move so much along descent with small steps
# What was measured, against the one prediction there is. The optimiser is not read: nothing is claimed of it.
NEAR = f"below {DRIFT:g} (gradient flow: 0; your optimiser was not read)"
FAR = f"above {DRIFT:g} (gradient flow: 0); large steps, noise, momentum, weight decay or an adaptive rule can do that"

_LAYERED = {
    "parameter_distance": "layer",
    "relative_distance": "layer",
    "learning_speed": "layer",
    "hamming_distance": "activation",
    "effective_rank": "activation",
    "conservation_drift": "pair",
}
_SHAPED = {
    "kernel_distance": ("reference", "centred"),
    "kernel_error": ("centred",),
    "target_alignment": ("centred",),
}


@dataclass(frozen=True)
class Report:
    """The measurements of a probe; print it for the regime in words, `data` has every number.

    `data` has the dimensions step, layer (modules that own parameters), activation (named by the layer before it), pair
    (adjacent homogeneous layers), reference (start or previous snapshot) and centred.
    """

    data: "xarray.Dataset"

    @classmethod
    def of(cls, rows: Sequence[Mapping[str, Any]], **attributes: Any) -> "Report":
        """From one row of measurements per snapshot."""
        import xarray

        steps = [row["step"] for row in rows]
        data: dict[str, Any] = {}
        names = dict.fromkeys(name for row in rows for name in row if name != "step")
        for name in names:
            values = [row.get(name, np.nan) for row in rows]
            if name in _LAYERED:
                labels = list(values[0])
                table = np.array([[value[label] for label in labels] for value in values], float)
                data[name] = xarray.DataArray(
                    table.reshape(len(rows), len(labels)),
                    dims=("step", _LAYERED[name]),
                    coords={_LAYERED[name]: labels},
                )
            else:
                data[name] = (("step", *_SHAPED.get(name, ())), np.array(values, float))
        data["kernel_alignment"] = (data["kernel_distance"][0], 1 - data["kernel_distance"][1])
        coords = {"step": steps, "reference": ["start", "previous"], "centred": [False, True]}
        return cls(xarray.Dataset(data, coords, attrs=attributes))

    @property
    def evidence(self) -> dict[str, float]:
        """What the regime is read off: kernel distance, and linearization gap per distance of the function."""
        last = self.data.isel(step=-1)
        gone = float(last.function_distance)
        return {
            "kernel": float(last.kernel_distance.sel(reference="start", centred=False)),
            "gap": float(last.linearization_gap) / gone if gone != 0 else 0.0,
        }

    @property
    def errors(self) -> dict[str, float]:
        """Half of the 95 % intervals of the evidence; NaN if it could not be found. The gap is taken as exact."""
        return {"kernel": float(self.data.kernel_error.isel(step=-1).sel(centred=False)), "gap": 0.0}

    @property
    def size(self) -> float:
        """What counts as far for the function: its size at the start, or that of the targets if this is larger."""
        return max(float(self.data.start_size[-1]), self.data.attrs.get("target_size", 0.0))

    @property
    def regime(self) -> str:
        """`lazy`, `rich`, `in between`; or `too early` while the function has hardly moved.

        The kernel has to be on its side of the limit with its whole error bar. Where no tangent model could be
        computed (NaN), the kernel alone decides.
        """
        if float(self.data.function_distance[-1]) <= EARLY * self.size:
            return "too early"
        errors, values = self.errors, {name: value for name, value in self.evidence.items() if value == value}
        if all(value + errors[name] < THRESHOLDS[name][0] for name, value in values.items()):
            return "lazy"
        if all(value - errors[name] > THRESHOLDS[name][1] for name, value in values.items()):
            return "rich"
        return "in between"

    @property
    def fastest(self) -> str:
        """The layer that has moved most for its size."""
        return str(self.data.relative_distance.isel(step=-1).idxmax("layer").item())

    def __str__(self) -> str:
        return "\n".join([self._headline(), *(f"  {topic:<10}{words}" for topic, words in self._words())])

    def _headline(self) -> str:
        steps, gone = self.data.step.values, float(self.data.function_distance[-1])
        own = float(self.data.start_size[-1])
        if self.regime == "too early":
            whose = "its size" if self.size == own else "the size of the targets"
            return (
                f"Regime: too early to say at step {steps[-1]}: the function has moved by "
                f"{gone / max(self.size, 1e-300):.1%} of {whose} (needed: {EARLY:.0%})."
            )
        said = f"Regime: {self.regime}, from step {steps[0]} to {steps[-1]}."
        if self.size <= NOTHING * gone:
            said += " The function began at zero: without targets it cannot be judged whether this is early."
        return said

    def _words(self) -> Iterator[tuple[str, str]]:
        first, last, values = self.data.isel(step=0), self.data.isel(step=-1), self.evidence
        limits = {name: f"(lazy below {low:g}, rich above {high:g})" for name, (low, high) in THRESHOLDS.items()}
        sample, inputs = self.data.attrs["sample"], self.data.attrs["inputs"]
        error = "" if sample == inputs else f" ± {self.errors['kernel']:.1g}"
        yield (
            "kernel",
            f"turned by S = {values['kernel']:.2g}{error} {limits['kernel']}, on {sample} of {inputs} inputs",
        )
        if why := self.data.attrs.get("without_tangent"):
            yield "tangent", f"not measured, the regime is that of the kernel alone: {why}"
        else:
            yield "tangent", f"the tangent model misses {values['gap']:.2g} of what was learned {limits['gap']}"
        if last.sizes.get("activation"):
            switched, rank = last.hamming_distance, last.effective_rank.isel(activation=-1)
            most = f"most after {switched.idxmax().item()}: {float(switched.max()):.1%}"
            yield "patterns", f"{float(switched.mean()):.1%} of (unit, input) pairs switched; {most}"
            before = float(first.effective_rank.isel(activation=-1))
            yield "features", f"effective rank {before:.3g} → {float(rank):.3g} after {rank.activation.item()}"
        if "target_alignment" in last:
            before, now = (float(each.target_alignment.sel(centred=True)) for each in (first, last))
            yield "target", f"centred kernel–target alignment {before:.2g} → {now:.2g}"
        moved = last.relative_distance
        slowest = f"{moved.idxmin().item()} slowest: {float(moved.min()):.2g}"
        yield "layers", f"{self.fastest} learns fastest, it moved by {float(moved.max()):.2g} of its size; {slowest}"
        if last.sizes.get("pair"):
            drift = last.conservation_drift
            said = NEAR if float(drift.max()) < DRIFT else FAR
            yield "conserved", f"drift {float(drift.max()):.2g} at {drift.idxmax().item()}: {said}"
        elif self.data.attrs["without"]:
            yield "conserved", f"not measured: {self.data.attrs['without']}"
        yield "cost", f"{self.data.sizes['step']} snapshots, {float(self.data.seconds.mean()):.2g} s each"

    def until(self, step: int) -> "Report":
        """As it was at this snapshot."""
        return Report(self.data.sel(step=slice(None, step)))

    def plot(self) -> "matplotlib.figure.Figure":
        """Kernel, activation patterns, layers and tangent model over the steps."""
        from lazyrich.torch._draw import report

        return report(self)
