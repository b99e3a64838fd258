"""Sampled gradients of every kind of layer, against plain autograd, one sample at a time."""

import pytest
import torch
from torch import nn
from zoo import IMAGES, Decoder, Normed, Transformer, batch_norm, make

from lazyrich.tangent.parameter_names import layer_name_of
from lazyrich.torch._jacobian import layer_grams, sampled_gradients
from lazyrich.torch._jacobian.sampled_gradients import GradientSampler, SignedReader
from lazyrich.torch._model.batch import Batch
from lazyrich.torch._model.output_reader import OutputReader

N = 14


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn, self.head = nn.LSTM(3, 4, batch_first=True), nn.Linear(4, 2)

    def forward(self, x):
        return self.head(self.rnn(x)[0][:, -1])


class Attentive(nn.Module):
    def __init__(self):
        super().__init__()
        self.attend, self.head = nn.MultiheadAttention(4, 2, batch_first=True), nn.Linear(4, 2)

    def forward(self, x):
        return self.head(self.attend(x, x, x, need_weights=False)[0].mean(1))


class Depthwise(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(2, 12, 3, groups=2, padding=1), nn.GroupNorm(3, 12)
        self.deep, self.gain = nn.Conv2d(12, 12, 3, groups=12), nn.Parameter(torch.randn(12))
        self.head = nn.Linear(12, 3)

    def forward(self, x):
        return self.head(self.deep(self.norm(self.conv(x)).relu()).mean((2, 3)) * self.gain)


def tokens():
    return torch.randint(0, 11, (N, 6), generator=torch.Generator().manual_seed(0))


def images():
    return torch.randn(N, *IMAGES[1:], generator=torch.Generator().manual_seed(0), dtype=torch.float64)


def sequences(width):
    return torch.randn(N, 5, width, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


CASES = {
    "mlp": (lambda: make("mlp")[0], lambda: sequences(4)[:, 0], None),
    "raw": (lambda: make("raw")[0], lambda: sequences(4)[:, 0], None),
    "cnn": (lambda: make("cnn")[0], images, None),
    "residual": (lambda: make("residual")[0], images, None),
    "transposed": (lambda: make("transposed")[0], images, None),
    "batch norm": (batch_norm, images, None),
    "normed": (lambda: Normed().double(), images, None),
    "depthwise": (lambda: Depthwise().double(), images, None),
    "decoder": (lambda: Decoder().double(), tokens, None),
    "transformer": (lambda: Transformer().double(), tokens, slice(None)),
    "tied": (lambda: Transformer(tied=True).double(), tokens, slice(None)),
    "last token": (lambda: Transformer(tied=True).double(), tokens, -1),
    "lstm": (lambda: Recurrent().double(), lambda: sequences(3), None),
    "attention": (lambda: Attentive().double(), lambda: sequences(4), None),
}


def sampler(model, x, positions=None, rates=None):
    batch, reading = Batch.from_nested(x), OutputReader(None, positions)
    with torch.no_grad():
        width = reading(model.eval(), batch[:2]).shape[1]
    signed = SignedReader.draw(reading, N // 2, width, seed=3)
    return GradientSampler(model, batch, signed, rates or sampled_gradients.default_rates(model)), signed, reading


def by_autograd(model, x, reading, signs):
    """Return the gradients v_i of every parameter, (n, ·), and the values r·f(x_i)."""
    values, rows, parameters = [], [], dict(model.named_parameters())
    model.eval()
    for i in range(N):
        out = reading(model, Batch.from_nested(x[i : i + 1]))[0] @ signs[i // 2].double()
        found = torch.autograd.grad(out, list(parameters.values()), allow_unused=True, materialize_grads=True)
        values.append(out.detach())
        rows.append([g.flatten() for g in found])
    return {
        name: torch.stack(list(g)) for name, g in zip(parameters, zip(*rows, strict=True), strict=True)
    }, torch.stack(values)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("chunk", [2**24, 150])
def test_products_by_layer_are_those_of_autograd(name, chunk, monkeypatch):
    monkeypatch.setattr(layer_grams, "CHUNK_NUMBERS", chunk)
    build, data, positions = CASES[name]
    torch.manual_seed(0)
    model, x = build(), data()
    rates = {key: 0.3 if i % 3 == 1 else 1.0 for i, (key, _) in enumerate(model.named_parameters())}
    sampled, signed, reading = sampler(model, x, positions, rates)
    generator = torch.Generator().manual_seed(1)
    direction = {k: torch.randn(p.shape, generator=generator, dtype=p.dtype) for k, p in model.named_parameters()}
    weights = {k: torch.rand(p.shape, generator=generator, dtype=p.dtype) for k, p in model.named_parameters()}
    found = sampled.measure({}, N, direction, weights, 12)
    gradients, values = by_autograd(model, x, reading, signed.signs)
    torch.testing.assert_close(found.values, values)
    expected, slopes, other = {}, {}, torch.zeros(12, 12, dtype=torch.float64)
    for key, rows in gradients.items():
        layer = layer_name_of(key)
        expected[layer] = expected.get(layer, 0) + rates[key] * rows @ rows.T
        slopes[layer] = slopes.get(layer, 0) + rows @ direction[key].flatten()
        other += rates[key] * (rows[:12] * weights[key].flatten()) @ rows[:12].T
    assert list(found.grams) == list(expected)
    for layer, gram in expected.items():
        torch.testing.assert_close(found.grams[layer], gram, rtol=1e-9, atol=1e-12 * float(gram.abs().max()))
        torch.testing.assert_close(found.slopes[layer], slopes[layer], rtol=1e-9, atol=1e-11)
    torch.testing.assert_close(found.preconditioned, other, rtol=1e-9, atol=1e-11)
    few = sampled.measure({}, 12)
    for layer, gram in expected.items():
        torch.testing.assert_close(few.grams[layer], gram[:12, :12], rtol=1e-9, atol=1e-12 * float(gram.abs().max()))


def test_other_values_of_the_parameters_and_the_model_stays_as_it_is():
    torch.manual_seed(0)
    model, x = batch_norm().train(), images()
    sampled, signed, reading = sampler(model, x)
    model.train()
    before = {k: v.clone() for k, v in model.state_dict().items()}
    state = {k: 1.5 * p.detach() for k, p in model.named_parameters()}
    found = sampled.measure(state, N)
    assert model.training
    assert all(torch.equal(v, before[k]) for k, v in model.state_dict().items())
    model.load_state_dict({**before, **state})
    gradients, _ = by_autograd(model, x, reading, signed.signs)
    rows = gradients["0.weight"]
    expected = rows @ rows.T + gradients["0.bias"] @ gradients["0.bias"].T
    torch.testing.assert_close(found.grams["0"], expected)


def test_a_wrong_gradient_is_noticed_and_the_layer_measured_in_another_way(monkeypatch):
    """A forward pass that changes after the methods were chosen: the weight is then used a second time."""
    torch.manual_seed(0)

    class Changing(nn.Module):
        def __init__(self):
            super().__init__()
            self.one, self.two, self.twice = nn.Linear(4, 4), nn.Linear(4, 2), False

        def forward(self, x):
            y = self.one(x).tanh()
            return self.two(y + y @ self.one.weight if self.twice else y)

    model, x = Changing().double(), sequences(4)[:, 0]
    sampled, signed, reading = sampler(model, x)
    model.twice = True
    found = sampled.measure({}, N)
    gradients, _ = by_autograd(model, x, reading, signed.signs)
    expected = sum(gradients[f"one.{part}"] @ gradients[f"one.{part}"].T for part in ("weight", "bias"))
    torch.testing.assert_close(found.grams["one"], expected)
    assert "one.weight" in sampled.jacobian.general
    monkeypatch.setattr(sampled_gradients, "layer_gram", lambda *_: torch.ones(N, N))
    with pytest.raises(ValueError, match="do not add up to autograd's gradient"):
        sampled.measure({}, N)


class Positions(nn.Module):
    """Position embeddings of every kind: a table looked up once, a parameter with a leading axis of 1, and a token."""

    def __init__(self, twist=False):
        super().__init__()
        self.tokens, self.table = nn.Embedding(11, 4), nn.Embedding(9, 4)
        self.places, self.first = nn.Parameter(torch.randn(1, 7, 4)), nn.Parameter(torch.randn(1, 1, 4))
        self.mix, self.head, self.twist = nn.Linear(4, 4), nn.Linear(4, 3), twist

    def forward(self, x):
        h = self.tokens(x) + self.table(torch.arange(x.shape[1]))
        h = torch.cat([self.first.expand(len(x), -1, -1), h], 1)
        h = h + (self.places.flatten().roll(1).view(-1)[:28].view(1, 7, 4) if self.twist else self.places)
        return self.head(torch.tanh(self.mix(h)).mean(1))


@pytest.mark.parametrize("twist", [False, True])
def test_position_embeddings_are_repeated_where_that_changes_nothing(twist):
    torch.manual_seed(0)
    model, x = Positions(twist).double(), tokens()
    sampled, signed, reading = sampler(model, x)
    assert sampled.jacobian.shared.tables == {"table.weight"}
    assert set(sampled.jacobian.shared.copied) == ({"first"} if twist else {"places", "first"})
    assert sampled.jacobian.general == (("places",) if twist else ())
    found = sampled.measure({}, N)
    gradients, _ = by_autograd(model, x, reading, signed.signs)
    for name, rows in gradients.items():
        if name.startswith(("table", "first", "places")):
            torch.testing.assert_close(found.grams[layer_name_of(name)], rows @ rows.T)
