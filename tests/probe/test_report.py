"""What is read off the rows of a probe, whoever measured them."""

import numpy as np
import pytest

from lazyrich._core.regime_thresholds import LAZY, RICH
from lazyrich.probe import Diagnosis, History, Report, TrainingRun
from lazyrich.probe.diagnosis import LOSS_LEVELS
from lazyrich.probe.text_report import headline


@pytest.mark.parametrize(
    ("kernel", "gap", "regime"),
    [
        (0.99 * LAZY["kernel"], 0.99 * LAZY["gap"], "lazy"),
        (1.01 * RICH, 1.0, "rich"),
        (1.01 * RICH, 0.0, "rich"),  # the kernel has turned: a small gap does not make it lazy
        (0.99 * LAZY["kernel"], 1.01 * LAZY["gap"], "in between"),
        (0.99 * RICH, 1.0, "in between"),
    ],
)
def test_the_regime_is_read_off_the_thresholds(kernel, gap, regime):
    S, g = kernel, gap
    row = {
        "start_size": 1.0,
        "kernel_error": [0.0, 0.0],
        "kernel_distance": [[S, S], [S, S]],
        "hamming_distance": {},
        "conservation_drift": {},
    }
    rows = [
        row | {"step": 0, "function_distance": 0.0, "linearization_gap": 0.0},
        row | {"step": 1, "function_distance": 2.0, "linearization_gap": 2 * g},
    ]
    assert Report.from_rows(rows).regime == regime
    rows[1]["function_distance"] = 0.05
    assert Report.from_rows(rows).regime == "too early"


def rows_of(S=0.5, error=0.0, gap=1.0, gone=2.0, size=1.0):
    row = {"start_size": size, "kernel_error": [error, 0.0], "hamming_distance": {}, "conservation_drift": {}}
    row |= {"kernel_distance": [[S, S], [S, S]], "function_distance": gone, "linearization_gap": gap * gone}
    return [row | {"step": 0}, row | {"step": 1}]


@pytest.mark.parametrize(
    ("S", "error", "gap", "regime"),
    [
        (0.009, 0.0, 0.1, "lazy"),
        (0.009, 0.002, 0.1, "in between"),
        (0.06, 0.005, 0.9, "rich"),
        (0.06, 0.02, 0.9, "in between"),
        (0.5, np.nan, 0.9, "in between"),
        (0.5, 0.1, np.nan, "rich"),
        (0.001, 0.001, np.nan, "lazy"),
    ],
)
def test_the_regime_needs_the_whole_error_bar_and_does_without_a_tangent_model(S, error, gap, regime):
    assert Report.from_rows(rows_of(S, error, gap)).regime == regime


def test_a_function_that_begins_at_zero_is_measured_by_its_targets():
    early, late = (Report.from_rows(rows_of(gone=gone, size=1e-9), target_size=0.5) for gone in (0.04, 0.06))
    assert (early.regime, late.regime) == ("too early", "rich")
    assert headline(early).endswith("has moved by 8.0% of the size of the targets (needed: 10%).")
    assert "began at zero" not in headline(late)
    unknown = Report.from_rows(rows_of(gone=0.04, size=1e-9))
    assert unknown.regime == "rich"
    assert headline(unknown).endswith("began at zero: without targets it cannot be judged whether this is early.")
    assert "began at zero" not in headline(Report.from_rows(rows_of()))


def measured(S, loss, step):
    """One full row, with two layers, one activation and no conserved quantity."""
    return {
        "step": step,
        "loss": loss,
        "kernel_distance": [[S, S], [S, S]],
        "kernel_error": [0.0, 0.0],
        "kernel_growth": 1.0,
        "parameter_distance": {"0": 3 * S, "2": 4 * S},
        "relative_distance": {"0": S, "2": 2 * S},
        "learning_speed": {"0": S, "2": S},
        "function_size": 1.0,
        "start_size": 1.0,
        "function_distance": 10 * S,
        "linearization_gap": 9 * S,
        "hamming_distance": {"0": S},
        "effective_rank": {"0": 2.0},
        "conservation_drift": {},
        "seconds": 0.5,
    }


def report(*S, drift=None, **attributes):
    log = History()
    log.rows += [measured(s, 1 - s, step) | {"conservation_drift": drift or {}} for step, s in enumerate(S)]
    return log.report(sample=4, inputs=8, without="it is a black box", **attributes)


def test_a_report_from_rows_alone():
    found = report(0.0, 0.1, 0.2)
    assert dict(found.data.sizes) == {"step": 3, "reference": 2, "centered": 2, "layer": 2, "activation": 1, "pair": 0}
    np.testing.assert_allclose(found.data.kernel_alignment.sel(step=2, reference="start"), 0.8)
    assert (found.regime, found.fastest_layer) == ("rich", "2")
    assert found.evidence == pytest.approx({"kernel": 0.2, "gap": 0.9})
    assert "conserved not measured: it is a black box" in str(found)
    assert found.truncated_at(1).evidence["kernel"] == pytest.approx(0.1)
    assert [axes.get_title() for axes in found.plot().axes][:2] == ["Tangent kernel", "Function (rms)"]


@pytest.mark.parametrize(
    ("S", "said"),
    [
        ((0.0, 0.02), "S usually grows as training goes on: measure later too; richer: "),
        ((0.0, 0.02, 0.03), "S grew from 0.02 to 0.03 between the last two snapshots: measure later too; richer: "),
        ((0.0, 0.0363, 0.029), "S fell from 0.036 to 0.029 between the last two snapshots; richer: "),
        ((0.0, 0.02, 0.02), "S stood still at 0.02 between the last two snapshots; richer: "),
    ],
)
def test_in_between_says_where_the_kernel_was_going(S, said):
    found = report(*S)
    assert found.regime == "in between"
    assert f"to change {said}" in str(found)


def test_advice_names_only_what_there_is():
    """A room without `diagnose` does not name it, a model without pairs is not told to turn one."""
    names, pair = {"knob": "upstream_", "trial": "diagnose"}, {"0 → 2": 0.01}
    turned = "richer: `upstream_` with α > 1 (0 → 2), lazier: with α < 1; `diagnose` compares such starts\n"
    assert turned in str(report(0.0, 0.02, drift=pair, **names))
    alone = "lazier: a larger one; `diagnose` compares such starts, by a knob(copy, α) of yours\n"
    assert f"richer: a smaller scale of the outputs, {alone}" in str(report(0.0, 0.02, **names))
    rich = "lazier: a larger scale of the outputs"
    assert f"{rich}, or `upstream` with α < 1 (0 → 2)\n" in str(report(0.0, 0.2, drift=pair, knob="upstream"))
    assert f"{rich}\n" in str(report(0.0, 0.2, knob="upstream"))


def test_words_for_one_and_for_nothing():
    found = str(report(0.0))
    assert "layers    nothing has moved since the start\n" in found
    assert "cost      1 snapshot, 0.5 s each" in found
    assert "fastest" not in found
    alone = Diagnosis({1.0: TrainingRun(report(0.0, 0.1), losses=(1.0,), seconds=1.0)})
    assert str(alone).startswith("Nothing to compare: 1 start came to the end.\n")


def moved_report(relative, distance):
    """A report whose layers have moved by these shares of their size, and by these distances."""
    last = measured(0.2, 0.8, 1) | {"relative_distance": relative, "parameter_distance": distance}
    zeros = dict.fromkeys(relative, 0.0)
    log = History()
    log.rows += [measured(0.0, 1.0, 0) | {"relative_distance": zeros, "parameter_distance": zeros}, last]
    return log.report(sample=4, inputs=8, without="")


@pytest.mark.parametrize("start", [np.inf, 4e6])
def test_a_layer_that_starts_at_zero_moves_from_zero(start):
    """It has no size to compare with: LoRA's B, a class token. Up to rounding is zero, too."""
    found = moved_report({"a": 0.3, "lora_b": start, "c": 0.05}, {"a": 3.0, "lora_b": 0.4, "c": 0.5})
    assert found.fastest_layer == "a"
    said = "a learns fastest, it moved by 0.3 of its size; c slowest: 0.05; 1 of 2 by more than a tenth; lora_b moved "
    assert f"layers    {said}from zero by 0.4\n" in str(found)
    none = moved_report({"a": start, "b": start, "c": start}, {"a": 0.1, "b": 0.4, "c": 0.2})
    assert none.fastest_layer == "b"
    assert "layers    b moved from zero by 0.4, and 2 more layers from zero by less\n" in str(none)
    alone = moved_report({"a": start}, {"a": 0.25})
    assert "layers    a moved from zero by 0.25\n" in str(alone)
    one = moved_report({"a": 0.5, "b": start}, {"a": 0.1, "b": 0.4})
    assert "layers    a moved by 0.5 of its size; b moved from zero by 0.4\n" in str(one)
    assert not any("inf" in str(each) for each in (found, none, alone, one))
    found.plot()


def test_a_diagnosis_from_reports_alone():
    runs = {
        alpha: TrainingRun(report(0.0, *S), losses=(1.0, 0.5), seconds=1.0, step_of_level={0: 1, 1: 2})
        for alpha, S in {0.1: (0.1, 0.2), 1.0: (0.2, 0.4)}.items()
    }
    found = Diagnosis(runs)
    assert found.matched_level() == 1
    assert {alpha: run.S for alpha, (run,) in found.matched_runs().items()} == pytest.approx({0.1: 0.2, 1.0: 0.4})
    assert f"Compared at equal loss, {LOSS_LEVELS[1]:.0%}" in str(found)
    assert "α = 0.1: stays rich; the kernel turns 0.5× as much, with 0.5× the movement" in str(found)
    assert len(found.plot().axes) == 4


def test_steps_of_a_log_grow():
    log = History()
    log.rows.append(measured(0.0, 1.0, 3))
    with pytest.raises(ValueError, match="step 2 comes after step 3"):
        log.merge_if_repeated(2, {}, lambda: True)
    with pytest.raises(ValueError, match="steps must grow"):
        log.merge_if_repeated(3, {}, lambda: False)
