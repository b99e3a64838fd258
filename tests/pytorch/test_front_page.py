"""The table of layers on the front page is what a probe finds."""

import json
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_the_layers_of_the_front_page_are_those_of_the_probe():
    stored = json.loads((ROOT / "src/lazyrich/explorer/data/front.json").read_text(encoding="utf-8"))["layers"]
    found = runpy.run_path(str(ROOT / "docs_build/front.py"))["layers"]()
    assert [(row["layer"], row["regime"]) for row in found] == [(row["layer"], row["regime"]) for row in stored]
    assert [row["S"] for row in found] == pytest.approx([row["S"] for row in stored], rel=0.05)
