"""What the experiments of kunin2024's figure 5 are made of."""

import copy
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import torch
import xarray
from torch.func import functional_call, jacrev
from torch.nn import functional as F
from typer.testing import CliRunner

from lazyrich.cli import app
from lazyrich.papers.figure import find
from lazyrich.papers.kunin2024.figures import _ensemble, _hierarchy, _lenet
from lazyrich.papers.reproduce import key_of
from lazyrich.sweep import status
from lazyrich.torch import Probe, upstream_
from lazyrich.torch.data import drawn_digits

DEEP = ("fig5a", "fig5b", "fig5c", "fig5d", "gabors", "grokking")


@pytest.mark.parametrize("optimizer", [torch.optim.SGD, torch.optim.Adam])
def test_members_of_an_ensemble_train_as_if_alone(optimizer):
    generator = torch.Generator().manual_seed(0)
    models = [_hierarchy.network(6, 5, 2, 3, alpha, seed).double() for seed, alpha in enumerate((0.5, 1.0, 2.0))]
    x = torch.randn(3, 20, 6, generator=generator, dtype=torch.double)
    y = torch.randint(3, (3, 20), generator=generator)
    ensemble = _ensemble.Ensemble(models)
    together = optimizer(ensemble.parameters(), lr=0.1)
    alone = [optimizer(model.parameters(), lr=0.1) for model in models]
    for _ in range(10):
        together.zero_grad()
        ensemble.loss(x, y).sum().backward()
        together.step()
        for i, (model, own) in enumerate(zip(models, alone, strict=True)):
            own.zero_grad()
            F.cross_entropy(model(x[i]), y[i]).backward()
            own.step()
    for i, model in enumerate(models):
        for mine, theirs in zip(ensemble.member(i).parameters(), model.parameters(), strict=True):
            assert torch.allclose(mine, theirs, rtol=1e-12, atol=1e-14)
        right = (model(x[i]).argmax(1) == y[i]).float().mean()
        assert ensemble.accuracy(x, y)[i] == pytest.approx(float(right))


def test_an_epoch_takes_every_example_once():
    x = torch.arange(14.0).reshape(2, 7, 1)
    y = torch.arange(14).reshape(2, 7)
    parts = list(_ensemble.batches(x, y, 3, torch.Generator().manual_seed(0)))
    assert [part.shape[1] for part, _ in parts] == [3, 3, 1]
    labels = torch.cat([label for _, label in parts], 1)
    assert torch.equal(labels.sort(1).values, y)
    assert not torch.equal(labels, y)
    assert all(torch.equal(inputs[..., 0], label.float()) for inputs, label in parts)


@pytest.mark.parametrize("alpha", [0.3, 10.0])
def test_kernels_along_training_are_those_of_the_whole_jacobian(alpha):
    """The probe's S on its sample, against explicit Jacobians before and after."""
    images, labels = drawn_digits(60)
    model = _lenet.lenet(0)
    upstream_(model, alpha)
    probe = Probe(model, images[:8], labels[:8], sample=8)
    K0 = explicit(model, images[:8])
    for _ in _lenet.train(model, images, labels, batch=10, epochs=3, rate=0.005):
        pass
    probe.snapshot(3)
    K = explicit(model, images[:8])
    S = 1 - float((K * K0).sum() / K.norm() / K0.norm())
    seen = probe.report().data.kernel_distance.sel(step=3, reference="start", centered=False)
    assert S > 0.01
    assert float(seen) == pytest.approx(S, rel=1e-5)
    # Its own patterns change nothing.
    assert torch.allclose(_lenet.kernel(model, model, images[:8]).reshape(K.shape), K.float(), rtol=1e-3, atol=1e-3)


def explicit(model, inputs):
    model = copy.deepcopy(model).double()
    values = {name: value.detach() for name, value in model.named_parameters()}
    J = jacrev(lambda p: functional_call(model, p, (inputs.double(),)).flatten())(values)
    return sum(j.flatten(1) @ j.flatten(1).T for j in J.values())


def test_patterns_and_weights_apart():
    """Weights behind other patterns: units are on where the others' are; nothing but the weights is differentiated."""
    weights, patterns, x = _lenet.lenet(0), _lenet.lenet(1), drawn_digits(3)[0]
    gated = _lenet.Gated(weights, patterns)
    assert dict(gated.named_parameters()).keys() == {f"weights.{name}" for name, _ in weights.named_parameters()}
    assert torch.allclose(_lenet.Gated(weights, weights)(x), weights(x), atol=1e-5)
    first = gated.weights[0](x) * (patterns[0](x) > 0)
    assert not torch.allclose(first, weights[:2](x))
    # In its last two layers: linear in the last hidden activations, which the other network switches.
    assert not torch.allclose(gated(x), weights(x))
    with torch.no_grad():
        weights[-1].weight.mul_(2)
        twice = gated(x)
        weights[-1].weight.mul_(0.5)
    assert torch.allclose(twice, 2 * gated(x), atol=1e-5)


def test_interpolation_at_equal_loss():
    from lazyrich.papers.kunin2024.figures.fig5a import at_loss

    loss = np.exp(-np.array([[[0.0, 1.0, 3.0], [0.0, 2.0, 2.5]]]))
    values = np.array([[[0.0, 10.0, 30.0], [0.0, 2.0, 4.0]]])
    axes = ("alpha", "seed", "epoch")
    data = xarray.Dataset({"loss": (axes, loss), "S": (axes, values)}, {"alpha": [1.0]})
    assert at_loss(data, "S", np.exp(-2.0)).values == pytest.approx(np.array([[20.0, 2.0]]))


@pytest.mark.parametrize("name", ["fig5a", "fig5c"])
def test_how_long_a_full_run_will_take(name):
    each = find(f"kunin2024/{name}")
    assert each.module.seconds(each.scale("small")) > 0


def test_the_key_knows_which_files_are_there(tmp_path, monkeypatch):
    figure = find("kunin2024/fig5a")
    monkeypatch.delenv("LAZYRICH_DATA", raising=False)
    without = key_of(figure, "quick", 0)
    (tmp_path / "train-images-idx3-ubyte").touch()
    monkeypatch.setenv("LAZYRICH_DATA", str(tmp_path))
    assert key_of(figure, "quick", 0) != without
    assert key_of(find("kunin2024/fig2"), "quick", 0)


def test_the_command_line_passes_data_workers_and_engine(tmp_path, monkeypatch):
    monkeypatch.delenv("LAZYRICH_DATA", raising=False)
    name = "dln/ex-timescales"
    seen = {}

    def compute(scale):
        seen.update(engine=scale.engine, workers=scale.workers, data=os.environ["LAZYRICH_DATA"])
        return find(name).module.compute(scale)

    figure = type(find(name))
    monkeypatch.setattr(
        figure, "compute", lambda self, size, seed, **where: compute(self.scale("small", seed, **where))
    )
    monkeypatch.setattr(figure, "seconds", lambda self, size="full": 7200.0)
    monkeypatch.setenv("LAZYRICH_DATA", "elsewhere")
    options = ["--out", str(tmp_path), "--data", str(tmp_path), "--engine", "serial", "--workers", "2", "--full"]
    done = CliRunner().invoke(app, ["reproduce", name, *options], terminal_width=200)
    assert done.exit_code == 0, done.output
    assert seen == {"engine": "serial", "workers": 2, "data": str(tmp_path)}
    assert "about 2.0 hours of one core like these, 1.0 on 2" in done.output.replace("\n", " ")
    wrong = CliRunner().invoke(app, ["reproduce", name, "--data", str(tmp_path / "nowhere")])
    assert wrong.exit_code == 2
    assert "does not exist" in wrong.output


CUT = {"members": 5, "epochs": 8, "shares": (0.1, 0.2, 0.4, 0.6)}
DRIVER = f"""
if __name__ == "__main__":
    import sys, torch
    torch.set_num_threads(1)
    from lazyrich.papers.figure import find
    figure = find("kunin2024/fig5c")
    figure.module.SCALES["full"] = figure.module.SCALES["small"] | {CUT!r}
    from pathlib import Path
    figure.compute("full", folder=Path(sys.argv[1]), engine="serial", progress=False)
"""


def test_killed_and_restarted_a_run_continues_bit_for_bit(tmp_path, monkeypatch):
    script = tmp_path / "driver.py"
    script.write_text(DRIVER)
    killed = subprocess.Popen([sys.executable, script, tmp_path / "killed"])
    store = tmp_path / "killed" / "cell"
    while not ((store / "sweep.sqlite").exists() and status(store).done) and killed.poll() is None:
        time.sleep(0.005)
    killed.send_signal(signal.SIGKILL)
    assert killed.wait() == -signal.SIGKILL
    assert 0 < status(tmp_path / "killed" / "cell").done < 4
    figure, threads = find("kunin2024/fig5c"), torch.get_num_threads()
    monkeypatch.setitem(figure.module.SCALES, "full", figure.module.SCALES["small"] | CUT)
    torch.set_num_threads(1)  # as the killed one had
    try:
        continued, whole = (
            figure.compute("full", folder=tmp_path / name, engine="serial", progress=False)
            for name in ("killed", "whole")
        )
    finally:
        torch.set_num_threads(threads)
    assert continued.identical(whole)


def test_without_pytorch_figures_are_listed_and_say_what_they_need():
    code = f"""
import importlib.machinery, importlib.util, sys
find_spec = importlib.machinery.PathFinder.find_spec
importlib.machinery.PathFinder.find_spec = lambda name, *rest: None if name == "torch" else find_spec(name, *rest)
from lazyrich.papers.figure import figures
found = figures()
assert all(f"kunin2024/{{name}}" in found for name in {DEEP!r})
for name in {DEEP!r}:
    try:
        found[f"kunin2024/{{name}}"].compute("small")
    except ImportError as error:
        assert "torch" in str(error), error
    else:
        raise AssertionError(name)
"""
    subprocess.run([sys.executable, "-c", code], check=True)
