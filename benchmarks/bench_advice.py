"""Compare the predictions of `lazyrich.torch.advise` with trials: errors, and the coverage of the intervals.

Each set-up is trained once. S is predicted for every knob and value, and a copy is trained with the change until it has
the same loss. The first group of set-ups was used to choose the errors that the knobs state (with more
values, 200 steps and last layers too); the second was not.

`bench_advice.py calibration` and `bench_advice.py held-out` run one group. One thread.
"""

import single_thread  # noqa: F401 (before anything that starts threads)

# isort: split
import math
import sys
from collections import defaultdict

import numpy as np
import torch
from models import BatchNormNet, SmallViT
from torch import nn
from torch.nn import functional as F

from lazyrich.torch import data, knobs
from lazyrich.torch._model.batch import Batch
from lazyrich.torch._model.output_reader import OutputReader
from lazyrich.torch._trials.gradient_power import gradient_power
from lazyrich.torch._trials.movement_line import KernelMeter, MovementLine
from lazyrich.torch._trials.trained_copy import get_all_rng_states
from lazyrich.torch._trials.trial import TrialSetup
from lazyrich.torch.advice import INTERVAL
from lazyrich.torch.scale import layer_prefixes

SCALES, RATES, ALPHAS, LAYER = (1 / 4, 1 / 2, 2, 4), (1 / 2, 2), (1 / 2, 2), (1 / 4, 4)
STEPS, LONGER = 100, 4


def mlp(width, depth, activation=nn.ReLU, inputs=784, outputs=10):
    layers = [nn.Flatten(), nn.Linear(inputs, width), activation()]
    for _ in range(depth - 2):
        layers += [nn.Linear(width, width), activation()]
    return nn.Sequential(*layers, nn.Linear(width, outputs))


def conv(width=8):
    return nn.Sequential(
        nn.Conv2d(1, width, 5, 2), nn.ReLU(), nn.Conv2d(width, 2 * width, 5, 2), nn.ReLU(), nn.Flatten(),
        nn.Linear(32 * width, 10),
    )  # fmt: skip


def digits(seed):
    images, labels = data.drawn_digits(512, seed=seed)
    return images, labels, F.cross_entropy


def teacher(seed):
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(512, 20, generator=generator)
    w, a = torch.randn(20, 5, generator=generator) / 20**0.5, torch.randn(5, 2, generator=generator)
    return x, torch.tanh(2 * x @ w) @ a, F.mse_loss


def parity(seed):
    x = torch.randn(512, 12, generator=torch.Generator().manual_seed(seed))
    return x, (x[:, 0] * x[:, 1] > 0).long(), F.cross_entropy


def sgd(rate, momentum=0.0):
    return lambda p: torch.optim.SGD(p, lr=rate, momentum=momentum)


def adam(rate, kind=torch.optim.Adam):
    return lambda p: kind(p, lr=rate)


CALIBRATION = {
    "MLP of 2 layers, SGD": (lambda: mlp(100, 2), digits, sgd(0.05)),
    "MLP of 2 layers, Adam": (lambda: mlp(100, 2), digits, adam(1e-3)),
    "tanh MLP of 3 layers, SGD": (lambda: mlp(60, 3, nn.Tanh), digits, sgd(0.05)),
    "tanh MLP of 3 layers, Adam": (lambda: mlp(60, 3, nn.Tanh), digits, adam(1e-3)),
    "MLP of 4 layers, SGD": (lambda: mlp(60, 4), digits, sgd(0.05)),
    "convolutions, Adam": (conv, digits, adam(1e-3)),
    "teacher, MLP of 3 layers, SGD": (lambda: mlp(100, 3, nn.ReLU, 20, 2), teacher, sgd(0.1)),
    "teacher, MLP of 3 layers, Adam": (lambda: mlp(100, 3, nn.ReLU, 20, 2), teacher, adam(1e-3)),
}
HELD_OUT = {
    "batch norm, SGD with momentum": (BatchNormNet, digits, sgd(0.02, 0.9)),
    "small ViT, AdamW": (SmallViT, digits, adam(1e-3, torch.optim.AdamW)),
    "convolutions, SGD": (lambda: conv(12), digits, sgd(0.1)),
    "wide MLP, SGD": (lambda: mlp(512, 3), digits, sgd(0.02)),
    "GELU MLP of 4 layers, RMSprop": (lambda: mlp(80, 4, nn.GELU), digits, adam(3e-4, torch.optim.RMSprop)),
    "teacher, tanh MLP, SGD": (lambda: mlp(200, 2, nn.Tanh, 20, 2), teacher, sgd(0.2)),
    "product of two signs, MLP, Adam": (lambda: mlp(64, 3, nn.ReLU, 12, 2), parity, adam(3e-3)),
    "product of two signs, MLP, SGD": (lambda: mlp(64, 3, nn.ReLU, 12, 2), parity, sgd(0.2)),
}


def values_of(model, inputs):
    """Yield every knob that the model has, with its values."""
    yield from ((knobs.OutputScale(), value) for value in SCALES)
    yield from ((knobs.LearningRate(), value) for value in RATES)
    try:
        upstream = knobs.Upstream.of(model, inputs[:2], None)
        yield from ((upstream, value) for value in ALPHAS)
    except ValueError:
        pass
    layers = layer_prefixes(model)
    yield from ((knobs.LayerRate(layer), value) for layer in layers[:1] for value in LAYER)


def compare(name, make, task, make_optimizer, seed, steps=STEPS):
    """Yield (knob, value, power, log of measured over predicted S, stated error) for one set-up."""
    torch.manual_seed(seed)
    model, (x, y, loss) = make(), task(seed)
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), batch_size=64, shuffle=True)
    known, reading, power = (Batch.from_nested(x[:256]), y[:256]), OutputReader(), gradient_power(make_optimizer)
    setup = TrialSetup(model, loader, loss, make_optimizer, reading, known, power, steps, get_all_rng_states())
    base = setup.run()
    meter = KernelMeter.of(base.copy.model, known[0], reading, 0)
    line = MovementLine(base.copy.model, base.start, meter, known, loss, reading)
    print(f"{name}: S = {float(meter.distance(base.start, line.end, {}).distance[0]):.3g}, loss {base.loss:.3g}")
    for knob, value in values_of(model, x):
        predicted, trial = line.distance(knob.effect(value, power)), setup.run(knob, value, base.loss, LONGER)
        if predicted is None or not trial.reached:
            why = "no prediction" if predicted is None else f"diverged, or not at this loss after {trial.steps} steps"
            print(f"  {knob.name:14s} {value:6.3g}: {why}", flush=True)
            continue
        now = {key: p.detach().clone() for key, p in trial.copy.model.named_parameters()}
        found = KernelMeter.of(trial.copy.model, known[0], reading, 0).distance(
            trial.start, now, knob.trial_rates(value)
        )
        S = float(found.distance[0])
        error, stated = math.log(S / predicted), knob.error(value, power)
        mark = "" if abs(error) < INTERVAL * stated else "  outside"
        print(
            f"  {knob.name:14s} {value:6.3g}: predicted {predicted:.3g}, measured {S:.3g} in {trial.steps} steps, "
            f"log ratio {error:+.2f} of {stated:.2f}{mark}",
            flush=True,
        )
        yield knob.name, value, power, error, stated


def main(which):
    torch.set_num_threads(1)
    for group, setups, seed in (("calibration", CALIBRATION, 0), ("held-out", HELD_OUT, 1)):
        if which not in ("", group):
            continue
        rows = defaultdict(list)
        for name, setup in setups.items():
            for knob, value, power, error, stated in compare(name, *setup, seed):
                rows[knob, "SGD" if power else "Adam"].append((value, error, stated))
        inside = [abs(error) < INTERVAL * stated for found in rows.values() for _, error, stated in found]
        for (knob, kind), found in rows.items():
            errors = np.array([error for _, error, _ in found])
            hits = sum(abs(error) < INTERVAL * stated for _, error, stated in found)
            slopes = np.median([abs(error) / abs(math.log(value)) for value, error, _ in found])
            print(
                f"{group}, {knob}, {kind}: {hits} of {len(found)} inside, log ratio {errors.mean():+.2f} ± "
                f"{errors.std():.2f}, median |log ratio| / |log value| {slopes:.2f}"
            )
        said = f"{sum(inside)} of {len(inside)} trials inside the 95 % interval of the prediction"
        print(f"{group}: {said}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "")
