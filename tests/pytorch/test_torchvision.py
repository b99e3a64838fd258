"""torchvision's ResNet-18 and its vision transformer, which is made of `nn.MultiheadAttention`."""

import pytest
import torch
from torch.nn import functional as F

import lazyrich.torch as lt
from lazyrich.torch._model.preserve_model import measurement_mode, trainable_parameters
from lazyrich.torch._probe.optimizer_reader import OptimizerReader

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


def models():
    """Return torchvision's models, or skip: built for another PyTorch, it raises other errors than ImportError."""
    try:
        from torchvision import models
    except (ImportError, RuntimeError, OSError) as error:
        pytest.skip(f"torchvision cannot be imported beside this build of PyTorch ({torch.__version__}): {error}")
    return models


def resnet():
    """As it is, with three classes; on small images."""
    return models().resnet18(num_classes=3), torch.randn(3, 3, 32, 32)


def vit():
    make = models().VisionTransformer
    model = make(image_size=16, patch_size=4, num_layers=2, num_heads=2, hidden_dim=16, mlp_dim=32, num_classes=3)
    torch.nn.init.normal_(model.heads.head.weight, std=0.1)  # it begins at 0
    return model, torch.randn(6, 3, 16, 16)


def test_kernels_are_those_of_autograd():
    """Plain and preconditioned by AdamW's state, in double precision; those of ResNet-18 are in test_trainers.py."""
    torch.manual_seed(0)
    model, x = vit()
    model, x = model.double().eval(), x.double()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    F.cross_entropy(model(x), torch.arange(len(x)) % 3).backward()
    optimizer.step()
    own = OptimizerReader(model, optimizer).preconditioner()
    with measurement_mode(model):
        wanted, out = list(trainable_parameters(model).values()), model(x).flatten()
        rows = [torch.autograd.grad(one, wanted, retain_graph=True) for one in out]
        weights = [own[name].flatten() for name in trainable_parameters(model)]
        del out
    plain, preconditioned = 0.0, 0.0
    for k, weight in enumerate(weights):
        part = torch.stack([row[k].flatten() for row in rows])
        plain, preconditioned = plain + part @ part.T, preconditioned + (part * weight) @ part.T
    del rows
    for true, given in ((plain, {}), (preconditioned, {"optimizer": optimizer})):
        found = lt.tangent_kernel(model, x, **given)
        torch.testing.assert_close(found, true, rtol=0, atol=1e-10 * float(true.abs().max()))


@pytest.mark.parametrize("make", [resnet, vit])
def test_a_probe_while_they_train(make):
    torch.manual_seed(0)
    model, x = make()
    labels = torch.arange(len(x)) % 3
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, weight_decay=1e-4)
    probe = lt.Probe(model, x, labels, optimizer=optimizer, loss=F.cross_entropy)
    for _ in range(3):
        optimizer.zero_grad()
        F.cross_entropy(model(x), labels).backward()
        optimizer.step()
    numbers = probe.snapshot(3)
    assert 0 < numbers["kernel_distance"] < 1
    assert "SGD" in str(probe.report())


def test_pairs_of_its_attention_keep_the_function():
    torch.manual_seed(0)
    model, x = vit()
    model, x = model.double().eval(), x.double()
    before = model(x)
    pairs = lt.balance(model, inputs=x).pairs
    assert sum(pair.dual for pair in pairs) == 2
    assert sum(pair.heads is not None for pair in pairs) == 4
    for pair in pairs:
        if pair.heads is not None:
            lt.upstream_(model, [2.0, 0.5], layers=(pair.writers[0], pair.readers[0]), inputs=x)
            torch.testing.assert_close(model(x), before, rtol=1e-12, atol=1e-12)
