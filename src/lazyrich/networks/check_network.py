"""Test the declared properties of a network against naive computations."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, PyTree

from lazyrich._core.types import ArrayLike, LayerRates, Layers
from lazyrich._validate.arrays import check_array, check_rates
from lazyrich.networks.network import Network, check_network_type

EXACT_TOLERANCE = 1e-12  # between two float64 computations of the same number
FINITE_DIFFERENCE_TOLERANCE = 1e-6  # of a central difference with FINITE_DIFFERENCE_STEP
FINITE_DIFFERENCE_STEP = 1e-5
CONSERVATION_TOLERANCE, CONSERVATION_TOLERANCE_AT_KINKS = (
    1e-10,
    1e-5,
)  # drift of a conserved quantity along a short Runge–Kutta flow
MIN_KINK_JUMP = 1e-3  # relative to the range of the slope; a jump of a smooth slope vanishes after 30 bisections


class TestPoint(NamedTuple):
    """A random test case: inputs, a covector of the outputs, and a direction in parameter space."""

    X: Array
    X2: Array
    rates: tuple[Array, ...]
    r: Array
    direction: Layers


class Property(NamedTuple):
    """Two arrays, or trees of arrays, that must agree up to `tolerance` times their size (or `scale`)."""

    name: str
    found: PyTree
    expected: PyTree
    tolerance: float = EXACT_TOLERANCE
    scale: PyTree = None


def check_network(net: Network, X: ArrayLike, rates: LayerRates = None, seed: int = 0) -> dict[str, float]:
    """Test every declared property of a network on inputs X, at parameters near its own; return the defects, name →
    number.

    A violated property raises an AssertionError with its name and defect. Gradient and kernel are compared with the
    explicit Jacobian and with finite differences. Conserved quantities are followed along a flow. The flags and special
    forms that the network declares (`smooth_in_parameters`, `linear_in_inputs`, `weight_matrices` and so on) are
    tested; those it does not declare are not.

    >>> from lazyrich.networks import DeepLinear
    >>> defects = check_network(DeepLinear([[[1.0, 2.0]], [[3.0]]]), jnp.eye(2), rates=(1.0, 0.5))
    >>> max(defects.values()) < 1e-6, "Delta_1 is conserved" in defects
    (True, True)
    """
    X = check_array("X", X, (2,))
    rates = check_rates(rates, len(check_network_type("net", net).layers))
    rng = np.random.default_rng(seed)
    size = max(float(jnp.sqrt(jnp.mean(leaf**2))) for leaf in jax.tree.leaves(net.layers)) or 1.0
    noise, direction = (
        jax.tree.map(lambda leaf: jnp.asarray(size * rng.normal(size=leaf.shape)), net.layers) for _ in range(2)
    )
    _check_shapes(net, X)
    near = net.with_layers(_displace(net.layers, 0.1, noise))
    trial = TestPoint(X, X[: len(X) // 2 + 1] + 0.3, rates, jnp.asarray(rng.normal(size=near(X).shape)), direction)
    names: list[tuple[str, float]] = []

    @jax.jit
    def measure_defects(near: Network, trial: TestPoint) -> list[Array]:
        promises = [promise for part in CHECKS for promise in part(near, trial)]
        names[:] = [(promise.name, promise.tolerance) for promise in promises]
        return [_defect(promise) for promise in promises]

    values, defects = measure_defects(near, trial), {}
    for (name, tolerance), defect in zip(names, values, strict=True):  # known once it has run
        defects[name] = float(defect)
        if not float(defect) <= tolerance:
            raise AssertionError(
                f"{type(net).__name__} does not keep its promise '{name}': it is off by {float(defect):.1e} of its "
                f"size, where at most {tolerance:g} is rounding"
            )
    return defects


def _displace(layers: Layers, step: Array | float, direction: Layers) -> Layers:
    return jax.tree.map(lambda a, b: a + step * b, layers, direction)


def _largest_entry(tree: PyTree) -> Array:
    return jnp.max(jnp.stack([jnp.max(jnp.abs(leaf)) for leaf in jax.tree.leaves(tree)]))


def _defect(promise: Property) -> Array:
    actual, expected = jax.tree.leaves(promise.found), jax.tree.leaves(promise.expected)
    # Entries that are infinite on both sides agree, such as the conserved quantity of a weight at zero.
    apart = _largest_entry([jnp.where(a == b, 0.0, a - b) for a, b in zip(actual, expected, strict=True)])
    scale = (
        _largest_entry([jnp.where(jnp.isfinite(b), b, 0.0) for b in expected])
        if promise.scale is None
        else promise.scale
    )
    return jnp.where(apart == 0, 0.0, apart / jnp.where(scale == 0, 1.0, scale))


def _require(holds: bool, words: str) -> None:
    if not holds:
        raise AssertionError(words)


def _check_shapes(net: Network, X: Array) -> None:
    """Check shapes, tree structure, and properties that are not numerical."""
    name, outputs = type(net).__name__, net(X)
    _require(len(jax.tree.leaves(net.layers)) > 0, f"{name} has no parameters")
    _require(
        outputs.ndim in (1, 2) and len(outputs) == len(X),
        f"{name}: outputs must have shape (n,) or (n, c) with n = {len(X)}; found {outputs.shape}",
    )
    _require(bool(jnp.all(jnp.isfinite(outputs))), f"{name}: some outputs are NaN or infinite")
    sizes = X.shape[1], 1 if outputs.ndim == 1 else outputs.shape[1]
    consistent = all(declared in (None, size) for declared, size in zip(net.n_inputs_outputs, sizes, strict=True))
    _require(consistent, f"{name}: sizes are {net.n_inputs_outputs}, but X and the outputs have {sizes}")
    _require(bool(eqx.tree_equal(net, net.with_layers(net.layers))), f"{name}: with_layers(layers) is another network")
    other = jax.tree.map(lambda leaf: leaf + 1.0, net.layers)
    _require(bool(eqx.tree_equal(net.with_layers(other).layers, other)), f"{name}: with_layers does not set the layers")
    if not net.linear_in_inputs:
        try:
            _ = net.beta
        except ValueError:
            return
        raise AssertionError(f"{name}: has a beta, but does not say that it is linear")


def _check_prediction(net: Network, t: TestPoint) -> Iterator[Property]:
    outputs = net(t.X)
    yield Property("each row is predicted on its own", jax.vmap(lambda x: net(x[None])[0])(t.X), outputs)
    stacked = jax.tree.map(lambda leaf: jnp.stack([2 * leaf, leaf]), net)
    yield Property("networks can be stacked", jax.vmap(lambda one: one(t.X))(stacked)[1], outputs)
    yield Property("strengths hold the largest weight", jnp.max(net.part_scales), _largest_entry(net.layers))


def _check_gradient(net: Network, t: TestPoint) -> Iterator[Property]:
    pulled = net.pullback(t.X, t.r)
    automatic = jax.vjp(lambda layers: net.with_layers(layers)(t.X), net.layers)[1](t.r)[0]
    yield Property("pullback is that of automatic differentiation", pulled, automatic)

    def project(step: float) -> Array:
        return jnp.sum(t.r * net.with_layers(_displace(net.layers, step, t.direction))(t.X))

    numeric = (project(FINITE_DIFFERENCE_STEP) - project(-FINITE_DIFFERENCE_STEP)) / (2 * FINITE_DIFFERENCE_STEP)
    products = jax.tree.leaves(jax.tree.map(lambda a, b: a * b, pulled, t.direction))
    slope, size = sum(jnp.sum(p) for p in products), sum(jnp.sum(jnp.abs(p)) for p in products)
    yield Property("pullback is that of finite differences", slope, numeric, FINITE_DIFFERENCE_TOLERANCE, size)


def _check_kernel(net: Network, t: TestPoint) -> Iterator[Property]:
    def jacobian(X: Array) -> list[Array]:
        blocks = jax.jacrev(lambda layers: net.with_layers(layers)(X).reshape(-1))(net.layers)
        return [jnp.hstack([leaf.reshape(len(leaf), -1) for leaf in jax.tree.leaves(block)]) for block in blocks]

    left, right = jacobian(t.X), jacobian(t.X2)
    for name, other, X2 in (("the kernel", left, None), ("the kernel between two sets", right, t.X2)):
        expected: PyTree = sum(rate * a @ b.T for rate, a, b in zip(t.rates, left, other, strict=True))
        kernel, shape = net.ntk(t.X, X2, t.rates), net(t.X).shape + net(t.X if X2 is None else X2).shape
        _require(kernel.shape == shape, f"{type(net).__name__}: {name} must have shape {shape}; found {kernel.shape}")
        yield Property(f"{name} is that of the explicit Jacobian", kernel.reshape(expected.shape), expected)


def _check_conservation(net: Network, t: TestPoint) -> Iterator[Property]:
    """Yield the checks of each conserved quantity: zero velocity for any residual, and no drift along the flow with
    that residual."""

    def field(layers: Layers) -> Layers:
        slopes = net.with_layers(layers).pullback(t.X, t.r)
        return tuple(jax.tree.map(lambda g, rate=rate: -rate * g, s) for rate, s in zip(t.rates, slopes, strict=True))

    def laws(layers: Layers) -> dict[str, Array]:
        return net.with_layers(layers).conserved_quantities(t.rates)

    velocity = field(net.layers)
    before, change = jax.jvp(laws, (net.layers,), (velocity,))
    moving, weight = _largest_entry(velocity), _largest_entry(net.layers)
    dt = 1e-3 * weight / jnp.where(moving > 0, moving, 1.0)
    layers = net.layers
    for _ in range(4):
        k1 = field(layers)
        k2 = field(_displace(layers, dt / 2, k1))
        k3 = field(_displace(layers, dt / 2, k2))
        k4 = field(_displace(layers, dt, k3))
        layers = jax.tree.map(lambda y, a, b, c, d: y + dt / 6 * (a + 2 * b + 2 * c + d), layers, k1, k2, k3, k4)
    after = laws(layers)
    for name, law in before.items():
        size = _largest_entry(jnp.where(jnp.isfinite(law), law, 0.0)) + jnp.max(jnp.stack(t.rates)) * weight**2
        yield Property(
            f"{name} has no velocity", change[name], jnp.zeros_like(law), EXACT_TOLERANCE, size * moving / weight
        )
        yield Property(
            f"{name} is conserved",
            after[name],
            law,
            CONSERVATION_TOLERANCE if net.smooth_in_parameters else CONSERVATION_TOLERANCE_AT_KINKS,
            size,
        )


def _check_homogeneity(net: Network, t: TestPoint) -> Iterator[Property]:
    c, outputs = 1.7, net(t.X)
    scaled = [jax.tree.map(lambda leaf: c * leaf, layer) for layer in net.layers]
    if net.degree is not None:
        yield Property(
            f"homogeneous of degree {net.degree}", net.with_layers(tuple(scaled))(t.X), c**net.degree * outputs
        )
    if net.degrees is not None:
        _require(
            len(net.degrees) == len(net.layers) and sum(net.degrees) == net.degree,
            f"{type(net).__name__}: degrees {net.degrees} for {len(net.layers)} layers, and degree {net.degree}",
        )
        for l, degree in enumerate(net.degrees):
            layers = (*net.layers[:l], scaled[l], *net.layers[l + 1 :])
            yield Property(f"layer {l + 1} has degree {degree}", net.with_layers(layers)(t.X), c**degree * outputs)


def _check_flags(net: Network, t: TestPoint) -> Iterator[Property]:
    def at(step: Array | float) -> Array:
        return net.with_layers(_displace(net.layers, step, t.direction))(t.X)

    if net.linear_in_inputs:
        yield Property("beta is the predictor", t.X @ net.beta, net(t.X))
        mixed = net(2 * t.X - t.X[::-1])
        yield Property("linear in x", 2 * net(t.X) - net(t.X[::-1]), mixed, EXACT_TOLERANCE, _largest_entry(net(t.X)))
    if net.affine_in_parameters:
        yield Property(
            "affine in the parameters",
            at(2.0) - at(1.0),
            at(1.0) - at(0.0),
            EXACT_TOLERANCE,
            _largest_entry((at(2.0), at(0.0))),
        )
    if net.smooth_in_parameters:
        jump, spread = _largest_jump(lambda s: jax.jvp(lambda s: jnp.sum(t.r * at(s)), (s,), (jnp.ones(()),))[1])
        yield Property("smooth in the parameters", jump, 0.0, MIN_KINK_JUMP, spread)


def _largest_jump(slope: Callable[[Array], Array], points: int = 513, halvings: int = 30) -> tuple[Array, Array]:
    """Return the largest change of a function between neighboring points in [−2, 2], after repeated bisection, and the
    range of the function."""
    grid = jnp.linspace(-2.0, 2.0, points)
    values = jax.vmap(slope)(grid)
    first = jnp.argmax(jnp.abs(jnp.diff(values)))

    def halve(_: Array, state: PyTree) -> PyTree:
        (a, fa), (b, fb) = state
        middle = (a + b) / 2
        fm = slope(middle)
        jumps_left = jnp.abs(fm - fa) > jnp.abs(fb - fm)
        return jax.tree.map(lambda x, y: jnp.where(jumps_left, x, y), ((a, fa), (middle, fm)), ((middle, fm), (b, fb)))

    start = (grid[first], values[first]), (grid[first + 1], values[first + 1])
    (_, fa), (_, fb) = jax.lax.fori_loop(0, halvings, halve, start)
    return fb - fa, jnp.max(values) - jnp.min(values)


def _check_special_forms(net: Network, t: TestPoint) -> Iterator[Property]:
    outputs = net(t.X).reshape(len(t.X), -1)
    if net.weight_matrices is not None:
        product = t.X.T
        for W in net.weight_matrices:
            product = W @ product
        yield Property("the network is the product of its factors", product.T, outputs)
    if net.signed_factors is not None:
        plus, minus = jnp.prod(jnp.stack(net.signed_factors), axis=0) ** (net.degree // len(net.signed_factors))
        yield Property("the network is the difference of its sides", (t.X @ (plus - minus))[:, None], outputs)
    if net.matrix_factor is not None:
        A = t.X.reshape(len(t.X), len(net.matrix_factor), len(net.matrix_factor))
        product = jnp.einsum("nij,ik,jk->n", A, net.matrix_factor, net.matrix_factor)
        yield Property("the network is the square of its root", product[:, None], outputs)
    if net.neuron_parameters is not None:
        W, a, slope = net.neuron_parameters
        z = t.X @ W.T
        yield Property("the network is the sum of its neurons", (jnp.maximum(z, slope * z) @ a)[:, None], outputs)
    if net.unit_norms is not None:
        w, a = net.unit_norms
        c = 1.3 + jnp.arange(w.size).reshape(w.shape) / w.size
        other = net.rescale_units(c, 1 / c)
        yield Property("stretched units are the same function", other(t.X).reshape(outputs.shape), outputs)
        yield Property("norms are stretched", other.unit_norms, (c * w, a / c))


def _check_mirror_variable(net: Network, t: TestPoint) -> Iterator[Property]:
    if not net.has_mirror_variable:
        return
    G = 0.1 * jnp.cos(1.0 + jnp.arange(net.beta.size) ** 2).reshape(net.beta.shape)
    yield Property("moved by nothing it stays", net.at_mirror_variable(0 * G, t.rates).layers, net.layers)
    half, velocity = jax.jvp(
        lambda s: net.at_mirror_variable(s * G, t.rates).layers, (jnp.asarray(0.5),), (jnp.ones(()),)
    )
    slopes = jax.vjp(lambda layers: net.with_layers(layers).beta, half)[1](G)[0]
    expected = tuple(jax.tree.map(lambda g, rate=rate: rate * g, s) for rate, s in zip(t.rates, slopes, strict=True))
    yield Property("moved solves the equation of the parameters", velocity, expected)


CHECKS = (
    _check_prediction,
    _check_gradient,
    _check_kernel,
    _check_homogeneity,
    _check_conservation,
    _check_flags,
    _check_special_forms,
    _check_mirror_variable,
)
