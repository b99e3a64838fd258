"""The network that trains on the page, and its tangent twin, against JAX and lazyrich.jax."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import lazyrich.jax as lj
from tests.explorer.test_numbers import close, states_of

pytestmark = pytest.mark.xdist_group("browser")
STEPS = 12
RUN = """([states, steps]) => states.map(
  (given) => lazyrich.rooms.network.numbers(lazyrich.stateOf("network", given), steps))"""
PYTHON = "(given) => lazyrich.rooms.network.python(lazyrich.stateOf('network', given))"


def unflatten(theta, width, depth):
    shapes = [(width, 3), (width, width), (1, width)] if depth == 3 else [(width, 3), (1, width)]
    ends = np.cumsum([np.prod(shape) for shape in shapes])
    return [part.reshape(shape) for part, shape in zip(jnp.split(jnp.asarray(theta), ends[:-1]), shapes, strict=True)]


def output(params, x, activation):
    for W in params[:-1]:
        x = activation(x @ W.T)
    return (x @ params[-1].T)[:, 0]


@partial(jax.jit, static_argnames=("activation",))
def train(params, X, y, picks, lr, momentum, decay, activation):
    """Return the network and its twin after the steps, S, and the losses, as `lazyrich.jax` and autodiff have them."""
    f = partial(output, activation=activation)
    tangent = lj.linearize(f, params)

    def loss(theta, model, i):
        size = sum(jnp.sum(W**2) for W in theta)
        return 0.5 * jnp.mean((model(theta, X[i]) - y[i]) ** 2) + 0.5 * decay * size

    def descend(model):
        def step(carry, i):
            theta, v = carry
            g = jax.grad(loss)(theta, model, i)
            v = [momentum * old + new for old, new in zip(v, g, strict=True)]
            return ([W - lr * u for W, u in zip(theta, v, strict=True)], v), None

        return jax.lax.scan(step, (params, [0 * W for W in params]), picks)[0][0]

    return descend(f), (twin := descend(tangent)), tangent(twin, X), f(params, X)


def uniform(i):
    x = (np.asarray(i).astype(np.uint64) + 1) * 0x9E3779B1 % 2**32
    x = (x ^ (x >> 16)) * 0x85EBCA6B % 2**32
    x = (x ^ (x >> 13)) * 0xC2B2AE35 % 2**32
    return ((x ^ (x >> 16)) + 0.5) / 2**32


def batches(batch, n):
    i = np.arange(STEPS * (batch or n)).reshape(STEPS, -1)
    return np.floor(uniform(i + 7 * 10**8) * n).astype(int) if batch else i % n


def test_networks_and_their_tangent_twins(visit):
    """The same start, steps, twin, kernel distance and movement, on 200 states of depth two and three."""
    page = visit("room=network")
    states = states_of(
        page,
        "network",
        data=lambda rng: str(rng.choice(["xor", "spiral", "circles"])),
        width=lambda rng: 8,
        batch=lambda rng: int(rng.choice([0, 10])),
        painted=lambda rng: {},
    )
    for n, (state, f) in enumerate(zip(states, page.ask(RUN, [states, STEPS]), strict=True)):
        width, depth, data = state["width"], state["depth"], np.array(f["data"])
        X, y = np.column_stack([data[:, :2], np.ones(len(data))]), data[:, 2]
        activation = jax.nn.relu if state["activation"] == "relu" else jnp.tanh
        start = unflatten(f["theta0"], width, depth)
        picks = batches(state["batch"], len(data))
        end, twin, straight, first = train(
            start, X, y, picks, f["lr"], state["momentum"], state["decay"], activation=activation
        )
        unit = 1 + max(np.max(np.abs(W)) for W in end)
        close(first, np.zeros(len(y)))  # units are paired
        close(f["theta"] / unit, np.concatenate([W.ravel() for W in end]) / unit)
        close(f["twin"] / unit, np.concatenate([W.ravel() for W in twin]) / unit)
        outputs = output(end, X, activation)
        close(f["loss"], 0.5 * np.mean((outputs - y) ** 2), 1e-8)
        close(f["lossTwin"], 0.5 * np.mean((straight - y) ** 2), 1e-8)
        close(f["gap"], np.linalg.norm(outputs - straight) / np.linalg.norm(y), 1e-8)
        moved = [np.linalg.norm(a - b) / np.linalg.norm(b) for a, b in zip(end, start, strict=True)]
        close(f["moved"], moved)
        if n < 4:
            model = partial(output, activation=activation)
            close(f["distance"], lj.kernel_distance(model, end, start, X[::2]).value, 1e-8)


def test_alpha_is_the_rescaling_that_keeps_the_function(visit):
    page = visit("room=network")
    given = {"width": 6, "data": "circles", "tau": 1}
    plain, scaled = page.ask(RUN, [[given, {**given, "alpha": 3}], 0])
    X = np.column_stack([np.array(plain["data"])[:, :2], np.ones(80)])
    W, a = unflatten(plain["theta0"], 6, 2)
    params = {"first": W.T, "last": a.T}
    wanted = lj.upstream(lambda p, x: jax.nn.relu(x @ p["first"]) @ p["last"], params, X, 3.0)
    found = unflatten(scaled["theta0"], 6, 2)
    close(found[0], wanted["first"].T)
    close(found[1], wanted["last"].T)


@pytest.mark.parametrize(
    "given",
    [
        {"width": 8, "batch": 10, "momentum": 0.5, "decay": 0.01, "alpha": 2},
        pytest.param({"width": 6, "depth": 3, "activation": "tanh", "seed": 3}, marks=pytest.mark.slow),
    ],
)
def test_copied_networks_run_and_learn_the_same(visit, given):
    page, scope = visit("room=network"), {}
    (found,) = page.ask(RUN, [[given], 100])
    text = page.ask(PYTHON, given)
    exec(text, scope)
    names = ("W1", "W2", "a") if given.get("depth") == 3 else ("W1", "a")
    close(found["theta0"], np.concatenate([np.ravel(scope["params"][name]) for name in names]))
    close(found["theta"], np.concatenate([np.ravel(scope["end"][name]) for name in names]), 1e-7)


def test_large_scales_are_lazy_and_small_ones_rich(visit):
    """What the words of the tab say, at the end of a thousand steps on XOR."""
    states = [{"tau": tau, "width": 16, "lr": 0.5} for tau in (5, 0.3)]
    lazy, rich = visit("room=network").ask(RUN, [states, 1000])
    assert lazy["distance"] < 0.01
    assert lazy["gap"] < 0.2
    assert rich["distance"] > 0.05


def test_points_are_painted_and_pasted(visit):
    page = visit("room=network")
    canvas = page.tab.get_by_role("img", name="The function of the network on the square")
    box = canvas.bounding_box()
    page.tab.mouse.click(box["x"] + 0.5 * box["width"], box["y"] + 0.3 * box["height"])
    page.ask("lazyrich.paint()")
    assert page.ask("lazyrich.current.drawn.found.data.length") == 81
    page.tab.get_by_text("Paste a table (CSV)").click()
    page.tab.get_by_label("A table").fill("x,y,label\n1,2,0\n3,4,1\n5;1;1\nnot,a,line\n")
    page.tab.get_by_role("button", name="Use this table").click()
    page.ask("lazyrich.paint()")
    assert page.ask("lazyrich.current.drawn.found.data") == [[0, 0.675, 1], [-0.9, -0.225, -1], [0.9, -0.675, 1]]
    page.wait("location.hash === lazyrich.address()")
    again = visit(page.tab.url.split("#")[1])
    assert again.ask("lazyrich.current.drawn.found.data") == page.ask("lazyrich.current.drawn.found.data")
    page.tab.get_by_role("button", name="Play", exact=True).click()
    page.wait("lazyrich.current.drawn.found.frames.length > 5")
    page.tab.get_by_role("button", name="Remove all points").click()
    page.ask("lazyrich.paint()")
    assert page.ask("lazyrich.current.drawn.found.data.length") == 2
    assert page.troubles == []


def test_a_rate_that_is_too_large_is_reported(visit):
    """A tanh network diverges; a ReLU network moves to where its kernel is smaller, and only its twin diverges."""
    page = visit("room=network&lr=10&activation=tanh", motion="no-preference")
    page.tab.get_by_role("button", name="Play", exact=True).click()
    page.wait("lazyrich.current.drawn.facts[0][1].startsWith('training diverged')")
    page.ask("lazyrich.open('network', { lr: 3, tau: 5 })")
    page.tab.get_by_role("button", name="Play", exact=True).click()
    page.wait("lazyrich.current.drawn.facts[0][1].startsWith('the rate is too large for the tangent twin')")
    assert page.ask("lazyrich.current.drawn.found.frames.at(-1).loss") < 1e6
    assert page.troubles == []
