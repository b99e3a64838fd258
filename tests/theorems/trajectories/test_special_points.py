"""Special points: opposed and absent modes, zero targets, balanced starts, numbers near the ends of float64, and
derivatives there. Random ones are in the ring (`fuzz/`); these are the ones that were once wrong."""

from itertools import pairwise

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import pytest

import lazyrich as lr
from lazyrich._core.linalg import exponential_decay
from lazyrich.theorems import echelon

TARGET = np.diag([2.0, 1.0])
TIMES = np.array([0.0, 5.0, 25.0, 60.0])


def opposed(depth, key=1):
    net = lr.inits.aligned(TARGET, [-0.5, 0.5], depth=depth, key=jax.random.key(key))
    return lr.GradientFlow(net, lr.Problem(np.eye(2), TARGET))


def difference(f, x, step=1e-4):
    """The derivative of f: R^k → R in every coordinate, to fourth order."""
    x = np.asarray(x, float)
    slope = np.zeros(x.shape)
    for i in np.ndindex(x.shape):
        at = [float(f(x + k * step * (np.arange(x.size).reshape(x.shape) == np.ravel_multi_index(i, x.shape))))
              for k in (-2, -1, 1, 2)] if x.ndim else [float(f(x + k * step)) for k in (-2, -1, 1, 2)]  # fmt: skip
        slope[i] = np.array([1, -8, 8, -1]) @ at / (12 * step)
    return slope


@pytest.mark.parametrize("key", [1, 2, 3])
def test_a_mode_opposed_to_its_target_goes_into_the_saddle(key):
    """Its a + w is rounding, of no direction; what grew from it was no point of any flow."""
    traj = lr.exact(opposed(2, key), TIMES)
    assert np.allclose(traj.beta[-1], np.diag([0.0, 1.0]), atol=1e-12)
    slopes = traj.flow.gradient(traj.end)
    assert max(float(jnp.max(jnp.abs(slope))) for slope in slopes) < 1e-9


@pytest.mark.parametrize("depth", [2, 3])
def test_where_rounding_decides_both_say_so(depth):
    flow = opposed(depth)
    for traj in (lr.exact(flow, TIMES), lr.integrate(flow, TIMES)):
        assert "decided by rounding" in traj.by.detail
    for traj in (lr.exact(flow, [0.0, 1.0]), lr.integrate(flow, [0.0, 1.0])):  # before it can be seen
        assert "rounding" not in traj.by.detail
    learned = lr.GradientFlow(lr.inits.aligned(TARGET, 0.5, depth=depth, key=jax.random.key(1)), flow.problem)
    assert "rounding" not in lr.exact(learned, TIMES).by.detail
    with pytest.raises(lr.NoTheoremApplies, match="avoids saddles"):
        lr.limit(flow, theorem="vanishing bias")


def test_other_absences_that_rounding_fills():
    """A hidden layer of rank one, a coordinate with u = −v, an eigenvector without weight."""
    wide = lr.DeepLinear([[[0.5, 0.2], [0.5, 0.2]], [[0.3, 0.3], [0.1, 0.1]]])
    coordinate = lr.Diagonal([[[0.5], [0.0]], [[-0.5], [0.0]]])
    matrix = lr.Factorization([[0.5], [0.0]])
    for net, X, y in (
        (wide, np.eye(2), TARGET),
        (coordinate, [[1.0]], [1.0]),
        (matrix, [[1.0, 0, 0, 0], [0, 0, 0, 1.0]], [1.0, 1.0]),
    ):
        assert "decided by rounding" in lr.solve(lr.GradientFlow(net, lr.Problem(X, y)), [0.0, 100.0]).by.detail


def test_a_mode_nearly_opposed_to_its_target_ends_in_a_minimum():
    """Equal modes, one with a + w of 1e-10: what rounding adds to it in the direction of the other must not grow."""
    rng = np.random.default_rng(3)
    (hidden, _), (inputs, _), (outputs, _) = (np.linalg.qr(rng.normal(size=(n, n))) for n in (3, 3, 2))
    w, a = hidden[:, :2], hidden[:, :2] * [1.0, -1.0 + 3e-10]
    net = lr.DeepLinear([w @ inputs[:, :2].T, outputs @ a.T])
    target = 0.5 * inputs[:, :2] @ outputs.T
    flow = lr.GradientFlow(net, lr.Problem(np.eye(3), target))
    traj = lr.exact(flow, [0.0, 1e9])
    assert "rounding of the weights leaves what is learned uncertain by" in str(traj.by)
    np.testing.assert_allclose(traj.beta[-1], target, atol=1e-7)


def test_a_mode_much_smaller_than_the_network_is_said_to_be_blurred():
    R = np.linalg.qr(np.random.default_rng(0).normal(size=(2, 2)))[0]
    net = lr.inits.aligned(R @ TARGET @ R.T, [1e-20, 1.0], key=jax.random.key(0))
    flow = lr.GradientFlow(net, lr.Problem(np.eye(2), R @ TARGET @ R.T))
    assert "rounding of the weights leaves what is learned uncertain" in lr.exact(flow, [0.0, 1.0]).by.detail


SPECIAL = {
    "zero label, both sides equal": (
        lambda y: lr.GradientFlow(lr.inits.tied_diagonal(3, 0.5, depth=3), lr.Problem(np.eye(3), y)), [1.0, 0.0, -1.0]),
    "nearly zero label": (
        lambda y: lr.GradientFlow(lr.inits.tied_diagonal(2, 0.1, depth=3), lr.Problem(np.eye(2), y)), [1e-14, 1e-9]),
    "zero label, depth 2": (
        lambda y: lr.GradientFlow(lr.Diagonal([[[0.5, 0.3], [0.4, 0.3]]], 2), lr.Problem(np.eye(2), y)), [0.0, 0.0]),
    "zero label, one side": (
        lambda y: lr.GradientFlow(lr.Diagonal([[[0.5, 0.3], [0.0, 0.0]]], 3), lr.Problem(np.eye(2), y)), [0.0, 1e-12]),
    "neuron without target, balanced": (
        lambda w: lr.GradientFlow(lr.DeepLinear([w[None, :2], w[None, 2:]]), lr.Problem(np.eye(2), np.zeros(2))),
        [0.6, 0.8, 1.0]),
    "neuron without target, in the target": (
        lambda y: lr.GradientFlow(lr.inits.neuron([0.3, 0.4], -1.0), lr.Problem(np.eye(2), y)), [0.0, 0.0]),
    "neuron on the separatrix": (
        lambda w: lr.GradientFlow(lr.DeepLinear([w[None, :2], w[None, 2:]]), lr.Problem(np.eye(2), [1.0, 0.0])),
        [-1.0, 0.0, 1.0]),
    "neuron at β₀ = 0, upstream": (
        lambda b: lr.GradientFlow(lr.inits.neuron(b, 1.0), lr.Problem(np.eye(2), [1.0, 2.0])), [0.0, 0.0]),
    "neuron, δ through 0": (
        lambda d: lr.GradientFlow(lr.inits.neuron([0.6, 0.8], d), lr.Problem(np.eye(2), [1.0, 2.0])), 0.0),
    "equal sides, jitted rounding": (
        lambda w: lr.GradientFlow(lr.Diagonal([w.reshape(2, 2)], 2), lr.Problem(np.diag([1.0, 0.5]), [0.5, 1.78])),
        [-0.7, -0.7, 0.3, -0.7]),
}  # fmt: skip


@pytest.mark.parametrize("name", SPECIAL)
def test_derivatives_at_special_points(name):
    make, point = SPECIAL[name]

    def value(x):
        nets = lr.exact(make(jnp.asarray(x, float)), [0.0, 0.3, 1.0]).nets
        return sum(jnp.sum(jnp.cos(1.0 + jnp.arange(leaf.size)).reshape(leaf.shape) * leaf) for leaf in nets.layers)

    assert np.asarray(jax.grad(value)(jnp.asarray(point, float))) == pytest.approx(difference(value, point), abs=2e-8)


@pytest.mark.parametrize("lift", [False, True])
@pytest.mark.parametrize("labels", [np.zeros((2, 2)), np.diag([1.0, 0.0]), np.eye(2), TARGET])
def test_derivatives_of_isotropic_networks_at_special_points(labels, lift):
    """No target, one of rank one, equal modes; balanced."""

    def value(s):
        flow = lr.GradientFlow(lr.DeepLinear([s * jnp.eye(2), 0.5 * jnp.eye(2)]), lr.Problem(np.eye(2), labels))
        traj = lr.exact(flow, [0.3, 1.0], theorem="isotropic imbalance", hidden_rotation=lift)
        return jnp.sum(traj.beta[-1] * jnp.array([[1.0, 0.3], [0.2, 0.7]]))

    for s in (0.5, 0.5 + 1e-13):
        assert float(jax.grad(value)(s)) == pytest.approx(float(difference(value, s)), rel=1e-8)


def test_a_derivative_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match="no derivative at a = 0"):
        jax.grad(lambda s: jnp.sum(lr.inits.aligned(TARGET, s).beta))(jnp.array([0.0, 1.0]))
    with pytest.raises(ValueError, match="no derivative in beta0"):
        jax.grad(lambda b: jnp.sum(lr.inits.neuron(b, -1.0, direction=[1.0, 0.0]).weights[0]))(jnp.zeros(2))
    with pytest.raises(Exception, match="needs a `direction`"):
        jax.jit(lambda b: lr.inits.neuron(b, -1.0).weights[0])(jnp.zeros(2)).block_until_ready()
    key = jax.random.key(0)
    with pytest.raises(ValueError, match="not differentiable in beta0"):
        jax.grad(lambda b: jnp.sum(lr.inits.isotropic(key, 2, 2, 2, 0.5, beta0=b).beta))(jnp.eye(2))


@pytest.mark.parametrize("scale", [1e200, 1e-150, 1e70])
@pytest.mark.parametrize("what", ["net", "X", "y", "rates"])
def test_extreme_numbers_are_right_or_refused(what, scale):
    """In units of their own the flows are ordinary ones; their ends are known."""
    unit = {name: scale if name == what else 1.0 for name in ("net", "X", "y", "rates")}
    problem = lr.Problem(unit["X"] * np.eye(2), unit["y"] * np.array([1.0, 2.0]))
    nets = [
        lr.DeepLinear([unit["net"] * np.array([[0.3, 0.2]]), [[unit["net"]]]]),
        lr.Diagonal([unit["net"] * np.array([[0.3, 0.2], [0.1, 0.2]])], 2),
    ]
    for net in nets:
        flow = lr.GradientFlow(net, problem, rates=unit["rates"])
        if lr.nondimensionalize.nondimensionalize(flow).underflows:
            with pytest.raises(OverflowError, match="float64"):
                lr.exact(flow, [0.0, 1e300])
            continue
        traj = lr.exact(flow, [0.0, 1e300])
        assert np.all(np.isfinite(traj.beta))
        if what in ("rates", "y") and scale > 1:
            assert np.asarray(traj.outputs[-1]) == pytest.approx(np.asarray(problem.y), rel=1e-9)


def test_wide_networks_with_huge_labels():
    net = lr.inits.isotropic(jax.random.key(0), 3, 3, 2, 0.5)
    y = np.random.default_rng(0).normal(size=(3, 2))
    large = lr.exact(lr.GradientFlow(net, lr.Problem(np.eye(3), 1e160 * y)), [0.0, 1e-3], hidden_rotation=False)
    assert np.asarray(large.beta[-1]) / 1e160 == pytest.approx(y, abs=1e-9)


def test_units_change_nothing():
    """A flow and the same in units of 2^±400."""
    net, y = lr.inits.neuron([0.3, 0.2], -0.5), np.array([1.0, 2.0])
    plain = lr.exact(lr.GradientFlow(net, lr.Problem(np.eye(2), y)), [0.0, 0.5, 3.0])
    for power in (400, -400):
        unit = 2.0**power
        problem = lr.Problem(unit * np.eye(2), unit * y)
        scaled = lr.exact(lr.GradientFlow(net, problem), np.array([0.0, 0.5, 3.0]) * unit**-2)
        assert np.asarray(scaled.beta) == pytest.approx(np.asarray(plain.beta), rel=1e-14)


@pytest.mark.parametrize(("power", "layers"), [(1, 2), (2, 1), (3, 1)])
def test_a_coordinate_too_small_to_be_squared_is_refused(power, layers):
    problem = lr.Problem(np.eye(2), [1.0, 1.0])
    tiny, small = (lr.Diagonal([[[0.5, u], [0.5, u / 2]]] * layers, power) for u in (1e-160, 1e-100))
    with pytest.raises(OverflowError, match="parts down to 1e-160"):
        lr.exact(lr.GradientFlow(tiny, problem), [0.0, 1e4])
    lr.exact(lr.GradientFlow(small, problem), [0.0, 1e3])
    zero = lr.Diagonal([[[0.5, 0.0], [0.5, 0.0]]] * layers, power)
    assert lr.exact(lr.GradientFlow(zero, problem), [0.0, 1e4]).beta[-1, 1] == 0


def test_what_weights_cannot_hold_is_said():
    net = lr.Diagonal([[[1.0, 0.5], [0.7, 0.2]]], power=2)
    for large, said in ((1.0, False), (1e6, False), (1e8, True), (1e70, True)):
        flow = lr.GradientFlow(net, lr.Problem(large * np.eye(2), [1.0, 2.0]))
        assert ("rounding of the weights" in str(lr.exact(flow, [0.0, 1.0]).by)) == said
    assert lr.exact(lr.GradientFlow(net, lr.Problem(1e70 * np.eye(2), [0.0, 0.0])), [0.0, 1.0]).by


def test_hidden_units_come_to_rest_when_modes_are_equal():
    """Two equal modes: what rounding leaves of the turning of the hidden units must not turn them for ever."""
    W1 = [
        [0.17121893620143228, 1.7817141371462153, -0.6722684880299203],
        [0.05104575681001536, 0.6071221020793909, 1.1032499741867834],
        [-0.010789472209224727, -0.1536437460397652, -0.6678336058559208],
    ]
    W2 = [
        [0.6734227880050145, 0.9337718511380437, -0.4417512089625698],
        [1.4247201250542711, -0.25981218561841857, 0.28314845598402055],
    ]
    X = np.array(
        [
            [-0.40217896288512, 0.09702571573359026, -0.8214402904496794],
            [-0.5626564260145978, -0.4473160695478865, -0.08591034673862746],
            [0.5839811065318904, -0.38928712493780876, -0.31149630163000674],
            [0.3005057331714339, 0.5891478921360295, -0.38406594426472584],
            [-0.30055315606730254, 0.54023572628987, 0.27077419758180027],
        ]
    )
    y = [
        [-0.07822313684692256, 0.0222985434768571],
        [0.058607990548128056, 0.24746527422035489],
        [0.2847055608553861, 0.9390664807696308],
        [0.01358907938041971, -0.2934314404527596],
        [0.34124724344969204, 1.0636857741266177],
    ]
    rates = (1.7226984630118984, 1.361185562664984)
    flow = lr.GradientFlow(lr.DeepLinear([W1, W2]), lr.Problem(X, y), rates)
    early, late = lr.exact(flow, [0.0, 1e5, 1e9])[1:].nets.weights[0]
    np.testing.assert_allclose(early, late, atol=1e-6)  # labels known to 1e-16 turn by that much times t


@pytest.mark.parametrize("size", [1.0, 1e-15])
@pytest.mark.parametrize("far", [1e2, 1e9, 1e200])
def test_a_far_time_changes_nothing_before_it(size, far):
    """The hidden units turn early, or late and at once; a step over all of that saw no turn."""
    net = lr.inits.isotropic(jax.random.key(0), 3, 3, 2, 0.0)
    flow = lr.GradientFlow(
        lr.inits.scale_parameters(net, size), lr.Problem(np.eye(3), [[1.0, 0.2], [0.3, -0.5], [0.1, 0.4]])
    )
    times = np.linspace(0.0, 150.0, 60)
    near, both = lr.exact(flow, times), lr.exact(flow, np.append(times, far + times[-1]))
    for one, other in zip(near.nets.layers, both.nets.layers, strict=True):
        assert np.allclose(one, other[:-1], atol=1e-11)
    right = lr.integrate(flow, times, rtol=1e-11, atol=1e-30)
    for one, other in zip(near.nets.layers, right.nets.layers, strict=True):
        assert np.allclose(one, other, atol=1e-6)


@pytest.mark.parametrize("unit", [1.0, 1e140])
@pytest.mark.parametrize("seed", [3, 6, 15, 50, 74])
def test_a_mode_that_deep_layers_have_by_rounding_only_is_absent_and_moves_nothing(seed, unit):
    """Its carriers are rounding, and may be those of another mode."""
    rng = np.random.default_rng(seed)
    U, A, B, _ = (np.linalg.qr(rng.normal(size=(3, 3)))[0] for _ in range(4))
    V, X = np.linalg.qr(rng.normal(size=(2, 2)))[0], np.linalg.qr(rng.normal(size=(5, 3)))[0]
    y, frames = X @ (U[:, :2] * [1.0, 0.5]) @ V.T, (U[:, 1], A[:, 0], B[:, 0], -V[:, 1])
    net = lr.DeepLinear([1.16 * np.outer(after, before) for before, after in pairwise(frames)])
    found = lr.exact(lr.GradientFlow(net, lr.Problem(unit * X, unit * y)), np.array([0.0, 4.0]) / unit**2)
    followed = lr.integrate(lr.GradientFlow(net, lr.Problem(X, y)), [0.0, 4.0], rtol=1e-11)
    for ours, theirs in zip(found.nets.layers, followed.nets.layers, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-9)


def test_a_neuron_on_its_separatrix_fades_along_one_line():
    """Nothing is left across the target, though w is computed from a difference that cancels."""
    net = lr.inits.neuron([-1e-12, 0.0], 0.0, rates=(1.0, 100.0))
    traj = lr.exact(lr.GradientFlow(net, lr.Problem(np.eye(2), [1.3, 0.0]), (1.0, 100.0)), [150 / 13])
    a, w = (float(np.ravel(layer)[0]) for layer in (traj.nets.weights[1], traj.nets.weights[0]))
    assert w == pytest.approx(-a / 10, rel=1e-12, abs=0)


@pytest.mark.parametrize(
    "M",
    [
        [[0.0, 1.0, 3.0], [0.0, 2.0, 1.0]],  # the fastest mode is absent
        [[1.0, 2.0, 3.0], [2.0, 4.0, 1.0]],  # two modes pull alike
        [[1.0, 2.0], [2.0, 4.0]],
        [[1e-15, 1.0, 3.0], [2e-15, 2.0, 1.0]],
        [[1.0], [2.0], [3.0]],
        [[0.0, 0.0], [0.0, 0.0]],
        [[3.0, 1.0, 2.0], [1.0, 2.0, 5.0]],  # nothing gives way
    ],
)
def test_each_row_has_a_fastest_mode_of_its_own(M):
    M = np.asarray(M)
    for given in (M, jnp.asarray(M)):  # by LAPACK where nothing gives way, and by reflections
        rows, frame = (np.asarray(part) for part in echelon._echelon(given))
        np.testing.assert_allclose(frame @ rows, M, rtol=0, atol=1e-13 * np.max(np.abs(M)))
        np.testing.assert_allclose(frame.T @ frame, np.eye(len(M)), rtol=0, atol=1e-14)
        leads = [int(np.argmax(row != 0)) if np.any(row) else M.shape[1] + i for i, row in enumerate(rows)]
        assert leads == sorted(set(leads))


def test_a_decay_that_hardly_is_one():
    rate, t = np.array([0.0, 5e-324, 1e-310, 1e-200, 1e-12, 0.3, 40.0]), np.array(7.0)
    exact = [float(t if r == 0 else -mpmath.expm1(-mpmath.mpf(float(r)) * 7) / mpmath.mpf(float(r))) for r in rate]
    for given in (np.asarray, jnp.asarray):
        np.testing.assert_allclose(exponential_decay(given(rate), given(t))[1], exact, rtol=4e-16)
        with np.errstate(over="ignore"):
            assert float(exponential_decay(given(1e20), given(1e300))[1]) == 1e-20
        assert float(exponential_decay(given(3.0), given(0.0))[1]) == 0


def test_a_decay_and_its_derivatives():
    """Lambert's fraction, and what follows it: to the last digits on both sides of where they meet."""
    x = np.concatenate([np.geomspace(1e-18, 0.4, 50), np.linspace(0.4, 0.6, 201), np.geomspace(0.6, 700, 50)])
    exact = [float(-mpmath.expm1(-mpmath.mpf(float(v))) / mpmath.mpf(float(v))) for v in x]
    np.testing.assert_allclose(exponential_decay(jnp.asarray(x), jnp.asarray(1.0))[1], exact, rtol=4e-16)
    slope = lambda rate: exponential_decay(rate, jnp.asarray(2.0))[1]  # noqa: E731
    for expected in (2.0, -2.0, 8 / 3, -4.0):  # τ = t − λt²/2 + λ²t³/6 − …
        assert float(slope(0.0)) == pytest.approx(expected, rel=4e-15)
        slope = jax.grad(slope)


def test_a_mode_that_grows_almost_along_a_stronger_one_is_uncertain():
    """What it adds to the hidden layer is a last digit of the weights, and `by` says how much that blurs."""
    (U, V), M = (np.linalg.qr(np.random.default_rng(i).normal(size=(2, 2)))[0] for i in (0, 1)), np.ones((2, 2))
    for beside, words in ((1e-2, None), (1e-8, "uncertain by 2e-08")):
        M[:, 1] = 1.0 + beside * np.array([1.0, -1.0]) / np.sqrt(2)
        net = lr.DeepLinear([0.1 * M @ U.T, 0.1 * V @ M.T])
        said = lr.exact(lr.GradientFlow(net, lr.Problem(np.eye(2), U @ TARGET @ V.T)), [0.0, 1.0]).by.detail
        assert (words in said) if words else ("uncertain" not in said), said


@pytest.mark.parametrize("delta", [1.5, -1.5])
def test_outputs_beyond_the_target_grow_with_the_imbalance(delta):
    """With more outputs than inputs some of the second layer has no target, and its exponential is e^{δt}."""
    net = lr.inits.isotropic(jax.random.key(0), 2, 3, 4, delta)
    flow = lr.GradientFlow(net, lr.Problem(np.eye(2), np.random.default_rng(0).normal(size=(2, 4))))
    path = lr.exact(flow, [0.0, 1.0, 1e5], theorem="isotropic imbalance")
    checked = lr.integrate(flow, [0.0, 1.0], rtol=1e-11, atol=1e-13)
    for ours, theirs in zip(path.nets.layers, checked.nets.layers, strict=True):
        np.testing.assert_allclose(ours[:2], theirs, atol=1e-8)
    np.testing.assert_allclose(path.beta[-1], flow.problem.y, atol=1e-14)


OUT_OF_REACH = np.linalg.qr(np.random.default_rng(0).normal(size=(5, 5)))[0]


@pytest.mark.parametrize("depth", [2, 3, 4])
def test_labels_out_of_reach_are_no_target(depth):
    """Xᵀy is 1e-16, of rounding, and its singular vectors are none of a target's."""
    X, y = OUT_OF_REACH[:, :3], OUT_OF_REACH[:, 3:] @ np.array([[1.0, 2.0], [0.5, -1.0]])
    assert 0 < np.max(np.abs(X.T @ y)) < 1e-15
    square = np.diag([1.0, 0.5])
    net = lr.DeepLinear([np.eye(2, 3) * [[1.0], [0.5]], *[square] * (depth - 1)])
    found, without = (lr.exact(lr.GradientFlow(net, lr.Problem(X, labels)), [1.0, 30.0]) for labels in (y, 0 * y))
    assert "rounding" not in found.by.detail
    np.testing.assert_allclose(found.beta, without.beta, rtol=1e-14, atol=1e-16)


def test_a_neuron_fades_where_labels_are_out_of_reach():
    X, y = OUT_OF_REACH[:, :3] * [1.0, 2.0, 3.0], OUT_OF_REACH[:, 3]
    for sign in (1, -1):
        found = lr.limit(lr.GradientFlow(lr.inits.neuron([0.3, 0.2, 0.1], delta=-1.0), lr.Problem(X, sign * y)))
        np.testing.assert_allclose(found.value, np.zeros(3), atol=1e-12)


def test_a_small_label_is_a_target_beside_large_ones_out_of_reach():
    X, y = np.diag([1.0, 1.0, 0.0]), np.array([[1e-20, 0.0], [0.0, 1e-20], [1.0, 2.0]])
    flow = lr.GradientFlow(lr.DeepLinear([1e-7 * np.eye(2, 3), 1e-7 * np.eye(2), 1e-7 * np.eye(2)]), lr.Problem(X, y))
    np.testing.assert_allclose(lr.exact(flow, [1e30]).beta[0], [[1e-20, 0.0], [0.0, 1e-20], [0.0, 0.0]], rtol=1e-9)


def test_limits_of_opposed_coordinates_on_correlated_features_say_that_rounding_decides():
    """A coordinate whose sides have u = −v, and which is pulled the other way, runs into a saddle on any data."""
    opposed = lr.Diagonal([[[0.5, 0.0], [0.3, 0.3]], [[0.5, 0.0], [0.3, -0.3]]])
    for target, decided in ((-1.0, True), (1.0, False)):
        limit = lr.limit(lr.GradientFlow(opposed, lr.Problem([[1.0, 0.5]], [target])))
        assert ("decided by rounding" in limit.by.detail) == decided


@pytest.mark.parametrize("zero", ["first", "last"])
def test_modes_at_rest_may_lie_along_each_other(zero):
    """Labels without a linear part, and a layer of zeros: nothing moves, and the frame of the modes is arbitrary, so
    that several of them may share a hidden direction."""
    rng = np.random.default_rng(3)
    X = np.linalg.qr(rng.normal(size=(5, 3)))[0]
    noise = rng.normal(size=(5, 2))
    first, last = np.outer(rng.normal(size=4), rng.normal(size=3)), np.outer(rng.normal(size=2), rng.normal(size=4))
    layers = (0 * first, last) if zero == "first" else (first, 0 * last)
    flow = lr.GradientFlow(lr.DeepLinear(layers), lr.Problem(X, noise - X @ (X.T @ noise)))
    traj = lr.exact(flow, [0.0, 1.0, 100.0], theorem="aligned modes")
    for layer, start in zip(traj.nets.layers, layers, strict=True):
        np.testing.assert_allclose(layer, np.broadcast_to(start, layer.shape), rtol=0, atol=1e-12)
