"""Probe for a training loop: snapshots of how far parameters have moved from their start."""

import time
from collections.abc import Callable, Sequence

import jax
import numpy as np
from jaxtyping import PyTree

from lazyrich._core.types import AnyArray, ArrayLike
from lazyrich._validate.integers import check_int
from lazyrich._validate.optional_dependencies import require_packages
from lazyrich.jax._jacobian.checked_model import CheckedModel, Function, check_model, check_samples
from lazyrich.jax._jacobian.learning_rates import Rates
from lazyrich.jax._metrics import observe, tangent_outputs
from lazyrich.jax.curvature import sharpness as measure_sharpness
from lazyrich.jax.distance import one_hot
from lazyrich.jax.kernel import kernel_of_model
from lazyrich.jax.rescaling import LayerStructure
from lazyrich.probe import History, Report
from lazyrich.probe.array_metrics import effective_rank, hamming_distance, safe_ratio
from lazyrich.probe.balance import conserved_drift
from lazyrich.probe.history import check_values
from lazyrich.probe.types import Row
from lazyrich.tangent.parameter_names import layer_name_of
from lazyrich.tangent.sampled_distance import sampled_kernel_distance, target_alignment

MAX_KERNEL_ROWS = 1000  # largest default number of rows of the kernel of a snapshot


class Probe:
    """Measures a function f(params, x) against its own start, whenever `snapshot(step, params)` is called.

    The start is measured when the probe is created (step `start`), so create it before training. Each snapshot measures

    - the tangent kernel on `sample` of the inputs, drawn once with `seed`: all outputs, with layer-wise learning rates
      `rates` (parameter name or prefix → rate) if given; its distance S to the start and to the previous
      snapshot, centered and not, with a jackknife error for the inputs that were left out; with `targets` (class labels
      (n,), or values (n, c)) its alignment with them;
    - activation patterns, and the effective rank of the features, after every layer;
    - the distance and speed of the parameters of every layer; the function, and the tangent model at the start;
    - the conserved quantities of adjacent homogeneous layers.

    `sharpness` is a function of the parameters, the loss of your training on a fixed batch: its largest curvature is
    then measured too (see `sharpness`).

    f is a pure function: everything else that it uses (statistics of batch norm, frozen weights) keeps its values from
    when the probe was created.

    >>> f = lambda params, x: jax.nn.relu(x @ params["in"]) @ params["out"]
    >>> keys = jax.random.split(jax.random.key(0), 3)
    >>> x = jax.random.normal(keys[0], (30, 5))
    >>> y = jax.numpy.sign(x[:, :1] * x[:, 1:2])
    >>> params = {"in": 0.3 * jax.random.normal(keys[1], (5, 20)), "out": 0.3 * jax.random.normal(keys[2], (20, 1))}
    >>> probe = Probe(f, params, x, y)
    >>> slope = jax.grad(lambda params: ((f(params, x) - y) ** 2).mean())
    >>> move = jax.jit(lambda params: jax.tree.map(lambda p, g: p - 0.2 * g, params, slope(params)))
    >>> for step in range(1, 501):
    ...     params = move(params)
    >>> probe.snapshot(step, params)
    >>> report = probe.report()
    >>> report.regime, report.data.sizes["step"], bool(report.data.kernel_distance.sel(step=500).max() > 0.05)
    ('rich', 2, True)
    """

    def __init__(
        self,
        f: Function,
        params: PyTree,
        x: PyTree,
        targets: ArrayLike | None = None,
        *,
        sample: int | None = None,
        rates: Rates = None,
        sharpness: Callable[[PyTree], AnyArray] | None = None,
        start: int = 0,
        seed: int = 0,
    ) -> None:
        require_packages("a probe", "jax", "xarray")
        self._model = check_model(f, params, x, rates)
        samples, width = check_samples(x), self._model.plan.outputs
        n = len(samples[0])
        self.inputs, self.rates = n, rates
        self.sample = min(n, max(8, MAX_KERNEL_ROWS // width) if sample is None else check_int("sample", sample))
        order = np.random.default_rng(seed).permutation(n)  # the sample comes first
        self._samples = [part[order] for part in samples]
        self.targets = None if targets is None else one_hot(targets, n, width)[order]
        self._layers, self._curved_loss = LayerStructure(self._model), sharpness
        self.reset(params, start)

    def reset(self, params: PyTree, step: int = 0) -> None:
        """Discard all measurements, and measure the start again."""
        check_int("step", step, least=0)
        self._history = History()
        self._start = self._last = self._model.with_params(params)
        self.snapshot(step, params)

    @property
    def last_step(self) -> int:
        """The step of the last snapshot."""
        return self._history.last_step

    def snapshot(self, step: int, params: PyTree, **values: float) -> None:
        """Measure these parameters. Further values, such as `loss=0.3`, are stored with the snapshot."""
        began, step = time.perf_counter(), check_int("step", step, least=0)
        check_values(values)
        if any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves(params)):
            raise ValueError("a snapshot measures numbers: call it between the steps, outside of jit, grad and scan")
        now = self._model.with_params(params, f"the parameters of step {step}")
        if self._history.merge_if_repeated(step, values, lambda: _params_equal(now, self._last)):
            return
        kernel = np.asarray(kernel_of_model(now, [part[: self.sample] for part in self._samples]))
        observation = observe(now, self._samples, self.sample)
        if not self._history.rows:
            self._kernel0 = self._kernel = kernel
            self._initial_observation = observation
        row: Row = {"step": step, **values}
        row |= self._measure_kernel(kernel)
        row |= self._measure_parameters(now, step)
        row |= self._measure_function(now, observation.outputs)
        row["hamming_distance"] = hamming_distance(
            observation.patterns, self._initial_observation.patterns, observation.units
        )
        row["effective_rank"] = {
            name: effective_rank(np.linalg.svd(part.astype(np.float64), compute_uv=False))
            for name, part in observation.features.items()
        }
        row["conservation_drift"] = self._measure_balance(now)
        if self._curved_loss is not None:
            row |= {"sharpness": measure_sharpness(self._curved_loss, params).value, "sharpness_edge": float("nan")}
        row["seconds"] = time.perf_counter() - began
        self._history.rows.append(row)
        self._last, self._kernel = now, kernel

    def report(self) -> Report:
        """Return a report of all measurements so far."""
        reasons = "; ".join(f"{self._layers.name(s.writer)}: {s.reason}" for s in self._layers.spaces if s.reason)
        return self._history.report(
            sample=self.sample,
            inputs=self.inputs,
            without=reasons or "no layers of a kind that is known",
            without_tangent="",
            target_size=0.0 if self.targets is None else _rms(self.targets),
            knob="upstream",
        )

    def _measure_kernel(self, kernel: np.ndarray) -> Row:
        start, previous = (
            sampled_kernel_distance(kernel, other, self.sample, self.inputs) for other in (self._kernel0, self._kernel)
        )
        row: Row = {
            "kernel_distance": [start.distance, previous.distance],
            "kernel_error": start.error,
            "kernel_growth": start.growth,
        }
        if self.targets is not None:
            row["target_alignment"] = target_alignment(kernel, self.targets[: self.sample], self.inputs)
        return row

    def _measure_parameters(self, now: CheckedModel, step: int) -> Row:
        moved, size = _layer_norms(now, self._start), _layer_norms(self._start)
        steps = step - self.last_step if self._history.rows else 1
        return {
            "parameter_distance": moved,
            "relative_distance": {name: safe_ratio(moved[name], size[name]) for name in moved},
            "learning_speed": {name: distance / steps for name, distance in _layer_norms(now, self._last).items()},
        }

    def _measure_function(self, now: CheckedModel, outputs: np.ndarray) -> Row:
        start, tangent = tangent_outputs(now, self._start, self._samples)
        if _params_equal(now, self._start):
            start = tangent = outputs  # equal; their rounding would count as a distance
        return {
            "function_size": _rms(outputs),
            "start_size": _rms(start),
            "function_distance": _rms(outputs - start),
            "linearization_gap": _rms(outputs - tangent),
        }

    def _measure_balance(self, now: CheckedModel) -> dict[str, float]:
        if any(rate == 0 for rate in (self.rates or {}).values()):
            return {}  # δ is not defined for a rate of 0
        pairs, pairs0 = (self._layers.pairs(at, self.rates) for at in (now, self._start))
        return {pair.name: conserved_drift(pair, pair0) for pair, pair0 in zip(pairs, pairs0, strict=True)}


def _params_equal(one: CheckedModel, other: CheckedModel) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one.values, other.values, strict=True))


def _layer_norms(now: CheckedModel, start: CheckedModel | None = None) -> dict[str, float]:
    """Return ‖θ_l − θ_l(0)‖ per layer (‖θ_l‖ without a start): weights and biases of one layer together, in float64."""
    before: Sequence[PyTree] = [0.0] * len(now.values) if start is None else start.values
    squares: dict[str, float] = {}
    for name, value, base in zip(now.names, now.values, before, strict=True):
        moved = np.asarray(value, np.float64) - np.asarray(base, np.float64)
        squares[layer_name_of(name)] = squares.get(layer_name_of(name), 0.0) + float((moved**2).sum())
    return {layer: square**0.5 for layer, square in squares.items()}


def _rms(values: np.ndarray) -> float:
    return float(np.sqrt(np.mean(np.square(values, dtype=np.float64))))
