"""Predict conserved quantities under the optimizer, and compare the predictions with measurements."""

import math
from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from lazyrich.probe.balance import ConservedPair
from lazyrich.probe.types import Row, State
from lazyrich.torch._model.parameter_slices import full_parameter_name
from lazyrich.torch._probe.optimizer_reader import OptimizerReader


class ConservationPrediction:
    r"""Prediction of δ for each pair from the optimizer's rule, from snapshot to snapshot.

    With decays Λ_θ since the last snapshot, $\dot\delta = -2\sum_\theta \dot\Lambda_\theta\,\delta_\theta$, where
    $\delta_\theta$ is the contribution of θ to δ. For a single Λ the solution is $\delta\,e^{-2\Lambda}$. Where decays
    differ (biases without decay), the difference to the largest decay is integrated by the trapezoidal rule between the
    two snapshots.
    """

    def __init__(self, watched: OptimizerReader | None, pairs: Sequence[ConservedPair]) -> None:
        self.watched, self.pairs = watched, tuple(pairs)
        self.values = {pair.name: _sum_contributions(pair.contributions) for pair in pairs}
        self.start = dict(self.values)
        self.decays = dict(watched.decays) if watched is not None else {}

    def switch_optimizer(self, watched: OptimizerReader) -> None:
        """Continue with another optimizer, from the last snapshot."""
        self.watched, self.decays = watched, dict(watched.decays)

    def advance(self, pairs: Sequence[ConservedPair]) -> Row:
        """Return the measurements of a snapshot: the measured and the predicted fraction of δ(0) that is left, and
        their gap."""
        if self.watched is None:
            return {}
        decays = dict(self.watched.decays)
        for before, now in zip(self.pairs, pairs, strict=True):
            moved = {
                name: decays[full_parameter_name(name)] - self.decays[full_parameter_name(name)]
                for name in now.contributions
                if full_parameter_name(name) in decays
            }
            largest = max(moved.values(), default=0.0)
            value = self.values[now.name] * math.exp(-2 * largest)
            for name, decay in moved.items():
                value = value + (largest - decay) * (before.contributions[name] + now.contributions[name])
            names = (full_parameter_name(name) for name in now.contributions)
            self.values[now.name] = value if self.watched.conserves_delta(names) else torch.full_like(value, math.nan)
        self.pairs, self.decays = tuple(pairs), decays
        conserved = {pair.name: _sum_contributions(pair.contributions) for pair in pairs}
        squares = {
            pair.name: float(sum(float(part.abs().sum()) for part in pair.contributions.values())) for pair in pairs
        }
        return {
            "conserved_share": {
                name: _remaining_fraction(value, self.start[name]) for name, value in conserved.items()
            },
            "conserved_predicted": {
                name: _remaining_fraction(self.values[name], self.start[name]) for name in conserved
            },
            "conserved_gap": {
                name: float((value - self.values[name]).abs().sum()) / max(squares[name], 1e-300)
                for name, value in conserved.items()
            },
        }

    def state_dict(self) -> State:
        return {"values": self.values, "start": self.start, "decays": self.decays}

    def load_state_dict(self, state: State, pairs: Sequence[ConservedPair]) -> None:
        self.values, self.start, self.decays = dict(state["values"]), dict(state["start"]), dict(state["decays"])
        self.pairs = tuple(pairs)


def _sum_contributions(parts: Mapping[str, Tensor]) -> Tensor:
    return torch.stack(list(parts.values())).sum(0)


def _remaining_fraction(now: Tensor, start: Tensor) -> float:
    """Return the fraction of δ(0) that is left, ⟨δ, δ(0)⟩/|δ(0)|² over units, or NaN if δ(0) = 0."""
    size = float(start.square().sum())
    return float((now * start).sum()) / size if size > 0 else math.nan
