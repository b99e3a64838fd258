"""Weight decay: closed forms of modes and of networks with isotropic imbalance.

We found these forms; no earlier statement is known to us. Near are Lindsey and Menon (2025) on regularized deep linear
networks, Lyu et al. (2023) on decay after fitting, and Kunin et al. (2024) and Dominé et al. (2025) without decay.
"""

from typing import Any

import numpy as np

from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.oracles.flows import ode

TIMES = np.array([0.1, 0.5, 1.5, 4.0])


def _raw_mode(a: float, w: float, s: float, decay: float) -> np.ndarray:
    """Return β = aw of the raw equations at the times."""
    path = ode(lambda v: (s - v[0] * v[1]) * v[::-1] - decay * v, [a, w], TIMES)
    return path[:, 0] * path[:, 1]


@claim(
    "lazyrich2026",
    "weight decay",
    "a mode with decay is $λx(z − 1/z)$ with z a ratio of modified Bessel functions of $x = De^{−2λt}/4λ$",
    quote="a mode of strength s of a two-layer linear network with the initial imbalance D is λx(z − 1/z), "
    "x = De^{−2λt}/4λ, where z is a ratio of sums of modified Bessel functions of x of the orders (s/λ ± 1)/2",
    tolerance=1e-8,
    why="the raw equations, integrated by SciPy at rtol 1e-12",
)
def decayed_mode(setup: Setup, pace: float = 1.0, order: float = 0.5) -> Evidence:
    """Random modes, some of which fade, against the raw equations."""
    from scipy.special import iv, kv

    measured = []
    for _ in range(setup.size(4, 40)):
        a, w = setup.rng.normal(size=2)
        s, decay = setup.rng.uniform(0.3, 2.0), setup.rng.uniform(0.2, 0.8)
        D = abs(a * a - w * w)
        high, low = s / decay / 2 + order, s / decay / 2 - order
        mode, argument = decayed_mode.formulas
        x0, x = (argument.right({"D": D, "λ": decay, "t": pace * t}) for t in (0.0, TIMES))
        z0 = (a + w) ** 2 / D
        A, B = z0 * iv(low, x0) + iv(high, x0), z0 * kv(low, x0) - kv(high, x0)
        z = (A * kv(high, x) + B * iv(high, x)) / (A * kv(low, x) - B * iv(low, x))
        measured.append(Evidence.equal(_raw_mode(a, w, s, decay), mode.right({"λ": decay, "x": x, "z": z})))
    return Evidence.worst(*measured)


decayed_mode.breaks("e^{−λt} in place of e^{−2λt}", pace=0.5)
decayed_mode.breaks("orders that differ by 0.8, not by one", order=0.4)


@decayed_mode.proof("z = n/d of the linear system of Bessel functions grows as 2(s − β)z", whole=False)
def the_mode_solves_a_riccati_equation(spoilt: bool) -> Any:
    from sympy import expand, symbols

    x, n, d, mu, decay = symbols("x n d mu lambda", positive=True)
    # n' = −μn/x − d, d' = μd/x − n are solved by √x K_{μ±1/2}; z = n/d, and t runs as −log x/2λ
    slope_n, slope_d = -mu * n / x - d, mu * d / x - n
    z = n / d
    along_t = -2 * decay * x * (slope_n * d - n * slope_d) / d**2
    s = 2 * decay * mu * (2 if spoilt else 1)
    beta = decayed_mode.formulas[0].right({"λ": decay, "x": x, "z": z})
    # z = (a + w)²/De^{−2λt}, and (a + w)˙ = (s − β − λ)(a + w)
    return expand(along_t - 2 * (s - beta) * z), 0


@claim(
    "lazyrich2026",
    "weight decay",
    "a balanced mode with decay is the logistic curve of s − λ",
    quote="A balanced mode with decay obeys Bernoulli's equation: it is the logistic curve of the strength s − λ.",
    tolerance=1e-9,
    why="the raw equations, integrated by SciPy at rtol 1e-12",
)
def balanced_mode_with_decay(setup: Setup, factor: float = 1.0) -> Evidence:
    """Growing and fading balanced modes against the raw equations."""
    measured = []
    for s, decay in ((1.3, 0.2), (0.4, 0.9), (2.0, 0.5)):
        a = setup.rng.uniform(0.2, 1.5)
        gap = s - factor * decay
        beta = gap / (1 + (gap / a**2 - 1) * np.exp(-2 * gap * TIMES))
        measured.append(Evidence.equal(_raw_mode(a, a, s, decay), beta))
    return Evidence.worst(*measured)


balanced_mode_with_decay.breaks("the strength s − 2λ", factor=2.0)


@balanced_mode_with_decay.proof("in general: the logistic curve solves the equation, and starts at β₀", general=True)
def the_logistic_curve(spoilt: bool) -> Any:
    from sympy import Matrix, exp, simplify, symbols, zeros

    t, s, decay, start = symbols("t s lambda beta_0", positive=True)
    gap = s - (2 if spoilt else 1) * decay
    beta = gap / (1 + (gap / start - 1) * exp(-2 * gap * t))
    return Matrix(
        [simplify(beta.diff(t) - 2 * beta * (s - beta) + 2 * decay * beta), simplify(beta.subs(t, 0) - start)]
    ), zeros(2, 1)


@claim(
    "lazyrich2026",
    "weight decay",
    "with the imbalance δI and decay, ZᵀZ = YᵀG⁻¹Y, and G follows from Y without an integral",
    quote="ZᵀZ = YᵀG⁻¹Y with Y solving a linear equation, and G = I + ∫YYᵀ is (AAᵀ − WWᵀ)/δf for the two parts A, W "
    "of Y, plus what is constant: no integral remains",
    tolerance=1e-8,
    why="the raw network, integrated by SciPy at rtol 1e-12",
)
def isotropic_network_with_decay(setup: Setup, half: float = 0.5, perturbed: float = 0.0) -> Evidence:
    """Two hidden units, three inputs and two outputs: the blocks of ZᵀZ at four times."""
    rng, delta, decay = setup.rng, 0.8, 0.3
    S = rng.normal(size=(2, 3))
    U, V = np.linalg.qr(rng.normal(size=(3, 2)))[0], np.linalg.qr(rng.normal(size=(2, 2)))[0]
    values = rng.uniform(0.2, 1.0, size=2)
    kappa = np.sqrt(delta**2 + 4 * values**2)
    W = np.sqrt((kappa - delta) / 2)[:, None] * U.T + perturbed * rng.normal(size=(2, 3))
    A = np.sqrt((kappa + delta) / 2)[:, None] * V.T
    Z0 = np.hstack([A, W])

    def raw(Z: np.ndarray) -> np.ndarray:
        A, W = Z[:, :2], Z[:, 2:]
        gap = S - A.T @ W
        return np.hstack([W @ gap.T, A @ gap]) - decay * Z

    def linear(state: np.ndarray) -> np.ndarray:  # the last row is δf
        Y, size = state[:2], state[2, 0]
        A, W = Y[:, :2], Y[:, 2:]
        slopes = np.hstack([half * size * A + W @ S.T, A @ S - half * size * W]) - decay * Y
        return np.vstack([slopes, -2 * decay * state[2]])

    measured = []
    start = np.vstack([Z0, np.full(5, delta)])
    for Z, state in zip(ode(raw, Z0, TIMES), ode(linear, start, TIMES), strict=True):
        Y, size = state[:2], state[2, 0]
        G = (Y[:, :2] @ Y[:, :2].T - Y[:, 2:] @ Y[:, 2:].T) / size  # I − (A₀A₀ᵀ − W₀W₀ᵀ)/δ = 0
        measured.append(Evidence.equal(Z.T @ Z, Y.T @ np.linalg.solve(G, Y)))
    return Evidence.worst(*measured)


isotropic_network_with_decay.breaks("δ in place of δ/2 in the linear equation", half=1.0)
isotropic_network_with_decay.breaks("an imbalance that is not isotropic", perturbed=0.1)


@isotropic_network_with_decay.proof("(AAᵀ − WWᵀ)/f has the derivative δ(AAᵀ + WWᵀ), two units", whole=False)
def the_integral_follows(spoilt: bool) -> Any:
    from sympy import Matrix, symbols, zeros

    A, W, S = (Matrix(2, 2, symbols(f"{name}:4")) for name in "aws")
    size, decay, f = symbols("delta lambda f", positive=True)  # δ at the start, f = e^{−2λt}
    here = size * f / (1 if spoilt else 2)
    slope_A, slope_W = here * A + W * S.T - decay * A, A * S - here * W - decay * W
    change = slope_A * A.T + A * slope_A.T - slope_W * W.T - W * slope_W.T
    whole = change / f + 2 * decay * (A * A.T - W * W.T) / f
    return (whole - size * (A * A.T + W * W.T)).expand(), zeros(2, 2)
