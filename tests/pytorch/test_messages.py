"""What cannot be measured is refused in words that fit; and what only seemed so is measured."""

import copy
import math

import pytest
import torch
from torch import nn
from torch.nn import functional as F

import lazyrich.torch as lt
from lazyrich.torch._model.loss import best_constant_loss


class Similarities(nn.Module):
    """One matrix of all samples with all, as in contrastive learning."""

    def __init__(self):
        super().__init__()
        self.image, self.text = nn.Linear(5, 6), nn.Linear(5, 6)

    def forward(self, x):
        return self.image(x) @ self.text(x).T


@pytest.mark.parametrize("n", [2, 8, 300])  # 300 are passed in two parts
def test_a_matrix_between_samples_is_named(n):
    torch.manual_seed(0)
    model, x = Similarities(), torch.randn(n, 5)
    words = r"the output has as many columns as the batch has samples: .*, as similarities are.*return the embeddings"
    for measure in (lt.tangent_kernel, lt.Probe):
        with pytest.raises(ValueError, match=words):
            measure(model, x)
    with pytest.raises(ValueError, match=words):
        lt.diagnose(
            model, [(x, torch.arange(n))], steps=1, loss=F.cross_entropy, optimizer=lambda p: torch.optim.SGD(p, 0.1),
            knob=lambda copied, alpha: None,
        )  # fmt: skip
    K = lt.tangent_kernel(model, x[:2], forward=lambda model, x: model.image(x))  # what the words advise
    torch.testing.assert_close(K, torch.kron(x[:2] @ x[:2].T + 1, torch.eye(6)))


def test_as_many_outputs_as_samples_are_no_matrix_between_them():
    assert lt.tangent_kernel(nn.Linear(5, 4), torch.randn(4, 5)).shape == (16, 16)


def test_other_widths_that_follow_the_batch():
    class Wide(Similarities):
        def forward(self, x):
            return torch.cat([self.image(x), super().forward(x)], 1)

    with pytest.raises(ValueError, match=r"the number of outputs depends on the batch: .* 14 in a batch of 8, 7 "):
        lt.tangent_kernel(Wide(), torch.randn(8, 5))


def test_tensors_without_values():
    x, y = torch.randn(4, 5), torch.tensor([0, 1, 2, 0])
    model = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 3))
    empty = copy.deepcopy(model).to("meta")
    how = {"steps": 1, "loss": F.cross_entropy, "optimizer": lambda p: torch.optim.SGD(p, 0.1)}
    weights = r"'0.weight' has no values \(device meta\): .*to_empty\(device='cpu'\)"
    given = r"inputs have no values \(device meta\).* load or make them on a device that holds numbers, such as 'cpu'"
    for measure in (lt.tangent_kernel, lt.Probe, lambda m, x: lt.balance(m, inputs=x)):
        with pytest.raises(ValueError, match=weights):
            measure(empty, x)
        with pytest.raises(ValueError, match=given):
            measure(model, x.to("meta"))
    with pytest.raises(ValueError, match=weights):
        lt.diagnose(empty, [(x, y)], **how)
    with pytest.raises(ValueError, match=given):
        lt.diagnose(model, [(x.to("meta"), y)], **how)
    with pytest.raises(ValueError, match=given.replace("inputs", "targets")):
        lt.diagnose(model, [(x, y.to("meta"))], **how)
    with torch.device("meta"), pytest.raises(ValueError, match=r"the default device is 'meta'.*outside of"):
        lt.tangent_kernel(model, x)


@pytest.mark.filterwarnings("ignore:.*weight_norm:FutureWarning")
def test_legacy_weight_norm_is_copied():
    """Its weight is computed: deepcopy refuses it, and a copy has one that its own parameters make."""
    torch.manual_seed(0)
    norm = nn.utils.weight_norm
    model = nn.Sequential(norm(nn.Linear(5, 8)), nn.ReLU(), norm(nn.Linear(8, 3)))
    x, y = torch.randn(20, 5), torch.randint(0, 3, (20,))
    model(x)
    gains = [p for name, p in model.named_parameters() if name.endswith("_g")]
    how = {"steps": 3, "loss": F.cross_entropy, "optimizer": lambda p: torch.optim.SGD(p, 0.5), "snapshots": 1}

    def knob(copied, alpha):
        with torch.no_grad():
            copied[0].weight_g.div_(alpha), copied[0].bias.div_(alpha), copied[2].weight_g.mul_(alpha)

    before, alone = [p.clone() for p in gains], list(model.parameters())
    found = lt.diagnose(model, [(x, y)], alphas=(1.0, 2.0), knob=knob, **how)
    assert all(torch.equal(p, q) for p, q in zip(gains, before, strict=True))
    optimizer, losses = torch.optim.SGD(alone, 0.5), []
    for _ in range(3):
        optimizer.zero_grad()
        value = F.cross_entropy(model(x), y)
        value.backward()
        optimizer.step()
        losses.append(float(value.detach()))
    assert found.runs[1.0].losses == pytest.approx(losses, rel=1e-6)
    assert found.runs[2.0].losses[0] == pytest.approx(losses[0], rel=1e-5)  # the function was kept
    scaled = str(lt.diagnose(model, [(x, y)], **how))
    assert "Knob: output scale" in scaled
    assert "'0.weight_v' in weight_norm" in scaled


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.head = nn.LSTM(5, 6, batch_first=True), nn.Linear(6, 3)

    def forward(self, x):
        return self.head(self.cell(x)[0][:, -1])


class Einsum(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight, self.head = nn.Parameter(torch.randn(7, 5)), nn.Linear(7, 3)

    def forward(self, x):
        return self.head(torch.einsum("nti,oi->no", x, self.weight).relu())


@pytest.mark.parametrize("run", [True, False])
@pytest.mark.parametrize(("make", "name", "where"), [(Recurrent, "cell.weight_ih_l0", r"(?i:lstm) in 'cell'"),
                                                     (Einsum, "weight", "einsum")])  # fmt: skip
def test_weights_of_unknown_kinds_are_named(make, name, where, run):
    model, x = make(), torch.randn(4, 2, 5) if run else None
    unread = rf"'{name}' in {where}.* not read as (a )?weight layers?"
    with pytest.raises(ValueError, match=rf"between two weight layers; found 'head'.*{unread}"):
        lt.upstream_(model, 2.0, inputs=x)
    with pytest.raises(ValueError, match=rf"no weight layer is called '{name.partition('.')[0]}'.*{unread}"):
        lt.upstream_(model, 2.0, layers=(name.partition(".")[0], "head"), inputs=x)
    found = lt.balance(model, inputs=x)
    assert not found.pairs
    assert "is not read as a weight layer" in found.reasons_without[name]
    assert f"{name}: none, " in str(found)


def entropy(y):
    shares = torch.bincount(y).double() / len(y)
    return float(-(shares * shares.log()).sum())


def test_the_chance_level_is_that_of_outputs_the_loss_takes():
    """Log-probabilities and probabilities: the best constant one is the shares of the classes."""
    torch.manual_seed(0)
    body, x = [nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 3)], torch.randn(30, 5)
    y = torch.tensor([0] * 15 + [1] * 9 + [2] * 6)
    hot, binary = F.one_hot(y, 3).float(), (y > 0).float()[:, None]
    logs, shares = nn.Sequential(*body, nn.LogSoftmax(-1)), nn.Sequential(*body, nn.Softmax(-1))
    one = nn.Sequential(nn.Linear(5, 1), nn.Sigmoid())
    cases = [
        (logs, F.nll_loss, y, entropy(y)),
        (logs, nn.NLLLoss(), y, entropy(y)),
        (logs, lambda out, y: F.kl_div(out, hot, reduction="batchmean"), y, entropy(y)),
        (shares, lambda out, y: F.nll_loss(out.log(), y), y, entropy(y)),
        (one, F.binary_cross_entropy, binary, math.log(2)),
        (nn.Sequential(*body), F.cross_entropy, y, entropy(y)),
        (one, F.mse_loss, 3 * binary, 2.25),  # targets that no sigmoid reaches: the constant is free, as ever
    ]
    for model, loss, targets, expected in cases:
        assert best_constant_loss(model, loss, x, targets) == pytest.approx(expected, rel=1e-4)
    pixels = nn.Sequential(nn.Unflatten(1, (1, 5)), nn.Conv1d(1, 3, 1), nn.LogSoftmax(1))  # classes along axis 1
    places = torch.randint(0, 3, (30, 5))
    expected = sum(entropy(place) for place in places.T) / 5
    assert best_constant_loss(pixels, F.nll_loss, x, places) == pytest.approx(expected, rel=1e-4)


def test_a_loss_without_a_lower_bound_has_no_chance_level():
    torch.manual_seed(0)
    model, x, y = nn.Linear(5, 3), torch.randn(30, 5), torch.arange(30) % 3
    with pytest.warns(UserWarning, match=r"falls without end.*no chance level.*log_softmax"):
        assert best_constant_loss(model, F.nll_loss, x, y) is None
