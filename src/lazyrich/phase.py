r"""Phase diagrams of two-layer networks: what a student learns at overall scale τ and relative scale δ.

kunin2024, figure 1b: a ReLU student of some width, in symmetrized pairs, learns a narrower teacher from n points
on the sphere, by the mean square error. Each cell of the diagram is one student, followed along its gradient flow to
time `time`/τ² (the authors' 1e5 steps of 5e-3/τ² are `time=500`) or to the error `stop`, whichever comes first.
"""

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from lazyrich import inits
from lazyrich._linear_regions import linear_regions
from lazyrich._validate.arrays import check_positive, check_static_float
from lazyrich._validate.integers import check_int
from lazyrich.flow import GradientFlow
from lazyrich.metrics import population_hamming_distance, population_kernel_distance
from lazyrich.networks import TwoLayer
from lazyrich.networks.kernel_distance import cosine_distance
from lazyrich.numerics import LossBelow, integrate
from lazyrich.numerics.precision import tree_cast
from lazyrich.population import Population
from lazyrich.problem import Problem
from lazyrich.sweep import Grid, run
from lazyrich.sweep.grid import MAX_CELLS
from lazyrich.trajectory import Trajectory

if TYPE_CHECKING:
    import matplotlib.figure
    import xarray

TAUS = tuple(float(tau) for tau in np.geomspace(0.1, 2, 17))
DELTAS = tuple(float(delta) for delta in np.linspace(-1, 1, 17))

POPULATION_RTOL = 1e-4  # on infinite data, where a flow is cheap

# The metrics at the end of each run, each with its title and whether its scale is logarithmic.
METRICS = {
    "test_error": ("Test error", True),
    "kernel_distance": ("Kernel distance $S$", False),
    "hamming_distance": ("Hamming distance", False),
    "parameter_distance": (r"Parameter distance $\|\theta - \theta_0\|$", True),
    "train_loss": ("Training error", True),
}


@dataclass(frozen=True)
class StudentSetup:
    """What all students of a diagram have in common.

    - `d`: number of inputs; `width`, `teacher_width`: numbers of neurons of student and teacher, the first one even;
      `n`, `test`: numbers of training and test points; `negative_slope`: of the activation below zero (0 is ReLU).
    - `time`: flow time in units of 1/τ²; so many steps at learning rate lr/τ² are `time = lr × steps`. `stop`: the loss
      at which a student has learned enough.
    - `decay`: weight decay of the students; one that is large enough keeps the error from ever reaching `stop`.
    - `rtol`: of the flow. At the default, test error and kernel distance are within about 1 % of the flow's own, in the
      mean over seeds; at τ = 0.1, δ = 1 within 8 % and 4 %.
    - `population`: learn from infinitely many points on the sphere instead of n, and measure everything in closed form.
      The training error is then the test error, and `n` and `test` have no effect.
    """

    d: int = 100
    width: int = 50
    teacher_width: int = 3
    n: int = 1000
    test: int = 10_000
    negative_slope: float = 0.0
    time: float = 500.0
    stop: float = 1e-10
    rtol: float = 3e-2
    decay: float = 0.0
    population: bool = False

    def __post_init__(self) -> None:
        for name in ("d", "width", "teacher_width", "n", "test"):
            check_int(name, getattr(self, name))
        for name in ("time", "stop", "rtol"):
            if not check_static_float(name, getattr(self, name)) > 0:  # `check_positive` would start JAX at import
                raise ValueError(f"{name} must be positive; found {getattr(self, name):g}")
        if not check_static_float("decay", self.decay) >= 0:
            raise ValueError(f"decay must be 0 or positive; found {self.decay:g}")
        if not -np.inf < self.negative_slope <= 1:
            raise ValueError(
                "negative_slope must be at most 1 and finite: σ(z) = max(z, negative_slope·z) bends at 0; "
                f"found {self.negative_slope}"
            )
        if self.width % 2:
            raise ValueError(f"students are symmetrized, in pairs of neurons: width must be even; found {self.width}")


@lru_cache(maxsize=32)
def _problem_and_test_data(
    seed: int, d: int, teacher_width: int, n: int, test: int, negative_slope: float
) -> tuple[Problem, Array, Array]:
    """Return the problem of a seed, and test inputs with the teacher's outputs on them, in single precision."""
    key = jax.random.key(seed)
    _, problem, guide = inits.teacher_student(key, d, 2, teacher_width, n, negative_slope=negative_slope)
    problem = Problem(problem.X, problem.y, kappa=2 / n)  # the mean square
    points = inits.sphere_points(jax.random.fold_in(jax.random.key(seed), 1), test, d)
    return problem, *tree_cast((points, guide(points)), jnp.float32)


@eqx.filter_jit
def _make_student(seed: Array, d: int, h: int, tau: Array, delta: Array, negative_slope: float) -> TwoLayer:
    # the key that teacher_student uses for its student
    return inits.symmetrized(jax.random.split(jax.random.key(seed), 3)[1], d, h, tau, delta, negative_slope)


@eqx.filter_jit
def measure(net: TwoLayer, start: TwoLayer, problem: Problem, points: Array, labels: Array) -> dict[str, Array]:
    """Compute all metrics of a network: three n × n products for the kernel distance, one for the test error.

    Kernels and test outputs are computed in single precision and summed in double.
    """
    small, small0, X = tree_cast((net, start, problem.X), jnp.float32)
    K, K0 = (each.ntk(X) for each in (small, small0))
    moved = sum(jnp.sum((a - b) ** 2) for a, b in zip(net.layers, start.layers, strict=True))
    return {
        "test_error": jnp.mean((small(points) - labels) ** 2, dtype=float),
        "kernel_distance": cosine_distance(K, K0),
        "hamming_distance": jnp.mean(
            net.activation_pattern(problem.X) != start.activation_pattern(problem.X), dtype=float
        ),
        "parameter_distance": jnp.sqrt(moved),
        "train_loss": problem.value(net(problem.X)),
    }


def train_student(tau: float, delta: float, seed: int, setup: StudentSetup = StudentSetup()) -> dict[str, float]:
    """Train one student. Return the metrics at the end; `time`, the flow time reached; `gradients`, the number used;
    and `fitted`, whether the training error fell to `stop`.

    >>> result = train_student(1.0, 0.0, seed=0, setup=StudentSetup(d=5, width=8, n=20, test=100, time=50.0))
    >>> sorted(result)[:4], result["train_loss"] < result["test_error"]
    (['fitted', 'gradients', 'hamming_distance', 'kernel_distance'], True)
    """
    if setup.population:
        return _train_on_population(tau, delta, seed, setup)
    problem, points, labels = _problem_and_test_data(
        seed, setup.d, setup.teacher_width, setup.n, setup.test, setup.negative_slope
    )
    scales = jnp.asarray(tau, float), jnp.asarray(delta, float)
    start = _make_student(jnp.asarray(seed), setup.d, setup.width, *scales, setup.negative_slope)
    flow = GradientFlow(start, problem, decay=setup.decay)
    end = setup.time / tau**2
    traj = integrate(flow, [end], precision="single", until=LossBelow(setup.stop), rtol=setup.rtol, progress=False)
    measured = measure(traj[-1], start, problem, points, labels)
    return {name: float(value) for name, value in measured.items()} | {
        "time": float(traj.times[-1]),
        "gradients": int(traj.stats["gradients"]),
        "fitted": bool(traj.stats["stopped early"]),
    }


def _train_on_population(tau: float, delta: float, seed: int, setup: StudentSetup) -> dict[str, float]:
    """Train one student on infinitely many points, from the same start and teacher as with samples.

    Units move in the span of their start and the teacher's, so that is where they are followed. A homogeneous network
    has d times the mean square on N(0, I) that it has on the unit sphere.
    """
    scales = jnp.asarray(tau, float), jnp.asarray(delta, float)
    student = _make_student(jnp.asarray(seed), setup.d, setup.width, *scales, setup.negative_slope)
    guide = inits.teacher(
        jax.random.split(jax.random.key(seed), 3)[0], setup.d, setup.teacher_width, setup.negative_slope
    )
    units = np.concatenate([student.W[: setup.width // 2] / jnp.linalg.norm(student.W[0]), guide.W])
    basis = np.linalg.qr(units.T)[0]
    start, teacher = (net.with_layers((net.W @ basis, net.a)) for net in (student, guide))
    flow = GradientFlow(start, Population(teacher, kappa=2 / setup.d), decay=setup.decay or None)
    end = setup.time / tau**2
    traj = integrate(flow, [end], until=LossBelow(setup.stop), rtol=min(setup.rtol, POPULATION_RTOL), progress=False)
    trained, loss = cast(TwoLayer, traj.end), float(traj.loss[-1])
    moved = sum(jnp.sum((a - b) ** 2) for a, b in zip(trained.layers, start.layers, strict=True))
    end_net, start_net = (net.with_layers((net.W @ basis.T, net.a)) for net in (trained, start))  # S depends on d
    return {
        "test_error": loss,
        "kernel_distance": float(population_kernel_distance(end_net, start_net)),
        "hamming_distance": float(population_hamming_distance(trained, start)),
        "parameter_distance": float(jnp.sqrt(moved)),
        "train_loss": loss,
        "time": float(traj.times[-1]),
        "gradients": int(traj.stats["steps"]),
        "fitted": bool(traj.stats["stopped early"]),
    }


def _sweep_arguments(setup: StudentSetup) -> dict[str, float]:
    """Return the parameters that a sweep stores: without a decay of 0 or `population=False`, so that older folders can
    be continued."""
    return {name: value for name, value in asdict(setup).items() if name not in ("decay", "population") or value}


def _train_cell(tau: float, delta: float, seed: int, **parameters: float) -> dict[str, float]:
    """Train one student of a sweep, whose files name each parameter of the setup."""
    return train_student(tau, delta, seed, StudentSetup(**parameters))  # type: ignore[arg-type]


def phase_diagram(
    tau: Sequence[float] = TAUS,
    delta: Sequence[float] = DELTAS,
    *,
    seeds: int | Sequence[int] = 16,
    out: str | os.PathLike,
    setup: StudentSetup = StudentSetup(),
    engine: str = "processes",
    workers: int | None = None,
    progress: bool | None = None,
    max_cells: float = MAX_CELLS,
) -> "xarray.Dataset":
    """Compute the (τ, δ) diagram: every metric over τ, δ and seeds, into a folder that a later call continues.

    The students of a seed differ only in τ and δ. `out` contains `phase.png`, redrawn as cells arrive, and the sweep
    (`lazyrich.sweep`): its cells and `data.zarr`.

    `setup` has what all students share (`StudentSetup`). More than `max_cells` students are refused.
    """
    grid = Grid({"tau": tau, "delta": delta}, seeds, max_cells)
    axes = {name: [float(value) for value in values] for name, values in grid.parameters.items()}
    check_positive("tau", min(axes["tau"]))

    def picture(data: "xarray.Dataset") -> None:
        from lazyrich._io.npz_file import atomic_write

        with atomic_write(Path(out) / "phase.png") as file:
            plot(data).savefig(file, dpi=160, format="png")

    data = run(
        _train_cell,
        axes,
        seeds=grid.seeds,
        out=out,
        fixed=_sweep_arguments(setup),
        engine=engine,
        workers=workers,
        progress=progress,
        watch=picture,
        max_cells=max_cells,
    )
    picture(data)
    return data


class FitSummary(NamedTuple):
    """The number of students, the number whose error fell to `stop`, and the largest training error."""

    students: int
    fitted: int
    worst: float


def summarize_fits(data: "xarray.Dataset") -> FitSummary | None:
    """Return how many students of a diagram learned, or None if there is no result yet."""
    if "fitted" not in data or not (there := np.isfinite(data["train_loss"].values)).any():
        return None
    fitted, loss = (np.asarray(data[name].values, float)[there] for name in ("fitted", "train_loss"))
    return FitSummary(fitted.size, int(fitted.sum()), float(loss.max()))


def plot(data: "xarray.Dataset") -> "matplotlib.figure.Figure":
    """Draw heat maps of every metric over τ and δ: the mean over seeds above, its spread below. Missing cells are
    hatched."""
    from lazyrich._io import plots

    return plots.plot_phase_diagram(data, METRICS)


def planar_student(
    tau: float,
    delta: float,
    *,
    seed: int = 0,
    width: int = 50,
    teacher_width: int = 3,
    n: int = 20,
    negative_slope: float = 0.0,
    time: float = 100.0,
    saves: int = 200,
) -> Trajectory:
    """Train a student in the plane (kunin2024, figure 1a), exact through its kinks. It is saved at 0 and at `saves`
    times, log-spaced up to `time` (1e6 steps of 1e-4).

    `linear_regions` of one of its networks returns the function it has learned; `plot_planar_students` draws several.

    >>> traj = planar_student(2.0, 0.0, width=4, n=5, time=1.0, saves=3)
    >>> traj.by.method, len(traj)
    ('DOP853 from kink to kink', 4)
    """
    check_int("saves", saves)
    check_positive("time", time)
    key = jax.random.key(seed)
    student, problem, _ = inits.teacher_student(key, 2, width, teacher_width, n, tau, delta, negative_slope)
    flow = GradientFlow(student, Problem(problem.X, problem.y, kappa=2 / n))
    return integrate(flow, np.concatenate([[0.0], np.geomspace(time, 1e-4 * time, saves)[::-1]]))


def plot_planar_students(trajectories: dict[str, Trajectory]) -> "matplotlib.figure.Figure":
    """Draw titled trajectories in the plane: the paths of w|a| of all neurons above, the final functions below."""
    from lazyrich._io import plots

    surfaces = {title: linear_regions(traj[-1], (-1.2, 1.2, -1.2, 1.2)) for title, traj in trajectories.items()}
    return plots.plot_neurons_in_plane(trajectories, surfaces)
