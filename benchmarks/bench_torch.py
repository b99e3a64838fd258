"""LeNet-5, 10 outputs: the distance between the tangent kernels of two networks, time and memory.

Ours: `lazyrich.torch.kernel_distance`, exact, in float32. Rival: `torch.func`'s vmap(jacrev), the Jacobians flattened
and multiplied. Each runs in a process of its own on one thread; seconds are processor time, so that other work on the
machine counts less; memory is the largest resident size above that after a warm-up on a few inputs.

`bench_torch.py`: n = 1000 both ways, then n = 5000 ours, exact and from subsamples.
"""

import single_thread  # noqa: F401 (before anything that starts threads)

# isort: split
import json
import resource
import subprocess
import sys
import time

import torch
from record import record
from torch import nn
from torch.func import functional_call, jacrev, vmap

OUTPUTS = 10


def lenet():
    return nn.Sequential(
        nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
        nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, OUTPUTS),
    )  # fmt: skip


def two_networks():
    """Return a network, and its parameters before each entry moved by a fifth of its layer's standard deviation."""
    torch.manual_seed(0)
    model = lenet()
    start = {name: p.detach().clone() for name, p in model.named_parameters()}
    for p in model.parameters():
        p.data += 0.2 * p.data.std() * torch.randn_like(p)
    return model, start


def ours(model, start, x, method):
    from lazyrich.torch.kernel import kernel_distance

    found = kernel_distance(model, start, x, method=method)
    return found.value, found.error


def jacobians(model, start, x):
    def kernel(parameters):
        def single(values, sample):
            return functional_call(model, values, (sample[None],))[0]

        found = vmap(jacrev(single), (None, 0), chunk_size=100)(parameters, x)
        J = torch.cat([part.reshape(len(x) * OUTPUTS, -1) for part in found.values()], 1)
        del found
        return J @ J.T

    K, K0 = kernel({name: p.detach() for name, p in model.named_parameters()}), kernel(start)
    sums = torch.zeros(3, dtype=torch.float64)  # one float32 sum over 1e8 entries would be off by 0.6 %
    for one, other in zip(K.split(100), K0.split(100), strict=True):
        one, other = one.double(), other.double()
        sums += torch.stack([(one * other).sum(), (one * one).sum(), (other * other).sum()])
    return float(1 - sums[0] / (sums[1] * sums[2]).sqrt()), 0.0


WAYS = {
    "ours": lambda *network: ours(*network, "exact"),
    "subsamples": lambda *network: ours(*network, "subsample"),
    "jacrev": jacobians,
}


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def measure(way, n):
    model, start = two_networks()
    x = torch.randn(n, 1, 28, 28)
    WAYS[way](model, start, x[:20])
    before, began, clock = peak(), time.process_time(), time.perf_counter()
    value, error = WAYS[way](model, start, x)
    seconds, wall = time.process_time() - began, time.perf_counter() - clock
    print(json.dumps({"value": value, "error": error, "seconds": seconds, "wall": wall, "memory": peak() - before}))


def apart(way, n):
    done = subprocess.run([sys.executable, __file__, way, str(n)], check=True, capture_output=True, text=True)
    row = json.loads(done.stdout)
    print(
        f"n = {n:5d}  {way:10s} S = {row['value']:.6f} ± {row['error']:.1g}   {row['seconds']:7.1f} s of the processor"
        f" ({row['wall']:.1f} s by the clock), {row['memory'] / 1e9:5.2f} GB",
        flush=True,
    )
    return row


def products(n):
    """Return the least time for the kernels' products, from the measured speed of one.

    There are two networks, and half of a symmetric matrix of 10n rows for each, with 2,572 weights of convolutions and
    120 + 84 + 10 units of dense layers.
    """
    rows = torch.randn(1040, 2572)
    rows @ rows.T
    began = time.process_time()
    for _ in range(20):
        rows @ rows.T
    rate = 20 * 2 * 1040**2 * 2572 / (time.process_time() - began)
    return 2 * (OUTPUTS * n) ** 2 * (2572 + 120 + 84 + 10) / rate


def main():
    is_ = "the products alone, as fast as the largest of them"
    our, rival = apart("ours", 1000), apart("jacrev", 1000)
    print(f"ratios: time {rival['seconds'] / our['seconds']:.1f}, memory {rival['memory'] / our['memory']:.1f}")
    what = "kernel distance of two LeNet-5, 10 outputs, n = 1000"
    least = products(1000)
    record(what, ours=our["seconds"], rival="vmap of jacrev", theirs=rival["seconds"], limit=least, limit_is=is_)
    record(f"{what}: memory", ours=our["memory"] / 1e9, rival="vmap of jacrev", theirs=rival["memory"] / 1e9, unit="GB")
    for way in ("ours", "subsamples"):
        row = apart(way, 5000)
        note = f"{row['memory'] / 1e9:.2f} GB, S = {row['value']:.5f} ± {row['error']:.1g}"
        limit = {"limit": products(5000), "limit_is": is_} if way == "ours" else {}
        record(f"the same at n = 5000, {way}", ours=row["seconds"], note=note, **limit)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        measure(sys.argv[1], int(sys.argv[2]))
    else:
        main()
