import jax
import jax.numpy as jnp
import numpy as np
import pytest
from conftest import distance

import lazyrich as lr

rng = np.random.default_rng(0)
X, y = rng.normal(size=(8, 3)), rng.normal(size=8)
FLOW = lr.GradientFlow(lr.inits.neuron([0.3, 0.1, -0.2], delta=0.5), lr.Problem(X, y, kappa=1 / 8), (0.5, 2.0))


def by_hand(flow, steps, lr_, momentum=0.0):
    layers = flow.net.layers
    velocity = [0 * layer for layer in layers]
    for _ in range(steps):
        grads = jax.grad(lambda ls: flow.loss(flow.net.with_layers(ls)))(layers)
        velocity = [momentum * v - lr_ * r * g for v, r, g in zip(velocity, flow.rates, grads, strict=True)]
        layers = tuple(a + v for a, v in zip(layers, velocity, strict=True))
    return layers


@pytest.mark.parametrize("momentum", [0.0, 0.8])
def test_against_a_loop(momentum):
    traj = lr.descend(FLOW, steps=7, lr=0.1, every=3, momentum=momentum)
    assert np.allclose(traj.times, np.array([0, 3, 6, 7]) * 0.1 / (1 - momentum))
    assert distance(traj[0], FLOW.net) == 0
    for i, steps in ((1, 3), (2, 6), (3, 7)):
        assert distance(traj[i].layers, by_hand(FLOW, steps, 0.1, momentum)) < 1e-13


def test_blocks_and_single_saves_agree():
    many = lr.descend(FLOW, steps=600, lr=0.01, every=1)
    few = lr.descend(FLOW, steps=600, lr=0.01, every=150)
    assert len(many) == 601
    assert distance(many[::150].nets, few.nets) < 1e-13


def test_single_precision_is_of_the_gradients_only():
    double = lr.descend(FLOW, steps=600, lr=0.01, every=150)
    single = lr.descend(FLOW, steps=600, lr=0.01, every=150, precision="single")
    assert single[-1].layers[0].dtype == np.float64
    assert 0 < distance(single.nets, double.nets) < 1e-5
    assert "float32" in str(single.by)
    # A step far below the rounding of float32 parameters still moves them.
    tiny = lr.descend(FLOW, steps=100, lr=1e-12, precision="single")
    assert distance(tiny[-1], lr.descend(FLOW, steps=100, lr=1e-12)[-1]) < 1e-15
    assert distance(tiny[-1], FLOW.net) > 1e-12
    with pytest.raises(ValueError, match="precision must be 'double' or 'single'; found 'half'"):
        lr.descend(FLOW, steps=1, lr=0.1, precision="half")


def test_full_batches_are_gradient_descent():
    plain = lr.descend(FLOW, steps=20, lr=0.1)
    full = lr.descend(FLOW, steps=20, lr=0.1, batch=8, key=jax.random.key(0))
    assert distance(plain.nets, full.nets) < 1e-12


def test_minibatch_gradients_are_unbiased():
    """The mean of one step over many keys is the step of gradient descent, within four standard errors."""
    keys = jax.random.split(jax.random.key(1), 4000)
    ends = jax.vmap(lambda key: lr.descend(FLOW, steps=1, lr=0.1, batch=2, key=key).end.layers[0])(keys)
    exact = lr.descend(FLOW, steps=1, lr=0.1).end.layers[0]
    error = jnp.std(ends, axis=0) / np.sqrt(len(keys))
    assert np.all(np.abs(jnp.mean(ends, axis=0) - exact) < 4 * error)
    assert float(jnp.min(error)) > 0


def test_label_noise_has_its_variance():
    """One step moves W by lr·η·κ·a·(noise·X): its covariance is known."""
    keys = jax.random.split(jax.random.key(2), 4000)
    sigma, step = 0.7, 0.1
    ends = jax.vmap(lambda key: lr.descend(FLOW, steps=1, lr=step, label_noise=sigma, key=key).end.layers[0][0])(keys)
    a = float(FLOW.net.weights[1][0, 0])
    expected = (step * 0.5 * a * sigma / 8) ** 2 * X.T @ X
    assert np.allclose(jnp.cov(ends.T), expected, atol=0.1 * np.max(np.abs(expected)))


def test_keys_repeat_and_differ():
    one, two, other = (lr.descend(FLOW, steps=10, lr=0.1, batch=2, key=jax.random.key(k)).end.layers for k in (0, 0, 1))
    assert distance(one, two) == 0
    assert distance(one, other) > 1e-6


def test_flow_time_and_the_gap():
    assert float(lr.steps_from_flow_time(lr.flow_time_from_steps(500, 0.02, 0.9), 0.02, 0.9)) == pytest.approx(500)
    gaps = []
    for step in (0.1, 0.05, 0.025):
        descent = lr.descend(FLOW, steps=round(2 / step), lr=step)
        gaps.append({name: float(jnp.max(jnp.abs(gap))) for name, gap in lr.flow_gap(descent).items()})
    for name in ("parameters", "outputs", "loss"):  # first order in the step size
        assert gaps[0][name] / gaps[1][name] == pytest.approx(2, rel=0.15)
        assert gaps[1][name] / gaps[2][name] == pytest.approx(2, rel=0.15)
    assert gaps[2]["parameters"] < 0.05


def test_conserved_quantities_drift_in_first_order():
    drifts = [
        float(lr.metrics.conservation_drift(lr.descend(FLOW, steps=round(2 / s), lr=s))["Delta_1"][-1])
        for s in (0.1, 0.05)
    ]
    assert drifts[0] / drifts[1] == pytest.approx(2, rel=0.2)


def test_divergence_is_an_error_that_keeps_the_steps_before():
    with pytest.raises(lr.IntegrationError, match=r"descent diverged before step .* lr = 100 is too large") as caught:
        lr.descend(FLOW, steps=2000, lr=100.0)
    traj = caught.value.trajectory
    assert len(traj) >= 1
    assert np.all(np.isfinite(traj.loss))


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="lr must be positive"):
        lr.descend(FLOW, steps=10, lr=-0.1)
    for wrong in (10.5, 0, True, "10", None, np.nan, np.inf):
        with pytest.raises(ValueError, match="steps must be a whole number, at least 1; found"):
            lr.descend(FLOW, steps=wrong, lr=0.1)
    for wrong in (2.5, 0, True, "2"):
        with pytest.raises(ValueError, match="every must be a whole number, at least 1; found"):
            lr.descend(FLOW, steps=10, lr=0.1, every=wrong)
    for wrong in (9, 0, 2.5, True, "2"):
        with pytest.raises(ValueError, match="batch must be a whole number, between 1 and 8; found"):
            lr.descend(FLOW, steps=10, lr=0.1, batch=wrong, key=jax.random.key(0))
    for name in ("lr", "momentum", "label_noise"):
        for wrong in ("a", None, 1j, True, {}):
            with pytest.raises(ValueError, match=f"{name} must be a real number; found"):
                lr.descend(FLOW, **{"steps": 10, "lr": 0.1, "key": jax.random.key(0), name: wrong})
        for wrong in (np.nan, np.inf):
            with pytest.raises(ValueError, match=f"{name} must be finite; found {wrong}"):
                lr.descend(FLOW, **{"steps": 10, "lr": 0.1, "key": jax.random.key(0), name: wrong})
    for wrong in (0, "a", np.zeros(2)):
        with pytest.raises(TypeError, match=r"key must come from jax.random.key\(seed\); found"):
            lr.descend(FLOW, steps=10, lr=0.1, batch=2, key=wrong)
    with pytest.raises(ValueError, match=r"key must be one key; found \(3,\) of them"):
        lr.descend(FLOW, steps=10, lr=0.1, batch=2, key=jax.random.split(jax.random.key(0), 3))
    with pytest.raises(ValueError, match=r"momentum must lie in \[0, 1\)"):
        lr.descend(FLOW, steps=10, lr=0.1, momentum=1.0)
    with pytest.raises(ValueError, match="are random: pass key"):
        lr.descend(FLOW, steps=10, lr=0.1, batch=2)
    margin = lr.GradientFlow(FLOW.net, lr.Problem(X, np.sign(y), lr.Logistic()))
    with pytest.raises(ValueError, match="label noise is for the square loss; found Logistic"):
        lr.descend(margin, steps=10, lr=0.1, label_noise=0.1, key=jax.random.key(0))
    with pytest.raises(TypeError, match="takes a GradientFlow"):
        lr.descend(FLOW.net, steps=10, lr=0.1)


def test_times_and_steps_of_nonsense_are_refused():
    for convert in (lr.flow_time_from_steps, lr.steps_from_flow_time):
        with pytest.raises(ValueError, match="lr must be positive; found 0"):
            convert(10, 0.0)
        with pytest.raises(ValueError, match=r"momentum must lie in \[0, 1\); found 1"):
            convert(10, 0.1, 1.0)
    with pytest.raises(ValueError, match="steps must be a real array; found str"):
        lr.flow_time_from_steps("a", 0.1)
    with pytest.raises(ValueError, match="time has 1 entries that are NaN or infinite"):
        lr.steps_from_flow_time(np.nan, 0.1)
    with pytest.raises(TypeError, match="flow_gap takes the Trajectory of a descent; found GradientFlow"):
        lr.flow_gap(FLOW)


def test_more_than_memory_holds_is_refused_at_once():
    with pytest.raises(
        ValueError, match=r"would save 1000000000000 networks of 4 numbers, 3.2e\+04 GB .*every = 4000 is"
    ):
        lr.descend(FLOW, steps=10**12, lr=0.1, every=1)


def test_grad_goes_through_descent():
    def end(delta):
        flow = FLOW.with_net(lr.inits.neuron([0.3, 0.1, -0.2], delta=delta))
        return lr.descend(flow, steps=10, lr=0.1, every=5).loss[-1]

    numeric = (end(0.5 + 1e-5) - end(0.5 - 1e-5)) / 2e-5
    assert float(jax.grad(end)(0.5)) == pytest.approx(float(numeric), rel=1e-6)
    assert float(jax.jit(end)(0.5)) == pytest.approx(float(end(0.5)), rel=1e-12)
    with pytest.raises(ValueError, match=r"momentum must lie in \[0, 1\); found 2"):  # known, also inside jit
        jax.jit(lambda step: lr.descend(FLOW, steps=2, lr=step, momentum=2).loss)(0.1)


def noise_flow(d):
    return lr.GradientFlow(lr.DeepLinear([np.eye(d), np.zeros((1, d))]), lr.Problem(np.eye(d), np.zeros(d)))


def test_pure_noise_is_varres_process():
    """E‖W‖² and E‖a‖² of dW = dB aᵀ, da = Wᵀ dB obey a linear equation; Euler–Maruyama obeys its Euler scheme."""
    d, dt, count, T = 3, 0.02, 3000, 0.6
    keys = jax.random.split(jax.random.key(0), count)
    ends = jax.vmap(lambda key: lr.diffuse(noise_flow(d), [T], key, dt=dt, drift=False).end.layers)(keys)
    w2, a2 = (jnp.sum(layer**2, axis=(1, 2)) for layer in ends)
    expected = np.array([float(d), 0.0])
    for _ in range(round(T / dt)):
        expected = expected + dt * np.array([d * expected[1], expected[0]])
    for sample, mean in ((w2, expected[0]), (a2, expected[1])):
        assert abs(float(jnp.mean(sample)) - mean) < 4 * float(jnp.std(sample)) / np.sqrt(count)


def test_diffusion_with_drift_and_no_noise_is_the_flow():
    times = [0.0, 0.5, 1.0]
    flow = lr.integrate(FLOW, times)
    errors = [
        distance(lr.diffuse(FLOW, times, jax.random.key(0), dt=dt, sigma=0.0).nets, flow.nets) for dt in (0.02, 0.01)
    ]
    assert errors[0] / errors[1] == pytest.approx(2, rel=0.1)


def test_diffusion_matches_label_noise_descent():
    """Steps of size lr with label noise s are Euler–Maruyama with σ = s√lr: the same law, so the same spread."""
    keys = jax.random.split(jax.random.key(3), 2000)
    s, step = 0.5, 0.05
    ours = jax.vmap(lambda key: lr.diffuse(FLOW, [1.0], key, dt=step, sigma=s * np.sqrt(step)).end.layers[0][0])(keys)
    descent = jax.vmap(lambda key: lr.descend(FLOW, steps=20, lr=step, label_noise=s, key=key).end.layers[0][0])(keys)
    assert np.allclose(jnp.std(ours, axis=0), jnp.std(descent, axis=0), rtol=0.12)
    with pytest.raises(ValueError, match="dt must be positive"):
        lr.diffuse(FLOW, [1.0], keys[0], dt=0.0)


def test_every_stretch_of_a_diffusion_is_at_least_one_step():
    key, layers = jax.random.key(0), FLOW.net.layers
    expected = jax.tree.map(lambda layer, slope: layer + 0.1 * slope, layers, FLOW.vector_field(layers))
    for dt in (0.1, 1e3, 1e9, 1e300):
        assert distance(lr.diffuse(FLOW, [0.1], key, dt=dt, sigma=0.0).end.layers, expected) < 1e-15
    assert distance(lr.diffuse(FLOW, [0.0], key, dt=1.0).end.layers, layers) == 0
    # 3 × 0.1 is a little more than 0.3, and still three steps
    three = lr.diffuse(FLOW, [0.1, 0.2, 0.30000000000000004], key, dt=0.1, sigma=0.0).end.layers
    assert distance(three, lr.descend(FLOW, steps=3, lr=0.1).end.layers) < 1e-14


def test_a_diffusion_that_would_not_end_is_refused_at_once():
    key = jax.random.key(0)
    for dt, steps in ((1e-12, r"1e\+12"), (5e-324, "inf")):
        with pytest.raises(
            ValueError, match=f"makes {steps} steps until t = 1, more than max_steps = 10,000,000: take"
        ):
            lr.diffuse(FLOW, [1.0], key, dt=dt)
    with pytest.raises(ValueError, match=r"makes 20 steps until t = 2, more than max_steps = 19"):
        lr.diffuse(FLOW, [1.0, 2.0], key, dt=0.1, max_steps=19)
    assert len(lr.diffuse(FLOW, [1.0, 2.0], key, dt=0.1, max_steps=20)) == 2


def test_bad_input_to_a_diffusion_is_refused():
    good = {"flow": FLOW, "times": [1.0], "key": jax.random.key(0), "dt": 0.1}
    for name, wrong, error, reason in [
        ("flow", FLOW.net, TypeError, "diffuse takes a GradientFlow; found DeepLinear"),
        ("times", "a", ValueError, "times must be a real array; found str"),
        ("times", [1.0, 0.5], ValueError, "times must be sorted"),
        ("key", 3, TypeError, r"key must come from jax.random.key\(seed\); found 3"),
        ("dt", "a", ValueError, "dt must be a real number; found str"),
        ("dt", np.nan, ValueError, "dt must be finite; found nan"),
        ("dt", -1.0, ValueError, "dt must be positive; found -1"),
        ("sigma", np.inf, ValueError, "sigma must be finite; found inf"),
        ("sigma", None, ValueError, "sigma must be a real number; found NoneType"),
        ("drift", "no", TypeError, "drift must be True or False; found 'no'"),
        ("max_steps", 0.5, ValueError, "max_steps must be a whole number, at least 1; found 0.5"),
    ]:
        with pytest.raises(error, match=reason):
            lr.diffuse(**good | {name: wrong})


def test_diffusion_that_blows_up_is_an_error():
    wild = lr.GradientFlow(FLOW.net, lr.Problem(100 * X, y))
    with pytest.raises(lr.IntegrationError, match="left the range of floating point before t = ") as caught:
        lr.diffuse(wild, [0.0, 5.0, 10.0], jax.random.key(0), dt=0.1)
    assert np.all(np.isfinite(caught.value.trajectory.loss))
    margin = lr.GradientFlow(FLOW.net, lr.Problem(X, np.sign(y), lr.Logistic()))
    with pytest.raises(ValueError, match="label noise is for the square loss"):
        lr.diffuse(margin, [1.0], jax.random.key(0), dt=0.1)
    inside = jax.jit(lambda s: lr.diffuse(FLOW, [0.0, 0.2], jax.random.key(0), dt=0.1, sigma=s).loss[-1])(1.0)
    outside = lr.diffuse(FLOW, [0.0, 0.2], jax.random.key(0), dt=0.1).loss[-1]
    assert float(inside) == pytest.approx(float(outside), rel=1e-12)


def test_advice_after_divergence_from_a_saddle_is_sane():
    small = lr.GradientFlow(lr.inits.gaussian(jax.random.key(0), (3, 3, 3, 1), 1e-2), lr.Problem(X, y))
    with pytest.raises(lr.IntegrationError, match="descent diverged") as caught:
        lr.descend(small, steps=3000, lr=3.0)
    text = str(caught.value)
    assert "Halve it" in text or float(text.split("try lr below ")[1].split(". ")[0]) < 3.0
