"""The seeded part of the ring, and that it finds what is wrong."""

import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from fuzz.ring import KINDS, Outcome, Ring, script

CASES = {
    "neurons": 12,
    "files": 25,
    "inputs": 40,
    "cells": 6,
    "models": 10,
    "jax_models": 5,
    "regression": 12,
    "small_modes": 3,
    "attention": 4,
}  # cheap ones; the others compile first


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.filterwarnings("ignore")
def test_a_seeded_part_of_the_ring(kind):
    ring = Ring((kind,), seed=0)
    assert ring.run(most=CASES.get(kind, 6)), ring.wrong


def drawn(error):
    def check(x):
        if error == "raises":
            raise KeyError("raw")
        return Outcome("toy", error)

    return SimpleNamespace(draw=lambda rng: {"x": rng.normal(size=2)}, check=check)


@pytest.mark.parametrize("error", [2.0, np.nan, "raises"])
def test_the_first_wrong_case_is_a_script(error):
    ring = Ring((), seed=5)
    ring.kinds, ring.modules = ("toy",), {"toy": drawn(error)}
    assert not ring.run(most=10)
    assert ring.tallies["toy: toy"].tried == 1
    assert "from fuzz.toy import check" in ring.wrong
    assert "x=array([" in ring.wrong


def test_what_is_right_or_refused_goes_on():
    for error in (0.5, None):
        ring = Ring((), seed=5)
        ring.kinds, ring.modules = ("toy",), {"toy": drawn(error)}
        assert ring.run(most=10)
        assert ring.tallies["toy: toy"].tried == 10
        assert ring.tallies["toy: toy"].refused == (10 if error is None else 0)
    assert "toy: toy" in ring.table()


def test_the_script_runs():
    case = Ring(("files",)).modules["files"].draw(np.random.default_rng(3))
    done = subprocess.run([sys.executable, "-c", script("files", case, "because")], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "Outcome" in done.stdout


def test_the_cases_depend_on_the_seed_alone():
    first, again, other = (
        [case for _, case in zip(range(3), Ring(("neurons",), s).cases(), strict=False)] for s in (1, 1, 2)
    )
    assert repr(first) == repr(again) != repr(other)


def test_bad_options_are_refused():
    done = subprocess.run([sys.executable, "-m", "fuzz", "--kinds", "nothing"], capture_output=True, text=True)
    assert done.returncode == 2
    assert "there is no kind 'nothing'" in done.stderr
