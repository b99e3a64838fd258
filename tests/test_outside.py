"""Networks from outside the package: a class with `__call__` gets the rest. Not run with types checked."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from conftest import distance
from jaxtyping import Array

import lazyrich as lr
from lazyrich import metrics
from lazyrich.networks import LinearNetwork, Network, check_network


class Attention(Network):
    """One head of linear attention: the last token's mixture of tokens, read by V."""

    Q: Array
    K: Array
    V: Array
    tokens: int = eqx.field(static=True)
    degrees = (1, 1, 1)

    def __call__(self, X):
        Z = X.reshape(len(X), self.tokens, -1)
        scores = (Z[:, -1:] @ self.Q.T) @ jnp.swapaxes(Z @ self.K.T, 1, 2)
        return (scores @ Z @ self.V)[:, 0]

    def conserved_quantities(self, rates=None):
        eta_q, eta_k, _ = (1.0, 1.0, 1.0) if rates is None else rates
        return {"balance": eta_k * self.Q @ self.Q.T - eta_q * self.K @ self.K.T}


class Gated(Network):
    """Units (w·x) σ(g·x): nothing but a prediction."""

    W: Array
    G: Array
    a: Array

    def __call__(self, X):
        return ((X @ self.W.T) * jax.nn.sigmoid(X @ self.G.T)) @ self.a


class Mixed(Network):
    """A layer with three axes, one that is a dict, and one number."""

    T: Array
    b: dict
    s: Array

    def __call__(self, X):
        return jnp.einsum("ni,nj,ijc->nc", X, X, self.T) + self.s * jnp.tanh(X @ self.b["w"] + self.b["c"])


class Product(LinearNetwork):
    """Linear in x, and known by its predictor alone."""

    u: Array
    v: Array

    @property
    def beta(self):
        return self.u * self.v


rng = np.random.default_rng(0)


def weights(*shape):
    return 0.5 * rng.normal(size=shape)


NETS = {  # name → (network, inputs, outputs)
    "attention": (Attention(weights(2, 3), weights(2, 3), weights(3), tokens=2), 6, 1),
    "attention, two outputs": (Attention(weights(2, 3), weights(2, 3), weights(3, 2), tokens=2), 6, 2),
    "gated": (Gated(weights(4, 3), weights(4, 3), weights(4).astype(np.float32)), 3, 1),
    "mixed": (Mixed(weights(3, 3, 2), {"w": weights(3, 2), "c": weights(2)}, np.array(0.3)), 3, 2),
    "product": (Product(weights(3), weights(3)), 3, 1),
}
DATA = {
    name: lr.Problem(rng.normal(size=(5, d)), rng.normal(size=(5, c)) if c > 1 else rng.normal(size=5), kappa=0.1)
    for name, (_, d, c) in NETS.items()
}


FEW = ("attention", "mixed", "product")


def make_flow(name):
    net, problem = NETS[name][0], DATA[name]
    return lr.GradientFlow(net, problem, rates=tuple(1.0 + 0.5 * l for l in range(len(net.layers))))


@pytest.fixture(
    scope="module", params=[pytest.param(name, marks=() if name in FEW else pytest.mark.slow) for name in NETS]
)
def flow(request):
    return make_flow(request.param)


@pytest.fixture(scope="module")
def traj(flow):
    return lr.descend(flow, steps=10, lr=0.01)


@pytest.mark.parametrize("name", NETS)
def test_every_promise_is_kept(name):
    flow = make_flow(name)
    defects = check_network(flow.net, flow.problem.X, flow.rates)
    assert max(defects.values()) < 1e-9
    assert ("balance is conserved" in defects) == isinstance(flow.net, Attention)


def test_parameters_are_float64_and_the_layers_are_the_fields(flow):
    assert all(leaf.dtype == float and isinstance(leaf, jax.Array) for leaf in jax.tree.leaves(flow.net))
    names = [name for name in vars(flow.net) if name != "tokens"]
    assert distance(flow.net.layers, tuple(getattr(flow.net, name) for name in names)) == 0


def test_it_is_followed_and_no_theorem_is_claimed(flow):
    explanation = lr.explain(flow)
    assert not explanation
    assert explanation.verdict == "No theorem covers this flow; solve() would integrate it."
    assert "No theorem gives the limit" in lr.explain(flow, of="limit").verdict
    with pytest.raises(lr.NoTheoremApplies, match="no theorem gives this trajectory in closed form"):
        lr.exact(flow, [0.0, 1.0])
    with pytest.raises(lr.NoTheoremApplies, match="no theorem gives the limit of this flow"):
        lr.limit(flow)
    solved = lr.solve(flow, [0.0, 0.2, 0.4])
    assert solved.by.kind == "integrated"
    small = lr.descend(flow, steps=400, lr=1e-3)
    assert distance(small.end.layers, solved.end.layers) < 5e-3
    assert np.all(np.diff(solved.loss) < 0)
    assert distance(solved.at(0.2).layers, solved[1].layers) < 1e-12


def test_its_tangent_model_is_solved_in_closed_form(flow):
    tangent = flow.linearize()
    assert lr.explain(tangent).theorem.name == "affine model"
    exact, steps = lr.exact(tangent, [0.0, 0.05]), lr.descend(tangent, steps=500, lr=1e-4)
    assert distance(exact.end.layers, steps.end.layers) < 1e-3
    assert distance(tangent.ntk(), flow.ntk()) < 1e-14
    doubled = jax.tree.map(lambda leaf: 2 * leaf, flow.net.layers)
    assert distance(lr.Linearized(flow.net, doubled).layers, doubled) == 0


ALWAYS = [
    "conservation_drift", "function_distance", "kernel_alignment", "kernel_distance", "kernel_growth",
    "kernel_velocity", "layer_distance", "learning_speed", "linearization_gap", "parameter_distance",
    "relative_distance", "relative_layer_distance", "sharpness", "target_alignment",
]  # fmt: skip
LINEAR = ["effective_rank", "mode_alignment", "mode_strengths", "singular_values", "stable_rank"]
OTHER = {
    "hamming_distance": "activation patterns belong to TwoLayer networks; found",
    "kernel_split": "hidden units with a length and a direction are those of two-layer networks",
    "layer_ratio": "layer_ratio is about two-layer linear networks",
}
OF_TWO_NETWORKS = ["population_hamming_distance", "population_kernel_distance"]


def test_every_metric_measures_or_refuses_in_words(traj):
    assert sorted([*ALWAYS, *LINEAR, *OTHER, *OF_TWO_NETWORKS, "neuron_alignment"]) == sorted(metrics.__all__)
    for name in ALWAYS:
        found = getattr(metrics, name)(traj)
        assert all(len(leaf) == len(traj) and bool(jnp.all(jnp.isfinite(leaf))) for leaf in jax.tree.leaves(found)), (
            name
        )
    for name in LINEAR:
        if traj.start.linear_in_inputs:
            assert len(getattr(metrics, name)(traj)) == len(traj)
            continue
        with pytest.raises(ValueError, match="is not linear in its input and has no linear predictor beta"):
            getattr(metrics, name)(traj)
    for name, reason in OTHER.items():
        with pytest.raises((TypeError, ValueError), match=reason):
            getattr(metrics, name)(traj)
    first = traj.start.layers[0]
    if first.ndim > 2:
        for measure in (metrics.singular_values, metrics.stable_rank):
            with pytest.raises(
                ValueError, match=r"layer 1 of Mixed is not a matrix: it holds arrays of shapes \[\(3, 3"
            ):
                measure(traj, layer=1)
        with pytest.raises(ValueError, match=r"layer 2 of Mixed is not a matrix: .* \[\(2,\), \(3, 2\)\]"):
            metrics.singular_values(traj, layer=2)
    else:
        assert metrics.singular_values(traj, layer=1).shape[0] == len(traj)
        assert metrics.neuron_alignment(traj, np.ones(first.shape[-1])).shape[0] == len(traj)


def test_functions_with_different_outputs_are_not_compared():
    one, two = NETS["attention"][0], NETS["attention, two outputs"][0]
    with pytest.raises(ValueError, match="networks with 1 and 2 outputs cannot be compared"):
        metrics.function_distance(one, two, DATA["attention"].X)


def test_knobs_need_to_know_the_degrees(flow):
    net, X = flow.net, flow.problem.X
    if isinstance(net, Attention):
        assert distance(lr.inits.scale_parameters(net, 2.0)(X), 8 * net(X)) < 1e-12
        assert distance(lr.inits.upstream(net, 2.0)(X), net(X)) < 1e-13
    else:
        for knob in (lr.inits.scale_parameters, lr.inits.upstream):
            with pytest.raises(ValueError, match="is not homogeneous in its parameters, or does not say so"):
                knob(net, 2.0)
    with pytest.raises(ValueError, match=r"\(τ, δ\) are coordinates of the hidden units of two-layer networks; found"):
        lr.inits.rescale(net, delta=1.0)
    with pytest.raises(ValueError, match="regions of the plane need a TwoLayer network"):
        lr.linear_regions(net)


def test_upstream_wants_equal_degrees():
    class Squared(Attention):
        degrees = (2, 1, 1)

    with pytest.raises(ValueError, match=r"between layers of one degree; here the degrees are \(2, 1, 1\)"):
        lr.inits.upstream(Squared(*NETS["attention"][0].layers, tokens=2), 2.0)


def test_save_and_load(tmp_path, traj):
    kind = type(traj.start)
    for path in (traj, lr.descend(traj.flow.linearize(), steps=3, lr=0.01)):
        path.save(tmp_path / "t.npz")
        loaded = lr.Trajectory.load(tmp_path / "t.npz", kind)
        assert jax.tree.structure(loaded) == jax.tree.structure(path)
        assert distance(loaded, path) == 0
        with pytest.raises(ValueError, match=rf"unknown class {kind.__name__}; .* load\(path, {kind.__name__}\)"):
            lr.Trajectory.load(tmp_path / "t.npz")
    with pytest.raises(TypeError, match="load takes classes of networks after the path; found 3"):
        lr.Trajectory.load(tmp_path / "t.npz", 3)
    assert traj.plot().axes[3].get_title() == "Size of the layers"
    assert float(traj.to_xarray().loss[0]) == pytest.approx(float(traj.loss[0]))


def test_what_its_class_cannot_make_again_is_not_saved(tmp_path):
    class Wide(Network):
        W: Array

        def __init__(self, width):
            self.W = jnp.ones((width, 3))

        def __call__(self, X):
            return jnp.sum(jnp.tanh(X @ self.W.T), axis=1)

    class Listed(Network):
        W: list

        def __call__(self, X):
            return X @ self.W[0] + jnp.tanh(X @ self.W[1])

    class Restless(Network):
        W: Array

        def __init__(self, W):
            self.W = W + 1.0

        def __call__(self, X):
            return X @ self.W

    class DeepLinear(Gated):
        pass

    gated = NETS["gated"][0]
    for net, error, reason in (
        (Wide(2), TypeError, r"cannot save a Wide: its constructor must take its fields, \['W'\]"),
        (Listed([np.ones(3), np.ones(3)]), TypeError, "a network that holds a list"),
        (
            Restless(np.ones(3)),
            TypeError,
            r"cannot save a Restless: made again from its fields, \['W'\], it is another",
        ),
        (DeepLinear(*gated.layers), ValueError, "DeepLinear is a class of lazyrich: give your own another name"),
    ):
        path = lr.descend(lr.GradientFlow(net, DATA["gated"]), steps=2, lr=0.01)
        with pytest.raises(error, match=reason):
            path.save(tmp_path / "t.npz")
    with pytest.raises(ValueError, match="DeepLinear is a class of lazyrich"):
        lr.Trajectory.load(tmp_path / "t.npz", DeepLinear)


def test_what_makes_no_sense_is_refused():
    problem = DATA["gated"]
    net = NETS["gated"][0]

    class Blank(Network):
        width: int = eqx.field(static=True)

        def __call__(self, X):
            return jnp.zeros(len(X))

    class Silent(Network):
        W: Array

    class Loose(Silent):
        width: int

    class Cubic(Silent):
        def __call__(self, X):
            return (X @ self.W)[:, None, None]

    for wrong, error, reason in (
        (lambda: lr.GradientFlow(net, DATA["attention"]), ValueError, r"Gated does not run on X, of shape \(5, 6\): "),
        (lambda: lr.GradientFlow(net, DATA["mixed"]), ValueError, "the network has 1 outputs, but y has 2"),
        (lambda: lr.GradientFlow(Blank(3), problem), ValueError, "Blank has no parameters, and nothing of it can move"),
        (lambda: lr.GradientFlow(Silent(np.ones(3)), problem), ValueError, r"Silent has no __call__\(X\)"),
        (lambda: lr.GradientFlow(Cubic(np.ones(3)), problem), ValueError, r"found outputs of shape \(5, 1, 1\)"),
        (
            lambda: Loose(np.ones(3), 4),
            TypeError,
            r"Loose\.width holds a int, 4: .* `width: \.\.\. = eqx\.field\(static",
        ),
        (lambda: Gated("W", net.G, net.a), TypeError, r"Gated\.W holds a str, 'W': parameters are arrays"),
        (lambda: Gated(np.ones((2, 3), complex), net.G, net.a), ValueError, "its numbers are complex"),
        (lambda: Gated(net.W.at[0, 1].set(np.nan), net.G, net.a), ValueError, r"Gated\.W has 1 entries that are NaN"),
        (lambda: Gated(np.ones((0, 3)), net.G, net.a), ValueError, r"Gated\.W is empty"),
    ):
        with pytest.raises(error, match=reason):
            wrong()


def test_frozen_arrays_are_left_out_of_the_layers(tmp_path):
    class Features(Network):
        F: Array
        a: Array

        @property
        def layers(self):
            return (self.a,)

        @property
        def affine_in_parameters(self):
            return True

        def __call__(self, X):
            return jnp.tanh(X @ self.F.T) @ self.a

    net = Features(weights(4, 3), weights(4))
    assert max(check_network(net, DATA["gated"].X).values()) < 1e-9
    traj = lr.descend(lr.GradientFlow(net, DATA["gated"]), steps=3, lr=0.01)
    assert distance(traj.end.F, net.F) == 0
    traj.save(tmp_path / "t.npz")
    assert distance(lr.Trajectory.load(tmp_path / "t.npz", Features), traj) == 0


def test_it_goes_through_jit_vmap_and_grad(flow):
    """Of loss, field and kernel; `integrate` takes the same path."""

    def measured(net):
        here = flow.with_net(net)
        return here.loss(), here.vector_field(net.layers), here.ntk()

    plain = measured(flow.net)
    assert distance(jax.jit(measured)(flow.net), plain) < 1e-13
    stacked = jax.tree.map(lambda leaf: jnp.stack([2 * leaf, leaf]), flow.net)
    assert distance(jax.tree.map(lambda leaf: leaf[1], jax.vmap(measured)(stacked)), plain) < 1e-13
    slopes = jax.grad(lambda net: flow.with_net(net).loss())(flow.net).layers
    assert distance(slopes, flow.gradient()) < 1e-13
    assert flow.ntk(X=flow.problem.X.astype(jnp.float32)).dtype == float


@pytest.mark.slow
def test_integration_of_it_goes_through_jit_vmap_and_grad(flow):
    def end(net):
        return lr.integrate(flow.with_net(net), [0.0, 0.5], max_steps=256).loss[-1]

    plain = float(lr.integrate(flow, [0.0, 0.5]).loss[-1])
    assert float(jax.jit(end)(flow.net)) == pytest.approx(plain, rel=1e-8)
    stacked = jax.tree.map(lambda leaf: jnp.stack([0.5 * leaf, leaf]), flow.net)
    assert float(jax.vmap(end)(stacked)[1]) == pytest.approx(plain, rel=1e-8)
    slope = jax.grad(end)(flow.net)
    step = jax.tree.map(lambda a: 1e-5 * jnp.cos(jnp.arange(a.size)).reshape(a.shape), flow.net)
    up, down = (jax.tree.map(lambda a, b, s=s: a + s * b, flow.net, step) for s in (1, -1))
    numeric = float(end(up) - end(down)) / 2
    inner = sum(float(jnp.sum(a * b)) for a, b in zip(jax.tree.leaves(slope), jax.tree.leaves(step), strict=True))
    assert inner == pytest.approx(numeric, rel=1e-5, abs=1e-12)


def test_a_kink_that_is_not_told_is_found_only_by_the_check():
    """`smooth` is believed: such a flow is followed, with steps that shrink at each kink."""

    class Bent(Gated):
        def __call__(self, X):
            return jax.nn.relu(X @ self.W.T) @ self.a + 0 * jnp.sum(self.G)

    net = Bent(*NETS["gated"][0].layers)
    with pytest.raises(AssertionError, match="Bent does not keep its promise 'smooth in the parameters'"):
        check_network(net, DATA["gated"].X)
    traj = lr.integrate(lr.GradientFlow(net, DATA["gated"]), [0.0, 1.0])
    twin = lr.integrate(lr.GradientFlow(lr.TwoLayer(net.W, net.a), DATA["gated"]), [0.0, 1.0])
    assert distance(traj.end.W, twin.end.W) < 1e-7
