"""The formulas of the page against Python's, on random states, in a browser."""

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import lazyrich as lr
from lazyrich._core.regime_thresholds import LAZY, RICH
from lazyrich.potentials import DeepEntropy, HyperbolicEntropy, Radial, bregman_projection
from lazyrich.potentials.dual_newton import bregman_projection_orthonormal
from lazyrich.theorems.deep_mode import growth
from lazyrich.theorems.mode import evolve_mode
from lazyrich.theorems.trajectories.neuron import evolve

pytestmark = pytest.mark.xdist_group("browser")
STATES = 200
ASK = """([room, states, count]) => states.map((given) => {
  const own = lazyrich.rooms[room], state = lazyrich.stateOf(room, given);
  return own.numbers(state, room === "relu" ? lazyrich.tables.plane : count);
})"""


def drawn(parameters, rng):
    """Draw a state in the range of the controls."""
    state = {}
    for name, p in parameters.items():
        if "choices" in p:
            state[name] = p["choices"][rng.integers(len(p["choices"]))]
        elif "from" in p and p.get("log"):
            state[name] = float(np.exp(rng.uniform(np.log(p["from"]), np.log(p["to"]))))
        elif "from" in p:
            state[name] = float(rng.uniform(p["from"], p["to"]))
        if p.get("whole"):
            state[name] = int(rng.integers(p["from"], p["to"] + 1))
    return state


def states_of(page, room, count=STATES, **fixed):
    rng = np.random.default_rng(len(room))
    parameters = page.ask(f"lazyrich.rooms.{room}.PARAMETERS")
    return [drawn(parameters, rng) | {name: choose(rng) for name, choose in fixed.items()} for _ in range(count)]


def undecayed(rng):
    return 0


def numbers(page, room, states, count=12):
    return page.ask(ASK, [room, states, count])


def close(found, wanted, tolerance=1e-9):
    found, wanted = np.asarray(found, float), np.asarray(wanted, float)
    assert np.all(np.isfinite(wanted))
    worst = np.max(np.abs(found - wanted) / (1 + np.abs(wanted)))
    assert worst <= tolerance, f"off by {worst:.1e}"


def column(states, *names):
    return [jnp.array([s[name] for s in states], float) for name in names]


def weights(states):
    """Return a and w of each state, by `inits.neuron`."""

    def one(b0x, b0y, delta, eta_w, eta_a, sign):
        net = lr.inits.neuron(jnp.array([b0x, b0y]), delta, (eta_w, eta_a), sign)
        return net.weights[1][0, 0], net.weights[0][0]

    return jax.jit(jax.vmap(one))(*column(states, "b0x", "b0y", "delta", "eta_w", "eta_a", "sign"))


@pytest.mark.parametrize("seen", [2, 1])
def test_neurons(visit, seen):
    page = visit("room=neuron")
    states = states_of(page, "neuron", axis2=lambda rng: seen - 1, decay=undecayed)
    found = numbers(page, "neuron", states)
    angle, bx, by, eta_w, eta_a = column(states, "angle", "bx", "by", "eta_w", "eta_a")
    turn = np.radians(angle)
    axes = np.stack([np.stack([np.cos(turn), np.sin(turn)], 1), np.stack([-np.sin(turn), np.cos(turn)], 1)], 1)[
        :, :seen
    ]
    a, w = (np.asarray(part) for part in weights(states))
    y = np.einsum("sij,sj->si", axes, np.stack([bx, by], 1))
    inner = np.einsum("sij,sj->si", axes, w)
    times = np.array([f["times"] for f in found])
    cross = np.array([f["crossing"] for f in found])
    extra = np.stack([np.where(np.isfinite(cross), cross, 0.0), np.full(len(cross), 1e9)], 1)
    outer, forward = (
        np.asarray(part)
        for part in jax.jit(jax.vmap(evolve))(a, inner, y, eta_w, eta_a, jnp.asarray(np.hstack([times, extra])))
    )
    still = w - np.einsum("si,sij->sj", inner, axes)
    full = still[:, None] + np.einsum("sti,sij->stj", forward, axes)
    close([f["a"] for f in found], outer[:, :-2])
    close([f["w"] for f in found], full[:, :-2])
    beta = outer[..., None] * full
    close([f["limit"] for f in found], beta[:, -1])
    assert [f["side"] for f in found] == np.sign(outer[:, -1]).tolist()
    assert np.max(np.abs(outer[np.isfinite(cross), -2]), initial=0) < 1e-9
    changes = np.any(np.diff(np.sign(outer[:, :-2]), axis=1) != 0, axis=1)
    assert np.all(np.isfinite(cross) >= changes)
    assert np.isfinite(cross).any()
    rest = np.einsum("sti,sij->stj", np.einsum("stj,sij->sti", beta, axes) - y[:, None], axes)[:, :-2]
    close([f["loss"] for f in found], 0.5 * np.sum(rest**2, axis=2))
    length, goal = np.linalg.norm(full, axis=2)[:, :-2], np.stack([bx, by], 1)
    close([f["mu"] for f in found], outer[:, :-2] * length)
    close(
        [f["phi"] for f in found],
        np.einsum("stj,sj->st", full[:, :-2], goal) / length / np.linalg.norm(goal, axis=1)[:, None],
    )
    image = np.einsum("stj,sij->sti", full[:, :-2], axes)
    K = np.asarray(eta_w)[:, None, None, None] * outer[:, :-2, None, None] ** 2 * np.eye(seen)
    K = K + np.asarray(eta_a)[:, None, None, None] * image[..., None] * image[..., None, :]
    inner = (
        np.einsum("stij,sij->st", K, K[:, 0])
        / np.linalg.norm(K, axis=(2, 3))
        / np.linalg.norm(K[:, 0], axis=(1, 2))[:, None]
    )
    close([f["distance"] for f in found], 1 - inner)


def neuron_flow(state):
    rates = (state["eta_w"], state["eta_a"])
    net = lr.inits.neuron([state["b0x"], state["b0y"]], state["delta"], rates, sign=state["sign"])
    return lr.GradientFlow(net, lr.Problem(np.eye(2), [state["bx"], state["by"]]), rates)


def word(flow, times):
    """Return the regime of a flow from lazyrich's kernels and linearized network, by the page's rule."""
    traj = lr.exact(flow, times)
    tangent = lr.exact(lr.GradientFlow(lr.Linearized(flow.net), flow.problem, flow.rates), times)
    S = np.asarray(lr.metrics.kernel_distance(traj))
    apart, first = (np.asarray(each).reshape(len(each), -1) for each in (traj.beta - tangent.beta, traj.beta[:1]))
    gap = np.linalg.norm(apart, axis=1) / np.linalg.norm(first - np.ravel(flow.problem.y))
    rate = np.linalg.eigvalsh(flow.ntk().reshape(2 * [first.size if flow.problem.y.ndim > 1 else 2]))[-1]
    if S.max() < LAZY["kernel"] and gap.max() < LAZY["gap"]:
        return "lazy"
    if S.max() <= RICH:
        return "in between"
    return "delayed rich" if times[np.argmax(S.max() / 2 <= S)] * rate > 10 else "rich"


def test_the_headline_of_a_neuron_is_the_rule_of_the_probes(visit):
    page = visit("room=neuron")
    states = states_of(page, "neuron", count=STATES, axis2=lambda rng: 1, angle=lambda rng: 0.0, decay=undecayed)
    found = numbers(page, "neuron", states, 60)
    said = [f["regime"] for f in found]
    assert said == [word(neuron_flow(s), np.array(f["times"])) for s, f in zip(states, found, strict=True)]
    assert {"lazy", "rich", "delayed rich"} <= set(said)


def modes_flow(state):
    s = [state[f"s{k + 1}"] for k in range(state["modes"])]
    if state["depth"] != 2:
        return lr.GradientFlow(
            lr.inits.aligned(np.diag(s), state["start"], depth=state["depth"]), lr.Problem(np.eye(len(s)), np.diag(s))
        )
    w, a = lr.inits.norms_from_tau_delta(np.sqrt(state["start"]), state["lambda"])
    outer = a * np.array([state["cosine"], np.sqrt(1 - state["cosine"] ** 2)])
    net = lr.DeepLinear([np.kron(np.eye(len(s)), [[w], [0.0]]), np.kron(np.eye(len(s)), outer[None])])
    return lr.GradientFlow(net, lr.Problem(np.eye(len(s)), np.diag(s)))


def test_the_headline_of_modes_is_the_rule_of_the_probes(visit):
    page = visit("room=modes")
    states = states_of(page, "modes", count=40, modes=lambda rng: int(rng.integers(2, 5)))
    found = numbers(page, "modes", states, 60)
    said = [f["regime"] for f in found]
    assert said == [word(modes_flow(s), np.array(f["times"])) for s, f in zip(states, found, strict=True)]
    assert {"lazy", "in between", "rich"} <= set(said)


def test_no_headline_for_a_path_that_was_not_followed_to_its_end(visit):
    page = visit("room=neuron&axis2=0.001")
    assert page.ask("lazyrich.rooms.neuron.numbers(lazyrich.stateOf('neuron', {axis2: 0.001})).cut")
    assert page.ask("lazyrich.current.drawn.facts[0][1]") == "not integrated far enough to decide"


def test_starts_balanced_are_rich_downstream_delayed_and_upstream_lazy(visit):
    """In the units of the target, starts at any angle: most are what the texts of the room say."""
    rng, page = np.random.default_rng(5), visit("room=neuron")
    size, angle = np.exp(rng.uniform(np.log(0.1), np.log(3), 100)), rng.uniform(0, np.pi, 100)
    for delta, regime, least in ((12, "lazy", 100), (0, "rich", 75), (-4, "delayed rich", 80)):
        states = [
            {"b0x": r * np.cos(phi), "b0y": r * np.sin(phi), "bx": 1, "by": 0, "delta": delta}
            for r, phi in zip(size, angle, strict=True)
        ]
        words = [f["regime"] for f in numbers(page, "neuron", states, 120)]
        assert words.count(regime) >= least, (delta, {w: words.count(w) for w in words})


def test_the_potential_of_a_neuron_and_the_side_of_its_separating_surface(visit):
    page = visit("room=neuron")
    states = states_of(page, "neuron", axis2=lambda rng: 1, decay=undecayed)
    points = np.random.default_rng(1).uniform(-2, 2, size=(STATES, 2)).tolist()
    script = """([states, points]) => states.map((given, i) => {
      const own = lazyrich.rooms.neuron, state = lazyrich.stateOf("neuron", given), data = own.problem(state);
      const at = points[i];
      return [own.height(state, 1)(...at), own.margin(state, data)(...at), own.basin(state, at, data)];
    })"""
    height, margin, basin = np.array(page.ask(script, [states, points])).T
    _, w = weights(states)
    delta, eta_w, eta_a, sign = column(states, "delta", "eta_w", "eta_a", "sign")
    scaled = jnp.sqrt(eta_w * eta_a)[:, None] * jnp.asarray(points)
    value = jax.vmap(lambda d, beta: Radial(d).value(beta))(delta, scaled)
    close(height, value - jnp.sum(jnp.sqrt(eta_a)[:, None] * w * scaled, axis=1))
    assert np.array_equal(np.sign(margin) * np.asarray(sign), basin)


def test_neurons_between_the_closed_forms_are_integrated(visit):
    page = visit("room=neuron")
    states = states_of(
        page,
        "neuron",
        20,
        axis2=lambda rng: rng.uniform(0.1, 0.9),
        delta=lambda rng: rng.uniform(-4, 4),
        decay=undecayed,
    )
    a, w = (np.asarray(part) for part in weights(states))
    for state, found, a0, w0 in zip(states, numbers(page, "neuron", states), a, w, strict=True):
        t = np.radians(state["angle"])
        X = np.sqrt([[1.0], [state["axis2"]]]) * np.array([[np.cos(t), np.sin(t)], [-np.sin(t), np.cos(t)]])
        y = X @ [state["bx"], state["by"]]

        def field(_, z, X=X, y=y, state=state):
            pull = X.T @ (y - z[0] * (X @ z[1:]))
            return np.r_[state["eta_a"] * pull @ z[1:], state["eta_w"] * z[0] * pull]

        assert not found["exact"]
        end = found["times"][-1]
        run = solve_ivp(field, (0, end), np.r_[a0, w0], "DOP853", found["times"], rtol=1e-12, atol=1e-13)
        close(np.column_stack([found["a"], found["w"]]), run.y.T, 1e-5)


@pytest.mark.parametrize("depths", [(1, 2, 3, 5), pytest.param((4, 6), marks=pytest.mark.slow)])
def test_modes(visit, depths):
    page = visit("room=modes")
    states = states_of(page, "modes", depth=lambda rng: int(rng.choice(depths)))
    for depth in depths:
        mine = [s for s in states if s["depth"] == depth]
        assert len(mine) > 20
        found = numbers(page, "modes", mine)
        times = jnp.array([f["times"] for f in found])
        halves = jnp.array(
            [
                [row["time"] for row in sorted(f["plan"], key=lambda row: row["mode"])] + [0.0] * (4 - len(f["plan"]))
                for f in found
            ]
        )
        t = jnp.concatenate([times, jnp.where(jnp.isfinite(halves), halves, 0.0)], axis=1)
        s, (start, lam, cosine) = (
            jnp.stack(column(mine, "s1", "s2", "s3", "s4"), 1),
            column(mine, "start", "lambda", "cosine"),
        )
        if depth == 2:
            w, a = lr.inits.norms_from_tau_delta(jnp.sqrt(start), lam)
            inner = jnp.stack([w, jnp.zeros_like(w)], 1)
            outer = a[:, None] * jnp.stack([cosine, jnp.sqrt(1 - cosine**2)], 1)
            one = jax.vmap(lambda a, w, s, t: evolve_mode(a[None], w[None], s[None], t)[2][:, 0], (None, None, 0, None))
            beta = jax.jit(jax.vmap(one))(outer, inner, s, t)
        elif depth == 1:
            beta = s[..., None] + (start[:, None] - s)[..., None] * jnp.exp(-t)[:, None]
        else:
            factor = jax.jit(lambda a, s, t, L=depth: growth(a, s, t, L))(
                start[:, None, None], s[..., None], t[:, None]
            )
            beta = start[:, None, None] * factor**depth
        count = times.shape[1]
        for n, f in enumerate(found):
            k = mine[n]["modes"]
            close(f["beta"], beta[n, :k, :count])
            close(f["loss"], 0.5 * np.sum((np.asarray(s[n, :k, None]) - beta[n, :k, :count]) ** 2, axis=0))
            for row in f["plan"]:
                reached = float(beta[n, row["mode"], count + row["mode"]])
                if 0 < row["time"] < np.inf:
                    close(reached, row["target"] / 2)
                elif row["time"] == 0:
                    assert reached >= row["target"] / 2


SCHEDULES = [
    {"depth": 2, "lambda": 3.0, "cosine": -0.4},
    pytest.param({"depth": 2, "start": 1e-5}, marks=pytest.mark.slow),
    pytest.param({"depth": 4, "start": 0.01}, marks=pytest.mark.slow),
]


@pytest.mark.parametrize("given", SCHEDULES)
def test_the_schedule_is_that_of_the_library(visit, given):
    page = visit("room=modes")
    (found,) = numbers(page, "modes", [given])
    text = page.ask("(given) => lazyrich.rooms.modes.python(lazyrich.stateOf('modes', given))", given)
    scope = {}
    exec(text.split("traj =")[0], scope)
    plan = lr.mode_schedule(scope["flow"])
    for name in ("mode", "target", "start", "time", "width", "plateau"):
        close([row[name] for row in found["plan"]], getattr(plan, name), 1e-8)
    close([row["lost"] for row in found["plan"]], plan.loss_drop, 1e-8)


def potential(state, d=2):
    alpha, depth = state["alpha"], state["depth"]
    alpha = max(alpha, 1e-8) if depth > 2 else alpha
    if depth == 2:
        u, v = np.sqrt(alpha) * ((1 - state["shape"]) / (1 + state["shape"])) ** np.array([0.5, -0.5])
        side = jnp.full(d, np.log((u**2 + v**2) / 2))
        return HyperbolicEntropy(side, side, 2.0)
    side = jnp.full(d, np.log(alpha) / depth)
    return DeepEntropy(side, side, depth, 1.0)


def test_limits_of_diagonal_networks(visit):
    page = visit("room=stops")
    states = states_of(page, "stops", decay=undecayed)
    found = numbers(page, "stops", states)
    for state, f in zip(states, found, strict=True):
        x = np.array([state["x1"], state["x2"]])
        size = np.linalg.norm(x)
        beta, _ = bregman_projection_orthonormal(
            jnp.asarray(x[None] / size), jnp.array([state["y"] / size]), potential(state)
        )
        close(f["limit"], beta)
        close(f["limit"] @ x, state["y"])
        close(f["flow"][-1], f["limit"])
        close([row["beta"][0] * x[0] + row["beta"][1] * x[1] for row in f["path"]], np.full(52, state["y"]))
    heights = page.ask(
        "(states) => states.map((given) => lazyrich.rooms.stops.height(lazyrich.stateOf('stops', given))(0.7))",
        states,
    )
    # The page counts the mirror variable in units of its own: of 1/2 at depth 2, of α^{2/D − 1} deeper.
    value = jax.jit(lambda phi: phi.value(jnp.array([0.7])))
    for state, height in zip(states, heights, strict=True):
        depth = state["depth"]
        close(
            height, (2.0 if depth == 2 else max(state["alpha"], 1e-8) ** (1 - 2 / depth)) * value(potential(state, 1))
        )


def test_sparse_recovery(visit):
    page = visit("room=stops")
    states = states_of(
        page, "stops", 6, samples=lambda rng: 20, depth=lambda rng: int(rng.choice([2, 4])), decay=undecayed
    )
    script = """(states) => states.map((given) => {
      const own = lazyrich.rooms.stops, state = lazyrich.stateOf("stops", given);
      const { beta, X, y } = own.recovery(state, lazyrich.tables.sparse);
      return { beta, X, y };
    })"""
    for state, f in zip(states, page.ask(script, states), strict=True):
        close(f["beta"], bregman_projection(f["X"], f["y"], potential(state, 40))[0])


def test_relu_students(visit):
    page = visit("room=relu")
    rng = np.random.default_rng(3)
    states = states_of(page, "relu", moved=lambda rng: {})
    for state in states:
        state["moved"] = {str(i): rng.uniform(-1.2, 1.2, size=2).tolist() for i in rng.permutation(20)[:5]}
    found = numbers(page, "relu", states)
    table = page.ask("lazyrich.tables.plane")
    X = np.tile(np.array(table["points"])[:, :2], (STATES, 1, 1))
    for n, state in enumerate(states):
        for i, place in state["moved"].items():
            X[n, int(i)] = place
    y = jnp.array(table["points"])[:, 2]
    key = jax.random.split(jax.random.key(table["seed"]), 3)[1]

    def one(tau, delta, X, later):
        net = lr.inits.symmetrized(key, 2, 50, tau, delta)
        flow = lr.GradientFlow(net, lr.Problem(X, y, kappa=0.1))
        W, a = flow.vector_field(net.layers)
        moved = lr.TwoLayer(later[:, :2], later[:, 2])
        S, H = lr.metrics.kernel_distance(moved, net, X), lr.metrics.hamming_distance(moved, net, X)
        return jnp.column_stack([net.W, net.a]), jnp.column_stack([W, a]), flow.loss(moved), S, H

    later = jnp.array([f["later"] for f in found]).reshape(STATES, 50, 3)
    theta, speed, loss, S, H = jax.jit(jax.vmap(one))(*column(states, "tau", "delta"), jnp.asarray(X), later)
    close([f["theta"] for f in found], theta.reshape(STATES, -1))
    close([f["speed"] for f in found], speed.reshape(STATES, -1))
    for name, wanted in (("loss", loss), ("distance", S), ("hamming", H)):
        close([f[name] for f in found], wanted)


def test_the_limits_of_the_regimes_are_those_of_the_library():
    source = (Path(lr.__file__).parent / "explorer/math/regime.js").read_text(encoding="utf-8")
    assert f"LAZY = {{ distance: {LAZY['kernel']}, gap: {LAZY['gap']} }}" in source
    assert f"RICH = {RICH};" in source
