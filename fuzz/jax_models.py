"""Many kinds of JAX functions: tangent kernels, products and distances against the explicit Jacobian.

A recipe is a list of steps, each of which requests the weights it needs. The same function therefore draws the
parameters of a recipe and computes with them. No step depends on how `lazyrich.jax` treats it.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import lazyrich.jax as lj
from fuzz.ring import Outcome

Take = Callable[..., Any]  # maps a shape to weights

ALLOWED = {"float64": 1e-10, "float32": 1e-4}  # relative to the largest entry of the kernel


@jax.custom_vjp
def straight(x: Any) -> Any:
    """Return the sign, with a derivative that is not that of the sign."""
    return jnp.sign(x)


straight.defvjp(lambda x: (jnp.sign(x), None), lambda _, change: (0.7 * change,))
ACTIVATIONS: dict[str, Callable[[Any], Any]] = {
    "relu": jax.nn.relu, "tanh": jnp.tanh, "gelu": jax.nn.gelu, "swish": jax.nn.silu, "abs": jnp.abs,
    "straight": straight, "none": lambda x: x,
}  # fmt: skip


def dense(take: Take, h: Any, width: int, bias: bool) -> Any:
    out = h @ take(h.shape[-1], width)
    return out + take(width) if bias else out


def transposed_layer(take: Take, h: Any, width: int, bias: bool) -> Any:
    """Apply a weight from the left, scaled as in NTK parametrization."""
    out = jnp.einsum("oi,...i->...o", take(width, h.shape[-1]) / np.sqrt(h.shape[-1]), h)
    return out + take(width)[None] if bias else out


def tied_layer(take: Take, h: Any, width: int, bias: bool) -> Any:
    W = take(h.shape[-1], width)
    return jnp.tanh(h @ W) @ (W.T if bias else 0.5 * W.T)


def residual(take: Take, h: Any, width: int, bias: bool) -> Any:
    return h + dense(take, jnp.tanh(dense(take, h, width, bias)), h.shape[-1], bias)


def norm(take: Take, h: Any, width: int, bias: bool) -> Any:
    centered = h - h.mean(-1, keepdims=True) if bias else h
    return centered * lax.rsqrt((centered**2).mean(-1, keepdims=True) + 0.1) * take(h.shape[-1])


def adapter(take: Take, h: Any, width: int, bias: bool) -> Any:
    d = h.shape[-1]
    W = take(d, width)
    return h @ ((lax.stop_gradient(W) if bias else W) + take(d, 1) @ take(1, width))


def gated_layer(take: Take, h: Any, width: int, bias: bool) -> Any:
    return dense(take, h, width, bias) * jax.nn.sigmoid(dense(take, h, width, bias))


def sliced_layer(take: Take, h: Any, width: int, bias: bool) -> Any:
    """Apply two layers stored in one array, whose parts may overlap."""
    d = h.shape[-1]
    theta = take(2 * d * width)
    shift = 0 if bias else d * width
    return jnp.tanh(h @ theta[: d * width].reshape(d, width)) + h @ theta[shift : shift + d * width].reshape(width, d).T


def recurrent(take: Take, h: Any, width: int, bias: bool) -> Any:
    """Apply one weight many times: few enough to unroll, or too many."""
    W, b = take(h.shape[-1], h.shape[-1]), take(h.shape[-1])
    return lax.scan(lambda z, _: (jnp.tanh(z @ W + b), None), h, length=3 if bias else 70)[0]


def stacked_layer(take: Take, h: Any, width: int, bias: bool) -> Any:
    """Apply a stack of layers by a scan."""
    d = h.shape[-1]
    return lax.scan(lambda z, layer: (jnp.tanh(z @ layer[0] + layer[1]), None), h, (take(2, d, d), take(2, d)))[0]


def branching(take: Take, h: Any, width: int, bias: bool) -> Any:
    W, V = take(h.shape[-1], width), take(h.shape[-1], width)
    one = partial(lax.cond, true_fun=lambda z: z @ W, false_fun=(lambda z: z @ V) if bias else lambda z: 2 * (z @ W))
    return jax.vmap(lambda z: one(z.reshape(-1)[0] > 0, operand=z))(h)


def grouped_layer(take: Take, h: Any, width: int, bias: bool) -> Any:
    """Apply one weight to each of two copies."""
    pair = jnp.stack([h, -h if bias else h], -2)
    return jnp.einsum("...gi,gio->...go", pair, take(2, h.shape[-1], width)).sum(-2)


def checkpointed_layer(take: Take, h: Any, width: int, bias: bool) -> Any:
    W = take(h.shape[-1], width)
    return (jax.checkpoint if bias else jax.jit)(lambda z: jnp.tanh(z @ W))(h)


def layer_with_unused(take: Take, h: Any, width: int, bias: bool) -> Any:
    """Request parameters without effect, or without entries."""
    take(width) if bias else take(0, width)
    return h


def scaled_layer(take: Take, h: Any, width: int, bias: bool) -> Any:
    """Multiply a weight by a scalar parameter."""
    out = h @ (take() * take(h.shape[-1], width))
    return out * take(width) if bias else out


STEPS = (
    dense, transposed_layer, tied_layer, residual, norm, adapter, gated_layer, sliced_layer, recurrent, stacked_layer,
    branching, grouped_layer, checkpointed_layer, layer_with_unused, scaled_layer,
)  # fmt: skip
BY_NAME = {step.__name__: step for step in STEPS}


def vectors(take: Take, x: Any, how: Any) -> Any:
    return x


def tokens(take: Take, x: Any, how: Any) -> Any:
    """Look up an embedding, with some indices outside of the table; perhaps apply attention."""
    table = take(6, 4)
    h = jnp.take(table, x, axis=0, mode="clip" if how["mode"] else "fill", fill_value=0.0)
    if how["attention"]:
        q, k, v = (dense(take, h, 4, bool(how["mode"])) for _ in range(3))
        h = jax.nn.softmax(q @ k.swapaxes(-1, -2)) @ v
    return h.mean(1)


def images(take: Take, x: Any, how: Any) -> Any:
    """Apply a convolution of any kind, with its bias, and a pool."""
    g, (kh, kw) = how["groups"], how["window"]
    h = lax.conv_general_dilated(
        x, take(kh, kw, 4 // g, 4), how["strides"], how["padding"], how["spread"], how["dilation"],
        ("NHWC", "HWIO", "NHWC"), feature_group_count=g,
    ) + take(4)  # fmt: skip
    if how["pool"] and min(h.shape[1:3]) > 1:
        h = lax.reduce_window(jax.nn.relu(h), -jnp.inf, lax.max, (1, 2, 2, 1), (1, 1, 1, 1), "VALID")
    return h.mean((1, 2)) if how["mode"] else h.reshape(len(h), -1)


FRONTS = {"vectors": vectors, "tokens": tokens, "images": images}


def draw(rng: np.random.Generator) -> dict[str, Any]:
    front = str(rng.choice(["vectors", "vectors", "tokens", "images"]))
    how: dict[str, Any] = {"mode": int(rng.integers(2)), "attention": bool(rng.integers(2))}
    if front == "images":
        pairs = {name: [int(k) for k in rng.integers(1, 4, 2)] for name in ("window", "strides", "spread", "dilation")}
        how |= {**pairs, "groups": int(rng.choice([1, 2, 4])), "pool": bool(rng.integers(2))}
        how["padding"] = [[int(k) for k in rng.integers(4, 7, 2)] for _ in range(2)]
    layers = [
        (str(rng.choice(list(BY_NAME))), int(rng.integers(1, 6)), bool(rng.integers(2)))
        for _ in range(int(rng.integers(0, 4)))
    ]
    n, m = int(rng.integers(1, 6)), int(rng.integers(0, 4))
    return {
        "front": front,
        "how": how,
        "layers": layers,
        "activation": str(rng.choice(list(ACTIVATIONS))),
        "c": int(rng.integers(0, 4)),  # 0: no output axis
        "n": n,
        "m": m,  # samples of a second set; 0: none
        "same": bool(rng.random() < 0.2),  # one sample n times
        "dtype": str(rng.choice(["float64", "float64", "float32"])),
        "size": float(np.round(10 ** rng.uniform(-1, 0.3), 3)),
        "rates": [float(r) for r in rng.choice([0.0, 0.3, 1.0, 2.0], 3)] if rng.integers(2) else None,
        "outputs": str(rng.choice(["full", "full", "each", "trace", "diagonal"])),
        "block": int(rng.integers(1, n + 1)) if rng.integers(2) else None,
        "seed": int(rng.integers(2**31)),
        "action": str(rng.choice(list(ACTIONS))),
    }


def check(front: str, dtype: str, action: str, **case: Any) -> Outcome:
    with jax.enable_x64(dtype == "float64"):
        given = Given(front=front, dtype=dtype, **case)
        try:
            error = ACTIONS[action](given) / ALLOWED[dtype]
        except ValueError as refused:
            if not given.too_large() and ("all learning rates are 0" not in str(refused) or given.has_positive_rate()):
                raise
            error = None
        return Outcome(f"{action}, {front}", error)


class Given:
    """The function of a case, its parameters and inputs, and its Jacobian."""

    def __init__(self, **case: Any) -> None:
        self.case = case
        rng = np.random.default_rng(case["seed"])
        self.x, self.x2 = (self._inputs(rng, count) if count else None for count in (case["n"], case["m"]))
        self.params: list[Any] = []

        def drawn(*shape: int) -> Any:
            self.params.append((case["size"] * (rng.normal(size=shape) + 0.1)).astype(case["dtype"]))
            return jnp.asarray(self.params[-1])

        jax.eval_shape(partial(self._layer_outputs, drawn), self.x)  # only shapes are computed: nothing is compiled
        self.moved = [p + (0.2 * case["size"] * rng.normal(size=p.shape)).astype(p.dtype) for p in self.params]
        self.v = rng.normal(size=(case["m"] or case["n"], case["c"])[: 2 if case["c"] else 1])

    def _inputs(self, rng: np.random.Generator, count: int) -> Any:
        front = self.case["front"]
        shape = (4,) if front == "vectors" else (5, 5, 4)
        found = rng.integers(0, 8, (count, 3)) if front == "tokens" else rng.normal(size=(count, *shape))
        found = np.repeat(found[:1], count, 0) if self.case["same"] else found
        return found if front == "tokens" else found.astype(self.case["dtype"])

    def _layer_outputs(self, take: Take, x: Any) -> Any:
        c, act = self.case["c"], ACTIVATIONS[self.case["activation"]]
        h = FRONTS[self.case["front"]](take, x, self.case["how"])
        for name, width, bias in self.case["layers"]:
            h = act(BY_NAME[name](take, h, width, bias))
        out = dense(take, act(dense(take, h, 3, True)), max(c, 1), c != 1)
        return out if c else out[:, 0]

    def f(self, params: Sequence[Any], x: Any) -> Any:
        rest = iter(params)
        return self._layer_outputs(lambda *_: next(rest), x)

    @property
    def rates(self) -> dict[str, float] | None:
        """Rates for all parameters, the first and the last; None for the default."""
        values = self.case["rates"]
        return None if values is None else dict(zip(("", "0", str(len(self.params) - 1)), values, strict=True))

    def has_positive_rate(self) -> bool:
        """Return whether any parameter has a positive rate."""
        rates = self.rates or {"": 1.0}
        return any(rates.get(str(k), rates[""]) > 0 for k in range(len(self.params)))

    def too_large(self) -> bool:
        """Return whether squares of the kernel overflow its dtype."""
        most = max(np.abs(self.kernel(params, self.x)).max() for params in (self.params, self.moved))
        return not most < np.sqrt(float(np.finfo(self.case["dtype"]).max)) / 1e3

    def kernel(self, params: Sequence[Any], x: Any, x2: Any = None) -> np.ndarray:
        """Return the kernel from the Jacobian, of shape (n, c, m, c)."""
        rates = self.rates or {"": 1.0}
        jacobian = jax.jit(jax.jacrev(self.f))

        def rows(x: Any) -> list[np.ndarray]:
            size = len(x) * max(self.case["c"], 1)
            return [np.asarray(part, float).reshape(size, -1) for part in jacobian(list(params), x)]

        one = rows(x)
        other = one if x2 is None else rows(x2)
        parts = [rates.get(str(k), rates[""]) * (a @ b.T) for k, (a, b) in enumerate(zip(one, other, strict=True))]
        c = max(self.case["c"], 1)
        return np.sum(parts, 0).reshape(len(one[0]) // c, c, len(other[0]) // c, c)


def gap(found: Any, wanted: np.ndarray, size: float) -> float:
    """Return the largest difference relative to the size, or to the smallest normal number of the dtype if that is
    larger."""
    apart = float(np.abs(np.asarray(found, float) - wanted).max())
    return apart / max(size, 1e6 * float(np.finfo(np.asarray(found).dtype).tiny))


def kernel(given: Given, compiled: bool = False) -> float:
    outputs = given.case["outputs"]
    x2 = None if outputs == "diagonal" else given.x2
    wanted = given.kernel(given.params, given.x, x2)
    size = float(np.abs(wanted).max())
    n, c, m, _ = wanted.shape
    wanted = {
        "full": lambda K: K.reshape(n * c, m * c),
        "each": lambda K: np.einsum("ikjk->kij", K),
        "trace": lambda K: np.einsum("ikjk->ij", K),
        "diagonal": lambda K: np.einsum("ikik->ik", K),
    }[outputs](wanted)
    call = partial(lj.tangent_kernel, given.f, outputs=outputs, rates=given.rates, block=given.case["block"])
    found = (jax.jit(call) if compiled else call)(given.params, given.x, x2)
    return gap(found, wanted, size) if found.shape == wanted.shape else float("inf")


def product(given: Given) -> float:
    K = given.kernel(given.params, given.x, given.x2)
    n, c, m, _ = K.shape
    wanted = K.reshape(n * c, m * c) @ np.asarray(given.v, float).ravel()
    found = lj.kernel_product(given.f, given.params, given.x, given.v, given.x2, rates=given.rates)
    return gap(found.ravel(), wanted, float(np.abs(K).max() * np.abs(given.v).sum()))


def distance(given: Given) -> float:
    K, K0 = (given.kernel(params, given.x) for params in (given.moved, given.params))
    size = np.sqrt((K**2).sum() * (K0**2).sum())
    found = lj.kernel_distance(given.f, given.moved, given.params, given.x, rates=given.rates, method="exact")
    return abs(found.value - (1 - (K * K0).sum() / size)) if size > 0 else 0.0


ACTIONS: dict[str, Callable[[Given], float]] = {
    "kernel": kernel, "compiled": partial(kernel, compiled=True), "product": product, "distance": distance,
}  # fmt: skip
