"""Two-layer piecewise-linear networks: teachers, symmetrized students, and their data."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from lazyrich._core.types import ArrayLike, LayerRates
from lazyrich._validate.arrays import check_array, check_key
from lazyrich._validate.integers import check_int
from lazyrich.inits.coordinates import norms_from_tau_delta
from lazyrich.networks import TwoLayer
from lazyrich.problem import Problem


def sphere_points(key: Key[Array, ""], n: int, d: int) -> Float[Array, "n d"]:
    """Draw n points, uniform on the unit sphere of R^d."""
    points = jax.random.normal(check_key(key), (check_int("n", n), check_int("d", d)))
    return points / jnp.linalg.norm(points, axis=1, keepdims=True)


def teacher(key: Key[Array, ""], d: int, k: int, negative_slope: float = 0.0) -> TwoLayer:
    """Draw k neurons with w uniform on the sphere and a = ±1 (kunin2024, figure 1)."""
    k, (k_w, k_a) = check_int("k", k), jax.random.split(check_key(key))
    return TwoLayer(sphere_points(k_w, k, d), jax.random.rademacher(k_a, (k,), dtype=float), negative_slope)


def symmetrized(
    key: Key[Array, ""],
    d: int,
    h: int,
    tau: ArrayLike = 1.0,
    delta: ArrayLike = 0.0,
    negative_slope: float = 0.0,
    rates: LayerRates = None,
) -> TwoLayer:
    r"""Draw h neurons in pairs (w, a), (w, −a), so that f = 0, each at overall scale τ and relative scale δ (kunin2024,
    figure 1).

    $|a|\,\|w\| = \tau^2$ and $\eta_w a^2 - \eta_a\|w\|^2 = \delta$ for every neuron.

    >>> net = symmetrized(jax.random.key(0), d=3, h=4, tau=0.1, delta=-1.0)
    >>> bool(jnp.allclose(net.conserved_quantities()["delta"], -1.0)), bool(jnp.abs(net(jnp.eye(3))).max() < 1e-15)
    (True, True)
    """
    h = check_int("h", h, least=2)
    if h % 2:
        raise ValueError(f"a symmetrized network has neurons in pairs; h must be even and positive, found {h}")
    half = teacher(key, d, h // 2, negative_slope)
    w, a = norms_from_tau_delta(check_array("tau", tau, (0,)), check_array("delta", delta, (0,)), rates)
    return TwoLayer(w * jnp.tile(half.W, (2, 1)), a * jnp.concatenate([half.a, -half.a]), negative_slope)


def two_layer(
    key: Key[Array, ""], d: int, h: int, std: ArrayLike = (1.0, 1.0), negative_slope: float = 0.0
) -> TwoLayer:
    """Draw independent Gaussian weights with standard deviations std = (first layer, second layer)."""
    d, h, stds = check_int("d", d), check_int("h", h), check_array("std", std, (1,))
    if stds.shape != (2,):
        raise ValueError(f"std must be two numbers, of the first layer and of the second; found {len(stds)}")
    k_w, k_a = jax.random.split(check_key(key))
    return TwoLayer(stds[0] * jax.random.normal(k_w, (h, d)), stds[1] * jax.random.normal(k_a, (h,)), negative_slope)


def teacher_student(
    key: Key[Array, ""],
    d: int,
    h: int,
    k: int,
    n: int,
    tau: ArrayLike = 1.0,
    delta: ArrayLike = 0.0,
    negative_slope: float = 0.0,
    rates: LayerRates = None,
) -> tuple[TwoLayer, Problem, TwoLayer]:
    """Draw a student, its problem (n points on the sphere, noiseless labels, summed square loss) and the teacher.

    The key fixes teacher, base student and data, so that (τ, δ) can be swept with all else equal, as kunin2024 does.
    """
    k_teacher, k_student, k_data = jax.random.split(check_key(key), 3)
    guide = teacher(k_teacher, d, k, negative_slope)
    X = sphere_points(k_data, n, d)
    return symmetrized(k_student, d, h, tau, delta, negative_slope, rates), Problem(X, guide(X)), guide
