"""Invalid arguments: each must raise an error from lazyrich's own code, whose message names the argument."""

import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import numpy as np
import scipy.sparse
import torch

import lazyrich as lr
from fuzz.ring import Outcome

OURS = str(Path(lr.__file__).parent)
WRONG: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "True": lambda: True,
    "a word": lambda: "ab",
    "words": lambda: ["a", "b"],
    "bytes": lambda: b"ab",
    "a dict": lambda: {"a": 1},
    "an object": object,
    "a function": lambda: len,
    "complex": lambda: 1j,
    "a complex array": lambda: 1j * np.ones((2, 2)),
    "NaN": lambda: np.nan,
    "NaN in an array": lambda: np.array([[1.0, np.nan], [1.0, 1.0]]),
    "infinity": lambda: -np.inf,
    "beyond float": lambda: 10**400,
    "empty": lambda: [],
    "ragged": lambda: [[1.0], [1.0, 2.0]],
    "three axes": lambda: np.ones((2, 2, 2)),
    "dates": lambda: np.array(["2020-01-01", "2020-01-02"], "M8[D]"),
    "masked": lambda: np.ma.array(np.ones((2, 2)), mask=np.eye(2)),
    "sparse": lambda: scipy.sparse.eye(2).tocsr(),
    "with a gradient": lambda: torch.ones(2, 2, requires_grad=True),
    "a fraction": lambda: 2.5,
    "negative": lambda: -1,
    "zero": lambda: 0,
}
# The values that each kind of argument accepts.
FINE: dict[str, set[str]] = {
    "count": {"beyond float"},
    "number": {"a fraction", "negative", "zero"},
    "positive": {"a fraction"},
    "times": {"a fraction", "zero"},
    "array": set(),
    "rates": {"None", "a fraction"},
    "decay": {"None", "a fraction", "zero"},
    "fraction": {"zero"},
    "flag": {"True"},
    "layers": {"three axes"},
    "thing": set(),
}
NET = lr.TwoLayer([[1.0, 0.5], [0.2, -1.0], [1.0, 1.0]], [1.0, -0.5, 2.0])
LINEAR = lr.DeepLinear([[[1.0, 0.5], [0.2, -1.0]], [[1.0, 2.0]]])
PROBLEM = lr.Problem([[1.0, 0.0], [0.5, 1.0], [1.0, 2.0]], [1.0, 0.0, -1.0])
FLOW = lr.GradientFlow(LINEAR, PROBLEM)
DIAGONAL = lr.GradientFlow(lr.inits.tied_diagonal(3, 1.0), lr.Problem([[-1.0, 1.0, 0.0], [2.0, -1.0, 1.0]], [2.0, 4.0]))
DECAYED = lr.GradientFlow(DIAGONAL.net, DIAGONAL.problem, decay=0.01)
STAIRCASE = lr.staircase(DIAGONAL)
TEACHER = lr.TwoLayerErf([[1.0, 0.5]], [1.0])
ONLINE = lr.GradientFlow(lr.TwoLayerErf([[1.0, 0.0], [0.0, 1.0]], [1.0, -1.0]), lr.Population(TEACHER))
RUN = lr.GrokkingRun(alpha=2.0, decay=0.02, t_fit=7.0, t_grok=86.0)
LOG = {"times": [0, 1, 50, 100], "train_accuracy": [0.5, 1, 1, 1], "test_accuracy": [0.5, 0.5, 0.6, 1]}
KEY, X = jax.random.key(0), PROBLEM.X
# Each call with valid arguments, and the kinds of its arguments. A "?" at the end means that None is accepted.
CALLS: dict[str, tuple[Callable[..., Any], dict[str, Any], dict[str, str]]] = {
    "Problem": (
        lr.Problem,
        {"X": X, "y": PROBLEM.y},
        {"X": "array", "y": "array", "kappa": "positive", "loss": "thing?"},
    ),
    "DeepLinear": (lr.DeepLinear, {}, {"weights": "layers"}),
    "Diagonal": (lr.Diagonal, {"weights": [np.ones((2, 2))]}, {"weights": "layers", "power": "count"}),
    "TwoLayer": (lr.TwoLayer, {"W": NET.W, "a": NET.a}, {"W": "array", "a": "array", "negative_slope": "number"}),
    "Factorization": (lr.Factorization, {}, {"U": "array"}),
    "Linearized": (lr.Linearized, {}, {"anchor": "thing"}),
    "GradientFlow": (
        lr.GradientFlow,
        {"net": NET, "problem": PROBLEM},
        {"net": "thing", "problem": "thing", "rates": "rates", "decay": "decay"},
    ),
    "descend": (
        lr.descend,
        {"flow": FLOW, "steps": 2, "lr": 0.1, "batch": 2, "key": KEY},
        {
            "flow": "thing",
            "steps": "count",
            "lr": "positive",
            "every": "count?",
            "momentum": "number",
            "nesterov": "flag",
            "optimizer": "thing?",
            "batch": "count?",
            "label_noise": "number",
            "key": "thing",
            "precision": "thing",
        },
    ),
    "diffuse": (
        lr.diffuse,
        {"flow": FLOW, "times": [1.0], "key": KEY, "dt": 0.1},
        {"flow": "thing", "times": "times", "key": "thing", "dt": "positive", "sigma": "number", "max_steps": "count"},
    ),
    "integrate": (
        lr.integrate,
        {"flow": FLOW, "times": [1.0]},
        {
            "flow": "thing",
            "times": "times",
            "rtol": "positive?",
            "atol": "positive?",
            "max_steps": "count?",
            "until": "thing?",
            "solver": "thing?",
            "precision": "thing",
        },
    ),
    "time_of": (
        lr.flow_time_from_steps,
        {"steps": 3, "lr": 0.1},
        {"steps": "number", "lr": "positive", "momentum": "number"},
    ),
    "ones": (lr.inits.tied_diagonal, {"d": 3, "alpha": 0.1}, {"d": "count", "alpha": "number", "depth": "count"}),
    "diagonal": (lr.inits.diagonal, {"d": 3, "alpha": 0.1}, {"d": "count", "alpha": "number", "shape": "number"}),
    "two_layer": (
        lr.inits.two_layer,
        {"key": KEY, "d": 2, "h": 3},
        {"key": "thing", "d": "count", "h": "count", "std": "array", "negative_slope": "number"},
    ),
    "symmetrized": (
        lr.inits.symmetrized,
        {"key": KEY, "d": 2, "h": 4},
        {"key": "thing", "d": "count", "h": "count", "tau": "number", "delta": "number", "rates": "rates"},
    ),
    "scale": (lr.inits.scale_parameters, {"net": NET, "tau": 2.0}, {"net": "thing", "tau": "positive"}),
    "upstream": (lr.inits.upstream, {"net": NET, "alpha": 2.0}, {"net": "thing", "alpha": "positive"}),
    "rescale": (lr.inits.rescale, {"net": NET}, {"net": "thing", "delta": "number?", "rates": "rates"}),
    "kernel_distance": (
        lr.metrics.kernel_distance,
        {"now": NET, "start": NET, "X": X},
        {"now": "thing", "start": "thing", "X": "array", "rates": "rates"},
    ),
    "parameter_distance": (
        lr.metrics.parameter_distance,
        {"now": NET, "start": NET},
        {"now": "thing", "start": "thing"},
    ),
    "singular_values": (lr.metrics.singular_values, {"now": LINEAR}, {"now": "thing", "layer": "count?"}),
    "mode_strengths": (
        lr.metrics.mode_strengths,
        {"now": LINEAR, "target": np.ones(2)},
        {"now": "thing", "target": "array"},
    ),
    "neuron_alignment": (lr.metrics.neuron_alignment, {"now": NET}, {"directions": "array"}),
    "net(X)": (lambda X: NET(X), {}, {"X": "array"}),
    "Adam": (lr.Adam, {}, {"b1": "fraction", "b2": "fraction", "eps": "positive"}),
    "AdamW": (lr.descend, {"flow": DECAYED, "steps": 2, "lr": 0.1}, {"decoupled": "flag", "label_noise": "number"}),
    "equivalent_flow": (lr.equivalent_flow, {}, {"descent": "thing"}),
    "flow_gap": (lr.flow_gap, {}, {"descent": "thing"}),
    "sharpness": (lr.metrics.sharpness, {}, {"now": "thing"}),
    "limit": (
        lr.limit,
        {"flow": DECAYED},
        {"flow": "thing", "decays": "array?", "scales": "array?", "theorem": "thing?"},
    ),
    "staircase": (lr.staircase, {"flow": DIAGONAL}, {"flow": "thing", "exponents": "positive?"}),
    "staircase.at": (STAIRCASE.at, {}, {"scale": "positive"}),
    "staircase.predictor": (STAIRCASE.predictor, {}, {"times": "times"}),
    "decay_curve": (lr.decay_curve, {"flow": DECAYED, "times": [1.0]}, {"flow": "thing", "times": "times"}),
    "decay_curve.loss": (lr.decay_curve(DECAYED, [1.0]).loss, {}, {"problem": "thing"}),
    "GrokkingRun": (
        lr.GrokkingRun,
        {"alpha": 2.0, "decay": 0.02, "t_fit": 7.0, "t_grok": 86.0},
        {"alpha": "positive", "decay": "positive", "t_fit": "number", "t_grok": "positive", "optimizer": "thing"},
    ),
    "grokking_run": (
        lr.grokking_run,
        LOG | {"alpha": 4.0, "decay": 0.02},
        dict.fromkeys(LOG, "array") | {"alpha": "positive", "level": "thing", "train_loss": "array?"},
    ),
    "grokking_clock": (
        lr.grokking_clock,
        {"calibration": RUN, "alpha": 8.0, "decay": 0.02},
        {"calibration": "thing", "alpha": "positive", "decay": "positive", "degree": "count"},
    ),
    "prediction.steps": (
        lr.grokking_clock(RUN, 8.0, 0.02).steps,
        {"lr": 0.1},
        {"lr": "positive", "momentum": "fraction"},
    ),
    "Population": (
        lr.Population,
        {"teacher": TEACHER},
        {"teacher": "thing", "inputs": "thing", "covariance": "array?", "kappa": "positive"},
    ),
    "sample": (lr.Population(TEACHER).sample, {"key": KEY, "n": 3}, {"key": "thing", "n": "count"}),
    "online_flow": (
        lr.online_flow,
        {"flow": ONLINE, "times": [0.1], "lr_d": 0.1},
        {"flow": "thing", "times": "times", "lr_d": "number", "label_noise": "number"},
    ),
    "wide": (
        lr.inits.wide,
        {"key": KEY, "d": 2, "h": 5, "c": 2, "c1": 1.0, "c2": 1.0},
        {"key": "thing", "d": "count", "h": "count", "c": "count", "c1": "number", "c2": "number"},
    ),
    "infinite_width": (
        lr.inits.infinite_width,
        {"d": 2, "c": 2, "gamma": 1.0},
        {"d": "count", "c": "count", "gamma": "positive"},
    ),
    "lora": (
        lr.inits.lora,
        {"key": KEY, "d": 4, "c": 2, "rank": 2},
        {
            "key": "thing",
            "rank": "count",
            "alpha": "positive?",
            "size": "positive",
            "rank_stabilized": "flag",
            "distribution": "thing",
        },
    ),
    "LinearAttention": (
        lr.LinearAttention,
        {"value": [1.0], "key": [[1.0, 0.0]], "query": [[1.0, 0.0]]},
        {"value": "array", "key": "array", "query": "array"},
    ),
    "MergedLinearAttention": (
        lr.MergedLinearAttention,
        {"key_query": np.ones((1, 2, 2)), "value": [1.0]},
        {"key_query": "array", "value": "array"},
    ),
    "in_context": (
        lr.Problem.in_context,
        {"covariance": np.eye(2), "context_length": 3},
        {"covariance": "array", "context_length": "count", "kappa": "positive"},
    ),
}
# Words by which an error refers to an argument other than by its name.
CALLED = {"now": "a trajectory", "descent": "takes the trajectory", "rates": "rate", "weights": "weight"}


def draw(rng: np.random.Generator) -> dict[str, Any]:
    call = str(rng.choice(sorted(CALLS)))
    argument = str(rng.choice(sorted(CALLS[call][2])))
    kind = CALLS[call][2][argument]
    fine = FINE[kind.rstrip("?")] | ({"None"} if kind.endswith("?") else set())
    return {"call": call, "argument": argument, "value": str(rng.choice(sorted(set(WRONG) - fine)))}


def check(call: str, argument: str, value: str) -> Outcome:
    function, good, _ = CALLS[call]
    try:
        function(**good | {argument: WRONG[value]()})
    except (ValueError, TypeError) as error:
        raised_by = traceback.extract_tb(error.__traceback__)[-1].filename
        if not raised_by.startswith(OURS) or not _names(argument, str(error)):
            raise
        return Outcome(call, None)
    return Outcome(call, np.inf)  # accepted


def _names(argument: str, text: str) -> bool:
    """Return whether an error names the argument. A single letter occurs in every sentence, so it has to come first, or
    follow "pass"."""
    if len(argument) == 1:
        return text.startswith(f"{argument} ") or f"pass {argument}=" in text
    return CALLED.get(argument, argument).lower() in text.lower()
