"""Two checkpoints, compared in Python and from the command line, and the report as a page."""

import json
import re
import struct

import pytest
import torch
from torch import nn
from typer.testing import CliRunner

from lazyrich.cli import app
from lazyrich.torch import Probe, compare
from lazyrich.torch._model.checkpoint_files import read_safetensors, read_weights

MODULE = """
import torch
from torch import nn

def make():
    return nn.Sequential(nn.Linear(4, 30), nn.Tanh(), nn.Linear(30, 2))

inputs = torch.randn(40, 4, generator=torch.Generator().manual_seed(0))

def batch():
    return inputs, torch.zeros(40, 2)

def first_output(model, x):
    return model(x)[:, :1]
"""


def model_of(seed=0):
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(4, 30), nn.Tanh(), nn.Linear(30, 2))


def write_safetensors(path, tensors):
    """Write the format by hand: eight bytes of length, a JSON header, the numbers."""
    kinds, header, body = {torch.float32: "F32", torch.bfloat16: "BF16", torch.int64: "I64"}, {}, b""
    for name, value in tensors.items():
        part = value.contiguous().view(torch.uint8).numpy().tobytes() if value.ndim else struct.pack("<q", int(value))
        places = [len(body), len(body) + len(part)]
        header[name] = {"dtype": kinds[value.dtype], "shape": list(value.shape), "data_offsets": places}
        body += part
    text = json.dumps({"__metadata__": {"format": "pt"}, **header}).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + body)


@pytest.fixture
def checkpoints(tmp_path, monkeypatch):
    model = model_of()
    start = {name: value.clone() for name, value in model.state_dict().items()}
    end = {name: 1.3 * value for name, value in start.items()}
    torch.save(start, tmp_path / "a.pt")
    torch.save({"model": {"module._orig_mod." + k: v for k, v in end.items()}, "step": 7}, tmp_path / "b.pt")
    (tmp_path / "my_training.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path, start, end


def test_it_is_what_a_probe_reports(checkpoints):
    _, start, end = checkpoints
    model, x = model_of(1), torch.randn(40, 4)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    found = compare(model, "a.pt", "b.pt", x)
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())
    model.load_state_dict(start)
    probe = Probe(model, x, budget=None)
    model.load_state_dict(end)
    probe.snapshot(1)
    for name in ("kernel_distance", "layer_distance", "layer_gap", "relative_distance"):
        assert torch.equal(torch.tensor(found.data[name].values), torch.tensor(probe.report().data[name].values))
    assert found.data.relative_distance[-1].values == pytest.approx([0.3, 0.3], rel=1e-4)


@pytest.mark.parametrize("kind", ["safetensors", "folder", "shards", "lightning"])
def test_checkpoints_of_every_kind(checkpoints, kind):
    folder, _, end = checkpoints
    path = folder / "b.safetensors"
    if kind == "safetensors":
        write_safetensors(path, end)
    elif kind == "lightning":
        path = folder / "b.ckpt"
        torch.save({"state_dict": {f"model.{k}": v for k, v in end.items()}, "epoch": 3}, path)
    else:
        path = folder / "b"
        path.mkdir()
        names = list(end)
        parts = (
            {"model.safetensors": names}
            if kind == "folder"
            else {"1.safetensors": names[:2], "2.safetensors": names[2:]}
        )
        for file, some in parts.items():
            write_safetensors(path / file, {name: end[name] for name in some})
        if kind == "shards":
            places = {name: file for file, some in parts.items() for name in some}
            (path / "model.safetensors.index.json").write_text(json.dumps({"weight_map": places}))
    found = compare(model_of(), "a.pt", path, torch.randn(40, 4))
    assert found.data.relative_distance[-1].values == pytest.approx([0.3, 0.3], rel=1e-4)


def test_safetensors_of_every_dtype(tmp_path):
    tensors = {
        "a": torch.randn(3, 2),
        "b": torch.randn(4).bfloat16(),
        "count": torch.tensor(5),
        "none": torch.empty(0, 3),
    }
    write_safetensors(tmp_path / "x.safetensors", tensors)
    found = read_safetensors(tmp_path / "x.safetensors")
    assert found.keys() == tensors.keys()
    assert all(torch.equal(found[name], value) and found[name].dtype == value.dtype for name, value in tensors.items())


class Evil:
    def __reduce__(self):
        return eval, ("open('/tmp/evil-was-run', 'w')",)


def test_what_cannot_be_read_is_explained(checkpoints):
    folder, start, _ = checkpoints
    torch.save({"model": start, "extra": Evil()}, folder / "evil.pt")
    with pytest.raises(ValueError, match=r"evil.pt cannot be read as weights alone .* could run code"):
        read_weights(folder / "evil.pt")
    torch.save([1, 2], folder / "list.pt")
    with pytest.raises(ValueError, match="holds no weights by name"):
        read_weights(folder / "list.pt")
    (folder / "x.safetensors").write_bytes(b"\x08\0\0\0\0\0\0\0not json")
    with pytest.raises(ValueError, match="not a safetensors file"):
        read_weights(folder / "x.safetensors")
    with pytest.raises(ValueError, match="there is no checkpoint at"):
        read_weights(folder / "none.pt")
    (folder / "empty").mkdir()
    with pytest.raises(ValueError, match="has neither model"):
        read_weights(folder / "empty")
    x = torch.randn(40, 4)
    with pytest.raises(ValueError, match=r"lacks the trainable parameter '2.weight' \(1 of 4 missing\)"):
        compare(model_of(), "a.pt", {k: v for k, v in start.items() if k != "2.weight"}, x)
    with pytest.raises(ValueError, match=r"'0.weight' has shape \(3, 4\) in the second checkpoint"):
        compare(model_of(), "a.pt", {**start, "0.weight": torch.zeros(3, 4)}, x)


def test_the_command_line(checkpoints):
    folder, *_ = checkpoints
    options = ["compare", "a.pt", "b.pt", "--model", "my_training:make", "--data", "my_training:batch"]
    result = CliRunner().invoke(app, [*options, "--html", "page.html"])
    assert result.exit_code == 0, result.output
    assert "Regime: " in result.output
    assert re.search(r"0 +(rich|lazy|in between)", result.output)
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    plain = [*options[:-1], "my_training:inputs"]
    one = CliRunner().invoke(app, [*plain, "--forward", "my_training:first_output", "--exact"])
    assert one.exit_code == 0, one.output
    wrong = CliRunner().invoke(app, [*options[:4], "no_such:make", *options[5:]])
    assert wrong.exit_code == 1
    assert "'no_such' cannot be imported" in " ".join(wrong.output.split())
    wrong = CliRunner().invoke(app, [*options, "--positions", "last"])
    assert wrong.exit_code == 1
    assert "--positions needs a whole number or 'all'" in " ".join(wrong.output.split())


def test_the_page_needs_no_network_and_escapes_names(tmp_path):
    class Strange(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleDict({"<b>": nn.Linear(4, 8), "rich": nn.Linear(8, 2)})

        def forward(self, x):
            return self.layers["rich"](torch.tanh(self.layers["<b>"](x)))

    torch.manual_seed(0)
    model = Strange()
    probe = Probe(model, torch.randn(40, 4))
    with torch.no_grad():
        for p in model.parameters():
            p.mul_(1.4)
    probe.snapshot(1)
    report = probe.report()
    page = report.to_html(tmp_path / "report.html", "a <title>").read_text(encoding="utf-8")
    assert "<b>" not in page
    assert "layers.&lt;b&gt;" in page
    assert "<title>a &lt;title&gt;</title>" in page
    assert not re.search(r"(src|href)=\"(?!data:)", page)
    assert "http" not in page
    assert page.count("data:image/png;base64,") == 2
    for layer in report.layers:
        assert f">{layer.word}</td>" in page
    assert "lt.Probe(model, inputs)" in page
