"""Write the evidence that the front page shows: `python docs_build/front.py`.

Everything is computed: by the library, by the record of `lazyrich verify`, or by the counterexample that the record
holds. A test computes it again and compares.
"""

import contextlib
import io
import json
import re
from collections import Counter
from html import unescape
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
EXPLORER = ROOT / "src/lazyrich/explorer"
OUT = EXPLORER / "data/front.json"
RECORD = ROOT / "docs/data/verdicts.json"
OURS = "lazyrich2026"
GAP_LAW = "dln/gap-law"


def verdict_counts(rows: list[dict[str, Any]]) -> dict[str, int]:
    """Count the statements of the sources by what the front page says of them; the parts sum to `all`."""
    theirs = [row["verdict"] for row in rows if row["of"] == "source" and row["source"] != OURS]
    of = Counter(theirs)
    holds, corrected, fails = of["HOLDS"] + of["GENERIC"], of["CORRECTED"], of["FAILS"]
    other = sum(of[name] for name in ("CONJECTURED", "VACUOUS", "UNDECIDABLE", "DISPUTED"))
    return {"all": len(theirs), "holds": holds, "corrected": corrected, "fails": fails, "other": other}


def gap_law(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Run the recorded counterexample to the gap law; return its set-up and the time as printed, true and observed."""
    import numpy as np

    (row,) = [row for row in rows if row["id"] == GAP_LAW]
    scope: dict[str, Any] = {}
    exec(compile(row["counterexample"], GAP_LAW, "exec"), scope)
    strengths, start = np.diag(scope["T"]).tolist(), float(scope["eps"])
    wait = np.log(1 / start)
    times = {
        "printed": wait / (strengths[1] - strengths[2]),
        "true": wait / strengths[1],
        "observed": scope["half"][-1],
    }
    return {"id": GAP_LAW, "strengths": strengths, "start": start} | {
        name: float(f"{t:.3g}") for name, t in times.items()
    }


def paths() -> dict[str, list[list[float]]]:
    """Return the path of one neuron's function for each regime, as points in the plane."""
    import numpy as np

    import lazyrich as lr

    times, found = np.geomspace(0.01, 80, 60), {}
    for name, delta in (("lazy", 4.0), ("rich", 0.0), ("delayed", -4.0)):
        net = lr.inits.neuron([-0.5, 0.0], delta=delta)
        beta = lr.exact(lr.GradientFlow(net, lr.Problem(np.eye(2), [0.0, 1.0])), times).beta
        found[name] = [[-0.5, 0.0], *np.asarray(beta).round(3).tolist()]
    return found


def theorem() -> dict[str, Any]:
    """Return the theorem that solves the neuron: its name, its source and its hypotheses, which hold."""
    import numpy as np

    import lazyrich as lr
    from lazyrich.theorems.theorem import hypothesis_name

    flow = lr.GradientFlow(lr.inits.neuron([-0.5, 0.0], delta=-4.0), lr.Problem(np.eye(2), [0.0, 1.0]))
    by = lr.exact(flow, [1.0]).by
    (used,) = [theorem for theorem in lr.TRAJECTORY_THEOREMS if theorem.name == by.method]
    names = [hypothesis_name(hypothesis) for hypothesis in used.hypotheses]
    return {"name": used.name, "detail": by.detail, "hypotheses": names}


def layers() -> list[dict[str, Any]]:
    """Train LeNet-5 on drawn digits with a probe, and return the rows of its table."""
    import torch
    from torch import nn
    from torch.nn import functional as F

    import lazyrich.torch as lt

    class LeNet(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv1, self.conv2 = nn.Conv2d(1, 6, 5, padding=2), nn.Conv2d(6, 16, 5)
            self.fc1, self.fc2, self.fc3 = nn.Linear(400, 120), nn.Linear(120, 84), nn.Linear(84, 10)
            for layer in self.children():
                nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
                nn.init.zeros_(layer.bias)

        def forward(self, x: Any) -> Any:
            x = F.max_pool2d(F.relu(self.conv1(x)), 2)
            x = F.max_pool2d(F.relu(self.conv2(x)), 2).flatten(1)
            return self.fc3(F.relu(self.fc2(F.relu(self.fc1(x)))))

    images, labels = lt.data.drawn_digits(400)
    torch.manual_seed(0)
    model = LeNet()
    probe = lt.Probe(model, images[:200], labels[:200], sample=50, budget=None)  # the clock decides nothing
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
    for _ in range(60):
        batch = torch.randint(0, 400, (50,))
        optimizer.zero_grad()
        F.cross_entropy(model(images[batch]), labels[batch]).backward()
        optimizer.step()
    probe.snapshot(60)
    rows = [(layer.name, float(f"{layer.distance:.2g}"), layer.word) for layer in probe.report().layers]
    return [dict(zip(("layer", "S", "regime"), row, strict=True)) for row in rows]


def ten_lines() -> str:
    """Run the code that the front page shows; return what it prints."""
    code = re.search(
        r'<pre id="ten"[^>]*>(.*?)</pre>', (EXPLORER / "front.html").read_text(encoding="utf-8"), re.DOTALL
    )
    assert code
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(unescape(re.sub(r"<[^>]*>", "", code[1])), {})
    return printed.getvalue().strip()


def sources() -> list[str]:
    """Return the titles of the sources that are checked."""
    from lazyrich.papers.paper import papers

    return [paper.title for name, paper in papers().items() if name != OURS]


def evidence() -> dict[str, Any]:
    rows = json.loads(RECORD.read_text(encoding="utf-8"))["claims"]
    return {
        "verdicts": verdict_counts(rows),
        "gap": gap_law(rows),
        "theorem": theorem(),
        "layers": layers(),
        "printed": ten_lines(),
        "paths": paths(),
        "sources": sources(),
    }


if __name__ == "__main__":
    OUT.write_text(json.dumps(evidence(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
