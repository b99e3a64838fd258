"""How often the interval of a sampled kernel distance contains that of the full kernel: a transformer and a CNN."""

import copy

import pytest
import torch
from torch import nn
from torch.nn import functional as F

import lazyrich.torch as lt
from benchmarks.models import NanoGPT
from lazyrich.torch._model.batch import Batch
from lazyrich.torch._model.output_reader import OutputReader
from lazyrich.torch._probe.sampled_kernel import SampledKernel
from lazyrich.torch.data import drawn_digits

pytestmark = pytest.mark.slow
DRAWS, POOL, CHARACTERS = 200, 192, 16


def trained_transformer():
    """Predict the character that is most frequent, from a sequence."""
    tokens = torch.randint(CHARACTERS, (POOL, 12))
    model = NanoGPT(width=32, characters=CHARACTERS, length=12)
    return model, tokens, tokens.mode(1).values, lambda m, x: m(x)[:, -1], 1e-3, 25


def trained_cnn():
    images, labels = drawn_digits(POOL)
    model = nn.Sequential(
        nn.Conv2d(1, 6, 5, 2), nn.ReLU(), nn.Conv2d(6, 12, 5, 2), nn.ReLU(), nn.Flatten(), nn.Linear(192, 10)
    )
    return model, images.reshape(POOL, 1, 28, 28), labels, None, 2e-3, 40


@pytest.mark.parametrize("case", [trained_transformer, trained_cnn])
def test_intervals_contain_the_distance_of_the_full_kernel(case):
    """Inputs are drawn with replacement, so that pairs of them are those of the full kernel, each with itself
    included."""
    torch.manual_seed(0)
    model, x, y, forward, rate, steps = case()
    before = copy.deepcopy(model.state_dict())
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)
    for _ in range(steps):
        optimizer.zero_grad()
        F.cross_entropy((forward or (lambda m, z: m(z)))(model, x), y).backward()
        optimizer.step()
    names = list(dict.fromkeys(name.rpartition(".")[0] for name, _ in model.named_parameters()))
    after = copy.deepcopy(model.state_dict())
    trained = dict(model.named_parameters())
    initial, now = ({k: state[k] for k in trained} for state in (before, after))

    def full(**rates):
        return float(lt.kernel_distance(model, initial, x, forward=forward, method="exact", **rates).value)

    truth = {"": full()}
    for name in names:
        truth[name] = full(rates={other: float(other == name) for other in names})
    inside = dict.fromkeys(truth, 0)
    reading = OutputReader(forward)
    with torch.no_grad():
        width = reading(model, Batch.from_nested(x[:2])).shape[1]
    generator = torch.Generator().manual_seed(1)
    values = []
    for draw in range(DRAWS):
        some = Batch.from_nested(x[torch.randint(POOL, (64,), generator=generator)])
        model.load_state_dict(before)
        sampled = SampledKernel(model, some, reading, width, None, draw)
        sampled.measure_start()
        model.load_state_dict(after)
        sampled.sampler.model = model
        row = sampled.measure(64, initial, now, False)
        values.append(row["kernel_distance"][0][0])
        inside[""] += row["kernel_low"][0] < truth[""] < row["kernel_high"][0]
        for name in names:
            inside[name] += row["layer_low"][name] < truth[name] < row["layer_high"][name]
    covered = {name: count / DRAWS for name, count in inside.items()}
    mean = sum(values) / DRAWS
    print(f"\n{case.__name__}: S = {truth['']:.4g}, mean of estimates {mean:.4g}, covered {covered['']:.1%}; layers:")
    print({name: (round(truth[name], 5), covered[name]) for name in names})
    assert abs(mean / truth[""] - 1) < 0.1
    assert covered[""] > 0.9
    assert sum(covered[name] for name in names) / len(names) > 0.92
    assert min(covered.values()) > 0.8
