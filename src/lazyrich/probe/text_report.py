"""Text of a report: the regime with its evidence."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lazyrich._core.regime_thresholds import LAZY, RICH
from lazyrich._validate.integers import pluralize
from lazyrich.probe.thresholds import (
    CONSERVED_DRIFT_BELOW,
    LEARNED_ABOVE,
    MOVED_ABOVE,
    NO_MOVEMENT_BELOW,
    TOO_EARLY_BELOW,
)
from lazyrich.tangent.sharpness import Sharpness

if TYPE_CHECKING:
    from lazyrich.probe.report import Report

# Without an optimizer, the only prediction is that of gradient flow.
CONSERVED_TEXT = f"below {CONSERVED_DRIFT_BELOW:g} (gradient flow: 0; your optimizer was not read)"
NOT_CONSERVED_TEXT = (
    f"above {CONSERVED_DRIFT_BELOW:g} (gradient flow: 0); large steps, noise, momentum, weight decay or an adaptive "
    "rule can do that"
)


def headline(of: "Report") -> str:
    """Return the regime, with the first and last step."""
    steps, moved = of.data.step.values, float(of.data.function_distance[-1])
    own = float(of.data.start_size[-1])
    if of.regime == "too early":
        whose = "its size" if of.function_scale == own else "the size of the targets"
        return (
            f"Regime: too early to say at step {steps[-1]}: the function has moved by "
            f"{moved / max(of.function_scale, 1e-300):.1%} of {whose} (needed: {TOO_EARLY_BELOW:.0%})."
        )
    text = f"Regime: {of.regime}, from step {steps[0]} to {steps[-1]}."
    if (progress := of.progress) is not None and progress < LEARNED_ABOVE:
        text += (
            " But little was learned: the loss is near that of the best constant output, so what moved is not the task."
        )
    if of.function_scale <= NO_MOVEMENT_BELOW * moved:
        text += " The function began at zero: without targets it cannot be judged whether this is early."
    return text


def report_lines(of: "Report") -> Iterator[tuple[str, str]]:
    """Yield the measurements as pairs of topic and text."""
    first, last, values = of.data.isel(step=0), of.data.isel(step=-1), of.evidence
    limits = {"kernel": f"(lazy below {LAZY['kernel']:g}, rich above {RICH:g})", "gap": f"(lazy below {LAZY['gap']:g})"}
    yield "kernel", _kernel_text(of, limits["kernel"])
    if why := of.data.attrs.get("without_tangent"):
        yield "tangent", f"not measured, the regime is that of the kernel alone: {why}"
    else:
        yield "tangent", f"the tangent model misses {values['gap']:.2g} of what was learned {limits['gap']}"
    yield from _loss_text(of)
    if "sharpness" in last and bool(last.sharpness.notnull()):
        edge = float(last.sharpness_edge)
        yield "sharpness", str(Sharpness(float(last.sharpness), edge if edge == edge else None))
    if last.sizes.get("activation"):
        switched, rank = last.hamming_distance, last.effective_rank.isel(activation=-1)
        most = f"most after {switched.idxmax().item()}: {float(switched.max()):.1%}"
        yield "patterns", f"{float(switched.mean()):.1%} of (unit, input) pairs switched; {most}"
        before = float(first.effective_rank.isel(activation=-1))
        yield "features", f"effective rank {before:.3g} → {float(rank):.3g} after {rank.activation.item()}"
    if "target_alignment" in last:
        before, now = (float(each.target_alignment.sel(centered=True)) for each in (first, last))
        error = f" ± {float(last.target_error.sel(centered=True)):.1g}" if "target_error" in last else ""
        yield "target", f"centered kernel–target alignment {before:.2g} → {now:.2g}{error}"
    yield "layers", _layers_text(of)
    if untrained := of.data.attrs.get("untrained"):
        yield "untrained", untrained
    if "preconditioned_distance" in last and bool(last.preconditioned_distance.notnull().all()):
        turned = float(last.preconditioned_distance.sel(centered=False))
        yield (
            "optimizer",
            f"in the geometry of {of.data.attrs['optimizer']} (J P Jᵀ) the kernel turned by S = {turned:.2g}",
        )
    if last.sizes.get("pair") and of.data.attrs.get("optimizer"):
        yield "conserved", _conserved_text(of)
    elif last.sizes.get("pair"):
        drift = last.conservation_drift
        verdict = CONSERVED_TEXT if float(drift.max()) < CONSERVED_DRIFT_BELOW else NOT_CONSERVED_TEXT
        yield "conserved", f"drift {float(drift.max()):.2g} at {drift.idxmax().item()}: {verdict}"
    elif of.data.attrs["without"]:
        yield "conserved", f"not measured: {of.data.attrs['without']}"
    if (advice := _advice_text(of)) is not None:
        yield "to change", advice
    yield "cost", _cost_text(of)


def _kernel_text(of: "Report", limits: str) -> str:
    """Describe the kernel distance, its uncertainty, and what it is an estimate of."""
    last, attrs = of.data.isel(step=-1), of.data.attrs
    sample, inputs = attrs["sample"], attrs["inputs"]
    value, centered = (float(last.kernel_distance.sel(reference="start", centered=c)) for c in (False, True))
    on = f"on {sample} of {pluralize(inputs, 'input')}"
    if attrs.get("method") == "sampled":
        (low, low_c), (high, high_c) = last.kernel_low.values, last.kernel_high.values
        where = f" at positions {attrs['positions']}" if attrs.get("positions") else ""
        return (
            f"turned by S = {value:.2g} (95 %: {low:.2g} to {high:.2g}), centered {centered:.2g} ({low_c:.2g} to "
            f"{high_c:.2g}) {limits}, {on}, estimated for pairs of different inputs, from one random direction of "
            f"its {pluralize(attrs['outputs'], 'output')}{where} for every two inputs"
        )
    exact = sample == inputs and not attrs.get("directions")
    error, more = ("" if exact else f" ± {float(last.kernel_error.sel(centered=c)):.1g}" for c in (False, True))
    through = f", {attrs['directions']} random directions of its outputs" if attrs.get("directions") else ""
    return f"turned by S = {value:.2g}{error}, centered {centered:.2g}{more} {limits}, {on}{through}"


def _cost_text(of: "Report") -> str:
    """Describe what the snapshots took: seconds, and their share of the time of training."""
    planned = f" (planned: {of.data.attrs['plan']})" if of.data.attrs.get("plan") else ""
    text = f"{pluralize(of.data.sizes['step'], 'snapshot')}, {float(of.data.seconds.mean()):.2g} s each{planned}"
    text += ", without the sharpness" if "sharpness" in of.data else ""
    trained = float(of.data.training_seconds.sum()) if "training_seconds" in of.data else 0.0
    if not trained > 0:
        return text
    share, budget = float(of.data.seconds[1:].sum()) / trained, float(of.data.attrs.get("budget", float("inf")))
    text += f": {share:.2g} times the time of training" if share >= 1 else f": {share:.2%} of the time of training"
    if share <= budget:
        return text + (f" (budget {budget:.2%})" if budget < 1 else "")
    steps = int(of.data.step[-1]) - int(of.data.step[0])
    snapshots = max(of.data.sizes["step"] - 1, 1)
    every = float(f"{steps / snapshots * share / budget:.1g}")
    return f"{text}, above the budget of {budget:.2%}: take a snapshot every {every:,.0f} steps"


def _layers_text(of: "Report") -> str:
    """Describe which layers have moved most and least."""
    moved = of.data.relative_distance.isel(step=-1)
    if not bool((moved > 0).any()):
        return "nothing has moved since the start"
    sized, phrases = moved.where(moved * NO_MOVEMENT_BELOW < 1, drop=True), []
    if sized.size:
        fast = " learns fastest, it" if sized.size > 1 else ""
        phrases = [f"{of.fastest_layer}{fast} moved by {float(sized.max()):.2g} of its size"]
    if sized.size > 1:
        phrases.append(f"{sized.idxmin().item()} slowest: {float(sized.min()):.2g}")
        phrases.append(f"{int((sized > MOVED_ABOVE).sum())} of {sized.size} by more than a tenth")
    return "; ".join([*phrases, *_from_zero(of)])


def _from_zero(of: "Report") -> Iterator[str]:
    """Describe how far layers have moved that began at zero, which have no size to compare with."""
    last = of.data.isel(step=-1)
    distance = last.parameter_distance.where(last.relative_distance * NO_MOVEMENT_BELOW >= 1, drop=True)
    if distance.size:
        more = f", and {pluralize(distance.size - 1, 'more layer')} from zero by less" if distance.size > 1 else ""
        yield f"{distance.idxmax().item()} moved from zero by {float(distance.max()):.2g}{more}"


def _loss_text(of: "Report") -> Iterator[tuple[str, str]]:
    """Yield the loss at the start and now, as far as it is known."""
    if "probe_loss" in of.data:
        before, now = (float(of.data.probe_loss[i]) for i in (0, -1))
        chance = float(of.data.attrs.get("chance", float("nan")))
        comparison = f"; the best constant output has {chance:.3g}" if chance == chance else ""
        yield "loss", f"{before:.3g} → {now:.3g} on the probe's inputs{comparison}"
    elif "loss" in of.data and bool(of.data.loss.notnull().any()):
        losses = of.data.loss.dropna("step")
        yield (
            "loss",
            f"{float(losses[0]):.3g} → {float(losses[-1]):.3g}, as it was given (pass loss= to compare with chance)",
        )


def _advice_text(of: "Report") -> str | None:
    """Describe what would lead to another regime, according to theory, or return None. Function names are those of
    the measuring package."""
    if of.regime not in ("lazy", "in between", "rich"):
        return None
    attrs, pairs = of.data.attrs, [str(pair) for pair in of.data.pair.values] if "pair" in of.data.coords else []
    knob = attrs.get("knob", "") if pairs else ""
    named = f"({', '.join(pairs[:2])}{', ...' if len(pairs) > 2 else ''})"
    if of.regime == "in between":
        both = "a smaller scale of the outputs, lazier: a larger one"
        text = f"{_trend_text(of)}; richer: " + (f"`{knob}` with α > 1 {named}, lazier: with α < 1" if knob else both)
    else:
        which, scale, alpha = ("richer", "smaller", ">") if of.regime == "lazy" else ("lazier", "larger", "<")
        text = f"{which}: a {scale} scale of the outputs" + (f", or `{knob}` with α {alpha} 1 {named}" if knob else "")
    if not (trial := attrs.get("trial")):
        return text
    return f"{text}; `{trial}` compares such starts" + ("" if knob else ", by a knob(copy, α) of yours")


def _trend_text(of: "Report") -> str:
    """Describe the recent trend of S, which may still reverse."""
    S = [f"{float(value):.2g}" for value in of.data.kernel_distance.sel(reference="start", centered=False)]
    if len(S) < 3:  # only the start, where S is 0, and one snapshot
        return "S usually grows as training goes on: measure later too"
    if S[-2] == S[-1]:
        return f"S stood still at {S[-1]} between the last two snapshots"
    fell = float(S[-1]) < float(S[-2])
    return f"S {'fell' if fell else 'grew'} from {S[-2]} to {S[-1]} between the last two snapshots" + (
        "" if fell else ": measure later too"
    )


def _conserved_text(of: "Report") -> str:
    """Describe the predicted and the measured conserved quantities under the optimizer."""
    last, attrs = of.data.isel(step=-1), of.data.attrs
    law = f"{attrs['optimizer']}: {attrs['law']}"
    gap = last.conserved_gap
    if not bool(gap.notnull().any()):
        drift = last.conservation_drift
        return f"drift {float(drift.max()):.2g} at {drift.idxmax().item()} ({law})"
    worst = gap.idxmax().item()
    measured, predicted = (float(last[name].sel(pair=worst)) for name in ("conserved_share", "conserved_predicted"))
    values = f"{predicted:.3g} of δ(0) predicted, {measured:.3g} seen" if measured == measured else "δ(0) = 0"
    far = (
        "as predicted"
        if float(gap.max()) < CONSERVED_DRIFT_BELOW
        else "not as predicted: large steps, noise or clipping can do that"
    )
    return f"{values} at {worst}, off by {float(gap.max()):.2g}: {far} ({law})"
