"""Appendices A.2.2 to A.2.4: the exact solutions, one for each kind of start, and one for all."""

from dataclasses import replace
from typing import Any

import numpy as np

from lazyrich.papers.checks import flows
from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.kunin2024.claims._neuron import (
    ALGEBRA,
    INTEGRATED,
    PRODUCT_ONE,
    RATES,
    Neuron,
    draw,
    many,
    polar,
    solution,
    stack,
)
from lazyrich.papers.rule import Verdict


def _balanced_phi(setup: Setup, delta: float) -> Any:
    net, times = draw(setup.rng, delta, -0.5), np.linspace(0, 3, 7)
    _, phi = polar(*net.path(times), net.target)
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
    net, times = draw(setup.rng, delta, -0.5), np.linspace(0, 3, 7)
    mu, phi = polar(*net.path(times), net.target)
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
    verdict=Verdict.CORRECTED,
    remark="only for ‖β*‖ = 1: both cosh² need a factor ‖β*‖, in the numerator of μ and in c_μ",
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
    net, times = draw(setup.rng, 0.0, phi), np.linspace(0, 4, 9)
    mu = polar(*net.path(times), net.target)[0]
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
    net = draw(setup.rng, delta, -0.8, low=0.2, rates=RATES, stretch=(0.6, 1.4))
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
        net = draw(rng, delta, phi, rates=rates)
        a, w = net.path(times)
        predicted = _riccati(net.along / net.a, believed[0] * net.B**2, believed[1], net.delta, times)
        pairs.append((w @ net.target / a, predicted))
    return stack(pairs)


@claim(
    "kunin2024",
    "appendix A.2.3",
    "ν = w·β*/a solves ν' = ‖β*‖² − δν − ν², in closed form in cosh Rt and sinh Rt, R = ½√(δ² + 4‖β*‖²) (η_aη_w = 1)",
    tolerance=1e-8,
    why=INTEGRATED,
    verdict=Verdict.CORRECTED,
    remark="at unit rates; with others, also of product 1, ν' = η_w‖β*‖² − δν − η_aν² and R = ½√(δ² + 4η_aη_w‖β*‖²)",
)
def nu_riccati(setup: Setup) -> Any:
    return stack([_nu(setup, (1.0, 1.0), (1.0, 1.0)), _nu(setup, RATES, RATES)])


@nu_riccati.printed
def nu_riccati_as_printed(setup: Setup) -> Any:
    return _nu(setup, PRODUCT_ONE, (1.0, 1.0))


@nu_riccati.breaks("the rates of the two layers exchanged")
def nu_riccati_the_rates_of_the_two_layers_exchanged(setup: Setup) -> Any:
    return _nu(setup, RATES, RATES[::-1])


def _bernoulli_a(setup: Setup, rates: tuple[float, float], believed: tuple[float, float]) -> Any:
    rng = setup.rng
    nets = [draw(rng, delta, phi, rates=rates) for delta, phi in ((0.9, -0.5), (0.9, 0.8), (-0.9, 0.5))]
    return stack(
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
    verdict=Verdict.CORRECTED,
    remark="at unit rates; with others, also of product 1, a' = a(η_aν + δ − η_w a²)",
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
        net = draw(rng, 0.9, phi, low=low, **options)
        pairs.append((net.path(times)[0], _upstream_a(net, times)))
    return stack(pairs)


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
    net = draw(setup.rng, 0.6)
    _, both = _crossings(net, many(setup, net))
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
    verdict=Verdict.CORRECTED,
    remark="for a alone: a = 0 means L = ‖y‖²/2, which a falling loss passes once; w·Xᵀy can vanish twice",
)
def lemma_4_in_general(setup: Setup) -> Any:
    net = draw(setup.rng, 0.6, stretch=(0.3, 2.0))
    found = [_crossings(net, many(setup, net))[0], _crossings(*_stretched(setup))[0]]
    return Evidence.together(
        Evidence.true(max(found) > 0, f"at most {max(found)} zero of a"), Evidence.most(max(found), 1.0)
    )


@lemma_4_in_general.printed
def lemma_4_in_general_as_printed(setup: Setup) -> Any:
    return Evidence.most(_crossings(*_stretched(setup))[1], 1.0)


def _crossing_neuron(rng: np.random.Generator) -> Neuron:
    """Downstream, and a changes sign."""
    return draw(rng, -1.2, -0.7, low=0.3)


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
    verdict=Verdict.CORRECTED,
    remark="‖β‖ should be ‖β*‖",
)
def omega_bernoulli(setup: Setup) -> Any:
    return _omega(setup, False)


@omega_bernoulli.printed
def omega_bernoulli_as_printed(setup: Setup) -> Any:
    return _omega(setup, True)


def _omega_closed(setup: Setup, mixed: float) -> Any:
    rng, times, pairs = setup.rng, np.linspace(0, 3, 9), []
    for net in (_crossing_neuron(rng), draw(rng, 0.8, 0.6), replace(draw(rng, -0.8, 0.6), a=0.0)):
        D, start, R = net.delta, net.a / net.along, np.sqrt(net.delta**2 / 4 + net.B**2)
        x, y, up, down = start, (1 + D * start / 2) / R, D / 2 + R, D / 2 - R
        integral = (x + y) ** 2 * np.expm1(2 * up * times) / (4 * up) + (x - y) ** 2 * np.expm1(2 * down * times) / (
            4 * down
        )
        integral += mixed * (x**2 - y**2) * np.expm1(D * times) / D
        growth = np.exp(D * times / 2) * (np.cosh(R * times) + (net.B**2 * start - D / 2) / R * np.sinh(R * times))
        pairs.append((net.path(times)[1] @ net.target, net.along * growth / np.sqrt(1 + net.along**2 * integral)))
    return stack(pairs)


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
        net = draw(rng, delta, phi, sign=sign, rates=rates, stretch=stretch)
        pairs += list(zip(net.path(times), solution(net, times), strict=True))
    return stack(pairs)


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
