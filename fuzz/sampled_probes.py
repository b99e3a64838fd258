"""Sampled probes with one or two optimizers: S, gap and word of every layer, against plain autograd input by input.

The model is trained for three steps, with frozen layers, layers with rate 0 and readouts that begin at zero; training
without a probe has to give the same weights, bit for bit.
"""

import copy
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

import lazyrich.torch as lt
from fuzz.models import ACTIVATIONS, build, generators, run_of
from fuzz.ring import Outcome
from lazyrich._core.regime_thresholds import LAZY, RICH
from lazyrich.probe.thresholds import LAYER_STILL_BELOW, TOO_EARLY_BELOW
from lazyrich.torch._model.preserve_model import NonFiniteModelError, get_rng_state, set_rng_state

OPTIMIZERS: dict[str, Any] = {
    "sgd": lambda groups: torch.optim.SGD(groups, lr=0.1),
    "momentum": lambda groups: torch.optim.SGD(groups, lr=0.03, momentum=0.9, weight_decay=0.01),
    "adam": lambda groups: torch.optim.Adam(groups, lr=0.01),
    "adamw": lambda groups: torch.optim.AdamW(groups, lr=0.01),
    "rmsprop": lambda groups: torch.optim.RMSprop(groups, lr=0.003),
    "adagrad": lambda groups: torch.optim.Adagrad(groups, lr=0.03),
}
ALONG_THE_GRADIENT = ("sgd", "momentum")


def draw(rng: np.random.Generator) -> dict[str, Any]:
    layers: list[tuple[Any, ...]] = []
    for _ in range(int(rng.integers(0, 4))):
        width, bias = int(rng.integers(1, 7)), bool(rng.integers(2))
        activation, norm = str(rng.choice(list(ACTIVATIONS))), str(rng.choice(["layer", "rms", "batch"]))
        kinds = [("linear", width, bias), ("activation", activation), ("norm", norm), ("dropout",), ("noise",),
                 ("residual", activation, bias), ("tied", bias), ("stopped",)]  # fmt: skip
        layers.append(kinds[int(rng.integers(len(kinds)))])
    return {
        "front": str(rng.choice(["vectors", "tokens", "images"])),
        "layers": layers,
        "activation": str(rng.choice(["relu", "tanh"])),
        "outputs": int(rng.integers(1, 4)),
        "n": int(rng.integers(6, 21)),
        "optimizers": [str(name) for name in rng.choice(list(OPTIMIZERS), size=int(rng.integers(1, 3)))],
        "rates": rng.choice([1.0, 1.0, 1.0, 0.3, 0.0], size=6).tolist(),
        "frozen": int(rng.integers(-4, 6)),
        "zero_readout": bool(rng.random() < 0.2),
        "seed": int(rng.integers(2**31)),
    }


def check(
    front: str, layers: list[tuple[Any, ...]], activation: str, outputs: int, n: int, optimizers: list[str],
    rates: list[float], frozen: int, zero_readout: bool, seed: int,
) -> Outcome:  # fmt: skip
    torch.manual_seed(seed)
    model = build(front, False, layers, activation, outputs).double()
    shape = {"vectors": (n, 4), "images": (n, 1, 5, 5)}.get(front, (n, 3))
    x = torch.randint(0, 7, shape) if front == "tokens" else torch.randn(shape).double()
    owners = [module for module in model.modules() if any(True for _ in module.parameters(recurse=False))]
    if 0 <= frozen < len(owners) - 1:
        owners[frozen].requires_grad_(False)
    if zero_readout:
        nn.init.zeros_(owners[-1].weight)  # type: ignore[arg-type]
    label = " and ".join(optimizers)
    start, alone = copy.deepcopy(model), copy.deepcopy(model)
    target = torch.randn(run_of(model, x).shape, generator=torch.Generator().manual_seed(0)).double()
    state = torch.get_rng_state(), get_rng_state()

    def train(which: nn.Module, probed: bool) -> tuple[Any, list[Any]]:
        torch.set_rng_state(state[0])
        set_rng_state(state[1])
        made = make_optimizers(which, optimizers, rates)
        probe = lt.Probe(which, x, target, optimizer=made, exact=False, budget=None) if probed else None
        which.train()
        for step in range(1, 4):
            for optimizer in made:
                optimizer.zero_grad()
            (which(x).reshape(target.shape) - target).square().mean().backward()
            for optimizer in made:
                optimizer.step()
            if probe is not None:
                probe.snapshot(step)
        return probe, made

    try:
        probe, made = train(model, True)
    except (ValueError, NonFiniteModelError) as refused:
        if not str(refused):
            raise
        return Outcome(label, None)
    numbers = generators()
    train(alone, False)
    ours, theirs = model.state_dict(), alone.state_dict()
    if not all(torch.equal(ours[k], theirs[k]) for k in ours) or generators() != numbers:
        return Outcome(label, float("inf"))
    return Outcome(label, compare(probe, model, start, relative_rates(model, made, optimizers)))


def make_optimizers(model: nn.Module, names: list[str], rates: list[float]) -> list[torch.optim.Optimizer]:
    """Return optimizers that share the parameters in turn; each parameter has a factor of its rate."""
    made, trained = [], [p for p in model.parameters() if p.requires_grad]
    for i, name in enumerate(names):
        own = trained[i :: len(names)]
        optimizer = OPTIMIZERS[name]([{"params": [p]} for p in own])
        for k, group in enumerate(optimizer.param_groups):
            group["lr"] *= rates[k % len(rates)]
        made.append(optimizer)
    return made


def relative_rates(model: nn.Module, made: list[torch.optim.Optimizer], kinds: list[str]) -> dict[str, float]:
    """Return the rates that enter the kernel: relative to the largest, of the same optimizer if some is adaptive."""
    names = {id(p): name for name, p in model.named_parameters()}
    by_optimizer = [
        {names[id(p)]: group["lr"] / (1 - group.get("momentum", 0.0) if "sgd" in type(one).__name__.lower() else 1.0)
         for group in one.param_groups for p in group["params"]}
        for one in made
    ]  # fmt: skip
    largest = [max(found.values()) for found in by_optimizer]
    if all(kind in ALONG_THE_GRADIENT for kind in kinds):
        largest = [max(largest)] * len(made)
    return {
        k: rate / (top or 1.0) for found, top in zip(by_optimizer, largest, strict=True) for k, rate in found.items()
    }


def gradients(model: nn.Module, probe: lt.Probe) -> dict[str, Tensor]:
    """Return the gradients of each input along the signs of its group, by parameter, (n, ·)."""
    kernel = probe._sampled
    assert kernel is not None
    values = {name: p for name, p in model.named_parameters() if p.requires_grad}
    rows: dict[str, list[Tensor]] = {name: [] for name in values}
    for i in range(kernel.n):
        x = probe.inputs.tensors[0][i : i + 1]
        along = run_of(model, x)[0] @ kernel.signs[i // kernel.group_size].double()
        slopes = torch.autograd.grad(along, list(values.values()), allow_unused=True, materialize_grads=True)
        for name, slope in zip(values, slopes, strict=True):
            rows[name].append(slope.flatten())
    return {name: torch.stack(several) for name, several in rows.items()}


def distance(K: Tensor, K0: Tensor, size: int) -> float:
    """Return S from the products of blocks of different groups."""
    group = torch.arange(len(K)) // size
    apart = group[:, None] != group[None, :]
    one, other = K[apart], K0[apart]
    return float(1 - one @ other / (one.norm() * other.norm()))


def compare(probe: lt.Probe, model: nn.Module, start: nn.Module, rates: Mapping[str, float]) -> float:
    """Return the largest error of S and gap of the layers and of the whole, in units of what is allowed; infinity if a
    word is wrong."""
    kernel, row = probe._sampled, probe._history.rows[-1]
    assert kernel is not None
    trained = {name: p.detach().clone() for name, p in model.named_parameters() if p.requires_grad}
    initial = {name: p.detach().clone() for name, p in start.named_parameters()}
    before = copy.deepcopy(model)  # with the buffers of now
    for name, p in before.named_parameters():
        p.data = initial[name]
    now, then = gradients(model, probe), gradients(before, probe)
    layers: dict[str, list[str]] = {}
    for name in trained:
        if rates[name] > 0:
            layers.setdefault(name.rpartition(".")[0] or name, []).append(name)

    def gram(of: Mapping[str, Tensor], names: list[str]) -> Tensor:
        return sum((rates[k] * of[k] @ of[k].T for k in names), torch.zeros(kernel.n, kernel.n).double())

    errors = [0.0]
    whole = [sum((gram(of, names) for names in layers.values()), torch.zeros(())) for of in (now, then)]
    if float(whole[1].abs().max()) > 0:
        truth = distance(whole[0], whole[1], kernel.group_size)
        errors.append(abs(row["kernel_distance"][0][0] - truth) / 1e-8)
    early = row["function_distance"] <= TOO_EARLY_BELOW * max(row["start_size"], probe._target_size)
    words = {layer.name: layer for layer in probe.report().layers}
    for layer, names in layers.items():
        K, K0 = gram(now, names), gram(then, names)
        moves = {k: (trained[k] - initial[k]).flatten() for k in names}
        ends, begins = (sum((of[k] @ moves[k] for k in names), torch.zeros(kernel.n)) for of in (now, then))
        size = float((ends + begins).norm())
        gap = float((ends - begins).norm()) / size if size > 1e-12 else 0.0
        found = words[layer]
        all_of_layer = [k for k in trained if (k.rpartition(".")[0] or k) == layer]
        moved = sum(float((trained[k] - initial[k]).square().sum()) for k in all_of_layer) ** 0.5
        size0 = sum(float(initial[k].square().sum()) for k in all_of_layer) ** 0.5
        has_kernel = float(K0.abs().max()) > 0
        if has_kernel and float(K.abs().max()) > 0:
            errors.append(abs(found.distance - distance(K, K0, kernel.group_size)) / 1e-8)
        if size > 1e-12:
            errors.append(abs(found.gap - gap) / (1e-7 * (1 + gap)))
        if moved > LAYER_STILL_BELOW * size0:
            expected = "too early" if early else "in between"
            if found.distance != found.distance:
                expected = "no gradient" if float(K.diagonal().sum()) == 0 else "from zero"
            elif not early and found.high < LAZY["kernel"] and not gap >= LAZY["gap"]:
                expected = "lazy"
            elif not early and found.low > RICH:
                expected = "rich"
        else:
            expected = "does not move"
        if found.word != expected:
            raise AssertionError(f"'{layer}' is {found.word}, expected {expected}: {found}")
    return max(errors)
