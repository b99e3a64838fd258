"""The neuron f(x) = a w·x in NumPy: its data, its rates, its flow."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq, minimize

from lazyrich.papers.claim import Setup
from lazyrich.papers.oracles import flows
from lazyrich.papers.oracles.derivatives import gradient, rate
from lazyrich.papers.oracles.matrices import frame

RATES = (1.7, 0.4)  # η_w, η_a
PRODUCT_ONE = (4.0, 0.25)  # what appendix A takes to be as good as unit rates
INTEGRATED = "the raw flow is integrated at rtol 1e-12"
ALGEBRA = "algebra in double precision"


@dataclass(frozen=True)
class Neuron:
    """An initialization, the data and the rates (η_w, η_a)."""

    a: Any
    w: Any
    X: Any
    y: Any
    rates: tuple[float, float] = (1.0, 1.0)

    @cached_property
    def target(self) -> Any:
        """β*, or the shortest minimizer if there are several."""
        return np.linalg.pinv(self.X) @ self.y

    @cached_property
    def moments(self) -> tuple[Any, Any]:
        """XᵀX and Xᵀy."""
        return self.X.T @ self.X, self.X.T @ self.y

    @cached_property
    def B(self) -> Any:
        return np.linalg.norm(self.target)

    @property
    def delta(self) -> Any:
        return self.rates[0] * self.a**2 - self.rates[1] * (self.w @ self.w)

    @property
    def theta(self) -> Any:
        return np.concatenate([[self.a], self.w])

    @property
    def along(self) -> Any:
        """w·β*."""
        return self.w @ self.target

    def field(self, theta: Any) -> Any:
        """Return the velocity of (a, w) in the raw flow, for one state or for many."""
        (gram, pull), (eta_w, eta_a) = self.moments, self.rates
        a, w = theta[..., :1], theta[..., 1:]
        slope = (a * w) @ gram - pull
        return np.concatenate([-eta_a * np.sum(w * slope, axis=-1, keepdims=True), -eta_w * a * slope], axis=-1)

    def path(self, times: Any) -> tuple[Any, Any]:
        """Return a(t) and w(t) of the raw flow."""
        values = flows.ode(self.field, self.theta, times)
        return values[:, 0], values[:, 1:]

    def end(self, time: float = 80.0) -> tuple[Any, Any]:
        a, w = self.path([0.0, time])
        return a[-1], a[-1] * w[-1]

    def after_long_time(self, time: float) -> "Neuron":
        """Return the neuron after a long time, by an implicit method, since the flow is stiff at large |δ|."""
        values = solve_ivp(lambda t, y: self.field(y), (0, time), self.theta, method="LSODA", rtol=1e-11, atol=1e-13)
        return replace(self, a=values.y[0, -1], w=values.y[1:, -1])

    @property
    def names(self) -> dict[str, Any]:
        """The values of the names in formulas; vectors are columns."""
        beta, (mu, phi), (eta_w, eta_a) = self.a * self.w, polar(self.a, self.w, self.target), self.rates
        return {
            "a": self.a, "w": self.w[:, None], "‖w‖": np.linalg.norm(self.w), "η_w": eta_w, "η_a": eta_a,
            "δ": self.delta, "κ": kappa_of(mu**2, self.delta, eta_a * eta_w), "μ": mu, "φ": phi,
            "β": beta[:, None], "‖β‖": np.linalg.norm(beta), "β*": self.target[:, None], "‖β*‖": self.B,
            "X": self.X, "y": self.y[:, None], "I": np.eye(len(self.w)),
        }  # fmt: skip

    @property
    def kernel(self) -> Any:
        """The tangent kernel, from a and w."""
        eta_w, eta_a = self.rates
        return self.X @ (eta_w * self.a**2 * np.eye(len(self.w)) + eta_a * np.outer(self.w, self.w)) @ self.X.T


def draw(
    rng: np.random.Generator,
    delta: float,
    phi: float = 0.3,
    low: float = 0.5,
    sign: float = 1.0,
    rates: tuple[float, float] = (1.0, 1.0),
    d: int = 3,
    rank: int | None = None,
    stretch: tuple[float, float] = (1.0, 1.0),
    B: float = 1.6,
    jitter: float = 0.1,
) -> Neuron:
    """Draw a neuron with given δ, cosine φ between w and β*, sign of a, and ‖β*‖ = B.

    The data have singular values in `stretch` (whitened: all one). The smaller of |a| and ‖w‖ under this δ is `low`.
    Every number is varied by `jitter`, relative to its size; δ = 0 and φ = ±1 are kept.
    """
    delta, low, B, turn = (delta, low, B, 1.0) * (1 + jitter * rng.uniform(-1, 1, size=4))
    phi += (turn - 1) * (1 - phi**2)
    rank = d if rank is None else rank
    right = frame(rng, d, rank)
    X = frame(rng, rank + 2, rank) * np.linspace(*stretch, rank) @ right.T
    u = right @ rng.normal(size=rank)
    u /= np.linalg.norm(u)
    v = rng.normal(size=d)
    v -= (v @ u) * u
    direction = phi * u + np.sqrt(1 - phi**2) * v / np.linalg.norm(v)
    eta_w, eta_a = rates
    if delta >= 0:
        a, length = np.sqrt((delta + eta_a * low**2) / eta_w), low
    else:
        a, length = low, np.sqrt((eta_w * low**2 - delta) / eta_a)
    return Neuron(sign * a, length * direction, X, X @ (B * u), rates)


def draw_with_kept_sign(rng: np.random.Generator, delta: float, **options: Any) -> Neuron:
    """Draw a neuron whose a keeps its sign, on data with a two-dimensional null space."""
    return draw(rng, delta, 0.7, low=0.4, **{"d": 4, "rank": 2, "stretch": (0.8, 1.2), **options})


def draw_with_changed_sign(rng: np.random.Generator, **options: Any) -> Neuron:
    """Draw a neuron whose a changes its sign, on data with a two-dimensional null space."""
    return draw(rng, -1.2, -0.8, low=0.2, **{"d": 4, "rank": 2, "stretch": (0.8, 1.2), **options})


def polar(a: Any, w: Any, target: Any) -> tuple[Any, Any]:
    """Return μ = a‖w‖ and φ, the cosine of the angle between w and β*."""
    length = np.sqrt(np.sum(w * w, axis=-1))
    return a * length, w @ target / (length * np.linalg.norm(target))


def speed_of(net: Neuron, of: Callable[[Any, Any, Any], Any]) -> Any:
    """Return the rate of change along the flow of a function of a, w and β*."""
    return rate(lambda s: np.stack(of(s[0], s[1:], net.target)), net.theta, net.field(net.theta))


def kappa_of(square: Any, delta: Any, product: float = 1.0) -> Any:
    return np.sqrt(delta**2 + 4 * product * square)


def raw_M(theta: Any, rates: tuple[float, float]) -> Any:
    """Return η_w a²I + η_a wwᵀ, also at complex states."""
    a, w = theta[0], theta[1:]
    return rates[0] * a**2 * np.eye(len(w)) + rates[1] * np.outer(w, w)


def warp_of(square: Any, delta: float) -> Any:
    """Return g_δ of A.4.2, at ‖β‖²."""
    return np.sqrt(kappa_of(square, delta) + delta)


def M_of(beta: Any, delta: Any, product: float = 1.0) -> Any:
    """Return M of equation (4), also at complex β."""
    square = beta @ beta
    kappa = kappa_of(square, delta, product)
    return (kappa + delta) / 2 * np.eye(len(beta)) + (kappa - delta) / 2 * np.outer(beta, beta) / square


def stack(pairs: Any) -> tuple[Any, Any]:
    """Concatenate several (measured, predicted), each in units of its own size."""
    measured, predicted = [], []
    for one, two in pairs:
        if np.ndim(one) == np.ndim(two) == 2 and np.shape(one) != np.shape(two):
            raise ValueError(f"matrices of one shape are compared; found {np.shape(one)} and {np.shape(two)}")
        size = np.max(np.abs(two))
        measured.append(np.ravel(one) / size)
        predicted.append(np.ravel(two) / size)
    return np.concatenate(measured), np.concatenate(predicted)


def draw_many(setup: Setup, net: Neuron, size: int = 24) -> Any:
    """Draw random (a, w), for many of which a changes sign."""
    rng = np.random.default_rng(setup.rng.integers(2**32))
    w = 0.6 * rng.normal(size=(size, len(net.w)))
    return np.concatenate([0.5 * rng.normal(size=(size, 1)), w], axis=1)


def riccati(x0: float, constant: float, square: float, delta: float, times: Any) -> Any:
    """Return the solution of x' = constant − δx − square·x², in the source's form of A.2.3 with general
    coefficients."""
    R = np.sqrt(delta**2 + 4 * constant * square) / 2
    ch, sh = np.cosh(R * times), np.sinh(R * times)
    top = 2 * R * x0 * ch + (2 * constant - delta * x0) * sh
    return top / (2 * R * ch + (2 * square * x0 + delta) * sh)


def solution(net: Neuron, times: Any) -> tuple[Any, Any]:
    """Return (a, w) = (p, q)/s: a linear flow divided by one length."""
    (eta_w, eta_a), B, D, u = net.rates, net.B, net.delta, net.target / net.B
    R = np.sqrt(D**2 / 4 + eta_a * eta_w * B**2)
    up, down, along = D / 2 + R, D / 2 - R, net.w @ u
    C = (up * net.a + eta_a * B * along) / (2 * R)
    g = net.a - C
    more, less = np.exp(up * times), np.exp(down * times)
    mixed = np.expm1(D * times) / D if abs(D) > 1e-12 else times
    s = np.sqrt(1 + eta_w * (C**2 * (more**2 - 1) / up + g**2 * (less**2 - 1) / down + 4 * C * g * mixed))
    slope = eta_w * B * C / up
    q = (slope * more + (along - slope) * less)[:, None] * u + (net.w - along * u)
    return (C * more + g * less) / s, q / s[:, None]


def kernel_distance(one: Any, two: Any) -> float:
    """Return S = 1 − ⟨K₁, K₂⟩/‖K₁‖‖K₂‖."""
    return float(1 - np.sum(one * two) / (np.linalg.norm(one) * np.linalg.norm(two)))


def regression(net: Neuron, s: Any) -> Any:
    """Return the flow of linear regression from β₀, at the times s."""
    lam, Q = np.linalg.eigh(net.moments[0])
    off = Q.T @ (net.a * net.w - net.target)
    return net.target + (np.exp(-np.outer(s, lam)) * off) @ Q.T


DELTAS = np.array([20.0, 40.0, 80.0, 160.0])
SMALL = np.array([1e-1, 1e-2, 1e-3, 1e-4])


def neurons_at(deltas: Any, beta: Any, net: Neuron) -> list[Neuron]:
    """Return the neurons with a given β₀ and several δ, a₀ > 0."""
    measured, size, (eta_w, eta_a) = [], np.linalg.norm(beta), net.rates
    for delta in deltas:
        big = np.sqrt((kappa_of(size**2, delta, eta_a * eta_w) + abs(delta)) / 2)
        a = big / np.sqrt(eta_w) if delta >= 0 else size * np.sqrt(eta_a) / big
        measured.append(replace(net, a=a, w=beta / a))
    return measured


def half_way(net: Neuron, delta: float, size: float) -> tuple[float, Neuron]:
    """Return 1 − φ when μ = ‖β*‖/2, and the neuron then, from `size` times its β₀ at another δ."""
    each = neurons_at([delta], size * net.a * net.w, net)[0]
    late = 5 / delta if delta > 0 else 20.0
    time = brentq(lambda t: polar(*solution(each, np.array([t])), each.target)[0][0] - each.B / 2, 0.0, late)
    a, w = each.path([0.0, time])
    return 1 - polar(a, w, each.target)[1][-1], replace(each, a=a[-1], w=w[-1])


def potential_of(beta: Any, delta: float) -> Any:
    """Return Ψ_δ of theorem 1, which is q(‖β‖) of A.4.2."""
    kappa = kappa_of(beta @ beta, delta)
    return (kappa - 2 * delta) * np.sqrt(kappa + delta) / 3


def least_of(objective: Callable[[Any], Any], X: Any, y: Any) -> Any:
    """Return the minimizer over Xβ = y, by quasi-Newton steps in the null space."""
    best = np.linalg.pinv(X) @ y
    free = np.linalg.svd(X)[2][np.linalg.matrix_rank(X) :]
    minimum = minimize(
        lambda z: objective(best + z @ free),
        np.zeros(len(free)),
        jac=lambda z: free @ gradient(objective, best + z @ free),
        method="BFGS",
        options={"gtol": 1e-11},
    )
    return best + minimum.x @ free


SIGNS = (1.2, 0.0, -1.2)


def point(rng: np.random.Generator, d: int = 3) -> Any:
    """Draw a generic β without small coordinates."""
    return rng.uniform(0.4, 1.2, size=d) * rng.choice([-1.0, 1.0], size=d)
