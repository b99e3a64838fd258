"""Models are called as they are: with tensors, tuples and mappings; outputs are picked, or projected."""

from collections import OrderedDict, UserDict, namedtuple

import numpy as np
import pytest
import torch
from torch import nn
from torch.func import functional_call, jacrev
from torch.nn import functional as F

import lazyrich.torch as lt
from lazyrich.torch import metrics
from lazyrich.torch._model.batch import Batch
from lazyrich.torch._model.output_reader import OutputReader
from tests.pytorch.training import blobs, mlp


class Masked(nn.Module):
    """A small model of sequences that is called by name and returns a mapping, as those of transformers do."""

    def __init__(self, vocabulary=11, width=6):
        super().__init__()
        self.tokens, self.hidden, self.head = nn.Embedding(11, width), nn.Linear(width, 8), nn.Linear(8, vocabulary)

    def forward(self, input_ids, attention_mask=None, labels=None):
        x = self.tokens(input_ids)
        x = x if attention_mask is None else x * attention_mask[..., None]
        logits = self.head(F.relu(self.hidden(x + x.mean(1, keepdim=True))))
        return OrderedDict(loss=logits.sum() if labels is None else logits.square().mean(), logits=logits)


class Encoding(UserDict):
    """Has attributes, as the batches of transformers do."""

    def __getattr__(self, name):
        try:
            return self.__dict__["data"][name]
        except KeyError as error:
            raise AttributeError(name) from error


def tokens(n=7, length=4, seed=0):
    generator = torch.Generator().manual_seed(seed)
    mask = torch.ones(n, length, dtype=torch.float64)
    mask[::2, -1] = 0
    return {"input_ids": torch.randint(11, (n, length), generator=generator), "attention_mask": mask}


def explicit(model, function):
    """The Jacobian (n·c, p) by autograd, of function() with the model's parameters exchanged."""
    values = {name: p.detach() for name, p in model.named_parameters()}
    found = jacrev(function)(values)
    rows = next(iter(found.values())).shape[:2]
    return torch.cat([part.reshape(rows[0] * rows[1], -1) for part in found.values()], 1)


@pytest.mark.parametrize("kind", [dict, Encoding, lambda b: tuple(b.values()), lambda b: list(b.values())])
def test_every_kind_of_batch_gives_the_kernel_of_autograd(kind):
    torch.manual_seed(0)
    model, batch = Masked().double(), tokens()
    J = explicit(model, lambda values: functional_call(model, values, (), batch)["logits"][:, -1])
    wrap = kind(batch)
    call = (lambda m, b: m(*b)) if isinstance(wrap, (tuple, list)) else (lambda m, b: m(**b))
    K = lt.tangent_kernel(model, wrap, forward=lambda m, b: call(m, b)["logits"][:, -1])
    torch.testing.assert_close(K, J @ J.T, rtol=1e-10, atol=1e-12)


def test_between_two_sets_of_inputs():
    torch.manual_seed(0)
    model, forward = Masked().double(), lambda m, b: m(**b)["logits"][:, -1]
    one, other = tokens(5, seed=1), tokens(3, seed=2)
    both = {name: torch.cat([one[name], other[name]]) for name in one}
    whole = lt.tangent_kernel(model, both, forward=forward)
    for block in (None, 2):
        K = lt.tangent_kernel(model, one, other, forward=forward, block=block)
        torch.testing.assert_close(K, whole[: 5 * 11, 5 * 11 :], rtol=1e-12, atol=1e-14)
    v = torch.randn(3, 11, dtype=torch.float64)
    torch.testing.assert_close(
        lt.kernel_product(model, one, v, other, forward=forward).flatten(), K @ v.flatten(), rtol=1e-10, atol=1e-12
    )
    with pytest.raises(ValueError, match=r"samples of the same shape.*pad them"):
        lt.tangent_kernel(model, one, tokens(3, length=5), forward=forward)


@pytest.mark.parametrize("rates", [None, {"hidden": 3.0, "head.bias": 0.0}])
def test_products_with_the_kernel(rates):
    torch.manual_seed(0)
    model, batch = Masked().double(), tokens(300)
    forward = lambda m, b: m(**b)["logits"][:, -1, :2]  # noqa: E731
    K = lt.tangent_kernel(model, batch, forward=forward, rates=rates)
    for shape in ((600,), (300, 2)):
        v = torch.randn(shape, dtype=torch.float64)
        found = lt.kernel_product(model, batch, v, forward=forward, rates=rates)
        assert found.shape == v.shape
        torch.testing.assert_close(found.flatten(), K @ v.flatten(), rtol=1e-9, atol=1e-9)
    with pytest.raises(ValueError, match="each of 300 inputs and 2 outputs; found shape"):
        lt.kernel_product(model, batch, v[1:], forward=forward)


def test_the_tangent_model_learns_as_the_kernel_says():
    """Gradient descent on the square loss: the residual is multiplied by 1 − lr·K in every step."""
    torch.manual_seed(0)
    x, y = torch.randn(6, 3, dtype=torch.float64), torch.randn(6, 1, dtype=torch.float64)
    model = nn.Sequential(nn.Linear(3, 20), nn.Tanh(), nn.BatchNorm1d(20), nn.Linear(20, 1)).double()
    tangent, K = lt.linearize(model), lt.tangent_kernel(model, x)
    residual = (tangent(x) - y).detach()
    torch.testing.assert_close(residual, (model.eval()(x) - y).detach())
    optimizer = torch.optim.SGD([p for p in tangent.parameters() if p.requires_grad], lr=0.003)
    for _ in range(20):
        optimizer.zero_grad()
        (0.5 * (tangent(x) - y).square().sum()).backward()
        optimizer.step()
        residual = residual - 0.003 * (K @ residual)
    torch.testing.assert_close((tangent(x) - y).detach(), residual, rtol=1e-9, atol=1e-11)
    other = lt.linearize(model)
    other.load_state_dict(tangent.state_dict())
    torch.testing.assert_close(other(x), tangent(x))


def test_a_batch_is_indexed_by_sample_and_keeps_its_kind():
    batch = Batch.from_nested(Encoding(tokens(5)))
    part = batch[torch.tensor([4, 0])].as_model_input
    assert type(part) is Encoding
    assert torch.equal(part.input_ids, tokens(5)["input_ids"][[4, 0]])
    pair = namedtuple("Pair", "x y")(torch.arange(3), (torch.ones(3, 2), None))
    found = Batch.from_nested(pair)[1:].as_model_input
    assert type(found) is type(pair)
    assert found.x.tolist() == [1, 2]
    assert found.y[1] is None
    assert [len(each) for each in Batch.from_nested(pair).split(2)] == [2, 1]


def test_which_outputs_are_meant():
    found = {"loss": torch.tensor(1.0), "hidden": torch.ones(3, 5), "logits": torch.zeros(3, 2)}
    assert OutputReader().select(found, 3).shape == (3, 2)
    assert OutputReader().select((torch.tensor(1.0), torch.arange(3), torch.ones(3, 5)), 3).shape == (3, 5)
    sequence = torch.arange(3 * 4 * 2.0).reshape(3, 4, 2)
    assert torch.equal(OutputReader(positions=-1).select(sequence, 3), sequence[:, -1])
    assert torch.equal(OutputReader(positions=[0, 2]).select(sequence, 3), sequence[:, [0, 2]].flatten(1))
    assert OutputReader(positions=slice(None)).select(sequence, 3).shape == (3, 8)
    with pytest.raises(ValueError, match=r"found \(3, 4, 2\) for n = 3.*last position of a sequence forward="):
        OutputReader().select(sequence, 3)


def test_a_probe_of_a_model_called_by_name():
    """The same as of the model that takes one tensor."""
    torch.manual_seed(0)
    model, batch = Masked().double(), tokens(20)

    class Plain(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = model

        def forward(self, ids):
            return self.inner(ids, batch["attention_mask"][: len(ids)])["logits"][:, -1]

    same = {**batch, "attention_mask": batch["attention_mask"][:1].expand(20, -1)}
    batch["attention_mask"] = same["attention_mask"]
    probes = [
        lt.Probe(model, same, positions=-1),
        lt.Probe(model, Encoding(same), forward=lambda m, b: m(b.input_ids, b.attention_mask)["logits"][:, -1]),
        lt.Probe(Plain(), same["input_ids"]),
    ]
    with torch.no_grad():
        for p in model.parameters():
            p.add_(0.1 * torch.randn_like(p))
    reports = []
    for probe in probes:
        probe.snapshot(1)
        reports.append(probe.report())
    for name in ("kernel_distance", "function_distance", "linearization_gap", "hamming_distance"):
        first, second, third = (of.data[name].isel(step=-1).values for of in reports)
        np.testing.assert_allclose(first, second, rtol=1e-9)
        np.testing.assert_allclose(first, third, rtol=1e-9)
    assert [pair.name for pair in lt.balance(model, inputs=same).pairs] == ["tokens → hidden", "hidden → head"]


def test_every_verb_takes_the_same_forward():
    torch.manual_seed(0)
    batch = {"a": blobs()[0][:, :4], "b": blobs()[0][:, 4:]}

    class Two(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = mlp()

        def forward(self, a, b):
            return self.net(torch.cat([a, b], 1)), a

    forward = lambda m, x: m(x["a"], x["b"])[0]  # noqa: E731
    model = Two()
    assert [pair.name for pair in lt.balance(model, inputs=batch, forward=forward).pairs] == ["net.0 → net.2"]
    before = forward(model, batch)
    assert "kept, measured" in str(lt.upstream_(model, 2.0, inputs=batch, forward=forward))
    assert "kept, measured" in str(lt.rescale_(model, delta=1.0, inputs=batch, forward=forward))
    torch.testing.assert_close(forward(model, batch), before)
    assert len(lt.param_groups(model, 2.0, 0.1, inputs=batch, forward=forward)) == 3
    assert lt.kernel_distance(model, model, batch, forward=forward).value == 0.0
    assert 0 < lt.kernel_target_alignment(model, batch, blobs()[1], forward=forward).value < 1
    with pytest.raises(ValueError, match=r"forward.model, inputs. needs something to be called with"):
        lt.balance(model, forward=forward)
    loader = [{**batch, "labels": blobs()[1]}]
    found = lt.diagnose(
        model, loader, forward=forward, steps=2, loss=F.cross_entropy, snapshots=1, sample=10, alphas=(2.0,),
        optimizer=lambda parameters: torch.optim.SGD(parameters, lr=0.1),
    )  # fmt: skip
    assert found.runs[2.0].losses[0] == pytest.approx(found.runs[1.0].losses[0], rel=1e-5)


def moved(width, seed=0):
    torch.manual_seed(seed)
    model, x = mlp(30, outputs=width).double(), blobs(40)[0].double()
    start = {name: p.detach().clone() for name, p in model.named_parameters()}
    with torch.no_grad():
        for p in model.parameters():
            p.add_(0.3 * p.std() * torch.randn_like(p))
    return model, start, x


def test_random_directions_stand_for_all_outputs():
    """S from 8 directions of 50 outputs, 100 draws: without bias, and the error bars hold the truth."""
    model, start, x = moved(50)
    x = x[:12]
    K = lt.tangent_kernel(model, x)
    with metrics.parameters_set_to(model, start):
        K0 = lt.tangent_kernel(model, x)
    truth = np.array(metrics.sampled_kernel_distance(K, K0, 12, 12).distance)
    blocks, blocks0 = (each.reshape(12, 50, 12, 50) for each in (K, K0))
    found, errors = [], []
    for seed in range(100):
        R = OutputReader().with_random_directions(8, 50, seed).directions
        seen = [torch.einsum("iajb,ac,bd->icjd", each, R, R).reshape(96, 96) for each in (blocks, blocks0)]
        shift = metrics.sampled_kernel_distance(*seen, 12, 12, directions=True)
        found.append(shift.distance)
        errors.append(shift.error)
    found, errors = np.array(found), np.array(errors)
    assert np.abs(found.mean(0) / truth - 1).max() < 0.05
    covered = (np.abs(found - truth) <= errors).mean(0)
    assert (covered >= 0.9).all(), covered
    assert (covered <= 0.99).all(), covered
    one, other = seen
    naive = 1 - float((one * other).sum() / (one.norm() * other.norm()))
    assert naive < 0.9 * truth[0] or naive > 1.1 * truth[0]  # all pairs of directions: the plain cosine is biased


def test_a_probe_with_many_outputs_measures_directions():
    model, start, x = moved(101)
    with metrics.parameters_set_to(model, start):
        probe, whole = lt.Probe(model, x, exact=True), lt.Probe(model, x, directions=101, sample=40)
        with pytest.raises(ValueError, match="directions must be at least 4"):
            lt.Probe(model, x, directions=3)
    assert probe.sample == 40
    probe.snapshot(1)
    whole.snapshot(1)
    S, truth = (float(each.report().evidence["kernel"]) for each in (probe, whole))
    error = probe.report().errors["kernel"]
    assert 0 < error < truth
    assert abs(S - truth) < 2 * error
    assert whole.report().errors["kernel"] == 0
    size, true_size = (float(each.report().data.function_size[-1]) for each in (probe, whole))
    assert size == pytest.approx(true_size, rel=0.3)
