"""Knobs on real models: the function stays, δ goes where it was asked to, and nothing else moves."""

import copy

import hypothesis.strategies as st
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode
from zoo import MODELS, gap, make, outputs, same, state, train

from lazyrich.torch._model.learning_rates import rate_of, rates_by_name
from lazyrich.torch._structure import structure
from lazyrich.torch._structure.units import unit_squares
from lazyrich.torch.kernel import tangent_kernel
from lazyrich.torch.rescale import balance, conserved_pairs, param_groups, rescale_, upstream_

# -- the function stays --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("run", [False, True], ids=["traced", "run"])
@pytest.mark.parametrize("name", MODELS)
@settings(max_examples=6, deadline=None)
@given(bias=st.booleans(), seed=st.integers(0, 99), exponent=st.floats(-2, 2))
def test_upstream_keeps_the_function(name, run, bias, seed, exponent):
    model, x = make(name, bias, seed)
    before, alpha = outputs(model, x), 10.0**exponent
    first, last = (
        p.detach().clone()
        for p in (structure(model).first_and_last()[i] for i in (0, 1))
        for p in [model.get_parameter(p.weight)]
    )
    result = upstream_(model, alpha, inputs=x if run else None)
    assert gap(before, outputs(model, x)) < 1e-11
    ends = structure(model).first_and_last()
    torch.testing.assert_close(model.get_parameter(ends[0].weight).detach(), first / alpha)
    torch.testing.assert_close(model.get_parameter(ends[1].weight).detach(), last * alpha)
    assert result.output == 1
    assert (result.change is not None) == run


@pytest.mark.parametrize("name", MODELS)
def test_single_precision(name):
    for alpha in (0.1, 3.0, 30.0):
        model, x = make(name, dtype=torch.float32)
        before = outputs(model, x)
        upstream_(model, alpha)
        assert gap(before, outputs(model, x)) < 1e-6
    for delta in (-30.0, 0.0, 30.0):
        model, x = make(name, dtype=torch.float32)
        before = outputs(model, x)
        result = rescale_(model, delta=delta)
        assert gap(before, outputs(model, x)) < 1e-6
        assert result.delta[1] == pytest.approx(delta, rel=1e-6, abs=1e-5)
        result = rescale_(model, tau=2.0)
        assert gap(before * result.output, outputs(model, x)) < 1e-6
        assert result.tau[1] == pytest.approx(2.0, rel=1e-6)


@pytest.mark.parametrize("name", MODELS)
@settings(max_examples=5, deadline=None)
@given(bias=st.booleans(), seed=st.integers(0, 99), delta=st.floats(-50, 50))
def test_delta_goes_where_asked(name, bias, seed, delta):
    model, x = make(name, bias, seed)
    before = outputs(model, x)
    rates = {structure(model).first_and_last()[0].weight: 0.5}
    result = rescale_(model, delta=delta, rates=rates)
    assert gap(before, outputs(model, x)) < 1e-10
    assert result.delta[1] == pytest.approx(delta, abs=1e-9)
    assert result.tau[1] == pytest.approx(result.tau[0])


@pytest.mark.parametrize("name", MODELS)
def test_every_adjacent_pair(name):
    """`balance` lists pairs; each can be set, the function stays, and `balance` then reports what was asked."""
    model, x = make(name)
    before = outputs(model, x)
    for pair in balance(model).pairs:
        rescale_(model, delta=1.5, layers=(pair.writers[0], pair.readers[0]))
        assert gap(before, outputs(model, x)) < 1e-10
        now = next(other for other in balance(model).pairs if other.name == pair.name)
        # a chosen pair in a larger network can span more than one space (a residual stream and its blocks)
        if len(pair.readers) == 1:
            assert now.delta == pytest.approx(1.5, abs=1e-9)


@pytest.mark.parametrize("name", MODELS)
def test_tau_multiplies_the_outputs(name):
    model, x = make(name)
    before = outputs(model, x)
    result = rescale_(model, tau=0.7, delta=-3.0)
    after = outputs(model, x)
    assert result.tau[1] == pytest.approx(0.7)
    assert result.delta[1] == pytest.approx(-3.0)
    assert result.output == pytest.approx((0.7 / result.tau[0]) ** 2)
    assert gap(before * result.output, after) < 1e-11
    assert "function: changed: outputs ×" in str(result)


def test_tau_of_an_inner_pair():
    model, x = make("cnn")
    before = outputs(model, x)
    result = rescale_(model, tau=2.0, layers=("one", "two"), inputs=x)
    assert gap(before * result.output, outputs(model, x)) < 1e-11
    with pytest.raises(ValueError, match=r"outputs would not follow: Tanh in '3' is not homogeneous"):
        rescale_(nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 3), nn.Tanh()), tau=1.0)


# -- the same numbers as the theory half ---------------------------------------------------------------------------


def two_layer(net):
    h, d = net.W.shape
    model = nn.Sequential(nn.Linear(d, h, bias=False), nn.ReLU(), nn.Linear(h, 1, bias=False)).double()
    with torch.no_grad():
        model[0].weight.copy_(torch.tensor(np.asarray(net.W)))
        model[2].weight.copy_(torch.tensor(np.asarray(net.a))[None])
    return model


def test_against_the_theory():
    import jax
    import jax.numpy as jnp

    import lazyrich as lr

    net = lr.inits.two_layer(jax.random.key(0), d=3, h=5, std=(0.7, 0.5))
    rates = (0.5, 3.0)
    model = two_layer(net)
    named = {"0": 0.5, "2": 3.0}
    (pair,) = balance(model, rates=named).pairs
    np.testing.assert_allclose(pair.units, net.conserved_quantities(rates)["delta"], rtol=1e-12)
    assert pair.delta == pytest.approx(float(net.conserved_quantities(rates)["delta"].sum()))
    moved = lr.inits.rescale(net, delta=-0.3, rates=rates)
    rescale_(model, delta=-0.3, rates=named, each=True)
    np.testing.assert_allclose(model[0].weight.detach(), moved.W, rtol=1e-12)
    np.testing.assert_allclose(model[2].weight.detach()[0], moved.a, rtol=1e-12)
    # One hidden unit: without each=True it is the same.
    net = lr.TwoLayer(jnp.array([[0.3, -0.4]]), jnp.array([2.0]))
    model = two_layer(net)
    result = rescale_(model, delta=1.0, rates=named)
    np.testing.assert_allclose(model[0].weight.detach(), lr.inits.rescale(net, delta=1.0, rates=rates).W, rtol=1e-12)
    tau, delta = lr.inits.tau_delta(net, rates)
    assert result.tau[0] == pytest.approx(float(tau[0]))
    assert result.delta[0] == pytest.approx(float(delta[0]))
    upstream = lr.inits.upstream(net, 3.0)
    model = two_layer(net)
    upstream_(model, 3.0)
    np.testing.assert_allclose(model[0].weight.detach(), upstream.W)


def test_units_add_up_and_can_be_set_one_by_one():
    for name in ("mlp", "cnn", "linear", "transposed", "residual", "raw"):
        model, x = make(name, bias=name != "raw")  # a bias added by hand is an offset, without units
        before = outputs(model, x)
        for pair in balance(model).pairs:
            assert pair.units is not None
            assert float(pair.units.sum()) == pytest.approx(pair.delta, abs=1e-9)
            if len(pair.writers) == len(pair.readers) == 1:
                rescale_(model, delta=0.2, layers=(pair.writers[0], pair.readers[0]), each=True)
                now = next(other for other in balance(model).pairs if other.name == pair.name)
                np.testing.assert_allclose(now.units, 0.2, atol=1e-10)
                assert gap(before, outputs(model, x)) < 1e-10


# -- gradient descent ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["mlp", "leaky", "cnn", "residual", "raw"])
def test_conserved_to_first_order(name):
    """Over a fixed time, gradient descent moves δ_k by O(lr): halving the step halves the drift."""
    start, x = make(name)
    with torch.no_grad():
        for p in start.parameters():
            p.mul_(0.6)
    drifts, moves = [], []
    layout = structure(start)
    first, last = layout.first_and_last()
    rates = {first.weight.removesuffix(".weight"): 0.5, last.weight.removesuffix(".weight"): 2.0}
    rates |= {"b": 0.5} if name == "raw" else {}
    for k in (8, 4, 2):
        model, lr_ = copy.deepcopy(start), 1e-3 * k
        groups = [{"params": [p], "lr": lr_ * next((r for q, r in rates.items() if n.startswith(q)), 1.0)}
                  for n, p in model.named_parameters()]  # fmt: skip
        train(model, x, torch.optim.SGD(groups), 400 // k)
        now, before = (conserved_pairs(layout, dict(m.named_parameters()), rates) for m in (model, start))
        drifts.append(max(float(abs(a.units - b.units).max() if a.units is not None else abs(a.delta - b.delta))
                          for a, b in zip(now, before, strict=True)))  # fmt: skip
        moves.append(
            max(
                float((p - q).detach().abs().max()) for p, q in zip(model.parameters(), start.parameters(), strict=True)
            )
        )
    slopes = np.diff(np.log(drifts)) / np.log(0.5)
    np.testing.assert_allclose(slopes, 1, atol=0.15)
    assert drifts[-1] < 0.05 * moves[-1]


@pytest.mark.parametrize("momentum", [0.0, 0.9])
@pytest.mark.parametrize("name", ["mlp", "cnn", "residual"])
def test_rates_do_the_same_as_rescaling(name, momentum):
    """θ̃ = cθ trained at lr is θ trained at lr/c²: same function at every step, parameters equal once mapped back."""
    model, x = make(name)
    rescaled = copy.deepcopy(model)
    alpha, rate = 1.7, 2e-3
    result = upstream_(rescaled, alpha)
    train(rescaled, x, torch.optim.SGD(rescaled.parameters(), lr=rate, momentum=momentum))
    untouched = outputs(model, x)
    train(model, x, torch.optim.SGD(param_groups(model, alpha, rate), momentum=momentum))
    assert gap(untouched, outputs(model, x)) > 1e-3  # it did learn
    for (n, p), q in zip(model.named_parameters(), rescaled.parameters(), strict=True):
        torch.testing.assert_close(q / result.factors.get(n, 1.0), p, rtol=1e-9, atol=1e-11)


def test_rates_for_adam():
    model, x = make("mlp")
    rescaled = copy.deepcopy(model)
    upstream_(rescaled, 2.0)
    train(rescaled, x, torch.optim.Adam(rescaled.parameters(), lr=1e-2, eps=1e-15))
    train(model, x, torch.optim.Adam(list(param_groups(model, 2.0, 1e-2, adaptive=True)), eps=1e-15))
    assert gap(outputs(model, x), outputs(rescaled, x)) < 1e-8


# -- nothing else moves --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["mlp", "cnn", "residual"])
def test_dry_run_changes_nothing(name):
    model, x = make(name)
    model.train()
    model(x).sum().backward()
    grads = [p.grad.clone() for p in model.parameters()]
    versions = [p._version for p in model.parameters()]
    before, random = state(model), torch.get_rng_state()
    pending = model(x).sum()
    torch.set_rng_state(random)
    results = [
        f(inputs=x, dry_run=True)
        for f in (lambda **k: upstream_(model, 2.0, **k), lambda **k: rescale_(model, 2.0, 1.0, **k))
    ]
    balance(model), param_groups(model, 2.0, 0.1), balance(model, inputs=x)
    assert same(before, state(model))
    assert model.training
    assert all(torch.equal(p.grad, g) for p, g in zip(model.parameters(), grads, strict=True))
    assert versions == [p._version for p in model.parameters()]
    assert torch.equal(random, torch.get_rng_state())
    assert not any(m._forward_hooks or m._forward_pre_hooks for m in model.modules())
    pending.backward()
    assert all(not r.applied and "would rescale" in str(r) for r in results)
    done = upstream_(model, 2.0, inputs=x)
    assert done.factors == results[0].factors
    assert done.delta == results[0].delta


def test_all_or_nothing(monkeypatch):
    """A write that fails half-way is taken back."""
    model, _ = make("mlp")
    before, write, calls = state(model), torch.Tensor.copy_, []

    def flaky(self, other, **kwargs):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return write(self, other, **kwargs)

    monkeypatch.setattr(torch.Tensor, "copy_", flaky)
    with pytest.raises(KeyboardInterrupt):
        upstream_(model, 2.0)
    assert len(calls) > 3
    assert same(before, state(model))


def test_frozen_layers_conserve_nothing():
    model, _ = make("mlp")
    expected = {"0": "'2.weight' is frozen", "2": "'2.weight' is frozen"}
    assert balance(model, rates={"2.weight": 0.0}).reasons_without == expected
    model[2].weight.requires_grad_(False)
    assert balance(model).reasons_without == expected


def test_rates_are_read_as_for_the_kernel():
    """One reading of learning rates in the package: the longest prefix by whole words, the same refusals."""
    model, x = make("mlp")
    rates = {"": 0.5, "2": 3.0, "2.bias": 7.0}
    known = rates_by_name(model, rates)
    assert known == {name: rate_of(name, rates) for name, _ in model.named_parameters()}
    assert known == {"0.weight": 0.5, "0.bias": 0.5, "2.weight": 3.0, "2.bias": 7.0, "4.weight": 0.5, "4.bias": 0.5}
    model[0].requires_grad_(False)
    for wrong in ({"0": 2.0}, {"4.wei": 2.0}, {"4": -1.0}, {"4": np.inf}, {"": 0.0}):
        messages = []
        for use in (lambda r: tangent_kernel(model, x, rates=r), lambda r: balance(model, rates=r),
                    lambda r: rescale_(model, delta=1.0, rates=r)):  # fmt: skip
            with pytest.raises(ValueError, match=r"learning rate|begins with") as error:
                use(wrong)
            messages.append(str(error.value))
        assert len(set(messages)) == 1


def test_units_of_weights_on_another_device():
    """What is summed per unit comes to the CPU, in double precision. The tensors are fake: no such device is needed."""
    for name in ("mlp", "cnn", "transposed"):
        model, _ = make(name)
        layout = structure(model)
        spaces = [layer.writes for layer in layout.layers if layout.spaces[layer.writes].is_free]
        with FakeTensorMode():
            there = {n: torch.empty(p.shape, device="cuda") for n, p in model.named_parameters()}
            for p2, q2 in (unit_squares(layout, key, there, None) for key in spaces):
                assert {p2.device.type, q2.device.type} == {"cpu"}
                assert {p2.dtype, q2.dtype} == {torch.float64}


def test_words():
    model, _ = make("mlp", bias=False)
    upstream_(model, 10.0)
    text = str(balance(model))
    assert "0 → 2: δ = " in text
    assert "upstream" in text


@pytest.mark.parametrize("layers", ["0", "02", ("0",), ("0", "2", "2"), (0, 2), 5])
def test_layers_are_two_names(layers):
    """A name is a sequence too, of its letters."""
    model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
    knobs = (
        lambda: upstream_(model, 2.0, layers=layers),
        lambda: rescale_(model, delta=1.0, layers=layers),
        lambda: param_groups(model, 2.0, 0.1, layers=layers),
    )
    for knob in knobs:
        with pytest.raises(ValueError, match=r"layers must be the names of two layers.*; found .* has '0', '2'"):
            knob()


@pytest.mark.parametrize(
    ("knob", "error", "message"),
    [
        (lambda m: rescale_(m, delta="a"), ValueError, "delta must be a finite number; found 'a'"),
        (lambda m: rescale_(m, delta=float("nan")), ValueError, "delta must be a finite number; found nan"),
        (lambda m: rescale_(m, tau="a"), ValueError, "tau must be a positive number; found 'a'"),
        (lambda m: upstream_(m, ["a"]), ValueError, "alpha must be a positive number, or one for each of the 4 units"),
        (lambda m: balance(m, rates=3.0), TypeError, "rates must map beginnings of parameter names .*; found 3.0"),
        (lambda m: balance(m, rates={"0": "a"}), ValueError, "rate of '0' must be finite and at least 0; found 'a'"),
    ],
)
def test_what_is_no_number_is_named(knob, error, message):
    with pytest.raises(error, match=message):
        knob(nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2)))
