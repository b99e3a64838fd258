"""PyTorch's half stands alone: it loads no JAX, and switches no precision."""

import subprocess
import sys
from pathlib import Path

import pytest

import lazyrich.probe


def test_no_jax_is_loaded():
    code = """
import sys, torch
before = torch.get_default_dtype()
import lazyrich.torch as lt
from lazyrich.torch.data import drawn_digits
images, labels = drawn_digits(20)
model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(784, 4), torch.nn.ReLU(), torch.nn.Linear(4, 10))
lt.rescale_(model, delta=1.0)
probe = lt.Probe(model, images, labels)
str(probe.report()), lt.balance(model)
loaded = [name for name in ("jax", "jaxlib", "equinox", "diffrax") if name in sys.modules]
assert not loaded, loaded
assert torch.get_default_dtype() == before
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


def test_the_report_needs_neither_torch_nor_jax():
    """Read without the package around it, which may load anything."""
    code = """
import sys, types
package = types.ModuleType("lazyrich")
package.__path__ = [FOLDER]
sys.modules["lazyrich"] = package
import lazyrich.probe, lazyrich._io.plots, lazyrich._io.progress, lazyrich._io.npz_file
loaded = [name for name in ("jax", "torch") if name in sys.modules]
assert not loaded, loaded
import lazyrich.torch, lazyrich.torch.data
assert "jax" not in sys.modules
"""
    folder = str(Path(lazyrich.probe.__file__).parents[1])
    ran = subprocess.run([sys.executable, "-c", code.replace("FOLDER", repr(folder))], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize("what", ["probe.snapshot(1)", "lt.linearize(model)(x)"])
def test_no_warning_of_pytorch_about_itself_ends_a_measurement(what):
    """Its first forward derivative warns of its own `torch.jit.script`, in one category or another by its version."""
    code = f"""
import warnings, torch
import lazyrich.torch as lt
model, x = torch.nn.Linear(2, 1), torch.ones(3, 2)
for category in (FutureWarning, DeprecationWarning):
    warnings.simplefilter("error", category)
probe = lt.Probe(model, x)
model.weight.data.add_(1.0)
{what}
"""
    ran = subprocess.run([sys.executable, "-W", "error::FutureWarning", "-c", code], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
