"""The data of the room of ReLU students: one problem in the plane, and what students learn of it over (τ, δ).

`python -m lazyrich.explorer.plane` computes data/plane.json anew (a minute or two).
"""

import json
from pathlib import Path
from typing import Any

SEED, NEURONS, TEACHER, POINTS = 3, 50, 3, 20  # a seed on which the regimes are easy to tell apart
TAUS, DELTAS = 13, 13
FILE = Path(__file__).parent / "data" / "plane.json"


def computed() -> dict[str, Any]:
    """Points, base student and teacher of the seed; kernel, Hamming distance and test error of each (τ, δ)."""
    import jax
    import numpy as np

    from lazyrich import inits, phase

    student, problem, teacher = inits.teacher_student(jax.random.key(SEED), 2, NEURONS, TEACHER, POINTS)
    half = NEURONS // 2
    base = np.column_stack([student.W[:half], np.sign(student.a[:half])])
    taus, deltas = np.geomspace(0.1, 2, TAUS).round(3), np.linspace(-1, 1, DELTAS).round(3)
    size: dict[str, Any] = {"d": 2, "m": NEURONS, "k": TEACHER, "n": POINTS, "test": 2000}
    cells = [[phase.cell(float(tau), float(delta), SEED, **size) for tau in taus] for delta in deltas]
    return {
        "seed": SEED,
        "points": np.column_stack([problem.X, problem.y]).tolist(),
        "base": base.tolist(),
        "teacher": np.column_stack([teacher.W, teacher.a]).tolist(),
        "tau": taus.tolist(),
        "delta": deltas.tolist(),
        "maps": {
            name: [[float(f"{cell[name]:.3g}") for cell in row] for row in cells]
            for name in ("kernel_distance", "hamming_distance", "test_error")
        },
    }


if __name__ == "__main__":
    FILE.write_text(json.dumps(computed()) + "\n", encoding="utf-8")
