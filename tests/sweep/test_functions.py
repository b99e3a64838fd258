"""The identity of a function: a change of its code, or of what it uses from the user's modules, is refused."""

import importlib
import sys

import pytest

from lazyrich import sweep
from lazyrich.sweep.functions import source_changes, source_texts

HELPERS = """
def double(x):
    return 2 * x

def unused(x):
    return 3 * x

def late(x):
    return x
"""
MODULE = '''
import numpy as np
import {helpers}
from {helpers} import double as twice

STEPS = 10
cache = {{}}

class Shift:
    size = 1
    def by(self, x):
        return x + self.size

def inner(x):
    return {helpers}.double(x) + STEPS

def cell(x, seed):
    """Says what it does."""
    from {helpers} import late

    cache[x] = seed
    data = twice(inner(x))
    return {{"v": Shift().by(late(data)), "w": np.float64(1)}}

def other(x, seed):
    return {{"v": 0}}

if __name__ == "__main__":
    data = [1, 2]
'''


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Return a function that writes two modules, and returns the function of the cell."""
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    name = f"identity_{abs(hash(str(tmp_path)))}"

    def write(module=("", ""), helpers=("", "")):
        (tmp_path / f"{name}_helpers.py").write_text(HELPERS.replace(*helpers))
        (tmp_path / f"{name}.py").write_text(MODULE.format(helpers=f"{name}_helpers").replace(*module))
        for loaded in (f"{name}_helpers", name):
            sys.modules.pop(loaded, None)
        importlib.invalidate_caches()
        return importlib.import_module(name).cell

    return write


CHANGES = {
    "itself": (("return {", "x = x + 1\n    return {"), ("", "")),
    "a constant": (("STEPS = 10", "STEPS = 11"), ("", "")),
    "a function it calls": (("+ STEPS", "- STEPS"), ("", "")),
    "a class": (("size = 1", "size = 2"), ("", "")),
    "a function of another module": (("", ""), ("2 * x", "4 * x")),
    "one imported inside": (("", ""), ("return x\n", "return x + 1\n")),
}
SAME = {
    "a comment": (("x + self.size", "x + self.size  # moved"), ("", "")),
    "its docstring": (("Says what", "Tells what"), ("", "")),
    "layout": (("2 * x", "2*x"), ("2 * x", "2*x")),
    "another function": (('{"v": 0}', '{"v": 5}'), ("3 * x", "5 * x")),
    "what the script does": (("data = [1, 2]", "data = [1, 2, 3]"), ("", "")),
    "a cache": (("cache = {}", "cache = {1: 2}"), ("", "")),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_change_is_refused_with_the_difference_or_accepted(project, tmp_path, what):
    run = {"out": tmp_path / "s", "engine": "serial", "progress": False}
    sweep.run(project(), {"x": [1]}, **run)
    changed = project(*CHANGES[what])
    new = "".join(pair[1] for pair in CHANGES[what])
    with pytest.raises(sweep.StoreError, match="was computed by other code of identity_") as refusal:
        sweep.run(changed, {"x": [1, 2]}, **run)
    assert new.strip().splitlines()[0] in str(refusal.value)
    assert "accept_changes=True, or --accept-changes" in str(refusal.value)
    assert sweep.status(tmp_path / "s").total == 1
    data = sweep.run(changed, {"x": [1, 2]}, accept_changes=True, strict=True, **run)
    assert data["v"].values[0, 0] == 25
    sweep.run(changed, {"x": [1, 2, 3]}, strict=True, **run)  # from now on this is its code


@pytest.mark.parametrize("what", SAME)
def test_what_changes_nothing_is_no_change(project, what):
    before = source_texts(project())
    assert source_changes(before, source_texts(project(*SAME[what]))) == ""


def test_a_function_without_source(tmp_path):
    """Defined in a string: its bytecode is compared."""
    texts = []
    for number in (1, 1, 2):
        scope = {"__name__": "nowhere"}
        exec(f"def cell(x, seed):\n    return {{'v': {number}}}", scope)
        texts.append(source_texts(scope["cell"]))
    assert source_changes(texts[0], texts[1]) == ""
    assert source_changes(texts[0], texts[2]) != ""
