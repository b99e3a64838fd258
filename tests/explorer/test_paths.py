"""Paths that the page integrates, with weight decay and from vanishing starts, against raw equations and lazyrich."""

import jax
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import lazyrich as lr
from lazyrich.theorems.deep_mode import growth
from tests.explorer.test_numbers import close, neuron_flow, numbers, states_of, weights

pytestmark = pytest.mark.xdist_group("browser")
FOLLOW = """(states) => states.map((given) => {
  const own = lazyrich.rooms.stops, state = lazyrich.stateOf("stops", given), x = own.sample(state);
  const { times, beta } = own.follow([x], [state.y], state);
  const which = [0.2, 0.4, 0.6, 0.8, 1].map((s) => Math.floor(s * (times.length - 1)));
  return { x, times: which.map((n) => times[n]), beta: which.map((n) => beta[n]), limit: own.plane(state).limit };
})"""
LEARN = """(states) => states.map((given) => {
  const own = lazyrich.rooms.stops, state = lazyrich.stateOf("stops", given);
  const table = own.recovery(state, lazyrich.tables.sparse);
  const { times, beta, error, fit, walk } = own.learning(state, table), { X, y, truth } = table;
  const which = [0.3, 0.5, 0.7, 0.9, 1].map((s) => Math.floor(s * (times.length - 1)));
  return { X, y, truth, error, fit, walk, all: times, end: table.beta,
    times: which.map((n) => times[n]), beta: which.map((n) => beta[n]) };
})"""
STAIRS = """(states) => states.map((given) => {
  const own = lazyrich.rooms.stops, state = lazyrich.stateOf("stops", given);
  const table = own.recovery(state, lazyrich.tables.sparse);
  return { X: table.X, y: table.y, stairs: own.stairs(state, table) };
})"""


def raw_neuron(state, found, a, w):
    """Integrate the equations of a, w as they are printed."""
    t = np.radians(state["angle"])
    X = np.sqrt([[1.0], [state["axis2"]]]) * np.array([[np.cos(t), np.sin(t)], [-np.sin(t), np.cos(t)]])
    (x1, x2), (x3, x4), decay = *X.tolist(), state["decay"]
    y1, y2 = (X @ [state["bx"], state["by"]]).tolist()

    def field(_, z):
        a, v, w = z.tolist()
        r1, r2 = y1 - a * (x1 * v + x2 * w), y2 - a * (x3 * v + x4 * w)
        p, q = r1 * x1 + r2 * x3, r1 * x2 + r2 * x4
        return (
            state["eta_a"] * (p * v + q * w - decay * a),
            state["eta_w"] * (p * a - decay * v),
            state["eta_w"] * (q * a - decay * w),
        )

    return solve_ivp(field, (0, found["times"][-1]), np.r_[a, w], "LSODA", found["times"], rtol=1e-10, atol=1e-12).y.T


def test_neurons_with_weight_decay(visit):
    page = visit("room=neuron")
    states = states_of(page, "neuron", axis2=lambda rng: rng.choice([0.0, rng.uniform(), 1.0], p=[0.2, 0.4, 0.4]))
    a, w = (np.asarray(part) for part in weights(states))
    ended = 0
    for state, f, a0, w0 in zip(states, numbers(page, "neuron", states), a, w, strict=True):
        assert not f["exact"]
        z = raw_neuron(state, f, a0, w0)
        close(np.column_stack([f["a"], f["w"]]), z, 1e-6)
        beta = z[-1, :1] * z[-1, 1:]
        if f["side"]:  # where it ends is the minimum of the penalized loss, unless it stays at zero
            ended += bool(np.linalg.norm(beta - f["limit"]) < 0.05 * (1 + np.linalg.norm(beta)))
    assert ended > 170


def test_neurons_with_weight_decay_end_where_the_library_says(visit):
    page = visit("room=neuron")
    states = states_of(
        page, "neuron", 30, axis2=lambda rng: 1, angle=lambda rng: 0, decay=lambda rng: rng.uniform(0.01, 0.3),
        delta=lambda rng: rng.uniform(-1, 1),
    )  # fmt: skip
    for state in states:
        state |= {"b0x": 0.4 * state["bx"] - 0.1 * state["by"], "b0y": 0.4 * state["by"] + 0.1 * state["bx"]}
    compared = 0
    for n, (state, f) in enumerate(zip(states, numbers(page, "neuron", states), strict=True)):
        flow = neuron_flow(state)
        flow = lr.GradientFlow(flow.net, flow.problem, flow.rates, decay=state["decay"])
        try:
            limit = lr.limit(flow)
        except ValueError:  # from above the objective of zero, it may end there
            continue
        compared += 1
        close(f["limit"], limit.value)
        if n < 6:
            traj = lr.solve(flow, f["times"])
            close(f["beta"], traj.beta, 1e-6)
            close(f["distance"], lr.metrics.kernel_distance(traj), 1e-6)
            tangent = lr.integrate(
                lr.GradientFlow(lr.Linearized(flow.net), flow.problem, flow.rates, decay=state["decay"]), f["times"]
            )
            apart = np.linalg.norm(np.asarray(traj.beta - tangent.beta), axis=1)
            close(f["gap"], apart.max() / np.linalg.norm(traj.beta[0] - flow.problem.y), 1e-5)
    assert compared > 15


def raw_diagonal(state, x, times):
    """Integrate the logarithms of u + v and v - u on both sides of each coordinate: β = (p² - m² - P² + M²)/4."""
    decay = state["decay"]
    u, v = np.sqrt(state["alpha"]) * ((1 - state["shape"]) / (1 + state["shape"])) ** np.array([0.5, -0.5])
    start = np.repeat([np.log(u + v), np.log(abs(v - u)) if v != u else -np.inf], 2)

    def beta_of(up, down):
        p, m = np.exp(2 * (start[:2] + up - decay * down)), np.exp(2 * (start[2:] - up - decay * down))
        P, M = np.exp(2 * (start[:2] - up - decay * down)), np.exp(2 * (start[2:] + up - decay * down))
        return (p - m - P + M) / 4

    def field(t, up):
        with np.errstate(over="ignore"):  # in steps that the solver tries and rejects
            return x * (state["y"] - x @ beta_of(up, t))

    run = solve_ivp(field, (0, times[-1]), np.zeros(2), "LSODA", times, rtol=1e-10, atol=1e-12)
    return np.array([beta_of(up, t) for t, up in zip(run.t, run.y.T, strict=True)])


def test_diagonal_networks_with_weight_decay(visit):
    """In the plane, from α = 1e-30 to 100: the path, and its end, which is the Lasso."""
    page = visit("room=stops")
    states = states_of(page, "stops", depth=lambda rng: 2)
    for n, (state, f) in enumerate(zip(states, page.ask(FOLLOW, states), strict=True)):
        x = np.array(f["x"])
        close(f["beta"], raw_diagonal(state, x, f["times"]), 2e-5)
        residual = x * (state["y"] - x @ f["limit"])
        assert np.all(np.abs(residual) <= state["decay"] * (1 + 1e-9) + 1e-12)
        assert np.allclose(residual * f["limit"], state["decay"] * np.abs(f["limit"]), atol=1e-9)
        if n < 20:
            flow = lr.GradientFlow(
                lr.inits.diagonal(2, 1.0, state["shape"]), lr.Problem([x], [state["y"]]), decay=state["decay"]
            )
            close(f["limit"], lr.limit(flow).value)


def sparse_flow(state, f):
    depth, alpha = state.get("depth", 2), state["alpha"]
    net = lr.inits.tied_diagonal(40, alpha ** (1 / depth), depth=depth) if depth > 2 else lr.inits.diagonal(40, alpha)
    return lr.GradientFlow(net, lr.Problem(f["X"], f["y"]), decay=state.get("decay") or None)


RECOVERIES = [
    {"alpha": 10, "decay": 0.001},
    {"alpha": 1e-30},
    {"alpha": 1e-8, "depth": 3},
    pytest.param({"alpha": 1e-20, "sparse": 8, "samples": 12}, marks=pytest.mark.slow),
    pytest.param({"alpha": 1e-30, "decay": 0.3, "samples": 30}, marks=pytest.mark.slow),
    pytest.param({"alpha": 1e-8, "depth": 5, "samples": 8}, marks=pytest.mark.slow),
]


@pytest.mark.parametrize("state", RECOVERIES)
def test_sparse_recovery_over_time(visit, state):
    page = visit("room=stops")
    (f,) = page.ask(LEARN, [state])
    flow = sparse_flow(state, f)
    close(f["beta"], lr.integrate(flow, f["times"]).beta, 1e-4)
    if "decay" in state:
        close(f["end"], lr.limit(flow).value)


def test_the_staircase_is_that_of_the_library(visit):
    """Every number of samples and of nonzero entries that the page can show; times on the clock of a scale."""
    page = visit("room=stops")
    states = [
        {"alpha": 1e-9, "samples": n, "sparse": k, "depth": 2 + (n + k) % 3} for n in range(4, 31) for k in range(1, 9)
    ]
    for state, f in zip(states, page.ask(STAIRS, states), strict=True):
        scale = {**state, "alpha": max(state["alpha"], 1e-8) if state["depth"] > 2 else state["alpha"]}
        stairs = lr.staircase(sparse_flow(scale, f)).at(1.0)
        close([row["beta"] for row in f["stairs"]], stairs.beta)
        close([row["loss"] for row in f["stairs"]], stairs.loss)
        times = np.array([row["time"] for row in f["stairs"]])
        assert np.allclose(times, stairs.times, rtol=1e-9, atol=0)


def test_it_fits_early_and_generalizes_late(visit):
    """The picture of grokking, and its prediction from limits without decay."""
    page = visit("room=stops")
    (f,) = page.ask(LEARN, [{"alpha": 10, "decay": 0.001}])
    times, fit, error = (np.array(f[name]) for name in ("all", "fit", "error"))
    fitted, general = times[np.argmax(fit < 0.05)], times[np.argmax(error < 0.05)]
    assert fitted < 0.01
    assert general > 1e5 * fitted
    curve = lr.decay_curve(sparse_flow({"alpha": 10, "decay": 0.001}, f), [row["time"] for row in f["walk"]])
    predicted = np.sum((np.asarray(curve.beta) - f["truth"]) ** 2, axis=1) / np.sum(np.square(f["truth"]))
    close([row["error"] for row in f["walk"]], predicted, 1e-4)
    late = times > 1
    walked = np.interp(times[late], [row["time"] for row in f["walk"]], [row["error"] for row in f["walk"]])
    assert np.max(np.abs(walked - error[late])) < 0.03  # an error of order λ, and of linear interpolation
    (plain,) = page.ask(LEARN, [{"alpha": 10}])
    assert plain["error"][-1] > 0.3


def in_context(state):
    values = [state[f"l{i + 1}"] for i in range(state["inputs"])]
    return values, lr.Problem.in_context(values, context_length=state["context"])


def raw_merged(state, M, target, times):
    """Integrate v and U of one head on the features, without using that U stays diagonal: M is their second moment."""
    D = state["inputs"]

    def field(_, z):
        pull = target - M @ (z[-1] * z[:-1])
        return np.append(z[-1] * pull, z[:-1] @ pull)

    start = np.append(state["start"] * np.eye(D).ravel() / np.sqrt(D), state["start"])
    run = solve_ivp(field, (0, times[-1]), start, "LSODA", times, rtol=1e-10, atol=1e-13).y
    return (run[-1] * run[:-1]).reshape(D, D, -1).diagonal()


def test_attention_that_learns_in_context(visit):
    page = visit("room=context")
    states = states_of(page, "context")
    batched = jax.jit(lambda a, s, t: growth(a, s, t, 3))
    for n, (state, f) in enumerate(zip(states, numbers(page, "context", states), strict=True)):
        values, (s, rho, times) = np.array(f["values"]), (np.array(f[name]) for name in ("s", "rho", "times"))
        N, trace = state["context"], values.sum()
        C = values**2 + (values**2 + trace * values) / N
        close(s, values / C)  # the diagonal of C⁻¹Λ
        m = np.ones((4, len(times)))  # of one shape, so that it is compiled once
        m[: len(s)] = rho[:, None] * times
        size, goal = state["start"] ** 3, np.append(s, np.ones(4 - len(s)))
        m = (size * batched(np.full((4, 1), size), goal[:, None], m) ** 3)[: len(s)]
        close(f["separate"]["m"], m)
        loss = 0.5 * trace - m.T @ values**2 + 0.5 * (m**2).T @ (C * values)
        close(f["separate"]["loss"], loss)
        if n >= 25:
            continue
        moment = np.diag(np.kron(C, values))
        together = raw_merged(state, moment, np.diag(values**2).ravel(), times)
        close(f["merged"]["m"], together.T, 1e-7)
        close(f["merged"]["loss"], 0.5 * trace - together @ values**2 + 0.5 * together**2 @ (C * values), 1e-7)
        if n < 2:
            problem, D = in_context(state)[1], state["inputs"]
            weights = np.full(D, state["start"]), *[state["start"] * np.eye(D)] * 2
            plan = lr.mode_schedule(lr.GradientFlow(lr.LinearAttention(*weights), problem))
            for name in ("target", "time", "width", "plateau"):
                close([row[name] for row in f["plan"]], getattr(plan, name), 1e-8)


@pytest.mark.parametrize("heads", ["separate", "merged"])
def test_copied_attention_runs_and_learns_the_same(visit, heads):
    page = visit("room=context")
    given, scope = {"heads": heads, "inputs": 3, "logtime": 0}, {}
    exec(page.ask("(given) => lazyrich.rooms.context.python(lazyrich.stateOf('context', given))", given), scope)
    found = page.ask("(given) => lazyrich.rooms.context.numbers(lazyrich.stateOf('context', given))", given)[heads]
    beta = np.asarray(scope["traj"].beta).reshape(-1, 3, 3).diagonal(axis1=1, axis2=2)
    close(found["m"], beta.T, 1e-7)
    close(found["loss"], scope["traj"].loss, 1e-7)


def test_separate_heads_have_plateaus_and_merged_heads_one_drop(visit):
    f = visit("room=context").ask("lazyrich.rooms.context.numbers(lazyrich.stateOf('context', {}))")
    times, drops = np.array(f["times"]), {}
    for heads in ("separate", "merged"):
        loss = np.array(f[heads]["loss"])
        steep = -np.diff(loss[1:]) / np.diff(np.log(times[1:])) > 0.03 * (loss[0] - loss[-1])
        drops[heads] = np.sum(steep[1:] & ~steep[:-1])
    assert drops == {"separate": 4, "merged": 1}
