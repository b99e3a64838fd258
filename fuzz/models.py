"""Many kinds of PyTorch models: kernels against autograd, rescalings against the function, probes against training.

A recipe is a list of layers; the library's results for the model are compared with plain autograd.
"""

import copy
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

import lazyrich.torch as lt
from fuzz.ring import Outcome
from lazyrich._core.regime_thresholds import LAZY, RICH
from lazyrich.probe.thresholds import CONSERVED_DRIFT_BELOW, TOO_EARLY_BELOW
from lazyrich.torch._model.preserve_model import NonFiniteModelError, get_rng_state, set_rng_state

torch.set_num_threads(1)  # for models this small, more threads slow each other down
ACTIVATIONS: dict[str, Callable[[], nn.Module]] = {
    "relu": nn.ReLU, "leaky": lambda: nn.LeakyReLU(0.2), "tanh": nn.Tanh, "gelu": nn.GELU, "none": nn.Identity,
}  # fmt: skip
NORMS: dict[str, Callable[[int], nn.Module]] = {
    "layer": nn.LayerNorm, "rms": nn.RMSNorm, "batch": nn.BatchNorm1d,
    # PyTorch rejects a single sample of one channel.
    "group": lambda width: nn.GroupNorm(1, width) if width > 1 else nn.Identity(),
}  # fmt: skip
ROUNDING = {torch.float64: 1e-9, torch.complex128: 1e-9, torch.float32: 1e-4, torch.bfloat16: 5e-2}


class Residual(nn.Module):
    def __init__(self, width: int, activation: str, bias: bool) -> None:
        super().__init__()
        self.up, self.down = nn.Linear(width, 2 * width, bias), nn.Linear(2 * width, width, bias)
        self.activation = ACTIVATIONS[activation]()

    def forward(self, x: Tensor) -> Tensor:
        return x + self.down(self.activation(self.up(x)))


class Tied(nn.Module):
    """One weight, used twice."""

    def __init__(self, width: int, bias: bool) -> None:
        super().__init__()
        self.one, self.two = nn.Linear(width, width, bias), nn.Linear(width, width, bias)
        self.two.weight = self.one.weight

    def forward(self, x: Tensor) -> Tensor:
        return self.two(F.relu(self.one(x)))


class Noise(nn.Module):
    """Draws from the global generators of torch, NumPy and Python, also in evaluation mode, where it has no effect."""

    def forward(self, x: Tensor) -> Tensor:
        drawn = np.random.random() + random.random() + float(torch.rand(()))  # noqa: NPY002
        return x + 0.01 * drawn if self.training else x


class Mixing(nn.Module):
    """Uses the other samples of the batch, also in evaluation mode: outputs then depend on more than one input."""

    def __init__(self, how: str) -> None:
        super().__init__()
        self.how = how

    def forward(self, x: Tensor) -> Tensor:
        if self.how == "largest":
            return x / (1 + x.abs().amax())
        return x - x.mean(0) if self.how == "mean" else x * (torch.arange(len(x)) < 3).reshape(-1, *[1] * (x.ndim - 1))


class Stopped(nn.Module):
    """Units that two layers read, one of them without gradients: nothing is conserved there."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first, self.one, self.other = (nn.Linear(width, width) for _ in range(3))

    def forward(self, x: Tensor) -> Tensor:
        h = F.relu(self.first(x))
        with torch.no_grad():
            stopped = 1.0 * h
        return self.one(h) + self.other(stopped)


class Mean(nn.Module):
    """Averages over tokens."""

    def forward(self, x: Tensor) -> Tensor:
        return x.mean(1)


class Modulus(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x.abs()


def draw(rng: np.random.Generator) -> dict[str, Any]:
    front = str(rng.choice(["vectors", "vectors", "tokens", "images", "complex"]))
    layers: list[tuple[Any, ...]] = []
    for _ in range(int(rng.integers(0, 4))):
        width, bias = int(rng.integers(1, 7)), bool(rng.integers(2))
        activation, norm = str(rng.choice(list(ACTIVATIONS))), str(rng.choice(list(NORMS)))
        kinds = [("linear", width, bias), ("linear", width, bias), ("activation", activation), ("activation", "relu"),
                 ("norm", norm), ("dropout",), ("noise",), ("residual", activation, bias), ("tied", bias), ("stopped",),
                 ("mixing", str(rng.choice(["largest", "mean", "first"])))]  # fmt: skip
        layers.append(kinds[int(rng.integers(len(kinds)))])
    action = str(rng.choice(list(ACTIONS)))
    exact = front == "complex" or action == "conserve"  # rounding would hide the effect of a step on δ
    dtype = "float64" if exact else str(rng.choice(["float64", "float64", "float32", "bfloat16"]))
    return {
        "front": front,
        "sparse": bool(rng.integers(2)),
        "layers": layers,
        "activation": str(rng.choice(["relu", "tanh"])),
        "outputs": int(rng.integers(1, 4)),
        "n": int(rng.integers(1, 13)),
        "dtype": dtype,
        "size": float(10 ** rng.uniform(-2, 1)),
        "frozen": bool(rng.random() < 0.2),
        "wrapped": bool(rng.random() < 0.1),
        "seed": int(rng.integers(2**31)),
        "number": float(np.round(10 ** rng.uniform(-1, 1), 3)),
        "run": bool(rng.integers(2)),
        "action": action,
    }


def build(front: str, sparse: bool, layers: list[tuple[Any, ...]], activation: str, outputs: int) -> nn.Module:
    made: list[nn.Module] = []
    width = 4
    match front:
        case "tokens":
            made += [nn.Embedding(7, width, sparse=sparse), Mean()]
        case "images":
            made += [nn.Conv2d(1, 2, 3), ACTIVATIONS[activation](), nn.Flatten()]
            width = 2 * 3 * 3
        case "complex":
            made += [nn.Linear(4, 5, dtype=torch.complex128), nn.Linear(5, 3, dtype=torch.complex128), Modulus()]
            width = 3
    for kind, *how in layers:
        match kind:
            case "linear":
                made.append(nn.Linear(width, how[0], bias=how[1]))
                width = how[0]
            case "activation":
                made.append(ACTIVATIONS[how[0]]())
            case "norm":
                made.append(NORMS[how[0]](width))
            case "dropout":
                made.append(nn.Dropout(0.5))
            case "noise":
                made.append(Noise())
            case "residual":
                made.append(Residual(width, how[0], how[1]))
            case "tied":
                made.append(Tied(width, how[0]))
            case "stopped":
                made.append(Stopped(width))
            case "mixing":
                made.append(Mixing(how[0]))
    made += [nn.Linear(width, 5), ACTIVATIONS[activation](), nn.Linear(5, outputs)]
    return nn.Sequential(*made)


def check(
    front: str, sparse: bool, layers: list[tuple[Any, ...]], activation: str, outputs: int, n: int, dtype: str,
    size: float, frozen: bool, wrapped: bool, seed: int, number: float, run: bool, action: str,
) -> Outcome:  # fmt: skip
    torch.manual_seed(seed)
    model = build(front, sparse, layers, activation, outputs)
    kind = getattr(torch, dtype)
    for name, parameter in model.named_parameters():
        parameter.data = (parameter.data * size).to(parameter.dtype if parameter.is_complex() else kind)
        parameter.requires_grad_(not (frozen and name.startswith("0.")))
    for module in model.modules():  # buffers of batch norm
        for name, buffer in module._buffers.items():
            if buffer is not None and buffer.is_floating_point():
                module._buffers[name] = buffer.to(kind)
    shape = {"vectors": (n, 4), "complex": (n, 4), "images": (n, 1, 5, 5)}.get(front, (n, 3))
    x = torch.randint(0, 7, shape) if front == "tokens" else torch.randn(shape).to(kind)
    if front == "complex":
        x = x.to(torch.complex128)
    before, numbers = {k: v.clone() for k, v in model.state_dict().items()}, generators()
    given, as_built = nn.DataParallel(model) if wrapped else model, copy.deepcopy(model)
    try:
        error = ACTIONS[action](model, given, x, number, run)
    except NonFiniteModelError:  # training with far too large steps
        return Outcome(f"{action}, {front}", None)
    except ValueError as refused:
        if "depends on the other samples" in str(refused) and mixes(as_built, x, 0.0):
            return Outcome(f"{action}, {front}", None)  # possibly in an intermediate layer
        # An error was raised; then nothing may have changed.
        kept = all(torch.equal(before[k], v) for k, v in model.state_dict().items()) and generators() == numbers
        if not kept or not str(refused):
            raise AssertionError("it refused, and changed something") from refused
        return Outcome(f"{action}, {front}", None)
    if action in ("kernel", "distance", "probe") and mixes(as_built, x):
        raise AssertionError("the samples of a batch are mixed, and it was not refused")
    return Outcome(f"{action}, {front}", error)


def mixes(model: nn.Module, x: Tensor, clearly: float = 0.1) -> bool:
    """Return whether the output of a sample depends on the other samples, by more than this fraction of the largest."""
    if not any(isinstance(module, Mixing) for module in model.modules()):
        return False
    together, alone = run_of(model, x), torch.cat([run_of(model, x[k : k + 1]) for k in range(len(x))])
    return bool((together - alone).abs().max() > clearly * together.abs().max())


def generators() -> Any:
    state: Any = np.random.get_state()  # noqa: NPY002
    _, keys, place, *rest = state
    return keys.tolist(), place, rest, random.getstate(), torch.get_rng_state().tolist()


def run_of(model: nn.Module, x: Tensor) -> Tensor:
    """Return the outputs in evaluation mode, of shape (n, c)."""
    modes, state = [module.training for module in model.modules()], (torch.get_rng_state(), get_rng_state())
    out = model.eval()(x).reshape(len(x), -1)
    for module, mode in zip(model.modules(), modes, strict=True):
        module.training = mode
    torch.set_rng_state(state[0])
    set_rng_state(state[1])
    return out


def noise(like: Tensor) -> Tensor:
    """Draw noise from a separate generator."""
    return torch.randn(like.shape, generator=torch.Generator().manual_seed(0)).to(like)


def naive_kernel(model: nn.Module, x: Tensor) -> Tensor:
    """Return the kernel from the rows of the Jacobian, one backward pass each; in single precision for a half-precision
    model."""
    if any(p.dtype == torch.bfloat16 for p in model.parameters()):
        model, x = copy.deepcopy(model).float(), x.float() if x.is_floating_point() else x
    wanted = [p for p in model.parameters() if p.requires_grad]
    rows = []
    for value in run_of(model, x).flatten():
        slopes = torch.autograd.grad(value, wanted, retain_graph=True, allow_unused=True, materialize_grads=True)
        parts = [slope.to_dense() for slope in slopes]
        rows.append(torch.cat([(torch.view_as_real(p) if p.is_complex() else p).flatten().double() for p in parts]))
    J = torch.stack(rows)
    return J @ J.T


def precision(model: nn.Module) -> torch.dtype:
    return list(model.parameters())[-1].dtype


def gap(one: Tensor, other: Tensor) -> float:
    apart, size = float((one.double() - other.double()).abs().max()), float(other.double().abs().max())
    return apart / size if size > 0 else (0.0 if apart == 0 else float("inf"))


def kernel(model: nn.Module, given: nn.Module, x: Tensor, number: float, run: bool) -> float:
    found = lt.tangent_kernel(given, x, block=2 if run else None)
    return gap(found, naive_kernel(model, x)) / (1e-9 if precision(model) == torch.float64 else 1e-4)


def distance(model: nn.Module, given: nn.Module, x: Tensor, number: float, run: bool) -> float:
    start = {k: v.clone() for k, v in given.state_dict().items()}
    K0 = naive_kernel(model, x)
    with torch.no_grad():
        for p in model.parameters():
            p.add_(0.1 * number * p.abs().mean() * noise(p))
    found, K = lt.kernel_distance(given, start, x, method="exact"), naive_kernel(model, x)
    S = 1 - float((K * K0).sum() / (K.norm() * K0.norm()))
    return abs(found.value - S) / (1e-9 if precision(model) == torch.float64 else 1e-4)


def turn(model: nn.Module, given: nn.Module, x: Tensor, result: Callable[[], lt.Rescaling], run: bool) -> float:
    """Return the change of the function by a rescaling, and the error of what it reports, in units of what is
    allowed."""
    before = run_of(model, x).detach()
    done = result()
    change = gap(run_of(model, x).detach(), before)
    allowed = 1e-3 if done.norms else ROUNDING[precision(model)]
    if not done.norms and "kept" not in str(done):
        return float("inf")
    if run:  # the change was measured, so the number must be the one found here
        off = abs((done.change or 0.0) - change) / (1e-12 + 1e-3 * change + 0.1 * allowed)
        return max(change / allowed, off)
    return change / allowed if done.norms == () else 0.0


def upstream(model: nn.Module, given: nn.Module, x: Tensor, number: float, run: bool) -> float:
    how: dict[str, Any] = {"inputs": x if run else None, "across_norms": run}
    return turn(model, given, x, lambda: lt.upstream_(given, number, **how), run)


def rescale(model: nn.Module, given: nn.Module, x: Tensor, number: float, run: bool) -> float:
    def result() -> lt.Rescaling:
        return lt.rescale_(given, delta=number - 2.0, inputs=x if run else None)

    error = turn(model, given, x, result, run)
    slack = {torch.float64: 1e-8, torch.float32: 1e-3}.get(precision(model), 0.1)
    again = lt.rescale_(given, delta=number - 2.0, inputs=x if run else None, dry_run=True)
    # The requested δ is reached, up to rounding of the squares it subtracts.
    squares = float(sum(p.detach().abs().double().square().sum() for p in model.parameters()))
    assert again.delta is not None
    return max(error, abs(again.delta[0] - (number - 2.0)) / (slack * (1 + squares)))


def conserve(model: nn.Module, given: nn.Module, x: Tensor, number: float, run: bool) -> float:
    """Check that one step of descent with rate η moves δ by at most η²(‖g_out‖² − ‖g_in‖²)."""
    rate = 1e-4 * number
    start = lt.balance(given, inputs=x if run else None)
    with torch.no_grad():
        target = noise(run_of(model, x))
    model.eval()
    (model(x).reshape(target.shape) - target).square().sum().backward()
    slopes = [p.grad.to_dense() for p in model.parameters() if p.grad is not None]
    moved = sum(float(slope.abs().square().sum()) for slope in slopes)
    torch.optim.SGD(model.parameters(), lr=rate).step()
    squares = sum(float(p.detach().abs().square().sum()) for p in model.parameters())
    errors = [0.0]
    for one, other in zip(lt.balance(given, inputs=x if run else None).pairs, start.pairs, strict=True):
        drift = abs(one.delta - other.delta)
        if one.units is not None and other.units is not None:
            drift = max(drift, float((one.units - other.units).abs().max()))
        errors.append(drift / (rate**2 * moved * (1 + 1e-9) + 1e-13 * (1 + squares)))
    return max(errors)


def probe(model: nn.Module, given: nn.Module, x: Tensor, number: float, run: bool) -> float:
    """Check that training with a probe equals training without it, bit for bit, and that its report follows its
    numbers."""
    alone, target = copy.deepcopy(model), noise(run_of(model, x))
    start = torch.get_rng_state(), get_rng_state()

    def train(which: nn.Module, watch: lt.Probe | None) -> None:
        torch.set_rng_state(start[0])
        set_rng_state(start[1])
        optimizer = torch.optim.SGD([p for p in which.parameters() if p.requires_grad], lr=1e-2 * number)
        which.eval() if len(x) == 1 else which.train()
        for step in range(1, 4):
            optimizer.zero_grad()
            (which(x).reshape(target.shape) - target).square().mean().backward()
            optimizer.step()
            if watch is not None:
                watch.snapshot(step)

    watch = lt.Probe(given, x, target if run else None, sample=max(1, len(x) - 3))
    train(model, watch)
    numbers = generators()
    train(alone, None)
    ours, theirs = model.state_dict(), alone.state_dict()
    if not all(torch.equal(ours[k], theirs[k]) for k in ours) or generators() != numbers:
        return float("inf")
    report = watch.report()
    last, text = report.data.isel(step=-1), str(report)
    S = float(last.kernel_distance.sel(reference="start", centered=False))
    error, gone = float(last.kernel_error.sel(centered=False)), float(last.function_distance)
    away = float(last.linearization_gap) / gone if gone else 0.0
    said = "in between"
    if gone <= TOO_EARLY_BELOW * max(
        float(last.start_size), float(target.double().square().mean().sqrt()) if run else 0.0
    ):
        said = "too early"
    elif S + error < LAZY["kernel"] and not away >= LAZY["gap"]:
        said = "lazy"
    elif S - error > RICH:
        said = "rich"
    right = text.startswith(f"Regime: {said}") and f"S = {S:.2g}" in text
    if report.data.sizes.get("pair"):
        right &= (f": below {CONSERVED_DRIFT_BELOW:g}" in text) == (
            float(last.conservation_drift.max()) < CONSERVED_DRIFT_BELOW
        )
    return 0.0 if right else float("inf")


ACTIONS: dict[str, Callable[..., float]] = {
    "kernel": kernel, "distance": distance, "upstream": upstream, "rescale": rescale, "conserve": conserve,
    "probe": probe,
}  # fmt: skip
