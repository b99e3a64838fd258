"""Tangent kernels against the explicit Jacobian, and against the other rooms."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from torch import nn

import lazyrich as lr
import lazyrich.torch as lt
from lazyrich.jax import kernel_product, predict, tangent_kernel
from lazyrich.jax._jacobian.checked_model import check_model
from lazyrich.jax.weight_rules import Convolution, Dot
from tests.conftest import NETWORKS
from tests.jax_models.jax_zoo import KINDS, LIBRARIES, PLAIN, experts, explicit, made, normal, plain, stacked, twice

SLACK = {np.float32: 1e-5, np.float64: 1e-10}
# Compilation is most of the cost: in the first ring each kind once, in one library and one precision.
FIRST = {
    ("equinox", "mlp", np.float32), ("nnx", "mlp", np.float64), ("equinox", "cnn", np.float64),
    ("linen", "resnet", np.float32), ("linen", "transformer", np.float64), ("equinox", "rnn", np.float64),
}  # fmt: skip
MODELS = [
    pytest.param(library, kind, dtype, id=f"{library} {kind} {dtype.__name__}",
                 marks=() if (library, kind, dtype) in FIRST else pytest.mark.slow)
    for library in LIBRARIES for kind in KINDS for dtype in SLACK
]  # fmt: skip


@pytest.mark.parametrize(("library", "kind", "dtype"), MODELS)
def test_models_of_every_library(library, kind, dtype):
    f, params, x = made(library, kind, dtype)
    found, wanted = tangent_kernel(f, params, x), explicit(f, params, x)
    assert found.dtype == wanted.dtype == dtype
    assert np.abs(found - wanted).max() <= SLACK[dtype] * np.abs(wanted).max()


# What of each is left to automatic differentiation, by the numbers of the parameters.
LEFT = {
    "shared": (0,), "twice": (), "stacked": (), "adapters": (0,), "experts": (), "rematerialized": (), "sliced": (),
    "own_rules": (0,), "normalized": (0, 1), "branching": (1,), "reused_bias": (2,), "tables": (), "by_columns": (0,),
    "scalar_output": (), "readout_at_zero": (), "nested": (1,), "overlapping": (0, 1), "through_complex": (),
}  # fmt: skip


@pytest.mark.parametrize("function", PLAIN, ids=lambda function: function.__name__)
def test_unusual_functions(function):
    params, x = plain(function)
    found, wanted = tangent_kernel(function, params, x), explicit(function, params, x)
    np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-10 * np.abs(wanted).max())
    assert check_model(function, params, x).plan.layout.rest == LEFT[function.__name__]


def mlp(params, x):
    (W, b), (V, a) = params
    return jax.nn.relu(x @ W + b) @ V + a


def mlp_params(dtype=np.float64, d=3, h=5, c=2):
    shapes = [((d, h), (h,)), ((h, c), (c,))]
    return [
        tuple(jnp.asarray(normal((8, l, k), *s), dtype) for k, s in enumerate(pair)) for l, pair in enumerate(shapes)
    ]


X = jnp.asarray(normal(9, 7, 3))


def test_blocks_of_every_kind_of_outputs_and_between_two_sets():
    params = mlp_params()
    K = np.asarray(explicit(mlp, params, X)).reshape(7, 2, 7, 2)
    wanted = {
        "full": K.reshape(14, 14),
        "each": np.einsum("ikjk->kij", K),
        "trace": np.einsum("ikjk->ij", K),
        "diagonal": np.einsum("ikik->ik", K),
    }
    for outputs, value in wanted.items():
        for block in (None, 3):  # the last block is filled up
            np.testing.assert_allclose(tangent_kernel(mlp, params, X, outputs=outputs, block=block), value, atol=1e-11)
    np.testing.assert_allclose(
        tangent_kernel(mlp, params, X[:4], X[2:], block=3), K[:4, :, 2:].reshape(8, 10), atol=1e-11
    )
    np.testing.assert_allclose(
        tangent_kernel(mlp, params, X[:4], X[2:], outputs="each"), np.einsum("ikjk->kij", K)[:, :4, 2:], atol=1e-11
    )


@pytest.mark.parametrize("limit", ["lazyrich.jax._jacobian.plan.CHUNK_BYTES", "lazyrich.jax.kernel.MAX_FACTOR_BYTES"])
def test_little_memory(limit, monkeypatch):
    """Samples a few at a time, and factors formed anew for every block."""
    monkeypatch.setattr(limit, 2000)
    f = lambda p, x: mlp(p, 1.0 * x) * (1.0 if "CHUNK" in limit else 2.0)  # noqa: E731 (a plan of its own)
    wanted = explicit(f, mlp_params(), X)
    np.testing.assert_allclose(tangent_kernel(f, mlp_params(), X), wanted, atol=1e-11)
    np.testing.assert_allclose(tangent_kernel(f, mlp_params(), X, X[:3]), wanted[:, :6], atol=1e-11)


def test_products_without_the_kernel_with_rates():
    params, v = mlp_params(), normal(10, 5, 2)
    rates = {"0": 0.3, "0.1": 2.0, "1.1": 0.0}
    K = tangent_kernel(mlp, params, X, X[:5], rates=rates)
    np.testing.assert_allclose(kernel_product(mlp, params, X, v, X[:5], rates=rates).ravel(), K @ v.ravel(), atol=1e-11)


def test_rates_are_by_the_longest_prefix():
    params = mlp_params()
    J = jax.jacrev(mlp)(params, X)
    rates = {"": 0.5, "0": 0.3, "0.1": 2.0}
    each = [(0.3, J[0][0]), (2.0, J[0][1]), (0.5, J[1][0]), (0.5, J[1][1])]
    wanted = sum(rate * part.reshape(14, -1) @ part.reshape(14, -1).T for rate, part in each)
    np.testing.assert_allclose(tangent_kernel(mlp, params, X, rates=rates), wanted, atol=1e-11)


def test_many_positions_groups_and_tables_as_products_of_gram_matrices(monkeypatch):
    """Small models prefer Jacobians: here they may not."""
    monkeypatch.setattr("lazyrich.jax._jacobian.weight_layers.WeightLayer.dense_cost", lambda self, c: float("inf"))
    for function in (twice, stacked, experts):
        params, x = plain(function)
        found = check_model(function, params, x).plan
        monkeypatch.setattr(
            "lazyrich.jax._jacobian.checked_model.plan_of", lambda program, found=found: type(found)(found.layout)
        )
        assert all(map(found.is_factored, found.layout.layers))
        np.testing.assert_allclose(tangent_kernel(function, params, x), explicit(function, params, x), atol=1e-10)
        monkeypatch.undo()
        monkeypatch.setattr("lazyrich.jax._jacobian.weight_layers.WeightLayer.dense_cost", lambda self, c: float("inf"))


def test_inputs_may_be_a_tree():
    def f(params, batch):
        return jnp.tanh(batch["a"] @ params) * batch["b"]["scale"][:, None]

    params, batch = jnp.asarray(normal(11, 3, 2)), {"a": X, "b": {"scale": X[:, 0]}}
    np.testing.assert_allclose(tangent_kernel(f, params, batch, block=4), explicit(f, params, batch), atol=1e-12)


def test_a_wrong_factor_is_found_out(monkeypatch):
    """It is compared with automatic differentiation, and the layer goes the general way."""
    params, x = plain(twice)
    wanted = explicit(twice, params, x)
    right = Dot.columns
    monkeypatch.setattr(Dot, "columns", lambda self, value: 1.01 * right(self, value))
    f = lambda params, x: twice(params, 1.0 * x)  # another program: the plan of the first is known  # noqa: E731
    assert check_model(f, params, x).plan.layout.rest == (0, 1)
    np.testing.assert_allclose(tangent_kernel(f, params, x), wanted, atol=1e-10)


@pytest.mark.parametrize("padding", [((1, 1), (0, 1)), ((2, 0), (-1, 3))])
@pytest.mark.parametrize(
    ("strides", "dilation", "spread", "groups"), [((2, 1), (1, 1), (1, 1), 1), ((1, 1), (2, 1), (1, 2), 2)]
)
def test_what_a_convolution_sees(padding, strides, dilation, spread, groups):
    """Columns times weight is the convolution."""
    x, W = jnp.asarray(normal(12, 1, 7, 6, 4)), jnp.asarray(normal(13, 3, 2, 4 // groups, 6))

    def f(x, W):
        return jax.lax.conv_general_dilated(
            x, W, strides, padding, spread, dilation, ("NHWC", "HWIO", "NHWC"), feature_group_count=groups
        )

    (eqn,) = jax.make_jaxpr(f)(x, W).eqns
    use = Convolution.match(eqn, 1)
    found = np.einsum("gti,gio->gto", use.columns(x), use.weight(W))
    np.testing.assert_allclose(found, use.signals(f(x, W)), atol=1e-12)


OWN = ("wide", "diagonal untied", "factorization", "relu", "linearized relu")


@pytest.mark.parametrize("name", [n if n in OWN else pytest.param(n, marks=pytest.mark.slow) for n in sorted(NETWORKS)])
def test_closed_forms_of_our_own_networks(name):
    net, rates = NETWORKS[name]
    d = net.n_inputs_outputs[0]
    x = jnp.asarray(normal(14, 5, *(d if isinstance(d, tuple) else (d,))))
    named = {str(l): rate for l, rate in enumerate(rates)}
    found = tangent_kernel(lambda layers, x: net.with_layers(layers)(x), net.layers, x, rates=named)
    wanted = np.asarray(net.ntk(x, None, rates)).reshape(found.shape)
    np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-10 * np.abs(wanted).max())


def test_pytorch_with_the_same_weights_gives_the_same_kernel():
    torch.manual_seed(0)
    convolution = nn.Sequential(
        nn.Conv2d(1, 3, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(27, 4),
        nn.Tanh(),
        nn.Linear(4, 2),
    )
    params = {name: jnp.asarray(value.detach().numpy()) for name, value in convolution.named_parameters()}

    def f(p, x):
        x = jax.lax.conv(x, p["0.weight"], (1, 1), "SAME") + p["0.bias"][:, None, None]
        x = jax.lax.reduce_window(jax.nn.relu(x), -jnp.inf, jax.lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")
        x = jnp.tanh(x.reshape(len(x), -1) @ p["4.weight"].T + p["4.bias"])
        return x @ p["6.weight"].T + p["6.bias"]

    x = normal(15, 6, 1, 6, 6).astype(np.float32)
    rates = {"0": 0.5, "6.bias": 3.0}
    found = tangent_kernel(f, params, x, rates=rates)
    wanted = lt.tangent_kernel(convolution, torch.as_tensor(x), rates=rates).numpy()
    assert np.abs(found - wanted).max() <= 1e-5 * np.abs(wanted).max()


class Attentive(nn.Module):
    """Embedding, layer norm, one head of attention with a residual."""

    def __init__(self):
        super().__init__()
        self.table, self.norm = nn.Embedding(7, 6), nn.LayerNorm(6)
        self.q, self.k, self.v = (nn.Linear(6, 6, bias=bias) for bias in (True, False, True))
        self.head = nn.Linear(6, 2)

    def forward(self, tokens):
        h = self.table(tokens)
        z = self.norm(h)
        weights = torch.softmax(self.q(z) @ self.k(z).transpose(1, 2), -1)
        return self.head((h + weights @ self.v(z)).mean(1))


def attentive(p, tokens):
    h = p["table.weight"][tokens]
    z = jax.nn.standardize(h) * p["norm.weight"] + p["norm.bias"]
    q, k, v = (z @ p[f"{name}.weight"].T + p.get(f"{name}.bias", 0.0) for name in "qkv")
    h = h + jax.nn.softmax(q @ k.swapaxes(1, 2)) @ v
    return h.mean(1) @ p["head.weight"].T + p["head.bias"]


class Normed(nn.Module):
    """A convolution with a residual, batch norm with fixed statistics."""

    def __init__(self):
        super().__init__()
        self.stem, self.conv = nn.Conv2d(1, 4, 3), nn.Conv2d(4, 4, 3, padding=1, groups=2, bias=False)
        self.norm, self.head = nn.BatchNorm2d(4), nn.Linear(4, 2)
        self.norm.running_mean.normal_()
        self.norm.running_var.uniform_(0.5, 2)

    def forward(self, x):
        x = self.stem(x)
        return self.head((x + self.norm(self.conv(torch.relu(x)))).mean((2, 3)))


def normed(statistics):
    mean, var = (jnp.asarray(part.numpy())[:, None, None] for part in statistics)

    def f(p, x):
        x = jax.lax.conv(x, p["stem.weight"], (1, 1), "VALID") + p["stem.bias"][:, None, None]
        y = jax.lax.conv_general_dilated(jax.nn.relu(x), p["conv.weight"], (1, 1), "SAME", feature_group_count=2)
        gain, shift = (p[f"norm.{part}"][:, None, None] for part in ("weight", "bias"))
        x = x + (y - mean) / jnp.sqrt(var + 1e-5) * gain + shift
        return x.mean((2, 3)) @ p["head.weight"].T + p["head.bias"]

    return f


@pytest.mark.parametrize("kind", ["attention", "batch norm"])
def test_pytorch_gives_the_same_kernel_of_attention_and_fixed_statistics(kind):
    torch.manual_seed(0)
    if kind == "attention":
        module, f, x = Attentive(), attentive, np.random.default_rng(15).integers(0, 7, (5, 4))
    else:
        module, x = Normed().eval(), normal(15, 5, 1, 6, 6).astype(np.float32)
        f = normed((module.norm.running_mean, module.norm.running_var))
    with torch.no_grad():
        for value in module.parameters():
            value.add_(0.1 * torch.randn_like(value))
    params = {name: jnp.asarray(value.detach().numpy()) for name, value in module.named_parameters()}
    found, wanted = tangent_kernel(f, params, x), lt.tangent_kernel(module, torch.as_tensor(x)).numpy()
    assert found.dtype == wanted.dtype == np.float32
    assert np.abs(found - wanted).max() <= 1e-5 * np.abs(wanted).max()


def test_grad_goes_through_kernel_and_prediction():
    """How the end of training at fixed kernel depends on the start: against differences."""
    params, y = mlp_params(), normal(17, 5, 2)

    @jax.jit
    def read(W):
        theta = [(W, params[0][1]), params[1]]
        K, K_new = tangent_kernel(mlp, theta, X[:5]), tangent_kernel(mlp, theta, X[5:], X[:5])
        start = {"start": mlp(theta, X[:5]), "start_new": mlp(theta, X[5:])}
        return (predict(K, y, 0.3, K_new, ridge=0.1, **start).mean ** 2).sum()

    W, step, h = params[0][0], normal(18, *params[0][0].shape), 1e-6
    found = jnp.sum(jax.grad(read)(W) * step)
    np.testing.assert_allclose(found, (read(W + h * step) - read(W - h * step)) / (2 * h), rtol=1e-6)


def test_jit_and_grad_go_through():
    params = mlp_params()

    def read(params, x):
        return jnp.sum(jnp.sin(tangent_kernel(mlp, params, x)))

    def naive(params, x):
        J = jnp.concatenate([p.reshape(14, -1) for p in jax.tree.leaves(jax.jacrev(mlp)(params, x))], 1)
        return jnp.sum(jnp.sin(J @ J.T))

    np.testing.assert_allclose(jax.jit(read)(params, X), naive(params, X), rtol=1e-10)
    found, wanted = jax.jit(jax.grad(read, (0, 1)))(params, X), jax.grad(naive, (0, 1))(params, X)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, atol=1e-9), found, wanted)
    scales = jax.jit(lambda scale: tangent_kernel(mlp, params, X, rates={"0.0": scale}))(0.5)
    np.testing.assert_allclose(scales, tangent_kernel(mlp, params, X, rates={"0.0": 0.5}), atol=1e-12)


def test_a_function_that_holds_something_traced():
    params = mlp_params()

    def read(shift):
        return tangent_kernel(lambda p, x: mlp(p, x + shift), params, X).sum()

    found = jax.grad(read)(0.3)
    step = 1e-6
    np.testing.assert_allclose(found, (read(0.3 + step) - read(0.3 - step)) / (2 * step), rtol=1e-6)


def test_what_a_function_holds_may_change_between_calls():
    """Programs are known by what they compute; the arrays in them are not part of that."""
    params = mlp_params()
    held = {"scale": jnp.array([1.0, 2.0, 3.0])}
    f = lambda p, x: mlp(p, held["scale"] * x)  # noqa: E731
    one = tangent_kernel(f, params, X)
    held["scale"] = jnp.array([3.0, 1.0, 1.0])
    np.testing.assert_allclose(tangent_kernel(f, params, X), explicit(f, params, X), atol=1e-11)
    assert np.abs(one - tangent_kernel(f, params, X)).max() > 0.1


def test_two_rules_of_the_same_name_are_two_functions():
    def ruled(slope):
        @jax.custom_jvp
        def bent(x):
            return jnp.tanh(x)

        bent.defjvp(lambda values, changes: (bent(*values), slope * changes[0]))
        return lambda W, x: bent(x @ W)

    W = jnp.asarray(normal(16, 3, 2))
    K = [tangent_kernel(ruled(slope), W, X) for slope in (1.0, 2.0)]
    np.testing.assert_allclose(K[1], 4 * K[0], rtol=1e-12)


def test_half_precision_is_widened():
    params = jax.tree.map(lambda leaf: leaf.astype(jnp.bfloat16), mlp_params())
    found = tangent_kernel(mlp, params, X.astype(jnp.float16))
    wide = [jax.tree.map(lambda leaf: leaf.astype(jnp.float32), tree) for tree in (params, X.astype(jnp.float16))]
    assert found.dtype == jnp.float32
    np.testing.assert_allclose(found, explicit(mlp, *wide), rtol=1e-4, atol=1e-5)


def test_outputs_of_half_precision_have_a_kernel_in_single():
    f = lambda p, x: mlp(jax.tree.map(lambda v: v.astype(jnp.bfloat16), p), x.astype(jnp.bfloat16))  # noqa: E731
    params = mlp_params(np.float32)
    found, wanted = tangent_kernel(f, params, X.astype(jnp.float32)), explicit(mlp, params, X.astype(jnp.float32))
    assert found.dtype == jnp.float32
    assert check_model(f, params, X.astype(jnp.float32)).plan.layout.rest == ()
    assert np.abs(found - wanted).max() < 0.03 * np.abs(wanted).max()


def test_parameters_without_entries_and_without_effect():
    f = lambda p, x: x @ p["w"] + jax.lax.stop_gradient(p["s"])  # noqa: E731
    params = {"w": jnp.ones((3, 1)), "s": jnp.ones(1), "none": jnp.zeros((0, 4)), "unused": jnp.ones(2)}
    np.testing.assert_allclose(tangent_kernel(f, params, X), X @ X.T, atol=1e-12)


def test_one_sample_one_parameter_and_a_kernel_of_zeros():
    f = lambda p, x: p * x  # noqa: E731
    np.testing.assert_array_equal(tangent_kernel(f, 3.0, jnp.array([2.0])), [[4.0]])
    np.testing.assert_array_equal(tangent_kernel(lambda p, x: 0 * p * x, 3.0, jnp.array([2.0])), [[0.0]])
    net = lr.DeepLinear([np.ones((1, 1))])
    np.testing.assert_array_equal(net.ntk(jnp.array([[2.0]])).ravel(), [4.0])
