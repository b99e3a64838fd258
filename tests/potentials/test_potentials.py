"""Every potential: its parts belong together, its limits are built in, and its digits are right at the extremes."""

import jax
import jax.numpy as jnp
import mpmath as mp
import numpy as np
import pytest

import lazyrich as lr
from lazyrich import potentials

RNG = np.random.default_rng(0)
BETA, OTHER = jnp.asarray(RNG.normal(size=4)), jnp.asarray(RNG.normal(size=4))
MATRIX, MATRIX2 = jnp.asarray(RNG.normal(size=(3, 2))), jnp.asarray(RNG.normal(size=(3, 2)))
ROOT, ROOT2 = RNG.normal(size=(3, 3)), RNG.normal(size=(3, 3))
POSITIVE, POSITIVE2 = (jnp.asarray(R @ R.T + 0.1 * np.eye(3)) for R in (ROOT, ROOT2))
LOGS, LOGS2 = RNG.normal(size=4), RNG.normal(size=4)

POTENTIALS = {
    "hyperbolic entropy": (potentials.HyperbolicEntropy.from_k(LOGS), BETA, OTHER),
    "hyperbolic entropy, biased": (potentials.HyperbolicEntropy(LOGS, LOGS2, 1.7), BETA, OTHER),
    "relative entropy": (potentials.HyperbolicEntropy(LOGS, np.full(4, -np.inf), 4.0), abs(BETA), abs(OTHER)),
    "deep entropy, 3": (potentials.DeepEntropy(LOGS / 4, LOGS2 / 4, 3, 3.0), BETA, OTHER),
    "deep entropy, 6": (potentials.DeepEntropy(LOGS / 4, LOGS2 / 4, 6, 3.0), BETA, OTHER),
    "deep entropy, one side": (potentials.DeepEntropy(np.full(4, -np.inf), LOGS2 / 4, 4), -abs(BETA), -abs(OTHER)),
    "upstream": (potentials.Radial(1.3), BETA, OTHER),
    "balanced": (potentials.Radial(0.0), BETA, OTHER),
    "downstream": (potentials.Radial(-1.3), BETA, OTHER),
    "deep radial": (potentials.DeepRadial(4), BETA, OTHER),
    "ℓ2": (potentials.L2(), BETA, OTHER),
    "RKHS": (potentials.Mahalanobis.of(lr.inits.neuron(BETA, 0.7), (0.5, 2.0)), BETA, OTHER),
    "spectral entropy": (potentials.SpectralEntropy(0.3), MATRIX, MATRIX2),
    "matrix entropy": (potentials.MatrixEntropy(0.4 * jnp.eye(3)), POSITIVE, POSITIVE2),
}


HEAVY = ("deep entropy, 6", "deep entropy, one side")


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.slow if n in HEAVY else ()) for n in POTENTIALS])
def test_its_parts_belong_together(name):
    phi, beta, other = POTENTIALS[name]
    close = {"rtol": 1e-9, "atol": 1e-9}
    z = phi.gradient(beta)
    # the gradient, by central differences of the value: no rule of differentiation is shared
    steps = np.zeros(beta.shape)
    for i in np.ndindex(*beta.shape):
        e = jnp.zeros(beta.shape).at[i].set(1e-5)
        e = (e + e.T) / 2 if name == "matrix entropy" else e
        steps[i] = (phi.value(beta + e) - phi.value(beta - e)) / 2e-5
    np.testing.assert_allclose(z, steps, atol=1e-7)
    np.testing.assert_allclose(phi.inverse(z), beta, **close)
    # conjugacy: φ + φ* = ⟨z, β⟩ here, more elsewhere
    np.testing.assert_allclose(phi.value(beta) + phi.conjugate(z), jnp.sum(z * beta), **close)
    assert float(phi.value(other) + phi.conjugate(z)) > float(jnp.sum(z * other))
    # Bregman: zero at the start, positive elsewhere, with the Hessian as its curvature
    assert float(phi.bregman(beta, beta)) == pytest.approx(0.0, abs=1e-14)
    assert float(phi.bregman(other, beta)) > 0
    if name != "matrix entropy":
        v = jnp.asarray(np.random.default_rng(1).normal(size=beta.shape))
        hessian = phi.hessian(beta).reshape(beta.size, beta.size)
        small = (phi.gradient(beta + 1e-5 * v) - phi.gradient(beta - 1e-5 * v)) / 2e-5
        np.testing.assert_allclose(hessian @ v.ravel(), small.ravel(), rtol=1e-6, atol=1e-7)
        np.testing.assert_allclose(hessian, hessian.T, atol=1e-10)


def test_log_det_on_a_pair():
    phi = potentials.LogDet(0.3)
    W = jnp.asarray(RNG.normal(size=(5, 3)) * 2), jnp.asarray(RNG.normal(size=(2, 5)))
    slope = jax.grad(
        lambda W: (jnp.sum(W[0] ** 2) + jnp.sum(W[1] ** 2)) / 2 - 0.3 * jnp.linalg.slogdet(W[0].T @ W[0])[1]
    )(W)
    np.testing.assert_allclose(phi.gradient(W)[0], slope[0], atol=1e-12)
    np.testing.assert_allclose(phi.inverse(phi.gradient(W))[0], W[0], atol=1e-12)
    assert float(phi.bregman(W, W)) == 0.0
    assert float(phi.conjugate(phi.gradient(W)) + phi.value(W)) == pytest.approx(
        float(sum(jnp.sum(a * b) for a, b in zip(phi.gradient(W), W, strict=True)))
    )
    assert phi.hessian(W)[0][0].shape == (5, 3, 5, 3)


def test_entropy_against_many_digits():
    """From k = 1e-3000 to 1e300, β from 1e-12 to 1e8: value and mirror map to the digits of log √k."""
    with mp.workdps(700):  # the printed form loses 320 of them to cancellation
        for log_root_k in (-3450.0, -700.0, -30.0, 0.0, 30.0, 340.0):
            q = potentials.HyperbolicEntropy.from_k(jnp.full(4, log_root_k))
            beta = jnp.array([1e-12, 3e-3, -7.0, 1e8])
            root = mp.exp(mp.mpf(log_root_k))
            digits = 4e-16 * max(10.0, abs(log_root_k))  # what log √k itself is good for
            for b, z, term in zip(beta, q.gradient(beta), q.terms(beta), strict=True):
                x = mp.mpf(float(b))
                slope = mp.asinh(2 * x / root) / 2
                value = root / 4 * (1 - mp.sqrt(1 + 4 * x**2 / root**2) + 2 * x / root * mp.asinh(2 * x / root))
                assert abs(float(z) - slope) <= digits * abs(slope)
                assert abs(float(term) - value) <= digits * abs(value)
            np.testing.assert_allclose(q.inverse(q.gradient(beta)), beta, rtol=4e-16 * max(8, 2 * abs(log_root_k)))


def test_radial_against_a_hundred_digits_and_the_printed_forms():
    """kunin2024's Ψ_δ and azulay2021's q̂_δ are √2 φ and 3/2 φ up to constants; no digit is lost at |δ| = 1e±8."""
    with mp.workdps(100):
        for delta in (-1e8, -1.0, -1e-8, 0.0, 1e-8, 1.0, 1e8):
            phi, D = potentials.Radial(delta), mp.mpf(delta)

            def psi(r, D=D):
                kappa = mp.sqrt(D**2 + 4 * r**2)
                return (kappa - 2 * D) * mp.sqrt(kappa + D) / 3

            def q_hat(x, D=D):
                A = mp.sqrt(x**2 + D**2 / 4)
                return (x**2 - D / 2 * (D / 2 + A)) * mp.sqrt(A - D / 2) / x

            for r in (1e-6, 1.0, 1e6):
                R = mp.mpf(r)
                found = float(phi.value(jnp.array([0.6 * r, -0.8 * r])))
                expected = (psi(R) - psi(mp.mpf(0))) / mp.sqrt(2)
                assert abs(found - expected) <= 1e-14 * abs(expected)
                # against q̂ between two points
                other = float(phi.value(jnp.array([2 * r, 0.0])))
                assert abs((other - found) * 1.5 - (q_hat(2 * R) - q_hat(R))) <= 1e-13 * abs(
                    q_hat(2 * R) - q_hat(R)
                ) + 1e-14 * (abs(mp.mpf(other)) + abs(mp.mpf(found)))


def test_lazy_and_rich_limits():
    beta = jnp.array([0.7, -1.2, 0.1])
    lazy = potentials.HyperbolicEntropy.from_k(jnp.full(3, 20.0))
    assert float(lazy.value(beta) * 2 * jnp.exp(20.0)) == pytest.approx(float(jnp.sum(beta**2)), rel=1e-9)
    # only logarithmically: 1.04 of ½ log(1/√k) ‖β‖₁ at k = 1e-20
    ratios = []
    for log_root_k in (-23.03, -3450.0):
        q = potentials.HyperbolicEntropy.from_k(jnp.full(3, log_root_k))
        ratios.append(float(q.value(beta) / (-0.5 * log_root_k * potentials.L1().value(beta))))
    assert abs(ratios[0] - 1) > 1e-3
    assert abs(ratios[1] - 1) < abs(ratios[0] - 1) / 50
    up, down = potentials.Radial(1e6), potentials.Radial(-1e6)
    assert float(up.value(beta)) == pytest.approx(float(potentials.L2().value(beta)) / 1e3, rel=1e-5)
    assert float(down.value(beta)) == pytest.approx(1e3 * float(jnp.linalg.norm(beta)), rel=1e-5)
    spectral = potentials.SpectralEntropy(1e-300)
    assert float(spectral.value(MATRIX) / (0.5 * 300 * np.log(10))) == pytest.approx(
        float(potentials.Nuclear().value(MATRIX)), rel=1e-2
    )


def test_norms_are_not_strictly_convex():
    with pytest.raises(ValueError, match="not strictly convex"):
        potentials.L1().inverse(BETA)
    np.testing.assert_allclose(
        potentials.Nuclear().gradient(jnp.diag(jnp.array([2.0, 0.0]))), np.diag([1.0, 0.0]), atol=1e-15
    )
    with pytest.raises(TypeError, match="one output"):
        potentials.Mahalanobis.of(lr.inits.gaussian(jax.random.key(0), (3, 2, 2)))
    with pytest.raises(ValueError, match="depth of 3"):
        potentials.DeepEntropy(0.0, 0.0, 2)


# Time-warped mirror flows


def neuron_metric(delta):
    """M⁻¹ of a single neuron as a function of β (kunin2024, appendix A.4)."""

    def H(beta):
        square = jnp.sum(beta**2)
        kappa = jnp.sqrt(delta**2 + 4 * square)
        M = (kappa + delta) / 2 * jnp.eye(len(beta)) + (kappa - delta) / 2 * jnp.outer(beta, beta) / square
        return jnp.linalg.inv(M)

    return H


@pytest.mark.parametrize("delta", [1.3, 0.0, -1.3])
def test_the_single_neuron_is_a_warped_mirror_flow(delta):
    """No Hessian as it is; one after the warp g = √((κ + δ)/2), found without being told; its potential is Radial."""
    H, point = neuron_metric(delta), jnp.array([0.5, -0.8, 0.3])
    assert float(potentials.hessian_defect(H, point)) > 1e-2
    found = potentials.time_warp(H, point)
    assert float(found.defect) < 1e-12

    def g(beta):
        return jnp.sqrt((jnp.sqrt(delta**2 + 4 * jnp.sum(beta**2)) + delta) / 2)

    np.testing.assert_allclose(found.log_gradient, jax.grad(lambda b: jnp.log(g(b)))(point), atol=1e-12)

    def warped(beta):
        return g(beta) * H(beta)

    assert float(potentials.hessian_defect(warped, point)) < 1e-12
    base, phi = jnp.array([0.2, 0.1, 0.4]), potentials.Radial(delta)
    value, slope = potentials.potential_from_hessian(warped, point, base)
    np.testing.assert_allclose(value, phi.bregman(point, base), rtol=1e-10)
    np.testing.assert_allclose(slope, phi.gradient(point) - phi.gradient(base), rtol=1e-10)


def test_most_metrics_have_no_warp():
    """Three balanced layers do; a two-layer network with an anisotropic imbalance does not."""

    def deep(beta):
        size = jnp.linalg.norm(beta)
        M = size ** (4 / 3) * jnp.eye(3) + 2 * size ** (-2 / 3) * jnp.outer(beta, beta)
        return jnp.linalg.inv(M)

    point = jnp.array([0.5, -0.8, 0.3])
    assert float(potentials.time_warp(deep, point).defect) < 1e-12
    assert float(potentials.time_warp(lambda b: jnp.diag(1 + jnp.roll(b, 1) ** 2), point).defect) > 0.1


def test_a_users_own_parametrization():
    """β = u∘v: the metric depends on β through conserved quantities, and is that of the entropy."""
    u, v = jnp.array([1.2, 0.7]), jnp.array([0.4, -0.9])
    H = potentials.metric_of_parametrization(lambda theta: theta[0] * theta[1])(jnp.stack([u, v]))
    # u² − v² = d is conserved: u² + v² = √(d² + 4β²)
    d = u**2 - v**2

    def as_function_of_beta(beta):
        return jnp.diag(1 / jnp.sqrt(d**2 + 4 * beta**2))

    np.testing.assert_allclose(H, as_function_of_beta(u * v), rtol=1e-12)
    assert float(potentials.hessian_defect(as_function_of_beta, u * v)) < 1e-14
    _, slope = potentials.potential_from_hessian(as_function_of_beta, u * v, jnp.zeros(2))
    np.testing.assert_allclose(slope, jnp.arcsinh(2 * u * v / jnp.abs(d)) / 2, rtol=1e-10)
