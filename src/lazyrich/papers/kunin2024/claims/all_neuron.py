"""Kunin et al. 2024, Get rich quick: the single neuron f(x) = a w·x, its learning rates, and where it stops."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq, minimize

from lazyrich.papers.checks import flows
from lazyrich.papers.checks.derivatives import gradient, rate
from lazyrich.papers.checks.matrices import frame
from lazyrich.papers.claim import Evidence, Setup, claim

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
        """β*, or the shortest of them."""
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
        """The raw flow of (a, w), for one state or for many."""
        (gram, pull), (eta_w, eta_a) = self.moments, self.rates
        a, w = theta[..., :1], theta[..., 1:]
        slope = (a * w) @ gram - pull
        return np.concatenate([-eta_a * np.sum(w * slope, axis=-1, keepdims=True), -eta_w * a * slope], axis=-1)

    def path(self, times: Any) -> tuple[Any, Any]:
        """a(t) and w(t) of the raw flow."""
        found = flows.ode(self.field, self.theta, times)
        return found[:, 0], found[:, 1:]

    def end(self, time: float = 80.0) -> tuple[Any, Any]:
        a, w = self.path([0.0, time])
        return a[-1], a[-1] * w[-1]

    def settled(self, time: float) -> "Neuron":
        """The neuron after a long time, by an implicit method: at large |δ| the flow is stiff."""
        found = solve_ivp(lambda t, y: self.field(y), (0, time), self.theta, method="LSODA", rtol=1e-11, atol=1e-13)
        return replace(self, a=found.y[0, -1], w=found.y[1:, -1])

    @property
    def kernel(self) -> Any:
        """The tangent kernel, from a and w."""
        eta_w, eta_a = self.rates
        return self.X @ (eta_w * self.a**2 * np.eye(len(self.w)) + eta_a * np.outer(self.w, self.w)) @ self.X.T


def _draw(
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
    """A neuron with given δ, cosine φ between w and β*, sign of a, and ‖β*‖ = B; the data have singular values in
    `stretch` (whitened: all one). Of |a| and ‖w‖ the one that δ leaves the smaller is `low`. Every number is varied by
    `jitter`, relative to its size; δ = 0 and φ = ±1 are kept."""
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


def _polar(a: Any, w: Any, target: Any) -> tuple[Any, Any]:
    """μ = a‖w‖ and φ, the cosine of the angle between w and β*."""
    length = np.sqrt(np.sum(w * w, axis=-1))
    return a * length, w @ target / (length * np.linalg.norm(target))


def _kappa(square: Any, delta: Any, product: float = 1.0) -> Any:
    return np.sqrt(delta**2 + 4 * product * square)


def _M(beta: Any, delta: Any, product: float = 1.0) -> Any:
    """Equation (4), also at complex β."""
    square = beta @ beta
    kappa = _kappa(square, delta, product)
    return (kappa + delta) / 2 * np.eye(len(beta)) + (kappa - delta) / 2 * np.outer(beta, beta) / square


def _kernel_distance(one: Any, two: Any) -> float:
    return float(1 - np.sum(one * two) / (np.linalg.norm(one) * np.linalg.norm(two)))


def _stack(pairs: Any) -> tuple[Any, Any]:
    """Several (measured, predicted), each in units of its own size."""
    measured, predicted = [], []
    for one, two in pairs:
        size = np.max(np.abs(two))
        measured.append(np.ravel(one) / size)
        predicted.append(np.ravel(two) / size)
    return np.concatenate(measured), np.concatenate(predicted)


# Parameter space


def _conserved(setup: Setup, rates: tuple[float, float]) -> Any:
    net = _draw(setup.rng, 0.6, -0.4, rates=RATES, d=setup.pick(3, 10), stretch=(0.6, 1.4))
    a, w = net.path(np.linspace(0, 5, 11))
    delta = rates[0] * a**2 - rates[1] * np.sum(w**2, axis=1)
    return delta, np.full_like(delta, delta[0])


@claim(
    "kunin2024",
    "section 3; appendix A.1",
    "δ = η_w a² − η_a‖w‖² is conserved by the flow of a single neuron, for any data and rates",
    tolerance=1e-9,
    why=INTEGRATED,
)
def conservation(setup: Setup) -> Any:
    return _conserved(setup, RATES)


@conservation.breaks("without the rates")
def without_the_rates(setup: Setup) -> Any:
    return _conserved(setup, (1.0, 1.0))


def _ntk(setup: Setup, rates: tuple[float, float]) -> Any:
    net = _draw(setup.rng, 0.6, -0.4, stretch=(0.6, 1.4))
    jacobian = gradient(lambda theta: theta[0] * (net.X @ theta[1:]), net.theta)
    speeds = np.concatenate([[RATES[1]], np.full(len(net.w), RATES[0])])
    M = rates[0] * net.a**2 * np.eye(len(net.w)) + rates[1] * np.outer(net.w, net.w)
    return jacobian * speeds @ jacobian.T, net.X @ M @ net.X.T


@claim(
    "kunin2024",
    "section 3, equation (1)",
    "The NTK matrix of the neuron is K = X(η_w a² I + η_a wwᵀ)Xᵀ",
    tolerance=1e-12,
    why="derivatives by complex step",
)
def neuron_ntk(setup: Setup) -> Any:
    return _ntk(setup, RATES)


@neuron_ntk.breaks("the rates of the two layers exchanged")
def the_rates_of_the_two_layers_exchanged(setup: Setup) -> Any:
    return _ntk(setup, RATES[::-1])


def _saddle(setup: Setup, off: float) -> Any:
    net = _draw(setup.rng, 0.6, -0.4, stretch=(0.6, 1.4), rates=RATES)
    pull = net.X.T @ net.y
    w = net.w - (net.w @ pull) / (pull @ pull) * pull + off * pull
    theta = np.concatenate([[0.0], w])
    still = np.max(np.abs(net.field(theta)))
    drift = gradient(net.field, theta)
    escape = np.max(np.linalg.eigvals(drift).real)
    brake = RATES[1] * np.sum((net.X @ w) ** 2)
    expected = np.sqrt(brake**2 / 4 + RATES[0] * RATES[1] * (pull @ pull)) - brake / 2
    return Evidence.together(Evidence(still), Evidence.equal(escape, expected, f"escape rate {escape:.2g}"))


@claim(
    "kunin2024",
    "section 3, footnote 2; appendix A",
    "Where a = 0 and w·Xᵀy = 0 the flow stands still, and the point is a saddle: "
    "λ² + η_a‖Xw‖²λ = η_aη_w‖Xᵀy‖² has a positive root λ, the rate of escape",
    tolerance=1e-10,
    why="eigenvalues of a small matrix",
)
def saddles(setup: Setup) -> Any:
    return _saddle(setup, 0.0)


@saddles.breaks("w not orthogonal to Xᵀy")
def w_not_orthogonal_to_xty(setup: Setup) -> Any:
    return _saddle(setup, 0.3)


def _many(setup: Setup, net: Neuron, size: int = 24) -> Any:
    """Random (a, w), of which many have their a change sign."""
    rng = np.random.default_rng(setup.rng.integers(2**32))
    w = 0.6 * rng.normal(size=(size, len(net.w)))
    return np.concatenate([0.5 * rng.normal(size=(size, 1)), w], axis=1)


def _settled(net: Neuron, states: Any) -> Any:
    end = flows.ode(net.field, states, [0.0, 150.0], rtol=1e-9)[-1]
    return end[:, :1] * end[:, 1:], np.broadcast_to(net.target, (len(end), len(net.target)))


@claim(
    "kunin2024",
    "section 3; appendix A",
    "From every start but a set of measure zero the flow ends in the global minimum aw = β* (24 random starts)",
    tolerance=1e-6,
    why="after a time of 150 the slowest mode has decayed by e^-20 or more",
)
def global_convergence(setup: Setup) -> Any:
    net = _draw(setup.rng, 0.6, stretch=(0.8, 1.2))
    return _settled(net, _many(setup, net))


@global_convergence.breaks("starts of measure zero: saddles")
def starts_of_measure_zero(setup: Setup) -> Any:
    net = Neuron(0.0, np.zeros(3), np.diag(setup.rng.uniform(0.8, 1.2, size=3)), np.array([1.6, 0.0, 0.0]))
    states = _many(setup, net)
    states[:, :2] = 0.0  # a, and the only component of w that the target has: exactly, for a saddle repels rounding
    return _settled(net, states)


def _span(setup: Setup, stretch: tuple[float, float]) -> Any:
    net = _draw(setup.rng, 0.6, -0.4, d=5, stretch=stretch, rates=RATES)
    plane = np.linalg.qr(np.stack([net.w, net.target], axis=1))[0]
    w = net.path(np.linspace(0, 4, 9))[1]
    return w, w @ plane @ plane.T


@claim(
    "kunin2024",
    "section 3",
    "On whitened inputs w(t) stays in the span of w₀ and β*",
    tolerance=1e-9,
    why=INTEGRATED,
)
def plane_of_motion(setup: Setup) -> Any:
    return _span(setup, (1.0, 1.0))


@plane_of_motion.breaks("inputs not whitened")
def inputs_not_whitened(setup: Setup) -> Any:
    return _span(setup, (0.6, 1.4))


def _mu_phi_field(delta: float, B: float, product: float) -> Callable[[Any], Any]:
    """Equation (2)."""

    def field(state: Any) -> Any:
        mu, phi = state
        kappa = _kappa(mu**2, delta, product)
        return np.array([kappa * (phi * B - mu), 2 * product * mu * B / (kappa - delta) * (1 - phi**2)])

    return field


def _mu_phi(setup: Setup, stretch: tuple[float, float] = (1.0, 1.0), product: float = RATES[0] * RATES[1]) -> Any:
    rng, times, pairs = setup.rng, np.linspace(0, 3, 7), []
    for delta, phi, sign in ((0.8, 0.3, 1.0), (-0.8, -0.3, 1.0), (-0.8, 0.5, -1.0)):
        net = _draw(rng, delta, phi, sign=sign, rates=RATES, stretch=stretch)
        start = _polar(net.a, net.w, net.target)
        found = flows.ode(_mu_phi_field(net.delta, net.B, product), start, times)
        pairs.append((np.stack(_polar(*net.path(times), net.target), axis=1), found))
    return _stack(pairs)


@claim(
    "kunin2024",
    "section 3, equation (2); appendix A.2.1",
    "μ = a‖w‖ and φ = cos∠(w, β*) obey μ' = κ(φ‖β*‖ − μ), φ' = 2η_aη_wμ‖β*‖(1 − φ²)/(κ − δ), κ² = δ² + 4η_aη_wμ²",
    tolerance=1e-8,
    why="both flows are integrated at rtol 1e-12",
)
def mu_phi_equations(setup: Setup) -> Any:
    return _mu_phi(setup)


@mu_phi_equations.breaks("inputs not whitened")
def mu_phi_equations_inputs_not_whitened(setup: Setup) -> Any:
    return _mu_phi(setup, (0.6, 1.4))


@mu_phi_equations.breaks("without the rates")
def mu_phi_equations_without_the_rates(setup: Setup) -> Any:
    return _mu_phi(setup, product=1.0)


def _through_zero(setup: Setup, keep: bool) -> Any:
    net = _draw(setup.rng, 1.0, -1.0)  # antiparallel: w runs straight through zero
    times = np.linspace(0, 4, 9)
    mu = flows.ode(lambda m: _kappa(m**2, net.delta) * (-net.B - m), [net.a * np.linalg.norm(net.w)], times)[:, 0]
    a, w = net.path(times)
    big = np.sqrt((_kappa(mu**2, net.delta) + net.delta) / 2)
    sign = np.full_like(mu, np.sign(net.a)) if keep else np.sign(mu)
    along = -mu / (sign * big) if keep else -np.abs(mu) / big
    return np.stack([a, w @ net.target / net.B]), np.stack([sign * big, along])


@claim(
    "kunin2024",
    "section 3; appendix A.2.6",
    "a(t) and w(t) can be determined from μ(t), φ(t) and the initialization",
    tolerance=1e-8,
    why="both flows are integrated at rtol 1e-12",
    verdict="corrected",
    correction="not if δ > 0 and w₀ is antiparallel to sgn(a₀)β*: w runs through 0, φ jumps from −1 to 1, while "
    "equation (2) keeps φ = −1 and lets μ change sign; there sgn(a) is that of a₀ and w·β*/‖β*‖ = −μ/a, "
    "not what sgn(μ) gives",
)
def through_w_zero(setup: Setup) -> Any:
    return _through_zero(setup, True)


@through_w_zero.printed
def through_w_zero_as_printed(setup: Setup) -> Any:
    return _through_zero(setup, False)


@through_w_zero.breaks("w₀ not antiparallel")
def w0_not_antiparallel(setup: Setup) -> Any:
    net = _draw(setup.rng, 1.0, -0.7)
    times = np.linspace(0, 4, 9)
    mu = flows.ode(lambda m: _kappa(m**2, net.delta) * (-net.B - m), [net.a * np.linalg.norm(net.w)], times)[:, 0]
    return net.path(times)[0], np.sqrt((_kappa(mu**2, net.delta) + net.delta) / 2)


def _key(setup: Setup, product: float) -> Any:
    rng = setup.rng
    nets = [_draw(rng, delta, rates=RATES) for delta in (1.3, 0.0, -1.3)]
    mus = [_polar(net.a, net.w, net.target)[0] for net in nets]
    return _stack(
        (RATES[0] * net.a**2 + RATES[1] * net.w @ net.w, _kappa(mu**2, net.delta, product))
        for net, mu in zip(nets, mus, strict=True)
    )


@claim(
    "kunin2024",
    "appendix A.2.1",
    "η_w a² + η_a‖w‖² = √(δ² + 4η_aη_wμ²)",
    tolerance=1e-12,
    why=ALGEBRA,
)
def key_simplification(setup: Setup) -> Any:
    return _key(setup, RATES[0] * RATES[1])


@key_simplification.breaks("without the rates")
def key_simplification_without_the_rates(setup: Setup) -> Any:
    return _key(setup, 1.0)


def _absorbed(setup: Setup, scale: float) -> Any:
    """(μ, φ) with rates, and from the equations without them with μ and β* multiplied by `scale`."""
    rng, times, pairs = setup.rng, np.linspace(0, 3, 7), []
    for delta in (0.8, -0.8):
        net = _draw(rng, delta, 0.4, rates=RATES)
        mu, phi = _polar(net.a, net.w, net.target)
        found = flows.ode(_mu_phi_field(net.delta, scale * net.B, 1.0), [scale * mu, phi], times)
        pairs.append((np.stack(_polar(*net.path(times), net.target), axis=1), found / np.array([scale, 1.0])))
    return _stack(pairs)


@claim(
    "kunin2024",
    "appendix A.2.1",
    "In the equations of μ and φ the rates are absorbed by μ' = √(η_aη_w)μ, β*' = √(η_aη_w)β*, at the same δ and t",
    tolerance=1e-8,
    why="both flows are integrated at rtol 1e-12",
)
def rates_absorbed_in_mu_phi(setup: Setup) -> Any:
    return _absorbed(setup, np.sqrt(RATES[0] * RATES[1]))


@rates_absorbed_in_mu_phi.breaks("μ and β* not rescaled")
def mu_and_beta_not_rescaled(setup: Setup) -> Any:
    return _absorbed(setup, 1.0)


def _unit_rates(setup: Setup, rates: tuple[float, float], rescaled: bool) -> Any:
    """(a, w) with rates, and from the flow at unit rates with the parameters rescaled or not."""
    net, times = _draw(setup.rng, -0.7, 0.4, rates=rates), np.linspace(0, 3, 7)
    eta_w, eta_a = (np.sqrt(rate) for rate in (rates if rescaled else (1.0, 1.0)))
    unit = Neuron(eta_w * net.a, eta_a * net.w, net.X, eta_a * eta_w * net.y)
    (a, w), (a1, w1) = net.path(times), unit.path(times)
    return _stack([(a, a1 / eta_w), (w, w1 / eta_a)])


@claim(
    "kunin2024",
    "appendix A.2.1",
    "Without loss of generality η_aη_w = 1, for the solutions of A.2.3 to A.2.6 in a and w",
    tolerance=1e-8,
    why="both flows are integrated at rtol 1e-12",
    verdict="corrected",
    correction="the product 1 is enough for μ, φ and β only; a and w (and ν) need both rates to be 1, which rescaling "
    "gives: a' = √η_w a, w' = √η_a w, β*' = √(η_aη_w) β*, at the same δ and t",
)
def rates_absorbed_in_parameters(setup: Setup) -> Any:
    return _unit_rates(setup, RATES, True)


@rates_absorbed_in_parameters.printed
def rates_absorbed_in_parameters_as_printed(setup: Setup) -> Any:
    return _unit_rates(setup, PRODUCT_ONE, False)


@rates_absorbed_in_parameters.breaks("rates whose product is not 1, left out")
def rates_whose_product_is_not_1(setup: Setup) -> Any:
    return _unit_rates(setup, RATES, False)


# Exact solutions


def _balanced_phi(setup: Setup, delta: float) -> Any:
    net, times = _draw(setup.rng, delta, -0.5), np.linspace(0, 3, 7)
    _, phi = _polar(*net.path(times), net.target)
    return phi, np.tanh(np.arctanh(phi[0]) + net.B * times)


@claim(
    "kunin2024",
    "appendix A.2.2",
    "Balanced (δ = 0, a₀ > 0): φ(t) = tanh(artanh φ₀ + ‖β*‖t)",
    tolerance=1e-9,
    why=INTEGRATED,
)
def balanced_phi(setup: Setup) -> Any:
    return _balanced_phi(setup, 0.0)


@balanced_phi.breaks("δ = 0.5")
def delta_is_0_5(setup: Setup) -> Any:
    return _balanced_phi(setup, 0.5)


def _balanced_mu(setup: Setup, factor: float | None = None, delta: float = 0.0) -> Any:
    net, times = _draw(setup.rng, delta, -0.5), np.linspace(0, 3, 7)
    mu, phi = _polar(*net.path(times), net.target)
    c = np.arctanh(phi[0])
    s, B = c + net.B * times, net.B if factor is None else factor
    c_mu = 2 * B * np.cosh(c) ** 2 / mu[0] - (2 * c + np.sinh(2 * c))
    return mu, 2 * B * np.cosh(s) ** 2 / (2 * s + np.sinh(2 * s) + c_mu)


@claim(
    "kunin2024",
    "appendix A.2.2",
    "Balanced: μ(t) = 2cosh²s/(2s + sinh 2s + c_μ) with s = c_φ + ‖β*‖t and c_μ = 2cosh²c_φ/μ₀ − (2c_φ + sinh 2c_φ)",
    tolerance=1e-9,
    why=INTEGRATED,
    verdict="corrected",
    correction="only for ‖β*‖ = 1: both cosh² need a factor ‖β*‖, in the numerator of μ and in c_μ",
)
def balanced_mu(setup: Setup) -> Any:
    return _balanced_mu(setup)


@balanced_mu.printed
def balanced_mu_as_printed(setup: Setup) -> Any:
    return _balanced_mu(setup, 1.0)


@balanced_mu.breaks("δ = 0.5")
def balanced_mu_delta_is_0_5(setup: Setup) -> Any:
    return _balanced_mu(setup, delta=0.5)


def _inward(setup: Setup, phi: float) -> Any:
    net, times = _draw(setup.rng, 0.0, phi), np.linspace(0, 4, 9)
    mu = _polar(*net.path(times), net.target)[0]
    x = mu[0] / (mu[0] + net.B) * np.exp(-2 * net.B * times)
    return mu, net.B * x / (1 - x)


@claim(
    "kunin2024",
    "appendix A.2.2",
    "Balanced with φ₀ = −1: φ stays, and μ is driven to the saddle at 0, as μ/(μ + ‖β*‖) ∝ exp(−2‖β*‖t)",
    tolerance=1e-6,
    why="integrated at rtol 1e-12, and the saddle repels by e^6 in this time",
)
def balanced_saddle(setup: Setup) -> Any:
    return _inward(setup, -1.0)


@balanced_saddle.breaks("φ₀ = −0.99")
def phi0_is_0_99(setup: Setup) -> Any:
    return _inward(setup, -0.99)


def _sheets(setup: Setup, delta: float) -> Any:
    net = _draw(setup.rng, delta, -0.8, low=0.2, rates=RATES, stretch=(0.6, 1.4))
    a = net.path(np.linspace(0, 10, 101))[0]
    return Evidence.most(np.sqrt(abs(net.delta) / RATES[0]), np.min(a * np.sign(a[0])))


@claim(
    "kunin2024",
    "appendix A.2.3",
    "Upstream (δ > 0) the hyperboloid has two sheets: a keeps its sign, and |a| ≥ √(δ/η_w), for any data",
    tolerance=1e-9,
    why=INTEGRATED,
)
def two_sheets(setup: Setup) -> Any:
    return _sheets(setup, 0.8)


@two_sheets.breaks("downstream, where a changes its sign")
def downstream_where_a_changes_its_sign(setup: Setup) -> Any:
    return _sheets(setup, -0.8)


def _riccati(x0: float, constant: float, square: float, delta: float, times: Any) -> Any:
    """The solution of x' = constant − δx − square·x²: the source's form, with its coefficients general."""
    R = np.sqrt(delta**2 + 4 * constant * square) / 2
    ch, sh = np.cosh(R * times), np.sinh(R * times)
    top = 2 * R * x0 * ch + (2 * constant - delta * x0) * sh
    return top / (2 * R * ch + (2 * square * x0 + delta) * sh)


def _nu(setup: Setup, rates: tuple[float, float], believed: tuple[float, float]) -> Any:
    rng, times, pairs = setup.rng, np.linspace(0, 2, 7), []
    for delta, phi in ((0.9, -0.5), (0.9, 0.8), (-0.9, 0.5)):
        net = _draw(rng, delta, phi, rates=rates)
        a, w = net.path(times)
        predicted = _riccati(net.along / net.a, believed[0] * net.B**2, believed[1], net.delta, times)
        pairs.append((w @ net.target / a, predicted))
    return _stack(pairs)


@claim(
    "kunin2024",
    "appendix A.2.3",
    "ν = w·β*/a solves ν' = ‖β*‖² − δν − ν², in closed form in cosh Rt and sinh Rt, R = ½√(δ² + 4‖β*‖²) (η_aη_w = 1)",
    tolerance=1e-8,
    why=INTEGRATED,
    verdict="corrected",
    correction="at unit rates; with others, also of product 1, ν' = η_w‖β*‖² − δν − η_aν² and "
    "R = ½√(δ² + 4η_aη_w‖β*‖²)",
)
def nu_riccati(setup: Setup) -> Any:
    return _stack([_nu(setup, (1.0, 1.0), (1.0, 1.0)), _nu(setup, RATES, RATES)])


@nu_riccati.printed
def nu_riccati_as_printed(setup: Setup) -> Any:
    return _nu(setup, PRODUCT_ONE, (1.0, 1.0))


@nu_riccati.breaks("the rates of the two layers exchanged")
def nu_riccati_the_rates_of_the_two_layers_exchanged(setup: Setup) -> Any:
    return _nu(setup, RATES, RATES[::-1])


def _bernoulli_a(setup: Setup, rates: tuple[float, float], believed: tuple[float, float]) -> Any:
    rng = setup.rng
    nets = [_draw(rng, delta, phi, rates=rates) for delta, phi in ((0.9, -0.5), (0.9, 0.8), (-0.9, 0.5))]
    return _stack(
        (
            net.field(net.theta)[0],
            net.a * (believed[1] * net.along / net.a + net.delta - believed[0] * net.a**2),
        )
        for net in nets
    )


@claim(
    "kunin2024",
    "appendix A.2.3",
    "a' = a(ν + δ − a²) (η_aη_w = 1)",
    tolerance=1e-12,
    why=ALGEBRA,
    verdict="corrected",
    correction="at unit rates; with others, also of product 1, a' = a(η_aν + δ − η_w a²)",
)
def outer_bernoulli(setup: Setup) -> Any:
    return _bernoulli_a(setup, RATES, RATES)


@outer_bernoulli.printed
def outer_bernoulli_as_printed(setup: Setup) -> Any:
    return _bernoulli_a(setup, PRODUCT_ONE, (1.0, 1.0))


@outer_bernoulli.breaks("the rates of the two layers exchanged")
def outer_bernoulli_the_rates_of_the_two_layers_exchanged(setup: Setup) -> Any:
    return _bernoulli_a(setup, RATES, RATES[::-1])


def _upstream_a(net: Neuron, times: Any) -> Any:
    """The long formula of A.2.3, in complex arithmetic."""
    D, B2, a0, b0 = net.delta, net.B**2, net.a, net.along
    S = np.sqrt(D**2 + 4 * B2)
    Y = S * times / 2 + np.arctanh(complex((2 * b0 / a0 + D) / S))
    growth = np.exp(times * D)
    inner = 4 * growth * B2 - S**2 * (B2 * (D - a0**2) + b0**2) / (b0**2 - a0**2 * B2 + a0 * b0 * D)
    inner = inner - D * growth * (D * np.cosh(2 * Y) - S * np.sinh(2 * Y))
    return np.real(2 * np.sqrt(growth * B2 * D) * (inner / np.cosh(Y) ** 2) ** -0.5)


def _long_formula(setup: Setup, **options: Any) -> Any:
    """a(t) where the argument of artanh is below 1 in size, and where it exceeds 1."""
    rng, times, pairs = setup.rng, np.linspace(0, 2, 7), []
    for phi, low in ((-0.3, 0.5), (0.97, 3.0)):
        net = _draw(rng, 0.9, phi, low=low, **options)
        pairs.append((net.path(times)[0], _upstream_a(net, times)))
    return _stack(pairs)


@claim(
    "kunin2024",
    "appendix A.2.3",
    "Upstream, a₀ > 0, unit rates: a(t) has a closed form through Y(t) = ½√(δ² + 4‖β*‖²)t + artanh((2b₀/a₀ + δ)/√(δ² + "
    "4‖β*‖²)), b₀ = w₀·β* (in complex arithmetic where the argument of artanh exceeds 1)",
    tolerance=1e-7,
    why="integrated at rtol 1e-12; the formula subtracts nearly equal numbers",
)
def upstream_long_formula(setup: Setup) -> Any:
    return _long_formula(setup)


@upstream_long_formula.breaks("inputs not whitened")
def upstream_long_formula_inputs_not_whitened(setup: Setup) -> Any:
    return _long_formula(setup, stretch=(0.6, 1.4))


@upstream_long_formula.breaks("other rates of product 1")
def other_rates_of_product_1(setup: Setup) -> Any:
    return _long_formula(setup, rates=PRODUCT_ONE)


def _crossings(net: Neuron, states: Any) -> tuple[int, int]:
    """The largest number of zeros of a, and of a·w·Xᵀy, over the flows from many states."""
    path = flows.ode(net.field, states, np.linspace(0, 40, 1601), rtol=1e-9)
    a = np.sum(np.diff(np.sign(path[..., 0]), axis=0) != 0, axis=0)
    along = np.sum(np.diff(np.sign(path[..., 1:] @ (net.X.T @ net.y)), axis=0) != 0, axis=0)
    return int(np.max(a)), int(np.max(a + along))


def _stretched(setup: Setup) -> tuple[Neuron, Any]:
    """A flow on inputs that are not whitened, with w·Xᵀy zero twice; the seed moves it by a percent or so."""
    near = 1 + 0.01 * setup.rng.normal(size=7)
    gram, pull = np.array([1.0, 0.0327]) * near[:2], np.array([-0.851, -0.654]) * near[2:4]
    net = Neuron(-5.576 * near[4], np.array([2.086, -1.379]) * near[5:], np.diag(np.sqrt(gram)), pull / np.sqrt(gram))
    return net, net.theta[None]


@claim(
    "kunin2024",
    "appendix A.2.4, lemma 4",
    "On whitened inputs a(t) w(t)·β* = 0 has at most one solution (24 random starts)",
    tolerance=1e-3,
    why="a count",
)
def lemma_4(setup: Setup) -> Any:
    net = _draw(setup.rng, 0.6)
    _, both = _crossings(net, _many(setup, net))
    return Evidence.together(Evidence.true(both > 0, f"at most {both} zero"), Evidence.most(both, 1.0))


@lemma_4.breaks("inputs not whitened")
def lemma_4_inputs_not_whitened(setup: Setup) -> Any:
    return Evidence.most(_crossings(*_stretched(setup))[1], 1.0)


@claim(
    "kunin2024",
    "appendix A.4.3",
    "A statement like lemma 4 likely holds for inputs that are not whitened",
    tolerance=1e-3,
    why="a count",
    verdict="corrected",
    correction="for a alone: a = 0 means L = ‖y‖²/2, which a falling loss passes once; w·Xᵀy can vanish twice",
)
def lemma_4_in_general(setup: Setup) -> Any:
    net = _draw(setup.rng, 0.6, stretch=(0.3, 2.0))
    found = [_crossings(net, _many(setup, net))[0], _crossings(*_stretched(setup))[0]]
    return Evidence.together(
        Evidence.true(max(found) > 0, f"at most {max(found)} zero of a"), Evidence.most(max(found), 1.0)
    )


@lemma_4_in_general.printed
def lemma_4_in_general_as_printed(setup: Setup) -> Any:
    return Evidence.most(_crossings(*_stretched(setup))[1], 1.0)


def _crossing_neuron(rng: np.random.Generator) -> Neuron:
    """Downstream, and a changes sign."""
    return _draw(rng, -1.2, -0.7, low=0.3)


def _upsilon(net: Neuron, times: Any, sign: float = 1.0) -> Any:
    """The solution of υ' = 1 + δυ − ‖β*‖²υ²."""
    return _riccati(net.a / net.along, 1.0, net.B**2, -sign * net.delta, times)


@claim(
    "kunin2024",
    "appendix A.2.4",
    "Where a crosses zero, υ = a/(w·β*) solves υ' = 1 + δυ − ‖β*‖²υ², in closed form (unit rates)",
    tolerance=1e-8,
    why=INTEGRATED,
)
def upsilon_riccati(setup: Setup) -> Any:
    net, times = _crossing_neuron(setup.rng), np.linspace(0, 3, 9)
    a, w = net.path(times)
    return Evidence.together(
        Evidence.true(a[0] * a[-1] < 0, "a crosses"), Evidence.equal(a / (w @ net.target), _upsilon(net, times))
    )


@upsilon_riccati.breaks("the sign of δ turned round")
def the_sign_of_delta_turned_round(setup: Setup) -> Any:
    net, times = _crossing_neuron(setup.rng), np.linspace(0, 3, 9)
    a, w = net.path(times)
    return a / (w @ net.target), _upsilon(net, times, -1.0)


def _omega(setup: Setup, printed: bool) -> Any:
    net, times = _crossing_neuron(setup.rng), np.linspace(0, 3, 9)
    _, w = net.path(times)

    def field(state: Any) -> Any:
        time, omega = state
        upsilon = _upsilon(net, time)
        # ‖β‖² = a²‖w‖² = a²(a² − δ) with a = υω
        square = (upsilon * omega) ** 2 * ((upsilon * omega) ** 2 - net.delta) if printed else net.B**2
        return np.array([1.0, omega * (upsilon * square - (upsilon * omega) ** 2)])

    return w @ net.target, flows.ode(field, [0.0, net.along], times)[:, 1]


@claim(
    "kunin2024",
    "appendix A.2.4",
    "ω = w·β* solves the Bernoulli equation ω' = ω(υ‖β‖² − υ²ω²) (unit rates)",
    tolerance=1e-8,
    why="both flows are integrated at rtol 1e-12",
    verdict="corrected",
    correction="‖β‖ should be ‖β*‖",
)
def omega_bernoulli(setup: Setup) -> Any:
    return _omega(setup, False)


@omega_bernoulli.printed
def omega_bernoulli_as_printed(setup: Setup) -> Any:
    return _omega(setup, True)


def _omega_closed(setup: Setup, mixed: float) -> Any:
    rng, times, pairs = setup.rng, np.linspace(0, 3, 9), []
    for net in (_crossing_neuron(rng), _draw(rng, 0.8, 0.6), replace(_draw(rng, -0.8, 0.6), a=0.0)):
        D, start, R = net.delta, net.a / net.along, np.sqrt(net.delta**2 / 4 + net.B**2)
        x, y, up, down = start, (1 + D * start / 2) / R, D / 2 + R, D / 2 - R
        integral = (x + y) ** 2 * np.expm1(2 * up * times) / (4 * up) + (x - y) ** 2 * np.expm1(2 * down * times) / (
            4 * down
        )
        integral += mixed * (x**2 - y**2) * np.expm1(D * times) / D
        growth = np.exp(D * times / 2) * (np.cosh(R * times) + (net.B**2 * start - D / 2) / R * np.sinh(R * times))
        pairs.append((net.path(times)[1] @ net.target, net.along * growth / np.sqrt(1 + net.along**2 * integral)))
    return _stack(pairs)


@claim(
    "kunin2024",
    "appendix A.2.4 (left to the reader)",
    "ω has a closed form: ω₀e^{δt/2}[cosh Rt + (‖β*‖²υ₀ − δ/2)sinh(Rt)/R]/√(1 + 2∫p²), p the linear flow of a",
    tolerance=1e-8,
    why=INTEGRATED,
)
def omega_closed_form(setup: Setup) -> Any:
    return _omega_closed(setup, 1.0)


@omega_closed_form.breaks("the mixed term of the integral left out")
def the_mixed_term_of_the_integral_left_out(setup: Setup) -> Any:
    return _omega_closed(setup, 0.0)


def _one_formula(net: Neuron, times: Any) -> tuple[Any, Any]:
    """(a, w) = (p, q)/s: a linear flow, divided by one length."""
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


ONE_FORMULA = (
    (0.9, -0.4, 1.0, RATES),
    (0.9, 0.5, -1.0, PRODUCT_ONE),
    (0.0, -0.4, 1.0, (1.0, 1.0)),
    (0.0, 0.3, -1.0, (1.0, 1.0)),
    (-0.9, 0.4, 1.0, RATES),
    (-0.9, -0.8, 1.0, RATES),  # crosses
)


def _in_one(setup: Setup, stretch: tuple[float, float] = (1.0, 1.0)) -> Any:
    rng, times, pairs = setup.rng, np.linspace(0, 3, 7), []
    for delta, phi, sign, rates in ONE_FORMULA:
        net = _draw(rng, delta, phi, sign=sign, rates=rates, stretch=stretch)
        pairs += list(zip(net.path(times), _one_formula(net, times), strict=True))
    return _stack(pairs)


@claim(
    "kunin2024",
    "appendix A.2.2 to A.2.4",
    "The flow is exactly solvable for every δ; the three cases are one: (a, w) = (p, q)/s with p, q exponentials of "
    "l± = δ/2 ± √(δ²/4 + η_aη_w‖β*‖²) and (s²)' = 2η_w p², for any rates, signs and crossings",
    tolerance=1e-8,
    why=INTEGRATED,
)
def one_formula(setup: Setup) -> Any:
    return _in_one(setup)


@one_formula.breaks("inputs not whitened")
def one_formula_inputs_not_whitened(setup: Setup) -> Any:
    return _in_one(setup, (0.6, 1.4))


def _basin_start(rng: np.random.Generator, rates: tuple[float, float], delta: float, share: float, a: float) -> Neuron:
    """η_a w₀·β* is `share` times −a₀l₊: below 1 the neuron ends with the sign of a₀, above 1 with the other one."""
    B, delta, a = (1.6, delta, a) * rng.uniform(0.9, 1.1, size=3)
    up = (delta + np.sqrt(delta**2 + 4 * rates[0] * rates[1] * B**2)) / 2
    length = np.sqrt((rates[0] * a**2 - delta) / rates[1])
    phi = -share * abs(a) * up / (rates[1] * B * length)
    return _draw(rng, delta, phi, abs(a), np.sign(a), rates, B=B, jitter=0.0)


def _fall(net: Neuron) -> float:
    return float(np.sign(net.path([0.0, 12.0])[0][-1]))


SHARES = (-1.5, 0.6, 0.85, 1.15, 1.5, 2.0)


def _side(net: Neuron, rates: tuple[float, float]) -> float:
    """The side of the separating hyperplane, with the rates that one believes in."""
    root = np.sqrt(net.delta**2 + 4 * rates[0] * rates[1] * net.B**2)
    return float(np.sign(rates[1] * net.along * np.sign(net.a) + abs(net.a) * (net.delta + root) / 2) * np.sign(net.a))


def _sides(net: Neuron) -> float:
    """The condition as printed; 0 if for δ ≥ 0 the hyperplane and the sign of a₀ disagree."""
    side = _side(net, (1.0, 1.0))
    return side if net.delta < -1e-9 or side == np.sign(net.a) else 0.0


def _basins(setup: Setup, rates: tuple[float, float], side: Callable[[Neuron], float]) -> Any:
    rng = setup.rng
    nets = [_basin_start(rng, rates, -1.0, share, sign * 0.5) for share in SHARES for sign in (1, -1)]
    for delta, phi in ((0.0, -0.9), (0.0, 0.5), (0.7, -0.9), (0.7, 0.5)):
        nets += [_draw(rng, delta, phi, rates=rates, sign=sign) for sign in (1, -1)]
    return [_fall(net) for net in nets], [side(net) for net in nets]


@claim(
    "kunin2024",
    "appendix A.2.5",
    "At unit rates a ends positive iff a₀ > 0 (δ ≥ 0), or w₀·β* > −½a₀(δ + √(δ² + 4‖β*‖²)) (δ < 0); for δ > 0 the "
    "second condition is the first, as the separating surface is empty (at δ = 0, φ₀ = −1 it is a saddle: A.2.2)",
    tolerance=1e-3,
    why="signs",
)
def basins(setup: Setup) -> Any:
    return _basins(setup, (1.0, 1.0), _sides)


@basins.breaks("the sign of a₀ for every δ")
def the_sign_of_a0_for_every_delta(setup: Setup) -> Any:
    return _basins(setup, (1.0, 1.0), lambda net: float(np.sign(net.a)))


@claim(
    "kunin2024",
    "section 3, footnote 4",
    "With layer-wise rates the basin is sgn(w₀·β* + ½a₀(δ + √(δ² + 4‖β*‖²))) for δ < 0",
    tolerance=1e-3,
    why="signs",
    verdict="corrected",
    correction="with rates it is sgn(η_a w₀·β* + ½a₀(δ + √(δ² + 4η_aη_w‖β*‖²))), for every δ",
)
def basins_with_rates(setup: Setup) -> Any:
    return _basins(setup, RATES, lambda net: _side(net, RATES))


@basins_with_rates.printed
def basins_with_rates_as_printed(setup: Setup) -> Any:
    return _basins(setup, RATES, lambda net: _side(net, (1.0, 1.0)))


def _separatrix(setup: Setup, share: float) -> Any:
    net, times = _basin_start(setup.rng, RATES, -1.0, share, 0.5), np.linspace(0, 4, 9)
    a, w = net.path(times)
    down = net.delta / 2 - np.sqrt(net.delta**2 / 4 + RATES[0] * RATES[1] * net.B**2)
    s = np.sqrt(1 + RATES[0] * net.a**2 * np.expm1(2 * down * times) / down)
    decay = np.exp(down * times) / s
    return _stack([(a, net.a * decay), (w @ net.target, net.along * decay)])


@claim(
    "kunin2024",
    "appendix A.2.5, with its figure of the two basins",
    "From the separating hyperplane the flow stays on it and ends in a saddle, a = w·β* = 0: both decay as "
    "exp(l₋t), l₋ = δ/2 − √(δ²/4 + η_aη_w‖β*‖²)",
    tolerance=1e-6,
    why="integrated at rtol 1e-12, and the separatrix repels by e^10 in this time",
)
def separatrix(setup: Setup) -> Any:
    return _separatrix(setup, 1.0)


@separatrix.breaks("5 percent off the hyperplane")
def with_5_percent_off_the_hyperplane(setup: Setup) -> Any:
    return _separatrix(setup, 1.05)


def _recover(setup: Setup, rates: tuple[float, float], believed: tuple[float, float]) -> Any:
    rng, times, pairs = setup.rng, np.linspace(0, 3, 7), []
    for delta, phi, sign in ((0.9, -0.5, -1.0), (0.0, 0.3, 1.0), (-0.9, -0.7, 1.0)):
        net = _draw(rng, delta, phi, sign=sign, rates=rates)
        u = net.target / net.B
        v = net.w - (net.w @ u) * u
        a, w = net.path(times)
        mu, cosine = _polar(a, w, net.target)
        kappa = _kappa(mu**2, net.delta, believed[0] * believed[1])
        length = np.sqrt((kappa - net.delta) / (2 * believed[1]))
        c1 = length * cosine
        back = c1[:, None] * u + np.sqrt(np.maximum(length**2 - c1**2, 0))[:, None] * v / np.linalg.norm(v)
        pairs += [(a, np.sign(mu) * np.sqrt((kappa + net.delta) / (2 * believed[0]))), (w, back)]
    return _stack(pairs)


@claim(
    "kunin2024",
    "appendix A.2.6",
    "a = sgn(μ)√((κ + δ)/2), ‖w‖ = √((κ − δ)/2), and w = ‖w‖φu + c₂v with c₂ ≥ 0, v along the part of w₀ "
    "orthogonal to u = β*/‖β*‖",
    tolerance=1e-7,
    why="integrated at rtol 1e-12; c₂² = ‖w‖² − c₁² loses half of the digits as w aligns",
    verdict="corrected",
    correction="at unit rates; with others, also of product 1, a² = (κ + δ)/2η_w and ‖w‖² = (κ − δ)/2η_a. c₂ ≥ 0 holds",
)
def recovery(setup: Setup) -> Any:
    return _stack([_recover(setup, (1.0, 1.0), (1.0, 1.0)), _recover(setup, RATES, RATES)])


@recovery.printed
def recovery_as_printed(setup: Setup) -> Any:
    return _recover(setup, PRODUCT_ONE, (1.0, 1.0))


@recovery.breaks("the rates of the two layers exchanged")
def recovery_the_rates_of_the_two_layers_exchanged(setup: Setup) -> Any:
    return _recover(setup, RATES, RATES[::-1])


# Function space


def _preconditioner(setup: Setup, sign: float) -> Any:
    rng, pairs = setup.rng, []
    for delta in (1.1, 0.0, -1.1):
        net = _draw(rng, delta, rates=RATES, low=0.7)
        beta, D, product = net.a * net.w, sign * net.delta, RATES[0] * RATES[1]
        kappa, outer = _kappa(beta @ beta, D, product), np.outer(net.w, net.w)
        pairs += [
            (net.a**2, (kappa + D) / (2 * RATES[0])),
            (outer, (kappa - D) / (2 * RATES[1]) * np.outer(beta, beta) / (beta @ beta)),
            (RATES[0] * net.a**2 * np.eye(len(beta)) + RATES[1] * outer, _M(beta, D, product)),
        ]
    return _stack(pairs)


@claim(
    "kunin2024",
    "section 3, equation (4); appendix A.3",
    "a² = (κ + δ)/2η_w and wwᵀ = (κ − δ)/2η_a · ββᵀ/‖β‖², so that M = ½(κ + δ)I + ½(κ − δ)ββᵀ/‖β‖², "
    "κ² = δ² + 4η_aη_w‖β‖²",
    tolerance=1e-12,
    why=ALGEBRA,
)
def preconditioner(setup: Setup) -> Any:
    return _preconditioner(setup, 1.0)


@preconditioner.breaks("the sign of δ turned round")
def preconditioner_the_sign_of_delta_turned_round(setup: Setup) -> Any:
    return _preconditioner(setup, -1.0)


def _self_consistent(setup: Setup, phi: float, scale: float, product: float) -> Any:
    """β of the raw flow, and of β' = −M(β)Xᵀρ with β and y multiplied by `scale`."""
    rng, times, pairs = setup.rng, np.linspace(0, 3, 7), []
    for delta in (0.9, -0.9):
        net = _draw(rng, delta, phi, low=0.3, rates=RATES, stretch=(0.6, 1.4))
        a, w = net.path(times)

        def field(beta: Any, net: Neuron = net) -> Any:
            return -_M(beta, net.delta, product) @ net.X.T @ (net.X @ beta - scale * net.y)

        pairs.append((a[:, None] * w, flows.ode(field, scale * net.a * net.w, times) / scale))
    return _stack(pairs)


@claim(
    "kunin2024",
    "section 3, equations (3) and (4); appendix A.3",
    "β = aw obeys β' = −M(β, δ)Xᵀ(Xβ − y), an equation in β alone, for any data and rates, as long as a keeps its sign",
    tolerance=1e-8,
    why="both flows are integrated at rtol 1e-12",
)
def self_consistent(setup: Setup) -> Any:
    return _self_consistent(setup, 0.6, 1.0, RATES[0] * RATES[1])


@self_consistent.breaks("without the rates")
def self_consistent_without_the_rates(setup: Setup) -> Any:
    return _self_consistent(setup, 0.6, 1.0, 1.0)


@claim(
    "kunin2024",
    "appendix A.3",
    "In the equation of β the rates are absorbed by β' = √(η_aη_w)β, y' = √(η_aη_w)y, at the same δ and t",
    tolerance=1e-8,
    why="both flows are integrated at rtol 1e-12",
)
def rates_absorbed_in_beta(setup: Setup) -> Any:
    return _self_consistent(setup, 0.6, np.sqrt(RATES[0] * RATES[1]), 1.0)


@rates_absorbed_in_beta.breaks("β and y multiplied by η_aη_w")
def beta_and_y_multiplied_by_eta_aeta_w(setup: Setup) -> Any:
    return _self_consistent(setup, 0.6, RATES[0] * RATES[1], 1.0)


def _kernel_speed(setup: Setup, product: float) -> Any:
    rng, pairs = setup.rng, []
    for delta in (0.9, 0.0, -0.9):
        net = _draw(rng, delta, 0.6, rates=RATES, stretch=(0.6, 1.4))
        theta, speed, one = net.theta, net.field(net.theta), np.eye(3)
        M = rate(lambda s: RATES[0] * s[0] ** 2 * np.eye(3) + RATES[1] * np.outer(s[1:], s[1:]), theta, speed)
        beta = net.a * net.w
        norm, kappa = np.linalg.norm(beta), _kappa(beta @ beta, net.delta, RATES[0] * RATES[1])
        lengthens = rate(lambda s: np.sqrt(s[0] ** 2 * (s[1:] @ s[1:])), theta, speed)
        turns = rate(lambda s: np.outer(s[1:], s[1:]) / (s[1:] @ s[1:]), theta, speed)
        radial = 2 * product * norm / kappa * lengthens * (one + np.outer(beta, beta) / norm**2)
        pairs.append((M, radial + (kappa - net.delta) / 2 * turns))
    return _stack(pairs)


@claim(
    "kunin2024",
    "appendix A.3.1",
    "M' = (2η_aη_w‖β‖/κ)(I + β̂β̂ᵀ)‖β‖' + ½(κ − δ)(β̂β̂ᵀ)' (the source has η_aη_w = 1)",
    tolerance=1e-10,
    why="derivatives by complex step",
)
def kernel_speed(setup: Setup) -> Any:
    return _kernel_speed(setup, RATES[0] * RATES[1])


@kernel_speed.breaks("η_aη_w left out of the first coefficient")
def eta_aeta_w_left_out_of_the_first_coefficient(setup: Setup) -> Any:
    return _kernel_speed(setup, 1.0)


DELTAS = np.array([20.0, 40.0, 80.0, 160.0])


def _swept(beta: Any, sign: float, net: Neuron) -> list[Neuron]:
    """Neurons with a given β and δ of about ±20 to ±160: a is chosen, w = β/a, and δ is what comes out."""
    eta_w, eta_a = net.rates
    size = np.linalg.norm(beta)
    outer = np.sqrt(DELTAS / eta_w) if sign > 0 else size * np.sqrt(eta_a / DELTAS)
    return [replace(net, a=a, w=beta / a) for a in outer]


def _raw_M(theta: Any, rates: tuple[float, float]) -> Any:
    """η_w a²I + η_a wwᵀ, also at complex states."""
    a, w = theta[0], theta[1:]
    return rates[0] * a**2 * np.eye(len(w)) + rates[1] * np.outer(w, w)


def _regime_of_M(setup: Setup, sign: float) -> Any:
    net = _draw(setup.rng, 0.0, 0.4, low=1.1, rates=RATES)
    beta, one = net.a * net.w, np.eye(3)
    size = np.linalg.norm(beta)
    ray = np.outer(beta, beta) / size**2
    found = []
    for side, shape in ((sign, one), (-sign, ray)):
        nets = _swept(beta, side, net)
        deltas = np.array([abs(n.delta) for n in nets])
        off = [np.linalg.norm(_raw_M(n.theta, RATES) - abs(n.delta) * shape) for n in nets]
        found.append(Evidence.slope(deltas, off, -1.0))
    balanced = Evidence.equal(_raw_M(net.theta, RATES), np.sqrt(RATES[0] * RATES[1]) * size * (one + ray))
    return Evidence.together(*found, balanced)


@claim(
    "kunin2024",
    "section 3",
    "M ≈ δI for δ ≫ 0 and M ≈ |δ|ββᵀ/‖β‖² for δ ≪ 0, both to O(1/|δ|); M = √(η_aη_w)‖β‖(I + ββᵀ/‖β‖²) at δ = 0",
    tolerance=0.02,
    why="an exponent over 20 ≤ |δ| ≤ 160, with corrections of relative size (‖β‖/δ)²",
)
def regimes_of_M(setup: Setup) -> Any:
    return _regime_of_M(setup, 1.0)


@regimes_of_M.breaks("upstream and downstream exchanged")
def upstream_and_downstream_exchanged(setup: Setup) -> Any:
    return _regime_of_M(setup, -1.0)


def _coefficients(setup: Setup, downstream: float) -> Any:
    """The two coefficients of M', taken from M' of the raw flow along directions that single them out."""
    net, found = _draw(setup.rng, 0.0, 0.4, low=1.1, stretch=(0.6, 1.4)), []
    for sign, exponents in ((1.0, (-1.0, -1.0)), (downstream, (-1.0, 1.0))):
        nets, sizes = _swept(net.a * net.w, sign, net), []
        for each in nets:
            theta, speed = each.theta, each.field(each.theta)
            M = rate(lambda s: _raw_M(s, (1.0, 1.0)), theta, speed)
            lengthens = rate(lambda s: np.sqrt(s[0] ** 2 * (s[1:] @ s[1:])), theta, speed)
            turns = rate(lambda s: s[1:] / np.sqrt(s[1:] @ s[1:]), theta, speed)
            ray, across = each.w / np.linalg.norm(each.w), turns / np.linalg.norm(turns)
            sizes.append(np.abs([across @ M @ across / lengthens, ray @ M @ across / np.linalg.norm(turns)]))
        deltas = [abs(n.delta) for n in nets]
        found += [Evidence.slope(deltas, np.array(sizes)[:, i], exponents[i]) for i in (0, 1)]
    return Evidence.together(*found)


@claim(
    "kunin2024",
    "appendix A.3.1",
    "The coefficients of M', 2‖β‖/κ and ½(κ − δ), both vanish as 1/δ for δ → ∞; for δ → −∞ the first vanishes and the "
    "second diverges as |δ|",
    tolerance=0.02,
    why="an exponent over 20 ≤ |δ| ≤ 160, with corrections of relative size (‖β‖/δ)²",
)
def kernel_coefficients(setup: Setup) -> Any:
    return _coefficients(setup, -1.0)


@kernel_coefficients.breaks("δ → ∞ in place of −∞")
def delta_to_infinity_in_place_of_infinity(setup: Setup) -> Any:
    return _coefficients(setup, 1.0)


# Regimes


def _at(deltas: Any, beta: Any, net: Neuron) -> list[Neuron]:
    """The neurons with a given β₀ and several δ, a₀ > 0."""
    found, size, (eta_w, eta_a) = [], np.linalg.norm(beta), net.rates
    for delta in deltas:
        big = np.sqrt((_kappa(size**2, delta, eta_a * eta_w) + abs(delta)) / 2)
        a = big / np.sqrt(eta_w) if delta >= 0 else size * np.sqrt(eta_a) / big
        found.append(replace(net, a=a, w=beta / a))
    return found


def _speeds(setup: Setup, phi_downstream: float) -> Any:
    net = _draw(setup.rng, 0.0, 0.4, low=0.9)
    found = []
    for sign, exponents in ((1.0, (1.0, 1.0)), (-1.0, (1.0, phi_downstream))):
        rates = np.array(
            [
                rate(lambda s: np.stack(_polar(s[0], s[1:], net.target)), each.theta, each.field(each.theta))
                for each in _at(sign * DELTAS, net.a * net.w, net)
            ]
        )
        found += [Evidence.slope(DELTAS, np.abs(rates[:, i]), exponents[i]) for i in (0, 1)]
    return Evidence.together(*found)


@claim(
    "kunin2024",
    "section 3",
    "At a given β₀ the velocities of μ and φ both grow as δ for δ → ∞; for δ → −∞ that of μ grows as |δ| and that of φ "
    "falls as 1/|δ|",
    tolerance=0.02,
    why="an exponent over 20 ≤ |δ| ≤ 160, with corrections of relative size (‖β‖/δ)²",
)
def speeds_of_mu_and_phi(setup: Setup) -> Any:
    return _speeds(setup, -1.0)


@speeds_of_mu_and_phi.breaks("as if φ did not slow down downstream")
def as_if_phi_did_not_slow_down_downstream(setup: Setup) -> Any:
    return _speeds(setup, 0.0)


def _lazy_line(net: Neuron, s: Any) -> Any:
    """The flow of linear regression from β₀, at time s."""
    gram = net.X.T @ net.X
    lam, Q = np.linalg.eigh(gram)
    off = Q.T @ (net.a * net.w - net.target)
    return net.target + (np.exp(-np.outer(s, lam)) * off) @ Q.T


def _lazy(setup: Setup, sign: float) -> Any:
    net = _draw(setup.rng, 0.0, 0.3, low=0.9, stretch=(0.6, 1.4))
    s, errors = np.array([0.3, 1.0, 3.0]), []
    for each in _at(sign * DELTAS[:3], net.a * net.w, net):
        a, w = each.path(np.concatenate([[0.0], s / abs(each.delta)]))
        errors.append(np.max(np.abs((a[:, None] * w)[1:] - _lazy_line(each, s))))
    return Evidence.slope(DELTAS[:3], errors, -2.0)


@claim(
    "kunin2024",
    "section 3",
    "For δ → ∞ the trajectory of β, in the time δt, becomes that of linear regression from β₀; the error falls as δ⁻²",
    tolerance=0.1,
    why="an exponent over 20 ≤ δ ≤ 80",
)
def lazy_upstream(setup: Setup) -> Any:
    return _lazy(setup, 1.0)


@lazy_upstream.breaks("δ → −∞")
def delta_to_infinity(setup: Setup) -> Any:
    return _lazy(setup, -1.0)


def _moved(setup: Setup, sign: float) -> Any:
    net = _draw(setup.rng, 0.0, 0.3, low=0.9, stretch=(0.6, 1.4))
    nets = _at(sign * DELTAS, net.a * net.w, net)
    times = 80 / DELTAS if sign > 0 else 40 * DELTAS  # the rates are at least 0.3 δ, or 0.6 ‖β*‖²/|δ| or so
    ends = [each.settled(time) for each, time in zip(nets, times, strict=True)]
    return Evidence.slope(DELTAS, [_kernel_distance(n.kernel, e.kernel) for n, e in zip(nets, ends, strict=True)], -4.0)


@claim(
    "kunin2024",
    "section 3",
    "Upstream the kernel hardly moves while the task is learned: the kernel distance S(0, ∞) falls as δ⁻⁴",
    tolerance=0.1,
    why="an exponent over 20 ≤ δ ≤ 160",
)
def lazy_kernel_upstream(setup: Setup) -> Any:
    return _moved(setup, 1.0)


@lazy_kernel_upstream.breaks("downstream")
def lazy_kernel_upstream_downstream(setup: Setup) -> Any:
    return _moved(setup, -1.0)


def _delayed(setup: Setup, sign: float) -> Any:
    net = _draw(setup.rng, 0.0, 0.6, low=0.9)
    cosine = _polar(net.a, net.w, net.target)[1]
    fast, whole = [], []
    for delta, each in zip(DELTAS, _at(sign * DELTAS, net.a * net.w, net), strict=True):
        early, end = each.settled(3 / delta), each.settled(12 * delta)  # the slow rate is ‖β*‖²/|δ| > 2/|δ|
        fast.append(_kernel_distance(each.kernel, early.kernel))
        whole.append(abs(_kernel_distance(each.kernel, end.kernel) - 1 + cosine**2))
    return Evidence.together(Evidence.slope(DELTAS, fast, -4.0), Evidence.slope(DELTAS, whole, -2.0))


@claim(
    "kunin2024",
    "section 3; appendix A.3.1",
    "Downstream the regime is lazy, then rich: the kernel distance of the first phase, S(0, 3/|δ|), falls as δ⁻⁴, that "
    "of the whole flow, S(0, ∞), tends to 1 − φ₀² as δ⁻² (whitened inputs)",
    tolerance=0.1,
    why="exponents over 20 ≤ |δ| ≤ 160",
)
def neuron_delayed_rich(setup: Setup) -> Any:
    return _delayed(setup, -1.0)


@neuron_delayed_rich.breaks("upstream")
def neuron_delayed_rich_upstream(setup: Setup) -> Any:
    return _delayed(setup, 1.0)


def _slow_phi(setup: Setup, factor: float) -> Any:
    rng, deltas, errors = setup.rng, np.array([8.0, 16.0, 32.0]), []
    net = _draw(rng, 0.0, 0.4, low=1.0, rates=RATES)
    slow = np.array([0.2, 0.4, 0.7])
    for each in _at(-deltas, net.a * net.w, net):
        a, w = each.path(np.concatenate([[0.0], slow * -each.delta]))
        _, phi = _polar(a, w, each.target)
        odds = phi[0] ** 2 / (1 - phi[0] ** 2) * np.exp(2 * factor * each.B**2 * slow)
        errors.append(np.max(np.abs(phi[1:] - np.sqrt(odds / (1 + odds)))))
    return Evidence.slope(deltas, errors, -2.0)


@claim(
    "kunin2024",
    "section 3",
    "Downstream, after the fast phase, φ follows φ' = η_aη_w‖β*‖²|δ|⁻¹φ(1 − φ²) from φ₀; at times "
    "∝ |δ| the error falls as δ⁻²",
    tolerance=0.15,
    why="an exponent over 8 ≤ |δ| ≤ 32",
)
def delayed_alignment(setup: Setup) -> Any:
    return _slow_phi(setup, RATES[0] * RATES[1])


@delayed_alignment.breaks("without the rates")
def delayed_alignment_without_the_rates(setup: Setup) -> Any:
    return _slow_phi(setup, 1.0)


def _same_scale(setup: Setup) -> tuple[Neuron, Any, Any]:
    """A strongly upstream neuron with ‖β₀‖ = ‖β*‖: (μ/‖β*‖, φ) at δt = 0 and 1."""
    rng = setup.rng
    net = _draw(rng, 0.0, rng.uniform(-0.3, 0.3))
    each = _at([1e3], net.B * net.w / np.linalg.norm(net.w), net)[0]
    mu, phi = _polar(*each.path([0.0, 1.0 / each.delta]), each.target)
    return each, mu / each.B, phi


@claim(
    "kunin2024",
    "section 3",
    "For δ ≫ 0, φ is much faster than μ, and has reached ±1 before μ has changed",
    tolerance=1e-4,
    why="corrections of relative size (‖β‖/δ)²",
    verdict="fails",
    correction="δ does not separate them, ‖β*‖/‖β₀‖ does: for large δ both follow β = β* + (β₀ − β*)e^{−δt}, so from "
    "‖β₀‖ = ‖β*‖ they move together, whatever δ",
)
def upstream_separation(setup: Setup) -> Any:
    each, mu, phi = _same_scale(setup)
    lazy = each.target + (each.a * each.w - each.target) * np.exp(-1.0)
    length = np.linalg.norm(lazy)
    return [mu[1], phi[1]], [length / each.B, lazy @ each.target / (length * each.B)]


@upstream_separation.printed
def upstream_separation_as_printed(setup: Setup) -> Any:
    _, mu, phi = _same_scale(setup)
    return [mu[1], phi[1]], [mu[0], 1.0]


def _half_way(setup: Setup, delta: float, sizes: Any) -> tuple[Any, Any]:
    """1 − φ when μ = ‖β*‖/2, and the kernel distance from there to the end, from ‖β₀‖ of several sizes."""
    gaps, distances = [], []
    net = _draw(setup.rng, 0.0, 0.2, low=1.0)
    for size in sizes:
        each = _at([delta], size * net.a * net.w, net)[0]
        late = 5 / delta if delta > 0 else 20.0
        time = brentq(lambda t, n=each: _polar(*_one_formula(n, np.array([t])), n.target)[0][0] - n.B / 2, 0.0, late)
        a, w = each.path([0.0, time])
        gaps.append(1 - _polar(a, w, each.target)[1][-1])
        half = replace(each, a=a[-1], w=w[-1])
        distances.append(_kernel_distance(half.kernel, half.settled(40.0).kernel))
    return gaps, distances


SMALL = np.array([1e-1, 1e-2, 1e-3, 1e-4])


@claim(
    "kunin2024",
    "section 3 (what does separate φ from μ)",
    "Upstream, at any large δ: when μ has reached ‖β*‖/2, 1 − φ is of order (‖β₀‖/‖β*‖)²",
    tolerance=0.1,
    why="an exponent over two decades of ‖β₀‖",
)
def upstream_alignment(setup: Setup) -> Any:
    return Evidence.slope(SMALL[:3], _half_way(setup, 10.0, SMALL[:3])[0], 2.0)


@upstream_alignment.breaks("δ grows instead, at a given ‖β₀‖")
def delta_grows_instead(setup: Setup) -> Any:
    return Evidence.slope(1 / DELTAS, [_half_way(setup, delta, [0.3])[0][0] for delta in DELTAS], 2.0)


@claim(
    "kunin2024",
    "section 3",
    "Balanced, for ‖β₀‖ → 0: first w aligns, then μ grows; when μ has reached ‖β*‖/2, 1 − φ is of order ‖β₀‖",
    tolerance=0.05,
    why="an exponent over two decades of ‖β₀‖",
)
def silent_alignment(setup: Setup) -> Any:
    return Evidence.slope(SMALL[1:], _half_way(setup, 0.0, SMALL[1:])[0], 1.0)


@silent_alignment.breaks("downstream")
def silent_alignment_downstream(setup: Setup) -> Any:
    return Evidence.slope(SMALL[1:], _half_way(setup, -3.0, SMALL[1:])[0], 1.0)


@claim(
    "kunin2024",
    "section 3",
    "Balanced, for ‖β₀‖ → 0: in the second phase the kernel only grows; from μ = ‖β*‖/2 on, its distance to the last "
    "one is of order ‖β₀‖ (whitened inputs)",
    tolerance=0.05,
    why="an exponent over two decades of ‖β₀‖",
)
def fitting_phase(setup: Setup) -> Any:
    return Evidence.slope(SMALL[1:], _half_way(setup, 0.0, SMALL[1:])[1], 1.0)


@fitting_phase.breaks("downstream")
def fitting_phase_downstream(setup: Setup) -> Any:
    return Evidence.slope(SMALL[1:], _half_way(setup, -3.0, SMALL[1:])[1], 1.0)


# Mirror flow and implicit bias


def _f(x: Any, delta: float) -> Any:
    return 2 / (_kappa(x, delta) + delta)


def _h(x: Any, delta: float) -> Any:
    kappa = _kappa(x, delta)
    return (kappa - delta) / (x * kappa * (kappa + delta))


def _g(x: Any, delta: float) -> Any:
    return np.sqrt(_kappa(x, delta) + delta)


def _inverse(beta: Any, delta: float, h: float = 1.0) -> Any:
    """M⁻¹ as the source has it, also at complex β."""
    x = beta @ beta
    return _f(x, delta) * np.eye(len(beta)) - h * _h(x, delta) * np.outer(beta, beta)


def _psi(beta: Any, delta: float) -> Any:
    """Ψ_δ of theorem 1; q(‖β‖) of A.4.2."""
    kappa = _kappa(beta @ beta, delta)
    return (kappa - 2 * delta) * np.sqrt(kappa + delta) / 3


def _azulay(x: Any, delta: float) -> Any:
    """q_δ of theorem 5."""
    root = np.sqrt(x**2 + delta**2 / 4)
    return (x**2 - delta / 2 * (delta / 2 + root)) * np.sqrt(root - delta / 2) / x


SIGNS = (1.2, 0.0, -1.2)


def _point(rng: np.random.Generator, d: int = 3) -> Any:
    """A generic β, no coordinate of it small."""
    return rng.uniform(0.4, 1.2, size=d) * rng.choice([-1.0, 1.0], size=d)


def _inverses(setup: Setup, h: float) -> Any:
    beta = _point(setup.rng)
    return _stack((np.linalg.inv(_M(beta, delta)), _inverse(beta, delta, h)) for delta in SIGNS)


@claim(
    "kunin2024",
    "appendix A.4.2",
    "M⁻¹ = f(‖β‖²)I − h(‖β‖²)ββᵀ with f(x) = 2/(κ + δ), h(x) = (κ − δ)/(xκ(κ + δ)), κ² = δ² + 4x, for both signs of δ",
    tolerance=1e-10,
    why=ALGEBRA,
)
def inverse_of_M(setup: Setup) -> Any:
    return _inverses(setup, 1.0)


@inverse_of_M.breaks("without h")
def without_h(setup: Setup) -> Any:
    return _inverses(setup, 0.0)


def _curl(H: Callable[[Any], Any], beta: Any) -> Any:
    """∂H_ij/∂β_k − ∂H_ik/∂β_j: zero iff H is a Hessian."""
    slope = gradient(H, beta)
    return slope - slope.transpose(0, 2, 1)


def _not_hessian(setup: Setup, constant: float) -> Any:
    beta, pairs = _point(setup.rng), []
    for delta in SIGNS:
        x = beta @ beta
        kappa = _kappa(x, delta)
        lack = constant / (kappa * (kappa + delta) ** 2)
        ramp = np.einsum("ij,k->ijk", np.eye(3), beta)
        pairs.append((_curl(partial(_inverse, delta=delta), beta), lack * (ramp - ramp.transpose(0, 2, 1))))
    return _stack(pairs)


@claim(
    "kunin2024",
    "appendix A.4.2",
    "M⁻¹ is not a Hessian map: ∂_k M⁻¹_ij − ∂_j M⁻¹_ik = (2f' + h)(δ_ijβ_k − δ_ikβ_j), and "
    "2f' + h = −4/(κ(κ + δ)²) ≠ 0",
    tolerance=1e-10,
    why="derivatives by complex step",
)
def not_a_hessian(setup: Setup) -> Any:
    return _not_hessian(setup, -4.0)


@not_a_hessian.breaks("half of 2f' + h")
def half_of_2f_h(setup: Setup) -> Any:
    return _not_hessian(setup, -2.0)


def _warped(setup: Setup, power: float) -> Any:
    beta, found = _point(setup.rng), []
    x = np.array([beta @ beta])

    def warp(x: Any, delta: float) -> Any:
        return _g(x, delta) ** power

    def warped(beta: Any, delta: float) -> Any:
        return warp(beta @ beta, delta) * _inverse(beta, delta)

    for delta in SIGNS:
        kappa = _kappa(x, delta)
        found.append(_curl(partial(warped, delta=delta), beta))
        found.append(rate(partial(warp, delta=delta), x, 1.0) - warp(x, delta) / (kappa * (kappa + delta)))
    return Evidence(max(float(np.max(np.abs(each))) for each in found))


@claim(
    "kunin2024",
    "appendix A.4.2",
    "g(‖β‖²)M⁻¹ is a Hessian map for g(x) = √(κ + δ), the solution of g' = g/(κ(κ + δ)), for both signs of δ",
    tolerance=1e-10,
    why="derivatives by complex step",
)
def time_warp(setup: Setup) -> Any:
    return _warped(setup, 1.0)


@time_warp.breaks("g² instead of g")
def g2_instead_of_g(setup: Setup) -> Any:
    return _warped(setup, 2.0)


def _slope(x: Any, delta: float) -> Any:
    """q' as the source has it."""
    return 2 * x / _g(x**2, delta)


def _profile(setup: Setup, factor: float) -> Any:
    x, pairs = np.array([setup.rng.uniform(0.3, 2.0)]), []
    for delta in SIGNS:
        kappa, g = _kappa(x**2, delta), _g(x**2, delta)
        pairs += [
            (rate(partial(_psi, delta=delta), x, 1.0), factor * _slope(x, delta)),
            (rate(partial(_slope, delta=delta), x, 1.0), g / kappa),
            (2 / g - (kappa - delta) / (g * kappa), g / kappa),  # what the second condition asks of q''
        ]
    return _stack(pairs)


@claim(
    "kunin2024",
    "appendix A.4.2",
    "q(x) = ⅓(κ − 2δ)√(κ + δ) has q'(x) = 2x/√(κ + δ) and q''(x) = √(κ + δ)/κ > 0, κ² = δ² + 4x²",
    tolerance=1e-10,
    why="derivatives by complex step",
)
def radial_profile(setup: Setup) -> Any:
    return _profile(setup, 1.0)


@radial_profile.breaks("half of q'")
def half_of_q(setup: Setup) -> Any:
    return _profile(setup, 0.5)


def _hessians(setup: Setup, warp: bool) -> Any:
    beta, pairs, steps = _point(setup.rng), [], 1e-4 * np.eye(3)
    for delta in SIGNS:
        slope = partial(_gradient, partial(_psi, delta=delta))
        measured = np.array([slope(beta + step) - slope(beta - step) for step in steps]) / 2e-4
        g = _g(beta @ beta, delta) if warp else 1.0
        pairs.append((measured, g * np.linalg.inv(_M(beta, delta))))
    return _stack(pairs)


@claim(
    "kunin2024",
    "appendix A.4.2",
    "∇²Φ_δ(β) = g(‖β‖²)M⁻¹ for Φ_δ(β) = ⅓(κ − 2δ)√(κ + δ) + c_δ, for both signs of δ",
    tolerance=1e-5,
    why="second derivatives by differences of 1e-4, with an error of order 1e-8",
)
def potential(setup: Setup) -> Any:
    return _hessians(setup, True)


@potential.breaks("without the warp g")
def without_the_warp_g(setup: Setup) -> Any:
    return _hessians(setup, False)


def _least(setup: Setup, factor: float) -> Any:
    beta = _point(setup.rng)
    beta /= np.linalg.norm(beta)
    constants = [factor * max(0.0, np.sign(delta) * np.sqrt(2) * abs(delta) ** 1.5 / 3) for delta in SIGNS]
    at_zero = [float(_psi(0 * beta, delta)) + c for delta, c in zip(SIGNS, constants, strict=True)]
    around = [float(_psi(r * beta, D)) + c for r in (1e-3, 0.1, 1.0) for D, c in zip(SIGNS, constants, strict=True)]
    return Evidence.together(Evidence(float(np.max(np.abs(at_zero)))), Evidence.true(min(around) > 0))


@claim(
    "kunin2024",
    "appendix A.4.2",
    "With c_δ = max(0, sgn(δ)√2|δ|^{3/2}/3), Φ_δ(0) = 0 and Φ_δ(β) > 0 elsewhere",
    tolerance=1e-12,
    why=ALGEBRA,
)
def potential_constant(setup: Setup) -> Any:
    return _least(setup, 1.0)


@potential_constant.breaks("half of the constant")
def half_of_the_constant(setup: Setup) -> Any:
    return _least(setup, 0.5)


def _multiplier(setup: Setup, sign: float) -> Any:
    rng, pairs = setup.rng, []
    for delta in SIGNS:
        net = _draw(rng, delta, 0.7, low=0.4, d=4, rank=2, stretch=(0.8, 1.2))

        def field(state: Any, net: Neuron = net, delta: float = net.delta) -> Any:
            beta = state[0] * state[1:5]
            return np.concatenate([net.field(state[:5]), _g(beta @ beta, delta) * (net.X @ beta - net.y)])

        end = flows.ode(field, np.concatenate([net.theta, np.zeros(len(net.y))]), [0.0, 60.0])[-1]
        slope = [gradient(partial(_psi, delta=net.delta), b) for b in (net.a * net.w, end[0] * end[1:5])]
        pairs.append((slope[1] - slope[0], sign * net.X.T @ end[5:]))
    return _stack(pairs)


@claim(
    "kunin2024",
    "appendix A.4.1",
    "The multiplier of the KKT condition ∇Φ(β_∞) − ∇Φ(β₀) = Xᵀν is ν = ∫g(β)ρ dt over the flow, ρ = Xβ − y",
    tolerance=1e-7,
    why="integrated at rtol 1e-12 until the residual has decayed by e^-20 or more",
    verdict="corrected",
    correction="ν = −∫gρ dt: the sign, as the source's own line before says",
)
def mirror_multiplier(setup: Setup) -> Any:
    return _multiplier(setup, -1.0)


@mirror_multiplier.printed
def mirror_multiplier_as_printed(setup: Setup) -> Any:
    return _multiplier(setup, 1.0)


@mirror_multiplier.breaks("half of the multiplier")
def half_of_the_multiplier(setup: Setup) -> Any:
    return _multiplier(setup, -0.5)


def _least_of(objective: Callable[[Any], Any], X: Any, y: Any) -> Any:
    """The minimiser over Xβ = y, by quasi-Newton steps in the null space."""
    best = np.linalg.pinv(X) @ y
    free = np.linalg.svd(X)[2][np.linalg.matrix_rank(X) :]
    found = minimize(
        lambda z: objective(best + z @ free),
        np.zeros(len(free)),
        jac=lambda z: free @ gradient(objective, best + z @ free),
        method="BFGS",
        options={"gtol": 1e-11},
    )
    return best + found.x @ free


def _bias(net: Neuron, sign: float = 1.0, product: float = 1.0) -> Any:
    """The minimiser of theorem 1, its second term times `sign`, at √product·β."""
    root, start = np.sqrt(product), net.a * net.w
    psi = np.sqrt(_kappa(product * (start @ start), net.delta) - net.delta)
    pull = sign * psi * start / np.linalg.norm(start)
    return _least_of(lambda b: _psi(root * b, net.delta) - root * (pull @ b), net.X, net.y)


def _kept(rng: np.random.Generator, delta: float, **options: Any) -> Neuron:
    """A neuron on data with two unseen directions, whose a keeps its sign."""
    return _draw(rng, delta, 0.7, low=0.4, **{"d": 4, "rank": 2, "stretch": (0.8, 1.2), **options})


def _turned(rng: np.random.Generator, **options: Any) -> Neuron:
    """The same, and a changes its sign."""
    return _draw(rng, -1.2, -0.8, low=0.2, **{"d": 4, "rank": 2, "stretch": (0.8, 1.2), **options})


LIMIT = "the flow's end at rtol 1e-12 after e^-20 or more; the minimiser's gradient is below 1e-10"


def _theorem_1(setup: Setup, sign: float) -> Any:
    rng, pairs = setup.rng, []
    for delta in SIGNS:
        net = _kept(rng, delta, stretch=(0.7, 1.3), d=setup.pick(4, 8), rank=setup.pick(2, 4))
        pairs.append((net.end()[1], _bias(net, sign)))
    return _stack(pairs)


@claim(
    "kunin2024",
    "section 3, theorem 1",
    "β_∞ minimises Ψ_δ(β) − ψ_δβ̂₀·β over Xβ = y, for δ > 0, = 0 and < 0, if β(t) is never zero",
    tolerance=1e-6,
    why=LIMIT,
)
def theorem_1(setup: Setup) -> Any:
    return _theorem_1(setup, 1.0)


@theorem_1.breaks("without the term of the initialization")
def without_the_term_of_the_initialization(setup: Setup) -> Any:
    return _theorem_1(setup, 0.0)


@theorem_1.breaks("β passes zero: a changes its sign")
def beta_passes_zero(setup: Setup) -> Any:
    net = _turned(setup.rng)
    return net.end()[1], _bias(net)


@claim(
    "kunin2024",
    "appendix A.4.3",
    "Theorem 1 could potentially be extended to all initializations with ‖β₀‖ > 0, across the sign change of a",
    tolerance=1e-6,
    why=LIMIT,
    verdict="corrected",
    correction="it extends if the second term is multiplied by sgn(a₀a_∞)",
)
def theorem_1_across_the_sign_change(setup: Setup) -> Any:
    net = _turned(setup.rng)
    a, beta = net.end()
    return Evidence.together(
        Evidence.true(a * net.a < 0, "a changes sign"), Evidence.equal(beta, _bias(net, np.sign(a * net.a)))
    )


@theorem_1_across_the_sign_change.printed
def theorem_1_across_the_sign_change_as_printed(setup: Setup) -> Any:
    net = _turned(setup.rng)
    return net.end()[1], _bias(net)


def _theorem_1_rates(setup: Setup, product: float) -> Any:
    rng = setup.rng
    nets = [_kept(rng, delta, rates=RATES) for delta in SIGNS]
    return _stack((net.end()[1], _bias(net, 1.0, product)) for net in nets)


@claim(
    "kunin2024",
    "section 3, theorem 1",
    "Theorem 1 for layer-wise rates, as the section has them",
    tolerance=1e-6,
    why=LIMIT,
    verdict="corrected",
    correction="true for η_aη_w = 1; otherwise Ψ_δ and ψ_δ are to be taken at √(η_aη_w)β and √(η_aη_w)β₀",
)
def theorem_1_with_rates(setup: Setup) -> Any:
    one = _kept(setup.rng, -1.2, rates=PRODUCT_ONE)
    return _stack([_theorem_1_rates(setup, RATES[0] * RATES[1]), (one.end()[1], _bias(one))])


@theorem_1_with_rates.printed
def theorem_1_with_rates_as_printed(setup: Setup) -> Any:
    return _theorem_1_rates(setup, 1.0)


def _equivalence(setup: Setup, factor: float) -> Any:
    beta = _point(setup.rng)
    return _stack(
        (_psi(r * beta, D), factor * _azulay(r * np.linalg.norm(beta), D)) for D in SIGNS for r in (0.3, 0.7, 2.0)
    )


@claim(
    "kunin2024",
    "appendix A.4.3",
    "Φ_δ(β) = (2√2/3)q_δ(‖β‖) + c_δ with the q_δ of theorem 5, for both signs of δ",
    tolerance=1e-9,
    why="algebra in double precision; one form cancels where the other does not",
)
def two_potentials(setup: Setup) -> Any:
    return _equivalence(setup, 2 * np.sqrt(2) / 3)


@two_potentials.breaks("with 2/3 for 2√2/3")
def with_2_3_for_2root2_3(setup: Setup) -> Any:
    return _equivalence(setup, 2 / 3)


def _z(net: Neuron, delta: float) -> Any:
    start = net.a * net.w
    size = np.linalg.norm(start)
    return -1.5 * np.sqrt(np.sqrt(size**2 + delta**2 / 4) - delta / 2) * start / size


def _theorem_5(setup: Setup, scale: float) -> Any:
    rng, pairs = setup.rng, []

    def objective(beta: Any, delta: float, z: Any) -> Any:
        return _azulay(np.sqrt(beta @ beta), delta) + scale * (z @ beta)

    for delta in SIGNS:
        net = _kept(rng, delta)
        least = _least_of(partial(objective, delta=net.delta, z=_z(net, net.delta)), net.X, net.y)
        pairs.append((net.end()[1], least))
    return _stack(pairs)


@claim(
    "kunin2024",
    "appendix A.4.3, theorem 5",
    "β_∞ minimises q_δ(‖β‖) + z·β over Xβ = y, z = −(3/2)√(√(‖β₀‖² + δ²/4) − δ/2) β̂₀; also for δ < 0, "
    "where a keeps its sign",
    tolerance=1e-6,
    why=LIMIT,
)
def theorem_5(setup: Setup) -> Any:
    return _theorem_5(setup, 1.0)


@theorem_5.breaks("z without its factor 3/2")
def z_without_its_factor_3_2(setup: Setup) -> Any:
    return _theorem_5(setup, 2 / 3)


def _slope_of_q(setup: Setup, factor: float) -> Any:
    x, pairs = setup.rng.uniform(0.3, 2.0), []
    for delta in SIGNS:
        root = np.sqrt(np.sqrt(x**2 + delta**2 / 4) - delta / 2)
        pairs.append((rate(partial(_azulay, delta=delta), np.array([x]), 1.0), [factor * root]))
    return _stack(pairs)


@claim(
    "kunin2024",
    "appendix A.4.4",
    "∇q_δ(x) = (3/2)sgn(x)√(√(x² + δ²/4) − δ/2)",
    tolerance=1e-9,
    why="derivatives by complex step",
)
def slope_of_q(setup: Setup) -> Any:
    return _slope_of_q(setup, 1.5)


@slope_of_q.breaks("without the factor 3/2")
def without_the_factor_3_2(setup: Setup) -> Any:
    return _slope_of_q(setup, 1.0)


def _one_unseen(net: Neuron, sign: float) -> Any:
    """The interpolating solution of A.4.4, ± its α."""
    v = np.linalg.svd(net.X)[2][-1]
    k = -2 / 3 * _z(net, net.delta) @ v
    half = (k**2 + net.delta) / 2
    return net.target + sign * k * np.sqrt(half + np.sqrt(half**2 + net.B**2)) * v


def _line(setup: Setup, delta_sign: float) -> Any:
    rng = setup.rng
    nets = [_kept(rng, delta, d=3) for delta in SIGNS]
    return _stack((net.end()[1], _one_unseen(net, delta_sign)) for net in nets)


@claim(
    "kunin2024",
    "appendix A.4.4",
    "One unseen direction v: β_∞ = β* + αv, α = k√(½(k² + δ) + √(¼(k² + δ)² + ‖β*‖²)), k = −(2/3)z·v, "
    "if a keeps its sign",
    tolerance=1e-7,
    why="the flow's end at rtol 1e-12 after e^-20 or more",
)
def one_unseen_direction(setup: Setup) -> Any:
    return _line(setup, 1.0)


@one_unseen_direction.breaks("−α")
def one_unseen_direction_alpha(setup: Setup) -> Any:
    return _line(setup, -1.0)


def _turned_line(setup: Setup, sign: float) -> Any:
    net = _turned(setup.rng, d=3)
    a, beta = net.end()
    return Evidence.together(
        Evidence.true(a * net.a < 0, "a changes sign"), Evidence.equal(beta, _one_unseen(net, sign))
    )


@claim(
    "kunin2024",
    "appendix A.4.4",
    "β* − αv is where trajectories end that pass through the origin, so that a changes its sign",
    tolerance=1e-7,
    why="the flow's end at rtol 1e-12 after e^-20 or more",
)
def one_unseen_direction_turned(setup: Setup) -> Any:
    return _turned_line(setup, -1.0)


@one_unseen_direction_turned.breaks("+α")
def one_unseen_direction_turned_alpha(setup: Setup) -> Any:
    return _turned_line(setup, 1.0)


def _unseen(net: Neuron, sign: float, share: float = 1.0) -> Any:
    """β⁺ + a_∞Pw₀, with a_∞ from the conservation of δ."""
    eta_w, eta_a = net.rates
    out = net.w - np.linalg.pinv(net.X) @ net.X @ net.w
    v = net.delta + share * eta_a * out @ out
    return net.target + sign * np.sqrt((v + np.sqrt(v**2 + 4 * eta_a * eta_w * net.B**2)) / (2 * eta_w)) * out


def _any_nullity(setup: Setup, share: float) -> Any:
    rng, pairs = setup.rng, []
    for rank, delta in ((3, 1.2), (2, 0.0), (1, -1.2), (2, -1.2)):
        net = _kept(rng, delta, d=4, rank=rank, rates=RATES)
        noisy = replace(
            net, y=net.y + 0.3 * (np.eye(len(net.y)) - net.X @ np.linalg.pinv(net.X)) @ rng.normal(size=len(net.y))
        )
        pairs.append((noisy.end()[1], _unseen(noisy, np.sign(net.a), share)))
    turned = _turned(rng, rates=RATES)
    return _stack([*pairs, (turned.end()[1], _unseen(turned, -np.sign(turned.a), share))])


@claim(
    "kunin2024",
    "appendix A.4.4 (beyond one dimension)",
    "For any number of unseen directions β_∞ = X⁺y + a_∞Pw₀, a_∞² = (v + √(v² + 4η_aη_w‖X⁺y‖²))/2η_w, "
    "v = δ + η_a‖Pw₀‖², P the projector on what X does not see; any rates, also for noisy y and if a changes its sign",
    tolerance=1e-7,
    why="the flow's end at rtol 1e-12 after e^-20 or more",
)
def any_nullity(setup: Setup) -> Any:
    return _any_nullity(setup, 1.0)


@any_nullity.breaks("δ for v")
def delta_for_v(setup: Setup) -> Any:
    return _any_nullity(setup, 0.0)


def _vanishing(setup: Setup, cases: Any) -> Any:
    rng, found = setup.rng, []
    net, sizes = _kept(rng, 0.0), np.array([1e-2, 1e-3, 1e-4])
    for delta, exponent in cases:
        nets = [_at([delta], size * net.a * net.w, net)[0] for size in sizes]
        found.append(Evidence.slope(sizes, [np.linalg.norm(n.end()[1] - n.target) for n in nets], exponent))
    return Evidence.together(*found)


@claim(
    "kunin2024",
    "section 3",
    "For vanishing initializations upstream and balanced neurons have the same bias, to the shortest solution X⁺y: the "
    "distance falls as ‖β₀‖ for δ > 0 and as ‖β₀‖^½ for δ = 0",
    tolerance=0.02,
    why="an exponent over two decades of ‖β₀‖",
)
def vanishing_initialization(setup: Setup) -> Any:
    return _vanishing(setup, ((1.2, 1.0), (0.0, 0.5)))


@vanishing_initialization.breaks("downstream")
def vanishing_initialization_downstream(setup: Setup) -> Any:
    return _vanishing(setup, ((-1.2, 0.5),))


def _preserved(setup: Setup, sign: float) -> Any:
    rng, deltas = setup.rng, np.array([20.0, 40.0, 80.0])
    net = _kept(rng, 0.0)
    out = net.w - np.linalg.pinv(net.X) @ net.X @ net.w
    expected = net.target + net.B / np.linalg.norm(net.w - out) * out
    nets = _at(sign * deltas, net.a * net.w, net)
    ends = [n.settled(20 * delta) for n, delta in zip(nets, deltas, strict=True)]
    return Evidence.slope(deltas, [np.linalg.norm(n.a * n.w - expected) for n in ends], -2.0)


@claim(
    "kunin2024",
    "section 3",
    "Downstream the term of the initialization decides: for δ → −∞ the flow ends at X⁺y + "
    "(‖X⁺y‖/‖Qβ₀‖)Pβ₀, up to δ⁻², which keeps the shares of β₀'s direction that X sees (Qβ₀) and does not (Pβ₀)",
    tolerance=0.15,
    why="an exponent over 20 ≤ |δ| ≤ 80",
)
def direction_preserved(setup: Setup) -> Any:
    return _preserved(setup, -1.0)


@direction_preserved.breaks("δ → ∞")
def direction_preserved_delta_to_infinity(setup: Setup) -> Any:
    return _preserved(setup, 1.0)
