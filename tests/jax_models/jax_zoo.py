"""The same five kinds of models in Equinox, Flax NNX, Flax Linen and as plain functions: f, params, inputs."""

import equinox as eqx
import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx
from jax import lax

N, C = 4, 2


def normal(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape)


IMAGES, VECTORS, SERIES, TOKENS = (
    normal(1, N, 6, 6, 3),
    normal(2, N, 5),
    normal(3, N, 4, 3),
    np.random.default_rng(4).integers(0, 7, (N, 4)),
)
INPUTS = {"mlp": VECTORS, "cnn": IMAGES, "resnet": IMAGES, "transformer": TOKENS, "rnn": SERIES}


def jittered(params, seed=5):
    """Move biases and gains away from 0 and 1, where a wrong factor would not show."""
    rng = np.random.default_rng(seed)
    return jax.tree.map(lambda leaf: leaf + jnp.asarray(0.1 * rng.normal(size=leaf.shape), leaf.dtype), params)


def inputs(kind, dtype):
    x = INPUTS[kind]
    return jnp.asarray(x, None if np.issubdtype(x.dtype, np.integer) else dtype)


def cast(tree, dtype):
    """Convert the floating-point arrays of a tree to one dtype."""
    return jax.tree.map(lambda leaf: leaf.astype(dtype) if eqx.is_inexact_array(leaf) else leaf, tree)


def explicit(f, params, x, x2=None):
    """Return the kernel from the Jacobian of f on the whole batch."""

    def rows(x):
        n = len(jax.tree.leaves(x)[0])
        J = jax.jit(jax.jacrev(f))(params, x)
        return jnp.concatenate([leaf.reshape(n * (f(params, x).size // n), -1) for leaf in jax.tree.leaves(J)], 1)

    one = rows(x)
    return one @ (one if x2 is None else rows(x2)).T


# Equinox


class Block(eqx.Module):
    convs: list
    norms: list

    def __init__(self, channels, key):
        keys = jax.random.split(key)
        self.convs = [eqx.nn.Conv2d(channels, channels, 3, padding=1, key=k) for k in keys]
        self.norms = [eqx.nn.BatchNorm(channels, "batch", mode="ema") for _ in keys]

    def __call__(self, x, state):
        y = x
        for conv, norm in zip(self.convs, self.norms, strict=True):
            y, state = norm(conv(jax.nn.relu(y)), state)
        return x + y


class ResNet(eqx.Module):
    stem: eqx.nn.Conv2d
    block: Block
    head: eqx.nn.Linear

    def __init__(self, key):
        keys = jax.random.split(key, 3)
        self.stem, self.block = eqx.nn.Conv2d(3, 4, 3, key=keys[0]), Block(4, keys[1])
        self.head = eqx.nn.Linear(4, C, key=keys[2])

    def __call__(self, x, state):
        x = self.block(self.stem(x.transpose(2, 0, 1)), state)
        return self.head(x.mean((1, 2)))


class CNN(eqx.Module):
    convs: list
    head: eqx.nn.Linear

    def __init__(self, key):
        keys = jax.random.split(key, 3)
        self.convs = [
            eqx.nn.Conv2d(3, 4, 3, padding=1, key=keys[0]),
            eqx.nn.Conv2d(4, 6, 2, stride=1, groups=2, key=keys[1]),
        ]
        self.head = eqx.nn.Linear(24, C, key=keys[2])

    def __call__(self, x):
        x = eqx.nn.MaxPool2d(2, 1)(jax.nn.relu(self.convs[0](x.transpose(2, 0, 1))))
        x = eqx.nn.AvgPool2d(2, 2)(jax.nn.relu(self.convs[1](x)))
        return self.head(x.reshape(-1))


class Transformer(eqx.Module):
    table: eqx.nn.Embedding
    places: jax.Array
    norms: list
    attention: eqx.nn.MultiheadAttention
    mlp: list
    head: eqx.nn.Linear

    def __init__(self, key):
        keys = jax.random.split(key, 6)
        self.table, self.places = eqx.nn.Embedding(7, 8, key=keys[0]), jax.random.normal(keys[1], (4, 8))
        self.norms = [eqx.nn.LayerNorm(8) for _ in range(3)]
        self.attention = eqx.nn.MultiheadAttention(2, 8, key=keys[2])
        self.mlp = [eqx.nn.Linear(8, 12, key=keys[3]), eqx.nn.Linear(12, 8, key=keys[4])]
        self.head = eqx.nn.Linear(8, C, key=keys[5])

    def __call__(self, tokens):
        x = jax.vmap(self.table)(tokens) + self.places
        y = jax.vmap(self.norms[0])(x)
        x = x + self.attention(y, y, y)
        y = jax.vmap(lambda z: self.mlp[1](jax.nn.gelu(self.mlp[0](z))))(jax.vmap(self.norms[1])(x))
        return self.head(self.norms[2]((x + y).mean(0)))


class RNN(eqx.Module):
    cell: eqx.nn.GRUCell
    head: eqx.nn.Linear

    def __init__(self, key):
        keys = jax.random.split(key)
        self.cell, self.head = eqx.nn.GRUCell(3, 5, key=keys[0]), eqx.nn.Linear(5, C, key=keys[1])

    def __call__(self, series):
        last, _ = lax.scan(lambda h, x: (self.cell(x, h), None), jnp.zeros(5, series.dtype), series)
        return self.head(last)


def equinox(kind, dtype):
    key = jax.random.key(0)
    made = {
        "mlp": lambda key: eqx.nn.MLP(5, C, 7, 2, key=key),
        "cnn": CNN,
        "transformer": Transformer,
        "rnn": RNN,
    }
    if kind == "resnet":
        model, state = eqx.nn.make_with_state(ResNet)(key)
        _, state = jax.vmap(  # one pass in training mode, for statistics that are no ones and zeros
            lambda x, state: model.block.norms[0](model.stem(x.transpose(2, 0, 1)), state),
            (0, None), (0, None), axis_name="batch",
        )(jnp.asarray(IMAGES), state)  # fmt: skip
        model, state = eqx.nn.inference_mode(model), cast(state, dtype)
        params, static = eqx.partition(model, eqx.is_inexact_array)
        return (lambda p, x: jax.vmap(lambda one: eqx.combine(p, static)(one, state))(x)), params
    params, static = eqx.partition(made[kind](key), eqx.is_inexact_array)
    return (lambda p, x: jax.vmap(eqx.combine(p, static))(x)), params


# Flax: Linen


class LinenMLP(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(C)(nn.tanh(nn.Dense(7)(nn.relu(nn.Dense(6)(x)))))


class LinenCNN(nn.Module):
    @nn.compact
    def __call__(self, x):
        x = nn.max_pool(nn.relu(nn.Conv(4, (3, 3))(x)), (2, 2), (2, 2))
        x = nn.avg_pool(nn.relu(nn.Conv(6, (2, 2), strides=2, kernel_dilation=1)(x)), (2, 2), (1, 1))
        return nn.Dense(C)(x.reshape(len(x), -1))


class LinenResNet(nn.Module):
    @nn.compact
    def __call__(self, x, train=False):
        x = nn.Conv(4, (3, 3))(x)
        y = nn.relu(nn.BatchNorm(use_running_average=not train)(nn.Conv(4, (3, 3))(nn.relu(x))))
        y = nn.BatchNorm(use_running_average=not train)(nn.Conv(4, (3, 3))(y))
        return nn.Dense(C)((x + y).mean((1, 2)))


class LinenTransformer(nn.Module):
    @nn.compact
    def __call__(self, tokens):
        table = nn.Embed(7, 8)
        x = table(tokens) + self.param("places", nn.initializers.normal(1.0), (4, 8))
        x = x + nn.MultiHeadDotProductAttention(2)(nn.LayerNorm()(x))
        x = x + nn.Dense(8)(nn.gelu(nn.Dense(12)(nn.RMSNorm()(x))))
        return nn.Dense(C)(table.attend(x.mean(1)))  # tied


class LinenRNN(nn.Module):
    @nn.compact
    def __call__(self, series):
        return nn.Dense(C)(nn.RNN(nn.SimpleCell(5, param_dtype=series.dtype))(series)[:, -1])


LINEN = {"mlp": LinenMLP, "cnn": LinenCNN, "resnet": LinenResNet, "transformer": LinenTransformer, "rnn": LinenRNN}


def linen(kind, dtype):
    model, x = LINEN[kind](), inputs(kind, dtype)
    held = model.init(jax.random.key(0), x)
    params = held.pop("params")
    if held:
        _, held = model.apply({"params": params, **held}, x, train=True, mutable=["batch_stats"])
        held = cast(held, dtype)
    return (lambda p, x: model.apply({"params": p, **held}, x)), params


# Flax: NNX


class NnxMLP(nnx.Module):
    def __init__(self, **made):
        self.layers = nnx.List([nnx.Linear(a, b, **made) for a, b in ((5, 6), (6, 7), (7, C))])

    def __call__(self, x):
        for layer in self.layers[:-1]:
            x = nnx.relu(layer(x))
        return self.layers[-1](x)


class NnxCNN(nnx.Module):
    def __init__(self, **made):
        self.conv, self.deconv = nnx.Conv(3, 4, (3, 3), **made), nnx.ConvTranspose(4, 3, (3, 3), (2, 2), **made)
        self.head = nnx.Linear(27, C, **made)

    def __call__(self, x):
        x = nnx.max_pool(nnx.relu(self.conv(x)), (2, 2), (2, 2))
        x = nnx.avg_pool(nnx.relu(self.deconv(x)), (2, 2), (2, 2))
        return self.head(x.reshape(len(x), -1))


class NnxResNet(nnx.Module):
    def __init__(self, **made):
        self.stem, self.head = nnx.Conv(3, 4, (3, 3), **made), nnx.Linear(4, C, **made)
        self.convs = nnx.List([nnx.Conv(4, 4, (3, 3), feature_group_count=g, **made) for g in (1, 4)])
        self.norms = nnx.List([nnx.BatchNorm(4, **made) for _ in range(2)])

    def __call__(self, x):
        x = y = self.stem(x)
        for conv, norm in zip(self.convs, self.norms, strict=True):
            y = norm(conv(nnx.relu(y)))
        return self.head((x + y).mean((1, 2)))


class NnxTransformer(nnx.Module):
    def __init__(self, **made):
        self.table = nnx.Embed(7, 8, **made)
        self.norm = nnx.LayerNorm(8, **made)
        self.attention = nnx.MultiHeadAttention(2, 8, decode=False, **made)
        self.up, self.down = nnx.Linear(8, 12, **made), nnx.Linear(12, 8, **made)
        self.head = nnx.Linear(8, C, **made)

    def __call__(self, tokens):
        x = self.table(tokens)
        x = x + self.attention(self.norm(x))
        x = x + self.down(nnx.silu(self.up(x)))
        return self.head(x.mean(1))


class NnxRNN(nnx.Module):
    def __init__(self, **made):
        self.rnn, self.head = nnx.RNN(nnx.LSTMCell(3, 5, **made)), nnx.Linear(5, C, **made)

    def __call__(self, series):
        start = jnp.zeros(
            (2, len(series), 5), series.dtype
        )  # its own would be drawn, and change the state of a generator
        return self.head(self.rnn(series, initial_carry=tuple(start))[:, -1])


NNX = {"mlp": NnxMLP, "cnn": NnxCNN, "resnet": NnxResNet, "transformer": NnxTransformer, "rnn": NnxRNN}


def of_nnx(kind, dtype):
    model = NNX[kind](rngs=nnx.Rngs(0), dtype=dtype, param_dtype=dtype)
    model.eval()
    graph, params, rest = nnx.split(model, nnx.Param, ...)
    rest = cast(rest, dtype)
    if kind == "resnet":  # statistics that are no zeros and ones
        rest = jittered(rest)
    return (lambda p, x: nnx.merge(graph, p, rest)(x)), params


LIBRARIES = {"equinox": equinox, "linen": linen, "nnx": of_nnx}
KINDS = tuple(INPUTS)


def made(library, kind, dtype):
    """Return (f, params, x) in one precision."""
    f, params = LIBRARIES[library](kind, dtype)
    return f, jittered(cast(params, dtype)), inputs(kind, dtype)


# Unusual ones, as plain functions of (params, x); what each leaves to automatic differentiation.


def shared(params, x):
    """One weight used twice, the second time transposed."""
    W, a = params
    return jnp.tanh(jnp.tanh(x @ W) @ W.T) @ a


def twice(params, x):
    """One weight used twice in the same way."""
    W, a = params
    return jnp.tanh(jnp.tanh(x @ W) @ W) @ a


def stacked(params, x):
    """A scan over layers, each a slice of one array."""
    W, b, a = params
    last, _ = lax.scan(lambda h, layer: (jnp.tanh(h @ layer[0] + layer[1]), None), x, (W, b))
    return last @ a


def adapters(params, x):
    """A low-rank change of a weight."""
    W, A, B, a = params
    return jnp.tanh(x @ (W + A @ B)) @ a


def experts(params, x):
    """A weight for each of three groups of inputs, and a scale of NTK parametrization."""
    W, a = params
    parts = x.reshape(len(x), 3, 2)
    return jnp.tanh(jnp.einsum("ngi,gio->ngo", parts, W / np.sqrt(2))).reshape(len(x), -1) @ (0.5 * a) / jnp.sqrt(3.0)


def rematerialized(params, x):
    W, a = params
    return jax.checkpoint(lambda x: jnp.tanh(x @ W))(x) @ a


@jax.custom_jvp
def bent(x):
    return jnp.where(x > 0, x, 0.0)


@bent.defjvp
def _(values, changes):
    return bent(*values), changes[0] * 0.7


@jax.custom_vjp
def straight(x):
    return jnp.sign(x)


straight.defvjp(lambda x: (jnp.sign(x), None), lambda _, change: (change,))


def own_rules(params, x):
    """Derivatives that are not those of what is computed."""
    W, a = params
    return straight(bent(x @ W) @ W[:4]) @ a


def normalized(params, x):
    """Weight norm: no use is known."""
    V, g, a = params
    return jnp.tanh(x @ (g * V / jnp.linalg.norm(V, axis=0))) @ a


def branching(params, x):
    """Control flow: a loop of unknown length, and a branch on the value of each input."""
    W, a = params
    h = lax.fori_loop(0, 3, lambda _, h: jnp.tanh(h @ W), x)
    return jax.vmap(lambda one: lax.cond(one[0] > 0, lambda z: z @ a, lambda z: 2 * (z @ a), one))(h)


def sliced(params, x):
    """Parts of one vector of all parameters."""
    (theta,) = params
    W, b, a = theta[:24].reshape(6, 4), theta[24:28], theta[28:36].reshape(4, 2)
    return jax.nn.relu(x @ W + b) @ a


def reused_bias(params, x):
    """A bias that is also a scale, and one that is added to two layers."""
    W, V, b, a = params
    return (jnp.tanh(x @ W + b) * b + jnp.tanh(x @ V + b)) @ a


def tables(params, x):
    """Rows beyond the table: filled, clipped, and counted from the end."""
    table, a = params
    tokens = (jnp.abs(x) * 4).astype(int)
    rows = jnp.take(table, tokens, axis=0, mode="fill", fill_value=0.0) + jnp.take(table, tokens, axis=0, mode="clip")
    return (rows + table[-1 - tokens % 3]).sum(1) @ a


def by_columns(params, x):
    """Embedding by columns, by a product with one-hot vectors, and with a scalar that depends on the input."""
    table, a = params
    hot = jax.nn.one_hot((jnp.abs(x) * 3).astype(int) % 4, 4, dtype=x.dtype)
    return jax.vmap(lambda hot, one: (hot @ (table.T * one[0])).sum(0) @ a)(hot, x)


def nested(params, x):
    """A scan in a scan, written out; and one too long for that."""
    W, V, a = params
    inner = lambda h, _: (jnp.tanh(h @ W), None)  # noqa: E731
    h, _ = lax.scan(lambda h, _: (lax.scan(inner, h, length=2)[0], None), x, length=3)
    return lax.scan(lambda h, _: (jnp.tanh(h @ V), None), h, length=70)[0] @ a


def overlapping(params, x):
    """Parts of one weight that share rows, and a weight half of whose uses are frozen."""
    W, V, a = params
    h = jnp.tanh(x[:, :4] @ W[:4]) + x[:, 2:] @ W[2:]
    return (h + x @ lax.stop_gradient(V) + jnp.tanh(x @ V)) @ a


def through_complex(params, x):
    W, V, a = params
    z = jnp.fft.fft(x @ W) + 1j * (x @ V)
    return (z**2).imag @ a


def scalar_output(params, x):
    W, a = params
    return jax.nn.relu(x @ W) @ a[:, 0]


def readout_at_zero(params, x):
    W, a = params
    return jnp.tanh(x @ W) @ (0 * a)


PLAIN = {
    shared: ((6, 4), (6, 2)),
    twice: ((6, 6), (6, 2)),
    stacked: ((3, 6, 6), (3, 6), (6, 2)),
    adapters: ((6, 4), (6, 1), (1, 4), (4, 2)),
    experts: ((3, 2, 4), (12, 2)),
    rematerialized: ((6, 4), (4, 2)),
    own_rules: ((6, 4), (4, 2)),
    normalized: ((6, 4), (4,), (4, 2)),
    branching: ((6, 6), (6, 2)),
    sliced: ((36,),),
    reused_bias: ((6, 4), (6, 4), (4,), (4, 2)),
    tables: ((5, 3), (3, 2)),
    by_columns: ((3, 4), (3, 2)),
    nested: ((6, 6), (6, 6), (6, 2)),
    overlapping: ((6, 4), (6, 4), (4, 2)),
    through_complex: ((6, 4), (6, 4), (4, 2)),
    scalar_output: ((6, 4), (4, 2)),
    readout_at_zero: ((6, 4), (4, 2)),
}


def plain(function, dtype=np.float64):
    shapes = PLAIN[function]
    return tuple(jnp.asarray(0.7 * normal((6, k), *shape), dtype) for k, shape in enumerate(shapes)), jnp.asarray(
        normal(7, N, 6), dtype
    )
