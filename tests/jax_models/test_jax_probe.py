"""The probe of JAX functions: the rows that the probe of PyTorch gives on the same training."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
import torch
from torch import nn

import lazyrich.torch as lt
from lazyrich.jax import Probe, linearize, predict, tangent_kernel
from lazyrich.jax._jacobian.checked_model import check_model
from lazyrich.jax._metrics import _activations
from tests.jax_models.jax_zoo import made, normal

X = normal(50, 40, 4)
Y = np.sign(X[:, :1] * X[:, 1:2])


def f(p, x):
    h = jax.nn.relu(x @ p["0"]["weight"].T + p["0"]["bias"])
    return jnp.tanh(h @ p["2"]["weight"].T + p["2"]["bias"]) @ p["4"]["weight"].T


def in_torch():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 12), nn.ReLU(), nn.Linear(12, 8), nn.Tanh(), nn.Linear(8, 1, bias=False)).double()


def as_params(module):
    found = {}
    for name, value in module.named_parameters():
        layer, part = name.split(".")
        found.setdefault(layer, {})[part] = jnp.asarray(value.detach().numpy())
    return found


@pytest.fixture(scope="module")
def reports():
    """Both probes on the same steps of gradient descent."""
    module, rates = in_torch(), {"0": 0.5}
    x, y = torch.as_tensor(X), torch.as_tensor(Y)
    # All inputs in the sample: the two rooms draw theirs differently.
    theirs = lt.Probe(module, x, y, sample=40, rates=rates)
    ours = Probe(f, as_params(module), X, Y, sample=40, rates=rates)
    optimizer = torch.optim.SGD(module.parameters(), lr=0.2)
    for step in range(1, 41):
        optimizer.zero_grad()
        loss = ((module(x) - y) ** 2).mean()
        loss.backward()
        optimizer.step()
        if step % 20 == 0:
            theirs.snapshot(step, loss=loss.item())
            ours.snapshot(step, as_params(module), loss=loss.item())
    return ours.report(), theirs.report()


def test_every_number_is_that_of_pytorch(reports):
    ours, theirs = reports
    torch_only = {name for name in theirs.data if name.startswith("layer_")}
    torch_only |= {"kernel_low", "kernel_high", "training_seconds"}
    assert set(ours.data) == set(theirs.data) - torch_only
    for name in set(ours.data) - {"seconds"}:
        assert ours.data[name].dims == theirs.data[name].dims
        one, other = ours.data[name], theirs.data[name]
        for axis in ("layer", "activation", "pair"):
            if axis in one.dims:
                assert one[axis].values.tolist() == other[axis].values.tolist()
        np.testing.assert_allclose(one.values, other.values, rtol=1e-6, atol=1e-9, err_msg=name)


def test_the_words_are_the_same_but_for_the_names_of_knobs(reports):
    ours, theirs = ([line for line in str(report).splitlines() if "cost" not in line] for report in reports)
    torch_only = "; `diagnose` compares such starts"
    theirs = [line for line in theirs if not line.startswith("    ")]  # the table of layers
    assert ours == [line.replace("`upstream_`", "`upstream`").removesuffix(torch_only) for line in theirs]
    assert any("`upstream`" in line for line in ours)
    assert reports[0].regime == reports[1].regime
    assert reports[0].plot().axes


def test_a_sample_stands_for_all_inputs():
    params = as_params(in_torch())
    after = jax.tree.map(lambda v: 1.3 * v + 0.1, params)
    small, whole = (Probe(f, params, X, sample=sample) for sample in (15, 40))
    for probe in (small, whole):
        probe.snapshot(1, after)
    assert small.sample == 15
    distance, error = (small.report().evidence["kernel"], small.report().errors["kernel"])
    assert abs(distance - whole.report().evidence["kernel"]) < 2 * error


def test_lazy_training_follows_the_prediction_and_says_so():
    """A wide tangent model under optax: its outputs are those of `predict`, and the report calls it lazy."""
    params = as_params(in_torch())
    g = linearize(f, params)
    K, start, steps = tangent_kernel(f, params, X), f(params, X), 200
    rate = 0.5 / float(jnp.linalg.norm(K, 2))
    optimizer = optax.sgd(rate)
    probe, state, now = Probe(g, params, X, Y), optimizer.init(params), params
    slope = jax.jit(jax.grad(lambda p: 0.5 * ((g(p, X) - Y) ** 2).sum()))
    for _ in range(steps):
        updates, state = optimizer.update(slope(now), state)
        now = optax.apply_updates(now, updates)
    probe.snapshot(steps, now)
    report = probe.report()
    assert report.regime == "lazy"
    assert report.evidence["gap"] < 1e-9
    assert report.evidence["kernel"] < 1e-12
    wanted = predict(K, jnp.asarray(Y), steps * rate, start=start).mean
    assert np.abs(g(now, X) - wanted).max() < 0.02 * np.abs(wanted - start).max()


def test_the_same_step_again_adds_values_and_begin_forgets():
    params = as_params(in_torch())
    probe = Probe(f, params, X, start=5)
    probe.snapshot(5, params, loss=0.3)
    assert float(probe.report().data.loss[0]) == 0.3
    probe.reset(jax.tree.map(lambda v: 2 * v, params), 7)
    assert probe.last_step == 7
    assert probe.report().data.sizes["step"] == 1
    assert probe.report().regime == "too early"


@pytest.mark.parametrize(
    ("library", "kind", "labels"),
    [
        ("equinox", "cnn", ["convs.0", "convs.1"]),
        ("linen", "mlp", ["Dense_2", "Dense_1"]),
        pytest.param("linen", "transformer", ["Dense_1"], marks=pytest.mark.slow),
        ("nnx", "resnet", ["stem", "convs.0"]),
        pytest.param("nnx", "transformer", ["up"], marks=pytest.mark.slow),
    ],
)
def test_activations_have_the_name_of_the_layer_before(library, kind, labels):
    """The maximum with 0 of a variance is none."""
    g, params, x = made(library, kind, np.float64)
    found = check_model(g, params, x)
    assert list(_activations(found.plan.program, found.names)) == labels
