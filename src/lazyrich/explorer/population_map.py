"""Compute the map of the ReLU tab: students that learn from all points on the circle, over a grid of (τ, δ).

On infinite data nothing depends on a draw, and the map is smooth. `python -m lazyrich.explorer.population_map`
recomputes data/population.json (some minutes). The flow is written out in NumPy, with the expectations over the circle
in closed form; the tests compare it with `lazyrich.Population`. Numbers are stored as one character each.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

from lazyrich.explorer.relu_students import SEED, STUDENT_WIDTH, TEACHER_WIDTH

TAUS, DELTAS = np.geomspace(0.1, 2, 15).round(4), np.linspace(-1, 1, 15).round(4)
TIMES = (0.1, 0.3, 1.0, 3.0, 10.0, 100.0)
ANGLES = 20  # directions in which a learned function is stored; it is homogeneous
LEAST, MOST = 1e-5, 10.0  # of the metrics
HEIGHT = 2.5  # of the functions
CODE = "".join(
    chr(i) for i in range(35, 127) if chr(i) not in "\\<&'"
)  # characters that need no escape in JSON or HTML
N_CIRCLE = 180  # points on which S, Hamming distance and error are averaged
METRICS = ("kernel_distance", "hamming_distance", "test_error")
DATA_FILE = Path(__file__).parent / "data" / "population.json"


def encode(shares: Any) -> str:
    """Return one character for each number between 0 and 1."""
    places = np.clip(np.rint(np.asarray(shares) * (len(CODE) - 1)), 0, len(CODE) - 1)
    return "".join(CODE[int(place)] for place in places.ravel())


def decode(text: str) -> Any:
    """Return the numbers between 0 and 1 of `encode`."""
    return np.array([CODE.index(character) for character in text]) / (len(CODE) - 1)


def directions() -> Any:
    """Return the unit vectors at which functions are stored."""
    angles = 2 * np.pi * np.arange(ANGLES) / ANGLES
    return np.column_stack([np.cos(angles), np.sin(angles)])


def start(tau: float, delta: float) -> tuple[Any, Any, Any, Any]:
    """Return W and a of the student of (τ, δ), and of its teacher."""
    import jax

    from lazyrich import inits

    student, _, teacher = inits.teacher_student(jax.random.key(SEED), 2, STUDENT_WIDTH, TEACHER_WIDTH, 1, tau, delta)
    W, a, V, b = (np.asarray(value) for value in (student.W, student.a, teacher.W, teacher.a))
    return W, a, V, b


def _slopes(W: Any, V: Any) -> Any:
    """Return E σ'(w·x) σ(v·x) x over the circle, for each pair of rows."""
    w, v = np.linalg.norm(W, axis=1), np.linalg.norm(V, axis=1)
    unit = W / np.where(w > 0, w, 1.0)[:, None]
    cosine = np.clip(unit @ (V / np.where(v > 0, v, 1.0)[:, None]).T, -1, 1)
    sine = np.sqrt(1 - cosine**2)
    return ((v * sine)[..., None] * unit[:, None] + (np.pi - np.arccos(cosine))[..., None] * V) / (4 * np.pi)


def velocity(W: Any, a: Any, V: Any, b: Any) -> tuple[Any, Any]:
    """Return the flow of the mean square over the circle."""
    push = np.einsum("kjd,j->kd", _slopes(W, np.vstack([W, V])), np.append(-a, b))
    return 2 * a[:, None] * push, 2 * np.sum(W * push, axis=1)  # E σ(w·x)r = w · E σ'(w·x) x r


def follow(W: Any, a: Any, V: Any, b: Any, times: Any, rtol: float = 3e-5) -> list[tuple[Any, Any]]:
    """Return W and a at each time, by Bogacki and Shampine's pair. A unit that arrives at w = 0 rests there."""
    states, t, step, resting = [], 0.0, 1e-3, np.zeros(len(a), bool)
    size = np.array([np.sqrt(np.mean(W**2))] * 2 + [np.sqrt(np.mean(a**2))])  # of w and a at the start

    def field(z: Any) -> Any:
        dW, da = velocity(z[:, :2], z[:, 2], V, b)
        return np.where(resting[:, None], 0.0, np.column_stack([dW, da]))

    z = np.column_stack([W, a])
    k1 = field(z)
    for end in times:
        while t < end:
            h = min(step, end - t)
            k2 = field(z + h / 2 * k1)
            k3 = field(z + 3 * h / 4 * k2)
            new = z + h * (2 / 9 * k1 + 1 / 3 * k2 + 4 / 9 * k3)
            k4 = field(new)
            wrong = h * np.max(np.abs(-5 / 72 * k1 + k2 / 12 + k3 / 9 - k4 / 8) / size) / rtol
            if wrong <= 1:
                # Past w = 0 a unit would come back from the other side: its w has turned around in a single step.
                turned = np.sum(z[:, :2] * new[:, :2], axis=1) < 0
                small = np.linalg.norm(new[:, :2], axis=1) < 1e-3 * size[0]
                arrived = ~resting & (turned | small) & (new[:, 2] ** 2 > np.sum(new[:, :2] ** 2, axis=1))
                t, z, k1 = t + h, new, k4
                if np.any(arrived):
                    resting |= arrived
                    z[resting, :2] = 0.0
                    k1 = field(z)
            step = h * np.clip(0.9 * max(wrong, 1e-9) ** (-1 / 3), 0.2, 4.0) if wrong > 1 or h == step else step
        states.append((z[:, :2].copy(), z[:, 2].copy()))
    return states


def compute_cell(tau: float, delta: float) -> dict[str, Any]:
    """Return the metrics of a student at each time, and its function in all directions."""
    W0, a0, V, b = start(tau, delta)
    angles = 2 * np.pi * (np.arange(N_CIRCLE) + 0.5) / N_CIRCLE
    X = np.column_stack([np.cos(angles), np.sin(angles)])
    goal = np.maximum(X @ V.T, 0) @ b
    first = _on_circle(W0, a0, X)
    cell: dict[str, Any] = {name: [] for name in (*METRICS, "function")}
    for W, a in follow(W0, a0, V, b, TIMES):
        f, active, K = _on_circle(W, a, X)
        cell["kernel_distance"].append(1 - np.sum(K * first[2]) / np.linalg.norm(K) / np.linalg.norm(first[2]))
        cell["hamming_distance"].append(np.mean(active != first[1]))
        cell["test_error"].append(np.mean((f - goal) ** 2))
        cell["function"].append(np.maximum(directions() @ W.T, 0) @ a)
    return cell


def _on_circle(W: Any, a: Any, X: Any) -> tuple[Any, Any, Any]:
    """Return the outputs, the activation pattern and the tangent kernel on some inputs."""
    hidden = np.maximum(X @ W.T, 0)
    active = (hidden > 0).astype(float)
    return hidden @ a, hidden > 0, hidden @ hidden.T + (active * a**2) @ active.T * (X @ X.T)


def pack(cells: list[list[dict[str, Any]]]) -> dict[str, Any]:
    """Return the table of the page from cells in rows of δ: a string for each metric and time."""
    flat = [cell for row in cells for cell in row]
    span = np.log(MOST / LEAST)
    return {
        "tau": TAUS.tolist(),
        "delta": DELTAS.tolist(),
        "times": list(TIMES),
        "angles": ANGLES,
        "range": [LEAST, MOST],
        "height": HEIGHT,
        "maps": {
            name: [
                encode([np.log(max(cell[name][i], LEAST) / LEAST) / span for cell in flat]) for i in range(len(TIMES))
            ]
            for name in METRICS
        },
        "functions": [
            encode([(np.asarray(cell["function"][i]) / HEIGHT + 1) / 2 for cell in flat]) for i in range(len(TIMES))
        ],
    }


if __name__ == "__main__":
    table = pack([[compute_cell(float(tau), float(delta)) for tau in TAUS] for delta in DELTAS])
    DATA_FILE.write_text(json.dumps(table) + "\n", encoding="utf-8")
