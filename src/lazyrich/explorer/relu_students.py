"""Compute the data of the ReLU tab: one problem in the plane, and students trained on it over a grid of (τ, δ).

Each student is integrated from kink to kink to the time at which the page stops, so that a student trained on the page
ends at the value of the map. `python -m lazyrich.explorer.relu_students` recomputes data/plane.json (some minutes).
"""

import json
from pathlib import Path
from typing import Any

SEED, STUDENT_WIDTH, TEACHER_WIDTH, N_POINTS = 3, 50, 3, 20  # a seed for which the regimes are easy to distinguish
TAUS, DELTAS = 13, 13
END_TIME = 300.0  # the time at which training stops on the page
N_TEST = 2000
DATA_FILE = Path(__file__).parent / "data" / "plane.json"


def compute_all() -> dict[str, Any]:
    """Return points, base student and teacher of the seed, and kernel distance, Hamming distance and test error of
    each (τ, δ)."""
    import jax
    import numpy as np

    from lazyrich import inits

    student, problem, teacher = inits.teacher_student(jax.random.key(SEED), 2, STUDENT_WIDTH, TEACHER_WIDTH, N_POINTS)
    half = STUDENT_WIDTH // 2
    base = np.column_stack([student.W[:half], np.sign(student.a[:half])])
    taus, deltas = np.geomspace(0.1, 2, TAUS).round(3), np.linspace(-1, 1, DELTAS).round(3)
    cells = [[compute_student(float(tau), float(delta)) for tau in taus] for delta in deltas]
    return {
        "seed": SEED,
        "end": END_TIME,
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


def compute_student(tau: float, delta: float) -> dict[str, float]:
    """Return the kernel distance, Hamming distance and test error of the student at (τ, δ) when the page stops."""
    import jax
    import numpy as np

    from lazyrich import GradientFlow, Problem, inits, integrate, metrics

    student, problem, teacher = inits.teacher_student(
        jax.random.key(SEED), 2, STUDENT_WIDTH, TEACHER_WIDTH, N_POINTS, tau, delta
    )
    flow = GradientFlow(student, Problem(problem.X, problem.y, kappa=2 / N_POINTS))
    traj = integrate(flow, [END_TIME], progress=False)
    angles = 2 * np.pi * (np.arange(N_TEST) + 0.5) / N_TEST
    X = np.column_stack([np.cos(angles), np.sin(angles)])
    return {
        "kernel_distance": float(metrics.kernel_distance(traj)[-1]),
        "hamming_distance": float(metrics.hamming_distance(traj)[-1]),
        "test_error": float(np.mean((np.asarray(traj.end(X)) - np.asarray(teacher(X))) ** 2)),
    }


if __name__ == "__main__":
    DATA_FILE.write_text(json.dumps(compute_all()) + "\n", encoding="utf-8")
