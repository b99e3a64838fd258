"""Linear attention in context: closed forms against mpmath with many digits, integration against SciPy on the raw
equations of value, key and query."""

from typing import Any

import mpmath as mp
import numpy as np
from scipy.integrate import solve_ivp

import lazyrich as lr
from fuzz.ring import Outcome

ALLOWED = 1e-13  # relative, of the strength of a head or of the time at which it has it
BY_STEPS = 1e-8
DIGITS = 90
TIMES = 6  # a constant, so that one program serves each number of heads
SPECIAL = ("generic", "against the target", "dead head", "equal eigenvalues", "tiny", "extreme", "late", "integrate",
           "higher rank", "merged")  # fmt: skip


def draw(rng: np.random.Generator) -> dict[str, Any]:
    special = str(rng.choice(SPECIAL))
    D = int(rng.choice([1, 3]))  # few shapes, since each is compiled
    values = np.sort(rng.uniform(0.2, 1.5, size=D))[::-1]
    size, signs = rng.uniform(0.05, 0.8, size=D), rng.choice([-1.0, 1.0], size=D)
    N = int(rng.choice([1, 3, 31, 10**6]))
    unit = np.ones(D)
    match special:
        case "generic" | "integrate" | "higher rank" | "merged":
            signs = unit
        case "dead head":
            size[0] = 0.0
        case "equal eigenvalues":
            values = np.full(D, values[0])
        case "tiny":
            size = size * 10 ** rng.uniform(-60, -2, size=D)
        case "extreme":
            values, size = values * 10.0 ** rng.choice([-20, -8, 8, 20]), size * 10.0 ** rng.choice([-8, 0, 8])
    late = rng.uniform(0.2, 3, size=TIMES - 2) if special != "late" else 10 ** rng.uniform(0, 12, size=TIMES - 2)
    return {
        "special": special,
        "values": values,
        "N": N,
        "size": size,
        "signs": signs,
        "turned": bool(special != "extreme" and rng.random() < 0.5),
        "rates": [1.0] * 3 if rng.random() < 0.6 else [float(rate) for rate in rng.uniform(0.3, 3, size=3)],
        "times": np.sort(np.concatenate([[0.0], late, [rng.uniform(3, 30)]])),  # in units of the slowest head
        "seed": int(rng.integers(2**31)),
    }


def check(
    special: str,
    values: np.ndarray,
    N: int,
    size: np.ndarray,
    signs: np.ndarray,
    turned: bool,
    rates: list[float],
    times: np.ndarray,
    seed: int,
) -> Outcome:
    D, rng = len(values), np.random.default_rng(seed)
    frame = np.linalg.qr(rng.normal(size=(D, D)))[0] if turned else np.eye(D)
    problem = lr.Problem.in_context(frame * values @ frame.T if turned else values, N)
    if special in ("integrate", "higher rank", "merged"):
        return by_steps(special, problem, frame * values @ frame.T, N, size, rates, times, rng)
    roots = np.sqrt(rates)
    v, keys = roots[0] * size * signs, frame.T * size[:, None]
    flow = lr.GradientFlow(lr.LinearAttention(v, roots[1] * keys, roots[2] * keys), problem, tuple(rates))
    with np.errstate(all="ignore"):
        slowest = np.max(1 / (values**2 * np.where(size > 0, size, np.inf) * np.prod(roots)))
    times = times * (slowest if np.isfinite(slowest) and slowest > 0 else 1.0)
    traj = lr.exact(flow, times)
    if traj.by.method != "aligned attention":
        return Outcome(f"{special}: {traj.by.method}", np.inf)
    worst, label = 0.0, special
    sizes = np.asarray(traj.nets.value) / roots[0]
    with mp.workdps(DIGITS):
        product = mp.sqrt(mp.fprod(mp.mpf(rate) for rate in rates))
        for h, value in enumerate(values):
            target, rho = _mode(values, value, N)
            start, size_h = mp.mpf(float(size[h] * signs[h])), float(size[h])
            for i, t in enumerate(times):
                found = mp.mpf(float(sizes[i, h]))
                if not size_h:
                    worst = max(worst, float(abs(found)))
                    continue
                right, slope = _size_at(start, target / product, rho * product**2, mp.mpf(float(t)))
                apart = abs(found / right - 1)
                moved = slope * t / abs(right)  # by how much a relative error of the time moves it
                worst = max(worst, float(apart / (ALLOWED * (1 + moved))))
    return Outcome(label, worst)


def _mode(values: np.ndarray, value: float, N: int) -> tuple[Any, Any]:
    """Return the target and the curvature of the mode of an eigenvalue."""
    lam, trace = mp.mpf(float(value)), mp.fsum(mp.mpf(float(each)) for each in values)
    rho = lam**3 * (1 + (1 + trace / lam) / N)
    return lam**2 / rho, rho


def _size_at(start: Any, target: Any, rho: Any, t: Any) -> tuple[Any, Any]:
    """Return p(t) and its slope, ṗ = p²ρ(s − p³) from p(0) = `start`, by inverting t(p) in closed form."""
    root = target ** (mp.mpf(1) / 3)
    pair = root * mp.exp(2j * mp.pi / 3)

    def clock(p: Any) -> Any:
        logs = -mp.log(abs(root - p)) / (3 * root) - 2 * mp.re(mp.log(p - pair) / (3 * pair))
        return (-1 / p + logs) / (rho * target)

    if not t:
        return start, start**2 * rho * abs(target - start**3)
    # p runs monotonically from its start to its end: a coordinate z in which it does so at an even pace
    ratio, last = start / root, mp.mpf(150)
    if ratio > 1:  # p falls
        at, first = (lambda z: root * (1 + mp.exp(-z))), -mp.log(ratio - 1)
    elif ratio > 0:  # it rises
        at, first = (lambda z: root / (1 + mp.exp(-z))), mp.log(ratio) - mp.log(1 - ratio)
    else:  # it fades, against the target
        at, first, last = (lambda z: -mp.exp(-z)), -mp.log(-start), 600 - mp.log(-start)
    zero = clock(start)
    for _ in range(100):
        middle = (first + last) / 2
        if clock(at(middle)) - zero < t:
            first = middle
        else:
            last = middle
    p = at(first)
    return p, p**2 * rho * abs(target - p**3)


def by_steps(
    special: str,
    problem: lr.Problem,
    cov: np.ndarray,
    N: int,
    size: np.ndarray,
    rates: list[float],
    times: np.ndarray,
    rng: np.random.Generator,
) -> Outcome:
    """Compare `integrate`, from heads in any direction, with SciPy on the raw equations."""
    D, H = len(cov), 2
    C = cov @ cov + (cov @ cov + np.trace(cov) * cov) / N
    if special == "merged":
        net: lr.Network = lr.MergedLinearAttention(size[0] * rng.normal(size=(H, D, D)), size[0] * rng.normal(size=H))
        rates = rates[:2]
    else:
        shape = (H, 1 if special == "integrate" else 2, D)
        net = lr.LinearAttention(*(size[0] * rng.normal(size=part) for part in ((H,), shape, shape)))
    flow = lr.GradientFlow(net, problem, tuple(rates))
    traj = lr.integrate(flow, times)
    shapes = [np.shape(layer) for layer in net.layers]
    cuts = np.cumsum([int(np.prod(shape)) for shape in shapes])[:-1]

    def field(_: float, z: np.ndarray) -> np.ndarray:
        parts = [part.reshape(shape) for part, shape in zip(np.split(z, cuts), shapes, strict=True)]
        if special == "merged":
            U, v = parts
            G = cov @ cov - C @ np.tensordot(v, U, 1) @ cov
            moves = [v[:, None, None] * G, np.sum(U * G, axis=(1, 2))]
        else:
            v, K, Q = parts
            G, w = cov @ cov - C @ np.einsum("h,hrd,hre->de", v, K, Q) @ cov, v[:, None, None]
            moves = [np.einsum("hrd,de,hre->h", K, G, Q), w * (Q @ G.T), w * (K @ G)]
        return np.concatenate([rate * move.ravel() for rate, move in zip(rates, moves, strict=True)])

    start = np.concatenate([np.ravel(layer) for layer in net.layers])
    found = solve_ivp(field, (0, times[-1]), start, "LSODA", times, rtol=1e-12, atol=1e-14).y.T
    ours = np.stack([np.concatenate([np.ravel(layer) for layer in traj[i].layers]) for i in range(len(times))])
    return Outcome(special, float(np.max(np.abs(ours - found)) / (BY_STEPS * np.max(np.abs(found)))))
