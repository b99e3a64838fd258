"""The linters have one version: that of constraints/ci.txt, with which CI runs."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_pre_commit_runs_the_ruff_of_ci():
    pins = dict(re.findall(r"^(\w+)==(\S+)$", (ROOT / "constraints/ci.txt").read_text(), re.MULTILINE))
    assert set(pins) >= {"ruff", "mypy"}
    hooks = (ROOT / ".pre-commit-config.yaml").read_text()
    assert re.findall(r"ruff-pre-commit\s+rev: v(\S+)", hooks) == [pins["ruff"]]
