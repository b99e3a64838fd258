"""Parameters that are not trained although they could be: no gradient reaches them, or no optimizer holds them."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F

import lazyrich.torch as lt
from lazyrich.torch._structure import structure


class Frozen(nn.Module):
    """A head on a backbone that runs without gradients, in one of the ways in which people write that."""

    def __init__(self, way="no_grad"):
        super().__init__()
        torch.manual_seed(0)
        self.way, self.backbone, self.hidden, self.head = way, nn.Linear(4, 6), nn.Linear(6, 5), nn.Linear(5, 2)

    def features(self, x):
        return torch.relu(self.backbone(x))

    def forward(self, x):
        if self.way == "no_grad":
            with torch.no_grad():
                x = self.features(x)
        elif self.way == "decorated":
            x = torch.no_grad()(self.features)(x)
        elif self.way == "set_grad_enabled":
            with torch.set_grad_enabled(False):
                x = self.features(x)
        else:
            x = self.features(x)
        return self.head(torch.relu(self.hidden(x)))


WAYS = ["no_grad", "decorated", "set_grad_enabled"]
REASON = "no gradient reaches 'backbone.weight' (torch.no_grad() in the forward pass?)"
X = torch.randn(6, 4, generator=torch.Generator().manual_seed(1))
Y = torch.tensor([0, 1, 0, 1, 0, 1])


def step(model, opt):
    opt.zero_grad()
    F.cross_entropy(model(X), Y).backward()
    opt.step()


@pytest.mark.parametrize("inputs", [None, X])
@pytest.mark.parametrize("way", WAYS)
def test_what_runs_without_gradients_conserves_nothing(way, inputs):
    found = lt.balance(Frozen(way), inputs=inputs)
    assert [pair.name for pair in found.pairs] == ["hidden → head"]
    assert found.reasons_without == {"backbone": REASON}
    trained = lt.balance(Frozen("plain"), inputs=inputs)
    assert [pair.name for pair in trained.pairs] == ["backbone → hidden", "hidden → head"]
    with torch.no_grad():  # of the caller's is not of the model's
        assert str(lt.balance(Frozen("plain"), inputs=inputs)) == str(trained)


@pytest.mark.parametrize("inputs", [None, X])
def test_a_knob_says_what_is_not_trained(inputs):
    said = "  not trained: backbone.weight, backbone.bias; to scale them changes how fast the others learn, no more\n"
    assert said in str(lt.upstream_(Frozen(), 2.0, inputs=inputs))
    assert said in str(lt.rescale_(Frozen(), delta=0.5, inputs=inputs, dry_run=True))
    assert "not trained" not in str(lt.upstream_(Frozen("plain"), 2.0, inputs=inputs))
    assert "not trained" not in str(lt.upstream_(Frozen(), 2.0, layers=("hidden", "head"), inputs=inputs))
    model = Frozen("plain")
    model.backbone.requires_grad_(False)
    assert said in str(lt.upstream_(model, 2.0, inputs=inputs))


def test_the_report_says_that_no_gradient_reaches_a_layer():
    model = Frozen()
    opt = torch.optim.SGD(model.parameters(), lr=0.5)
    probe = lt.Probe(model, X, Y)
    for _ in range(20):
        step(model, opt)
    probe.snapshot(20)
    words = str(probe.report())
    assert "  untrained backbone: no gradient reaches it (torch.no_grad() in the forward pass?)\n" in words
    assert "(hidden → head)" in words
    assert "backbone → hidden" not in words
    assert "untrained" not in str(lt.Probe(Frozen("plain"), X, Y).report())


def test_the_report_names_what_the_optimizer_does_not_hold():
    model = Frozen("plain")
    opt = torch.optim.SGD([*model.head.parameters(), model.hidden.weight], lr=0.5)
    probe = lt.Probe(model, X, Y, optimizer=opt)
    frozen = Frozen("plain")
    for parameter in (*frozen.backbone.parameters(), frozen.hidden.bias):
        parameter.requires_grad_(False)
    torch.testing.assert_close(lt.tangent_kernel(model, X, optimizer=opt), lt.tangent_kernel(frozen, X))
    said = "  untrained backbone, hidden.bias: not in the optimizer, taken to have rate 0"
    assert f"{said}\n" in str(probe.report())
    step(model, opt)
    probe.snapshot(1)
    assert f"{said}\n" in str(probe.report())
    with torch.no_grad():
        model.backbone.weight.add_(0.1)  # as a second optimizer does
    probe.snapshot(2)
    moved = "; but backbone has moved: if another optimizer trains it, pass rates=... of all layers"
    assert f"{said}{moved}\n" in str(probe.report())
    whole = torch.optim.SGD(model.parameters(), lr=0.5)
    assert "untrained" not in str(lt.Probe(model, X, Y, optimizer=whole).report())


def test_a_forward_without_any_gradient_says_nothing_of_training():
    """A function that predicts is no evidence that nothing is trained."""
    found = lt.balance(Frozen("plain"), inputs=X, forward=lambda model, x: model(x).detach())
    assert [pair.name for pair in found.pairs] == ["backbone → hidden", "hidden → head"]


class Reused(nn.Module):
    """Its first layer runs without gradients, and then with them: it is trained."""

    def __init__(self):
        super().__init__()
        self.weight, self.head = nn.Parameter(torch.ones(4, 4)), nn.Linear(4, 2)

    def forward(self, x):
        with torch.no_grad():
            x = x + F.linear(x, self.weight)
        return self.head(torch.relu(F.linear(x, self.weight)))


@pytest.mark.parametrize("inputs", [None, X])
def test_one_use_with_gradients_is_enough(inputs):
    assert structure(Reused(), inputs).unreached == frozenset()
    assert structure(Frozen(), inputs).unreached == {"backbone.weight", "backbone.bias"}


class Halved(nn.Module):
    """Two layers read the same units, and to one of them they come without gradients, or with other ones."""

    def __init__(self, way):
        super().__init__()
        torch.manual_seed(0)
        self.way, self.first, self.one, self.other = way, nn.Linear(4, 6), nn.Linear(6, 2), nn.Linear(6, 2)
        self.double()

    def forward(self, x):
        h = torch.relu(self.first(x))
        if self.way == "no_grad":
            with torch.no_grad():
                stopped = 1.0 * h
        elif self.way == "reversed":
            stopped = Reversed.apply(h)
        else:
            stopped = h.detach() if self.way == "detach" else 1.0 * h
        return self.one(h) + self.other(stopped)


class Reversed(torch.autograd.Function):
    """The identity with its gradient reversed, as in adversarial training."""

    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, slope):
        return -slope


@pytest.mark.parametrize("inputs", [None, X.double()])
@pytest.mark.parametrize("way", ["plain", "no_grad", "detach", "reversed"])
def test_gradients_that_are_not_of_the_function_conserve_nothing(way, inputs):
    if way == "reversed" and inputs is None:
        pytest.skip("torch.fx does not trace it")
    model = Halved(way)
    before = lt.balance(model, inputs=inputs)
    assert [pair.name for pair in before.pairs] == (["first → one + other"] if way == "plain" else [])
    F.cross_entropy(model(X.double()), Y).backward()
    torch.optim.SGD(model.parameters(), lr=1e-6).step()
    drift = [abs(p.delta - q.delta) for p, q in zip(lt.balance(model, inputs=inputs).pairs, before.pairs, strict=True)]
    assert all(moved < 1e-11 for moved in drift)


@pytest.mark.parametrize("stop", [lambda x: x.detach(), lambda x: x.data, lambda x: F.one_hot(x.argmax(-1), 6).float()])
def test_detached_features_are_not_trained_when_traced(stop):
    class Detached(Frozen):
        def features(self, x):
            return stop(torch.relu(self.backbone(x)))

    model = Detached("plain")
    assert structure(model).unreached == structure(model, X).unreached == {"backbone.weight", "backbone.bias"}
