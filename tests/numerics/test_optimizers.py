"""The steps of `descend` against loops by hand and against torch.optim, on the same numbers."""

import math
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from conftest import distance

import lazyrich as lr

rng = np.random.default_rng(0)
X, y = rng.normal(size=(8, 3)), rng.normal(size=8)
LINEAR = lr.GradientFlow(lr.inits.neuron([0.3, 0.1, -0.2], delta=0.5), lr.Problem(X, y, kappa=1 / 8), (0.5, 2.0))
RELU = lr.GradientFlow(
    lr.TwoLayer(rng.normal(size=(4, 3)), rng.normal(size=4)), lr.Problem(X, y, kappa=1 / 8), (1.0, 0.3)
)
DEEP = lr.GradientFlow(lr.inits.gaussian(jax.random.key(0), (3, 4, 4, 1), 0.5), lr.Problem(X, y, kappa=1 / 8))
FLOWS = {"linear": LINEAR, "relu": RELU, "deep": DEEP}


def constant(step):
    return 0.05


def warm_up(step):
    return 0.1 * jnp.minimum(step / 4, 1.0) / (1 + 0.1 * step)


DECAY = (0.3, 0.1, 0.2)  # of three layers at most


SCHEDULES = {"constant": constant, "warm up": warm_up}
OPTIMIZERS = {
    "plain": ({}, lambda torch, groups: torch.optim.SGD(groups)),
    "heavy ball": ({"momentum": 0.9}, lambda torch, groups: torch.optim.SGD(groups, momentum=0.9)),
    "nesterov": (
        {"momentum": 0.8, "nesterov": True},
        lambda torch, groups: torch.optim.SGD(groups, momentum=0.8, nesterov=True),
    ),
    "adam": (
        {"optimizer": lr.Adam(0.8, 0.95, 1e-6)},
        lambda torch, groups: torch.optim.Adam(groups, betas=(0.8, 0.95), eps=1e-6),
    ),
    "adamw": (
        {"optimizer": lr.Adam(0.8, 0.95, 1e-6), "decoupled": True},
        lambda torch, groups: torch.optim.AdamW(groups, betas=(0.8, 0.95), eps=1e-6),
    ),
}


def by_hand(flow, steps, name, rate, decay):
    """The formulas of the papers, entry by entry in NumPy, with gradients by automatic differentiation."""
    slope = jax.jit(jax.grad(lambda layers: flow.loss(flow.net.with_layers(layers))))
    layers = [np.array(layer) for layer in flow.net.layers]
    first, second = [0 * layer for layer in layers], [0 * layer for layer in layers]
    for k in range(steps):
        grads = [np.asarray(g) for g in slope(tuple(map(jnp.asarray, layers)))]
        for l, (g, eta) in enumerate(zip(grads, flow.rates, strict=True)):
            pace = float(rate(k)) * float(eta)
            if name == "adamw":
                layers[l] = layers[l] - pace * decay[l] * layers[l]
            else:
                g = g + decay[l] * layers[l]
            if name.startswith("adam"):
                first[l] = 0.8 * first[l] + 0.2 * g
                second[l] = 0.95 * second[l] + 0.05 * g**2
                ahead = first[l] / (1 - 0.8 ** (k + 1)) / (np.sqrt(second[l] / (1 - 0.95 ** (k + 1))) + 1e-6)
            else:
                m = {"plain": 0.0, "heavy ball": 0.9, "nesterov": 0.8}[name]
                first[l] = m * first[l] + g
                ahead = g + m * first[l] if name == "nesterov" else first[l]
            layers[l] = layers[l] - pace * ahead
    return tuple(layers)


def by_torch(flow, steps, make, rate, decay):
    torch = pytest.importorskip("torch")
    layers = [torch.tensor(np.array(layer), requires_grad=True) for layer in flow.net.layers]
    groups = [
        {"params": [w], "lr": float(eta), "weight_decay": value}
        for w, eta, value in zip(layers, flow.rates, decay, strict=True)
    ]
    optimizer = make(torch, groups)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda k: float(rate(k)))
    inputs, labels = torch.tensor(X), torch.tensor(y)
    for _ in range(steps):
        optimizer.zero_grad()
        out = inputs
        if isinstance(flow.net, lr.TwoLayer):
            out = torch.relu(out @ layers[0].T) @ layers[1].reshape(-1)
        else:
            for W in layers:
                out = out @ W.T
        (0.5 / 8 * ((out.reshape(-1) - labels) ** 2).sum()).backward()
        optimizer.step()
        schedule.step()
    return tuple(layer.detach().numpy() for layer in layers)


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize("network", FLOWS)
def test_against_a_loop_and_torch(network, name, schedule):
    flow, rate, (options, make) = FLOWS[network], SCHEDULES[schedule], OPTIMIZERS[name]
    ends = []
    for decay in (DECAY[: len(flow.rates)], None):
        if decay is None and name == "adamw":
            continue
        values = (0.0,) * len(flow.rates) if decay is None else decay
        decayed = lr.GradientFlow(flow.net, flow.problem, flow.rates, decay)
        found = lr.descend(decayed, 60, rate, every=7, **options)
        assert distance(found.end.layers, by_hand(flow, 60, name, rate, values)) < 1e-12
        assert distance(found.end.layers, by_torch(flow, 60, make, rate, values)) < 1e-12
        m = options.get("momentum", 0.0)
        assert float(found.times[-1]) == pytest.approx(sum(float(rate(k)) for k in range(60)) / (1 - m), rel=1e-12)
        ends.append(found.end.layers)
    assert min(distance(one, other) for one in ends for other in (flow.net.layers, *ends) if one is not other) > 1e-3


def test_a_schedule_is_a_number_a_sequence_or_a_function():
    def rate(step):
        return 0.1 / math.sqrt(1 + step) if step < 7 else 0.03  # of plain numbers only

    one = lr.descend(LINEAR, 20, rate, every=3)
    for other in (
        lr.descend(LINEAR, 20, [rate(k) for k in range(20)], every=3),
        lr.descend(LINEAR, 20, rate, every=1)[::3],
    ):
        m = min(len(one), len(other))
        assert distance(one[:m].nets, other[:m].nets) < 1e-14
        assert distance(one.times[:m], other.times[:m]) < 1e-15
    assert distance(lr.descend(LINEAR, 20, [0.1] * 20).nets, lr.descend(LINEAR, 20, 0.1).nets) < 1e-15
    assert "lr 0.1 … 0.03, 20 steps" in str(one.by)


def test_a_schedule_may_begin_with_zeros():
    """All saves before the first real step are the start, and those after it are at their places."""
    rates = np.array([0.0] * 300 + [0.1] * 900)
    many, few = lr.descend(LINEAR, 1200, rates, every=1), lr.descend(LINEAR, 1200, rates, every=100)
    assert distance(many[::100].nets, few.nets) < 1e-14
    assert distance(many[300], LINEAR.net) == 0
    assert distance(many[1200].layers, lr.descend(LINEAR, 900, 0.1).end.layers) < 1e-14
    adam = lr.descend(LINEAR, 1200, rates, every=1, optimizer=lr.Adam())
    assert distance(adam[::100].nets, lr.descend(LINEAR, 1200, rates, every=100, optimizer=lr.Adam()).nets) < 1e-13


def test_what_is_no_schedule_is_refused_by_name():
    """NumPy's error about ragged rows came out, and that of the function alone."""
    flow = FLOWS["linear"]
    with pytest.raises(ValueError, match="lr must be a real array; found list"):
        lr.descend(flow, 2, [[0.1], [0.1, 0.2]])
    with pytest.raises(ValueError, match="lr must be a function of one step, from 0 to 1; it raised TypeError"):
        lr.descend(flow, 2, len)
    with pytest.raises(ValueError, match="lr must be a real array; found list"):
        lr.flow_time_from_steps(2, [[0.1], [0.1, 0.2]])


def test_times_of_a_schedule():
    rates = [0.3, 0.2, 0.1]
    assert np.allclose(lr.flow_time_from_steps([0, 1, 2, 3], rates, 0.5), [0, 0.6, 1.0, 1.2])
    assert np.allclose(lr.steps_from_flow_time([0, 0.6, 1.0, 1.1, 1.2], rates, 0.5), [0, 1, 2, 2.5, 3])
    with pytest.raises(ValueError, match="steps must lie between 0 and 3, where the learning rates end; found 4"):
        lr.flow_time_from_steps(4, rates)
    with pytest.raises(ValueError, match=r"time must lie between 0 and 0\.6, where the learning rates end; found 0\.7"):
        lr.steps_from_flow_time(0.7, rates)


def test_derivatives_and_batches_of_runs():
    for optimizer in (lr.Adam(), lr.SGD(0.5, nesterov=True)):

        def end(lr_, optimizer=optimizer):
            return lr.descend(LINEAR, 20, lr_, every=10, optimizer=optimizer).loss[-1]

        numeric = (end(0.1 + 1e-6) - end(0.1 - 1e-6)) / 2e-6
        assert float(jax.grad(end)(0.1)) == pytest.approx(float(numeric), rel=1e-5)
        assert np.allclose(jax.vmap(end)(jnp.array([0.1, 0.2])), [end(0.1), end(0.2)], rtol=1e-12)
        rates = jnp.linspace(0.2, 0.01, 20)
        slope = jax.jit(jax.grad(end))(rates)
        shift = jnp.zeros(20).at[3].set(1e-6)
        assert float(slope[3]) == pytest.approx(float(end(rates + shift) - end(rates - shift)) / 2e-6, rel=1e-5)
    # where a gradient is exactly zero, Adam's direction and its derivative are zero too
    dead = lr.GradientFlow(lr.Diagonal([[[0.0, 0.5], [0.0, 0.5]]], power=2), lr.Problem([[1.0, 2.0]], [1.0]))
    net = lr.descend(dead, 10, 0.01, optimizer=lr.Adam()).end
    assert np.all(net.weights[0][:, 0] == 0)
    slope = jax.grad(lambda w: lr.descend(dead.with_net(lr.Diagonal([w], 2)), 10, 0.01, optimizer=lr.Adam()).loss[-1])
    assert np.all(np.isfinite(slope(dead.net.weights[0])))


def test_single_precision_keeps_the_memory_in_double():
    for options in ({"optimizer": lr.Adam()}, {"momentum": 0.9, "nesterov": True}):
        double, single = (lr.descend(LINEAR, 100, 0.02, precision=p, **options) for p in ("double", "single"))
        assert 0 < distance(single.end, double.end) < 1e-5
        assert single.end.layers[0].dtype == np.float64


@pytest.mark.parametrize(
    ("optimizer", "low", "high"),
    [(lr.SGD(), 1.97, 2.03), (lr.SGD(0.9), 3.77, 3.83), (lr.SGD(0.9, nesterov=True), 1.33, 1.37)],
)
def test_the_edge_of_stability(optimizer, low, high):
    """On a linear model of curvature one, steps shrink below the edge and grow above it."""
    flow = lr.GradientFlow(lr.DeepLinear([[[0.1]]]), lr.Problem([[1.0]], [0.0]))
    ends = [abs(float(lr.descend(flow, 4000, rate, optimizer=optimizer).beta[-1][0])) for rate in (low, high)]
    assert ends[0] < 1e-3 < 1e3 < ends[1]
    assert low < float(optimizer.edge) < high


def test_divergence_names_the_edge_of_its_own_optimizer():
    with pytest.raises(lr.IntegrationError, match=r"lr < 2\(1 \+ m\)/λ, λ the largest curvature"):
        lr.descend(LINEAR, 2000, 100.0, momentum=0.9)
    with pytest.raises(lr.IntegrationError, match="lr = 100, the largest of the schedule, is too large"):
        lr.descend(LINEAR, 2000, [0.1] * 1000 + [100.0] * 1000)
    flow = lr.GradientFlow(lr.DeepLinear([[[0.1]]]), lr.Problem([[1.0]], [0.0]))
    with pytest.raises(lr.IntegrationError, match=r"λ was 1 on the way, so try lr below 3.8\.") as caught:
        lr.descend(flow, 100_000, 5.0, momentum=0.9)
    assert np.all(np.isfinite(caught.value.trajectory.loss))


def test_bad_options_are_refused():
    for wrong, reason in [
        ([0.1] * 9, "one number for each of the 10 steps; found 9 numbers"),
        ([0.1] * 9 + [-0.1], "lr must be nonnegative, and positive somewhere; found -0.1 at step 9"),
        ([0.0] * 10, "lr must be nonnegative, and positive somewhere; found 0 at step 0"),
        (lambda step: float("nan"), "lr must be finite|lr has 10 entries that are NaN or infinite"),
        ([[0.1] * 10], "lr must have 0 or 1 axes"),
        (lambda step: "a", "lr must be a real array"),
    ]:
        with pytest.raises(ValueError, match=reason):
            lr.descend(LINEAR, 10, wrong)
    with pytest.raises(TypeError, match=r"optimizer must be a lazyrich Optimizer, Adam.* found 'adam'"):
        lr.descend(LINEAR, 10, 0.1, optimizer="adam")
    for more in ({"momentum": 0.9}, {"nesterov": True}):
        with pytest.raises(ValueError, match="momentum and nesterov are for gradient descent; found them beside"):
            lr.descend(LINEAR, 10, 0.1, optimizer=lr.Adam(), **more)
    with pytest.raises(TypeError, match="nesterov must be True or False; found 1"):
        lr.descend(LINEAR, 10, 0.1, nesterov=1)
    with pytest.raises(ValueError, match="decoupled=True is about weight decay, and this flow has none"):
        lr.descend(LINEAR, 10, 0.1, decoupled=True)
    for name in ("b1", "b2"):
        with pytest.raises(ValueError, match=rf"{name} must lie in \[0, 1\); found 1"):
            lr.Adam(**{name: 1.0})
    with pytest.raises(ValueError, match="eps must be positive; found 0"):
        lr.Adam(eps=0.0)
    with pytest.raises(NotImplementedError, match="Optimizer has no direction"):
        lr.descend(LINEAR, 10, 0.1, optimizer=lr.Optimizer())
    with pytest.raises(ValueError, match="found Adam, whose small steps follow another equation"):
        lr.flow_gap(lr.descend(LINEAR, 10, 0.1, optimizer=lr.Adam()))


class Wrong(lr.Optimizer):
    returned: Callable

    def direction(self, gradient, memory, count):
        return self.returned(gradient), memory


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (lambda gradient: 1.0, r"Wrong\.direction must return a direction in the shape of the gradient"),
        (lambda gradient: jax.tree.map(lambda g: g[None], gradient), r"Wrong\.direction must return a direction"),
        (lambda gradient: 1 / 0, "Wrong does not run on the layers of this network: ZeroDivisionError"),
    ],
)
def test_a_wrong_optimizer_is_named(returned, message):
    """JAX's error about the carry of a loop came out."""
    with pytest.raises(ValueError, match=message):
        lr.descend(LINEAR, 10, 0.1, optimizer=Wrong(returned))


def test_momentum_does_not_accelerate_decoupled_decay():
    """The flow that small steps follow has less decay; the gap to the flow with all of it was measured."""
    flow = lr.GradientFlow(LINEAR.net, LINEAR.problem, LINEAR.rates, 0.3)
    run = lr.descend(flow, 4000, 1e-3, momentum=0.9, decoupled=True)
    slower = lr.GradientFlow(flow.net, flow.problem, flow.rates, 0.03)
    assert distance(run.end, lr.integrate(slower, run.times[-1:]).end) < 0.01
    assert distance(run.end, lr.integrate(flow, run.times[-1:]).end) > 0.05
    with pytest.raises(ValueError, match="found gradient descent with decoupled weight decay, whose small steps"):
        lr.flow_gap(run)


def test_decay_shrinks_the_gap_to_the_flow_in_first_order():
    flow = lr.GradientFlow(LINEAR.net, LINEAR.problem, LINEAR.rates, (0.3, 0.1))
    for options in ({}, {"decoupled": True}):
        gaps = [
            float(lr.flow_gap(lr.descend(flow, round(4 / step), step, **options))["parameters"][-1])
            for step in (0.02, 0.01)
        ]
        assert gaps[0] / gaps[1] == pytest.approx(2, rel=0.1)
    assert "weight decay" in str(lr.descend(flow, 1, 0.1).by)
    assert "decoupled weight decay" in str(lr.descend(flow, 1, 0.1, decoupled=True).by)
