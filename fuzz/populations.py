"""Infinite data: loss, gradient and metrics against mpmath with many digits at special points, and against quadrature
in the plane."""

from typing import Any

import equinox as eqx
import mpmath as mp
import numpy as np

import lazyrich as lr
from fuzz.ring import Outcome

ALLOWED = 4e-15  # relative to the sum of the absolute terms
BY_QUADRATURE = 1e-11
SPECIAL = ("generic", "parallel", "opposed", "nearly parallel", "w = 0", "a = 0", "equal", "extreme", "quadrature")
UNITS = ("relu", "leaky", "absolute value", "erf", "linear")
SLOPES = {"relu": 0.0, "leaky": 0.3, "absolute value": -1.0}
DIGITS = 450  # norms of 1e±100, to the fourth power


def draw(rng: np.random.Generator) -> dict[str, Any]:
    special = str(rng.choice(SPECIAL))
    d, h, k = (2 if special == "quadrature" else 3), 2, 2  # few shapes, since each is compiled
    W, a, V, b = rng.normal(size=(h, d)), rng.normal(size=h), rng.normal(size=(k, d)), rng.normal(size=k)
    match special:
        case "parallel":
            W[0] = V[0] * rng.uniform(0.1, 3)
        case "opposed":
            W[0] = -V[0] * rng.uniform(0.1, 3)
        case "nearly parallel":
            W[0] = rng.choice([-1.0, 1.0]) * V[0] + 10 ** rng.uniform(-16, -3) * rng.normal(size=d)
        case "w = 0":
            W[0] = 0.0
        case "a = 0":
            a[0] = 0.0
        case "equal":
            W[: min(h, k)], a[: min(h, k)] = V[: min(h, k)], b[: min(h, k)]
        case "extreme":
            W, V = (part * 10.0 ** rng.choice([0, 100, -100, 7, -7], size=(len(part), 1)) for part in (W, V))
            a, b = (part * 10.0 ** rng.choice([0, 0, 30, -30, 3], size=len(part)) for part in (a, b))
            if rng.random() < 0.3:
                W[0] = V[0] * 10.0 ** rng.choice([-80, 0, 80])
    correlated = special not in ("extreme", "quadrature") and rng.random() < 0.3
    root = rng.normal(size=(d, d))
    student, teacher = (str(kind) for kind in rng.choice(UNITS[:-1], size=2))
    return {
        "special": special,
        "student": student,
        "teacher": str(rng.choice([teacher, "linear"], p=[0.9, 0.1])),
        "W": W,
        "a": a,
        "V": V,
        "b": b,
        "covariance": root @ root.T + 0.1 * np.eye(d) if correlated else None,
    }


def network(kind: str, W: np.ndarray, a: np.ndarray) -> lr.Network:
    if kind == "erf":
        return lr.TwoLayerErf(W, a)
    return lr.DeepLinear([W, a[None]]) if kind == "linear" else lr.TwoLayer(W, a, SLOPES[kind])


_evaluate = eqx.filter_jit(lambda population, net: (population.loss_of(net), *population.gradient_of(net)))
_metrics = eqx.filter_jit(
    lambda now, start: (
        lr.metrics.population_kernel_distance(now, start),
        lr.metrics.population_hamming_distance(now, start),
    )
)


def check(
    special: str,
    student: str,
    teacher: str,
    W: np.ndarray,
    a: np.ndarray,
    V: np.ndarray,
    b: np.ndarray,
    covariance: np.ndarray | None,
) -> Outcome:
    net, guide = network(student, W, a), network(teacher, V, b)
    population = lr.Population(guide, covariance=covariance)
    found = _evaluate(population, net)
    label = f"{special}, {student if student == teacher else 'mixed'}"
    if special == "quadrature":
        loss, slopes = by_quadrature(net, guide)
        return Outcome(label, max(_apart(ours, right) for ours, right in zip(found, (loss, *slopes), strict=True)))
    with mp.workdps(DIGITS):
        F = np.eye(W.shape[1]) if covariance is None else np.linalg.cholesky(covariance)
        right, sizes = reference(student, teacher, W, a, V, b, F)
        errors = [
            abs(mp.mpf(float(ours)) - wanted) / (ALLOWED * size) if size else abs(float(ours))
            for part, wants, scales in zip(found, right, sizes, strict=True)
            for ours, wanted, size in zip(np.ravel(part), np.ravel(wants), np.ravel(scales), strict=True)
        ]
        if {student, teacher} <= set(SLOPES) and student == teacher and len(W) == len(V):
            errors += metrics(net, guide)
        worst = max(errors, key=lambda error: mp.inf if mp.isnan(error) else error)
    return Outcome(label, float(worst))


def _apart(ours: Any, right: np.ndarray) -> float:
    return float(np.max(np.abs(np.asarray(ours) - right)) / (BY_QUADRATURE * (1 + np.max(np.abs(right)))))


def by_quadrature(net: lr.Network, guide: lr.Network) -> tuple[np.ndarray, tuple[np.ndarray, ...]]:
    """Return loss and gradient in the plane, in polar coordinates with panels between all kinks."""
    kinks = [np.arctan2(-W[:, 0], W[:, 1]) % np.pi for W in (np.asarray(each.layers[0]) for each in (net, guide))]
    edges = np.unique(np.concatenate([*kinks, *(angle + np.pi for angle in kinks), np.linspace(0, 2 * np.pi, 33)]))
    x, w = np.polynomial.legendre.leggauss(20)

    def panels(edges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        low, high = edges[:-1, None], edges[1:, None]
        return ((low + high) / 2 + (high - low) / 2 * x).ravel(), ((high - low) / 2 * w).ravel()

    (phi, at_phi), (r, at_r) = panels(edges), panels(np.linspace(0, 10, 11))
    weights = np.outer(at_phi, at_r * r * np.exp(-(r**2) / 2)).ravel() / (2 * np.pi)
    X = np.stack([np.outer(np.cos(phi), r).ravel(), np.outer(np.sin(phi), r).ravel()], 1)
    apart = np.asarray(net(X)).ravel() - np.asarray(guide(X)).ravel()
    return np.sum(weights * apart**2) / 2, tuple(np.asarray(part) for part in net.pullback(X, weights * apart))


def _vector(row: np.ndarray, F: np.ndarray) -> list[Any]:
    return [sum(mp.mpf(float(row[i])) * mp.mpf(float(F[i, j])) for i in range(len(row))) for j in range(F.shape[1])]


def _dot(u: list[Any], v: list[Any]) -> Any:
    return mp.fsum(x * y for x, y in zip(u, v, strict=True))


def _norm(u: list[Any]) -> Any:
    return mp.sqrt(_dot(u, u))


# Each returns an expectation, its gradient in u, and the size of the terms of that gradient, which may cancel.


def _abs_abs(u: list[Any], v: list[Any]) -> tuple[Any, list[Any], Any]:
    """E|u·x||v·x|."""
    p, q = _norm(u), _norm(v)
    if not p or not q:
        return mp.mpf(0), [mp.mpf(0)] * len(u), mp.mpf(0)
    c = max(min(_dot(u, v) / (p * q), mp.mpf(1)), mp.mpf(-1))
    sine, angle = mp.sqrt(1 - c * c), mp.asin(c)
    slope = [2 / mp.pi * (q / p * sine * x + angle * y) for x, y in zip(u, v, strict=True)]
    return 2 / mp.pi * p * q * (sine + c * angle), slope, _norm(slope)


def _erf_erf(u: list[Any], v: list[Any]) -> tuple[Any, list[Any], Any]:
    """E erf(u·x/√2)erf(v·x/√2)."""
    p, q, s = 1 + _dot(u, u), 1 + _dot(v, v), _dot(u, v)
    rest = mp.sqrt(p * q - s * s)
    slope = [2 / mp.pi * (y - s / p * x) / rest for x, y in zip(u, v, strict=True)]
    return 2 / mp.pi * mp.asin(s / mp.sqrt(p * q)), slope, (_norm(v) + abs(s) / p * _norm(u)) / rest


def _linear_erf(u: list[Any], v: list[Any]) -> tuple[Any, list[Any], Any]:
    """E (u·x)erf(v·x/√2)."""
    scale = mp.sqrt(2 / mp.pi / (1 + _dot(v, v)))
    return scale * _dot(u, v), [scale * y for y in v], scale * _norm(v)


def _erf_linear(u: list[Any], v: list[Any]) -> tuple[Any, list[Any], Any]:
    """E erf(u·x/√2)(v·x)."""
    p, s, scale = 1 + _dot(u, u), _dot(u, v), mp.sqrt(2 / mp.pi / (1 + _dot(u, u)))
    slope = [scale * (y - s / p * x) for x, y in zip(u, v, strict=True)]
    return scale * s, slope, scale * (_norm(v) + abs(s) / p * _norm(u))


def _pair(f: str, u: list[Any], g: str, v: list[Any]) -> tuple[Any, list[Any], Any, Any]:
    """Return E σ(u·x)τ(v·x), its gradient in u, and the sums of the absolute terms of both."""
    if "erf" in (f, g):
        of = _erf_erf if f == g else _linear_erf if g == "erf" else _erf_linear
        alpha = mp.mpf(1) if f == g else _parts(f, u)[0] if g == "erf" else _parts(g, v)[0]
        value, slope, length = of(u, v)
        return alpha * value, [alpha * x for x in slope], abs(alpha * value), abs(alpha) * length
    (alpha, gamma), (beta, delta) = _parts(f, u), _parts(g, v)
    value, slope, _ = _abs_abs(u, v)
    both, even = alpha * beta * _dot(u, v), gamma * delta * value
    slope = [alpha * beta * y + gamma * delta * x for x, y in zip(slope, v, strict=True)]
    return both + even, slope, abs(both) + even, _norm(slope)


def _parts(kind: str, u: list[Any]) -> tuple[Any, Any]:
    """Return α and γ of σ(z) = αz + γ|z|; at w = 0 a unit has its slope below zero, as in `TwoLayer`."""
    if kind == "linear":
        return mp.mpf(1), mp.mpf(0)
    slope = mp.mpf(SLOPES[kind])
    return (slope, mp.mpf(0)) if not any(u) else ((1 + slope) / 2, (1 - slope) / 2)


def reference(
    f: str, g: str, W: np.ndarray, a: np.ndarray, V: np.ndarray, b: np.ndarray, F: np.ndarray
) -> tuple[list[Any], list[Any]]:
    """Return the loss and its gradients in W and a, and beside each number the sum of its absolute terms."""
    U, Z = ([_vector(row, F) for row in rows] for rows in (W, V))
    p, q = ([mp.mpf(float(x)) for x in weights] for weights in (a, b))
    (h, d), stretch = W.shape, mp.mpf(float(np.linalg.norm(F, 2)))
    terms = [(f, u, x) for u, x in zip(U, p, strict=True)] + [(g, v, -y) for v, y in zip(Z, q, strict=True)]
    loss = size = mp.mpf(0)
    for kind, u, x in terms:
        for other, v, y in terms:
            value, _, absolute, _ = _pair(kind, u, other, v)
            loss, size = loss + x * y * value / 2, size + abs(x * y) * absolute / 2
    to_W, to_a = np.full((h, d), mp.mpf(0), object), np.full(h, mp.mpf(0), object)
    size_W, size_a = to_W.copy(), to_a.copy()
    for i in range(h):
        for other, v, y in terms:
            value, slope, absolute, length = _pair(f, U[i], other, v)
            to_a[i], size_a[i] = to_a[i] + y * value, size_a[i] + abs(y) * absolute
            back = [mp.fsum(mp.mpf(float(F[j, m])) * slope[m] for m in range(d)) for j in range(d)]
            for j in range(d):
                to_W[i, j] = to_W[i, j] + p[i] * y * back[j]
                size_W[i, j] = size_W[i, j] + abs(p[i] * y) * length * stretch
    return [loss, to_W, to_a], [size, size_W, size_a]


def metrics(now: Any, start: Any) -> list[Any]:
    """Return the errors of the kernel distance and of the Hamming distance, in units of what is allowed."""
    (W, a, slope), (V, b, _) = now.neuron_parameters, start.neuron_parameters
    eye = np.eye(W.shape[1])
    U, Z = ([_vector(np.asarray(row), eye) for row in rows] for rows in (W, V))
    p, q = ([mp.mpf(float(x)) for x in weights] for weights in (a, b))

    def inner(U: list[Any], p: list[Any], Z: list[Any], q: list[Any]) -> Any:
        alpha, gamma = (1 + mp.mpf(slope)) / 2, (1 - mp.mpf(slope)) / 2
        total = mp.mpf(0)
        for u, x in zip(U, p, strict=True):
            for v, y in zip(Z, q, strict=True):
                m, n = mp.sqrt(_dot(u, u)), mp.sqrt(_dot(v, v))
                c = max(min(_dot(u, v) / (m * n), mp.mpf(1)), mp.mpf(-1)) if m and n else mp.mpf(0)
                turned, k = alpha**2 + 2 / mp.pi * gamma**2 * mp.asin(c), 2 / mp.pi * gamma**2
                sine = mp.sqrt(1 - c * c)
                product = m * n * (turned * c + k * sine)
                pull = turned**2 + k * sine * (k * sine + 2 * turned * c)
                gates = len(u) * turned**2 + 2 * (k * sine) ** 2
                total += (x * y) ** 2 * gates + (x**2 * n**2 + m**2 * y**2) * pull + product**2
        return total

    own, other = inner(U, p, U, p), inner(Z, q, Z, q)
    moved, changed = _metrics(now, start)
    errors = []
    if own and other:
        S = 1 - inner(U, p, Z, q) / mp.sqrt(own * other)
        errors.append(abs(mp.mpf(float(moved)) - S) / 1e-13)
    if all(any(u) for u in U) and all(any(v) for v in Z):
        angles = [mp.acos(max(min(_dot(u, v) / mp.sqrt(_dot(u, u) * _dot(v, v)), mp.mpf(1)), mp.mpf(-1)))
                  for u, v in zip(U, Z, strict=True)]  # fmt: skip
        turned = mp.fsum(angles) / (len(angles) * mp.pi)
        # an angle below the square root of rounding counts as none
        errors.append(abs(mp.mpf(float(changed)) - turned) / 1e-7)
    return errors
