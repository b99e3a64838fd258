"""Measure the share of the time of training that a probe takes by default, and fit the law of its cost.

Each model runs in a process of its own: steps of AdamW, then snapshots with the default budget, one for every 500
steps; one thread, processor time. Beside it, a hook that logs a histogram of every gradient and weight, as dashboards
do, once for every 500 steps. The error of S is that against the full kernel of 24 of the same inputs, without the
blocks of an input with itself.

The law: the seconds of a snapshot are a·n/B steps + b·n²/(B·T) steps + c for each layer, for n inputs, batches of B
samples with T positions. It is fitted on small transformers, and predicts larger ones, which it has not seen.

`bench_share.py one NAME` measures one model, `bench_share.py small` all without those of more than 20 million weights.
"""

import single_thread  # noqa: F401 (before anything that starts threads)

# isort: split
import json
import resource
import subprocess
import sys
import time

import models
import numpy as np
import torch
from record import record
from scipy.optimize import nnls
from torch import nn

from lazyrich.torch import Probe, tangent_kernel

STEPS_PER_SNAPSHOT, COMPARED_INPUTS = 500, 24


def tokens(vocabulary, length):
    return lambda n: torch.randint(vocabulary, (n, length))


def images(n):
    return torch.randn(n, 3, 32, 32)


def mlp():
    return nn.Sequential(nn.Flatten(), nn.Linear(784, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))


# Model, inputs, positions of the outputs, batch of a step, positions of a sample, and whether the full kernel fits.
SHARES = {
    "MLP": (mlp, lambda n: torch.randn(n, 784), None, 64, 1, True),
    "nanoGPT": (models.NanoGPT, tokens(95, 32), -1, 32, 32, True),
    "nanoGPT, all positions": (models.NanoGPT, tokens(95, 32), slice(None), 32, 32, False),
    "ViT-tiny": (models.ViTTiny, images, None, 64, 65, True),
    "ResNet-18": (models.ResNet18, images, None, 64, 1, True),
    "BERT LoRA": (models.BertLoRA, tokens(30_522, 32), None, 16, 32, True),
    "GPT-2 small": (models.GPT2, tokens(50_257, 64), -1, 8, 64, False),
}
LARGE = ("BERT LoRA", "GPT-2 small")


def transformer(width, length):
    return lambda: models.NanoGPT(width=width, length=length)


# Models of the fit, by name: width, positions, batch.
SIZES = ((48, 32, 32), (48, 128, 16), (192, 32, 32), (256, 64, 8))
FITTED = {f"width {width}, {places} tokens": (width, places, batch) for width, places, batch in SIZES}
PREDICTED = ("ViT-tiny", "BERT LoRA", "GPT-2 small")


def off_diagonal_distance(now, start, n):
    """Return S of two full kernels without the blocks of an input with itself."""
    kernels = [K.double().reshape(n, len(K) // n, n, -1).clone() for K in (now, start)]
    for K in kernels:
        K[torch.arange(n), :, torch.arange(n)] = 0
    one, other = kernels
    return 1 - float((one * other).sum() / (one.norm() * other.norm()))


def timed(function):
    began = time.process_time()
    result = function()
    return result, time.process_time() - began


class Histograms:
    """Logs a histogram of every gradient, and of every weight, as hooks of dashboards do."""

    def __init__(self, model):
        self.model, self.logged = model, {}
        for name, p in model.named_parameters():
            if p.requires_grad:
                p.register_hook(lambda gradient, name=name: self.log(f"gradients/{name}", gradient))

    def log(self, name, tensor):
        flat = tensor.detach().flatten().float()
        low, high = flat.min().item(), flat.max().item()
        self.logged[name] = torch.histc(flat, 64, low, high).tolist()

    def log_weights(self):
        for name, p in self.model.named_parameters():
            self.log(f"parameters/{name}", p)


def one(name):
    """Run in this process: steps of AdamW, and snapshots after 500 steps each by the clock; print a row of JSON."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    if name in FITTED:
        width, length, batch = FITTED[name]
        make, inputs, positions, compared = transformer(width, length), tokens(95, length), -1, False
        places = length
    else:
        make, inputs, positions, batch, places, compared = SHARES[name]
    model = make()
    trained = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=1e-4)

    def step():
        optimizer.zero_grad()
        model(inputs(batch)).square().mean().backward()
        optimizer.step()

    _, first = timed(step)
    count = 2 if first > 2 else 3 if first > 0.1 else 40
    seconds = sorted(timed(step)[1] for _ in range(count))[count // 2]
    base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    start = {key: value.clone() for key, value in model.state_dict().items()} if compared else {}
    probe = Probe(model, inputs(128), positions=positions, optimizer=optimizer, exact=False)
    numbers, snapshots = {}, []
    for k in range(1, 2 if first > 2 else 3 if first > 0.1 else 5):
        step()
        # The steps that a run would have had since the last snapshot, by the clock that the budget reads.
        probe._spending.training += STEPS_PER_SNAPSHOT * seconds
        numbers, taken = timed(lambda k=k: probe.snapshot(k))
        snapshots.append(taken)
    row = {"step": seconds, "snapshot": float(np.median(snapshots)), "inputs": int(numbers["kernel_inputs"])}
    row |= {"batch": batch, "places": places, "layers": len(probe._sampled.layers), "weights": 0}
    row["weights"] = sum(p.numel() for p in model.parameters())
    row["memory"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - base
    row["S"], row["low"], row["high"] = (numbers[f"kernel_{which}"] for which in ("distance", "low", "high"))
    if name in FITTED:
        row["sizes"] = {}
        for n in (32, 64, 128):
            probe._spending.training, probe._sizes = 1e9, (n,)
            probe._inputs_of_snapshot = lambda first, n=n: n
            step()
            row["sizes"][n] = timed(lambda n=n: probe.snapshot(100 + n))[1]
    if compared:
        n = min(row["inputs"], COMPARED_INPUTS)
        few, read = probe.inputs.tensors[0][:n], (lambda m, x: m(x)[:, -1]) if positions == -1 else None
        now = tangent_kernel(model, few, forward=read)
        model.load_state_dict(start | {k: v for k, v in model.state_dict().items() if "running" in k})
        row["full"] = off_diagonal_distance(now, tangent_kernel(model, few, forward=read), n)
    hook = Histograms(model)
    row["hook"] = max(timed(step)[1] + timed(hook.log_weights)[1] - seconds, 1e-6)
    print(json.dumps(row))


def measured(name):
    done = subprocess.run([sys.executable, __file__, "one", name], capture_output=True, text=True)
    if done.returncode:
        print(f"{name}: {done.stderr.strip().splitlines()[-1]}", flush=True)
        return None
    return json.loads(done.stdout.splitlines()[-1])


def say(name, row):
    """Record and print the share of one model."""
    training = STEPS_PER_SNAPSHOT * row["step"]
    full = f"; full kernel of {COMPARED_INPUTS} of them {row['full']:.3g}" if "full" in row else ""
    said = (
        f"{row['snapshot'] / training:.2%} of training, {row['snapshot'] / row['step']:.1f} steps, "
        f"n = {row['inputs']}, +{row['memory'] / 1e6:.0f} MB; histograms of gradients and weights: "
        f"{row['hook'] / training:.2%}; S = "
        f"{row['S']:.2g} ({row['low']:.2g} to {row['high']:.2g}){full}"
    )
    print(f"{name} ({row['weights'] / 1e6:.3g} M weights): {said}", flush=True)
    record(
        f"a snapshot of {name}, {row['weights'] / 1e6:.3g} M weights", ours=row["snapshot"],
        rival="500 steps of training", theirs=training, note=said,
    )  # fmt: skip


def terms(row, n):
    """Return the three terms of the law, in seconds."""
    return [row["step"] * n / row["batch"], row["step"] * n**2 / (row["batch"] * row["places"]), row["layers"]]


def law(rows):
    """Return a, b and c by least squares of relative errors."""
    cases = [(terms(row, int(n)), seconds) for row in rows for n, seconds in row["sizes"].items()]
    matrix = np.array([[term / seconds for term in of] for of, seconds in cases])
    scale = matrix.max(0)
    return nnls(matrix / scale, np.ones(len(cases)))[0] / scale


def main(names):
    a, b, c = law([measured(name) for name in FITTED])
    formula = f"{a:.2f} n/B + {b:.2f} n²/(B·T) steps + {1e3 * c:.2f} ms a layer"
    print(f"a snapshot takes {formula}", flush=True)
    for name in names:
        row = measured(name)
        if row is None:
            continue
        say(name, row)
        if name in PREDICTED:
            predicted = float(np.dot((a, b, c), terms(row, row["inputs"])))
            print(f"  predicted {predicted:.3g} s, measured {row['snapshot']:.3g} s", flush=True)
            record(
                f"the cost of a snapshot of {name} by the law that was fitted on small transformers",
                ours=row["snapshot"], rival="predicted", theirs=predicted, note=f"{formula}, n = {row['inputs']}",
            )  # fmt: skip


if __name__ == "__main__":
    if sys.argv[1:2] == ["one"]:
        one(sys.argv[2])
    else:
        main([name for name in SHARES if sys.argv[1:2] != ["small"] or name not in LARGE])
