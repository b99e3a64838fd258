"""The result of following a flow."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PyTree

from lazyrich._core.array_namespace import is_concrete
from lazyrich._core.linalg import safe_norm
from lazyrich._core.runtime_errors import raise_if
from lazyrich._core.stacked_map import vmap_over_stack
from lazyrich._core.types import ArrayLike, Layers
from lazyrich._io import npz_file
from lazyrich._io.html import html_figure, html_pre
from lazyrich._validate.arrays import check_array
from lazyrich._validate.integers import pluralize
from lazyrich._validate.optional_dependencies import require_packages
from lazyrich.flow import GradientFlow
from lazyrich.networks import NETWORKS, Network
from lazyrich.population import Population
from lazyrich.problem import Exponential, Logistic, Problem, Square

if TYPE_CHECKING:
    import matplotlib.figure
    import xarray


Stats = dict[str, Any]  # numbers about a run, such as its steps

DOUBT = 0.01  # relative to the movement from one time to the next: a less certain interpolation is refused


@dataclass(frozen=True)
class Provenance:
    """How a result was obtained: its kind (exact, integrated, descended, diffused), the method, details, and keys of
    the sources to cite."""

    kind: str
    method: str
    detail: str = ""
    sources: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.kind} by {self.method}" + (f" ({self.detail})" if self.detail else "")


class Trajectory(eqx.Module):
    """The path of a network: `times`, `nets` (stacked along time), and `by`, which states how it was obtained.

    `traj[i]` is the network at times[i], `traj[i:j]` a part of the trajectory, and `traj.at(t)` the network at any time
    in between: by the closed form if there is one, else by cubic interpolation where that is accurate. `stop_reason`
    states why the path ends where it does. `mirror_path` is what `equivalent_flow` needs of a descent, if it was kept.
    """

    flow: GradientFlow
    times: Float[Array, " t"]
    nets: Network
    by: Provenance = eqx.field(static=True)
    stop_reason: str = eqx.field(static=True, default="")
    stats: Stats = eqx.field(default_factory=dict)
    closed_form: Callable[[GradientFlow, Array], Network] | None = eqx.field(static=True, default=None)
    mirror_path: Float[Array, "t 3 d"] | None = None

    def __len__(self) -> int:
        return len(self.times)

    def __getitem__(self, index: int | slice | np.ndarray | Sequence[int]) -> Any:
        try:
            rows = np.arange(len(self))[index if isinstance(index, (slice, list)) else np.asarray(index)]
        except (IndexError, TypeError, ValueError):  # JAX would clip the index
            raise IndexError(
                f"the trajectory has {pluralize(len(self), 'time')}; index {index!r:.60} is outside"
            ) from None
        if np.ndim(rows) > 1:
            raise IndexError(f"a trajectory has one axis, time; found the index {index!r:.60}")
        picked = jax.tree.map(lambda leaf: leaf[rows], self.nets)
        if np.ndim(rows) == 0:
            return picked
        path = None if self.mirror_path is None else self.mirror_path[rows]
        times, words = self.times[rows], (self.by, self.stop_reason, self.stats)
        return Trajectory(self.flow, times, picked, *words, self.closed_form, path)

    def map(self, function: Callable[[Network], PyTree]) -> PyTree:
        """Apply a function of a network to each time of the trajectory, vectorized."""
        return eqx.filter_vmap(function)(self.nets)

    @property
    def start(self) -> Network:
        """The network that the flow starts from."""
        return self.flow.net

    @property
    def end(self) -> Network:
        """The last network."""
        return self[-1]

    @property
    def beta(self) -> Array:
        """The linear predictor at each time, of shape (t, d) or (t, d, c)."""
        return vmap_over_stack(self.flow.beta, self.nets)

    @property
    def outputs(self) -> Array:
        """The outputs on the training inputs at each time, of shape (t, n) or (t, n, c)."""
        return vmap_over_stack(self.flow.outputs, self.nets)

    @property
    def loss(self) -> Float[Array, " t"]:
        """The training loss of the data at each time, without the penalty of weight decay."""
        return vmap_over_stack(self.flow.loss, self.nets)

    @property
    def objective(self) -> Float[Array, " t"]:
        """The loss plus the penalty of weight decay at each time: what the flow descends."""
        return vmap_over_stack(self.flow.objective, self.nets)

    @property
    def layer_norms(self) -> Float[Array, "t layers"]:
        """The Euclidean norm of each layer at each time."""
        squares = [
            [jnp.sum(leaf.reshape(len(self), -1) ** 2, axis=1) for leaf in jax.tree.leaves(layer)]
            for layer in self.nets.layers
        ]
        return jnp.sqrt(jnp.stack([sum(square) for square in squares], axis=1))

    def at(self, time: ArrayLike) -> Network:
        """Return the network at one time between the first and the last.

        An exact trajectory is evaluated by its theorem. Others are interpolated by cubics with the flow's own
        velocities. If the velocities in between differ so much from the flow's that more than a hundredth of the
        movement from node to node is in doubt, an error is raised. (A file contains no theorem: a loaded trajectory is
        interpolated.) Diffusions have no velocity; between two nodes their mean is linear.
        """
        time = check_array("time", time, (0,))
        if is_concrete(time, self.times) and not self.times[0] <= time <= self.times[-1]:
            raise ValueError(
                f"time {float(time):g} is outside the trajectory, which runs from {float(self.times[0]):g} "
                f"to {float(self.times[-1]):g}; solve for more times"
            )
        if not is_concrete(time, self.times):
            there, span = jax.lax.stop_gradient(time), jax.lax.stop_gradient(self.times)
            outside = ~((span[0] <= there) & (there <= span[-1]))
            time = raise_if(time, {"the time is outside the trajectory; solve for more times": outside})
        if self.closed_form is not None:
            return jax.tree.map(lambda leaf: leaf[0], self.closed_form(self.flow, time[None]))
        if len(self) == 1:
            return self[0]
        right = jnp.clip(jnp.searchsorted(self.times, time), 1, len(self) - 1)
        t0, t1 = self.times[right - 1], self.times[right]
        gap = t1 - t0
        s = jnp.where(gap > 0, (time - t0) / jnp.where(gap > 0, gap, 1.0), 1.0)
        start, end = (jax.tree.map(lambda leaf, i=i: leaf[i], self.nets.layers) for i in (right - 1, right))
        if self.by.kind == "diffused":
            return self.flow.net.with_layers(jax.tree.map(lambda a, b: (1 - s) * a + s * b, start, end))
        layers, doubt = _hermite(self.flow, start, end, gap, s)
        message = (
            f"the times of this trajectory are too far apart to interpolate between two of them: {self.by.kind} "
            "trajectories are known at their own times. Ask for this time when you compute it, or for more of them"
        )
        return self.flow.net.with_layers(raise_if(layers, {message: jax.lax.stop_gradient(doubt) > DOUBT}))

    def to_xarray(self) -> "xarray.Dataset":
        """Return loss, outputs, predictor and parameters over time as a dataset, with `by` in the attributes.

        A flow with weight decay adds the objective.
        """
        require_packages("to_xarray", "sweep", "xarray")
        import xarray

        names = {"time": ("time", np.asarray(self.times))}
        data: dict[str, Any] = {"loss": ("time", np.asarray(self.loss))}
        if self.flow.decay is not None:
            data["objective"] = ("time", np.asarray(self.objective))

        def add(name: str, value: Array, axes: tuple[str, ...]) -> None:
            data[name] = (("time", *axes[: value.ndim - 1]), np.asarray(value))

        if self.flow.problem.has_samples:
            add("outputs", self.outputs, ("sample", "output"))
        if self.flow.net.linear_in_inputs:
            add("beta", self.beta, ("feature", "output"))
        for l, layer in enumerate(self.nets.layers, 1):
            for i, leaf in enumerate(jax.tree.leaves(layer)):
                tag = f"layer_{l}" if i == 0 else f"layer_{l}_{i}"
                add(tag, leaf, tuple(f"{tag}_axis_{k}" for k in range(leaf.ndim - 1)))
        attributes = {"by": str(self.by), "stop_reason": self.stop_reason, "network": type(self.flow.net).__name__}
        return xarray.Dataset(data, coords=names, attrs=attributes)

    def save(self, path: str | os.PathLike) -> None:
        """Write everything to one .npz file, atomically and without pickle.

        Your own network is written field by field; pass its class to `load`.
        """
        if len({jax.tree.structure(net) for net in (self.nets, self.flow.net)}) > 1:
            raise ValueError(f"nets must be the flow's network along time; found {self.nets!r:.60}")
        words = (self.by, self.stop_reason, self.stats)
        saved = _SavedTrajectory(self.flow, self.times, self.nets.layers, *words, self.mirror_path)
        npz_file.save(path, saved, (*_SAVABLE_CLASSES, *_user_classes(self.flow.net)))

    @staticmethod
    def load(path: str | os.PathLike, *networks: type[eqx.Module]) -> "Trajectory":
        """Read a trajectory that `save` wrote. A damaged or foreign file raises a ValueError with its name.

        Pass the classes of your own networks, `Trajectory.load(path, MyNetwork)`: a file contains numbers, never code.
        """
        for cls in networks:
            if not (isinstance(cls, type) and issubclass(cls, eqx.Module)):
                raise TypeError(f"load takes classes of networks after the path; found {cls!r:.60}")
            _check_class_names(cls)
        saved = npz_file.load(path, (*_SAVABLE_CLASSES, *networks))
        if not isinstance(saved, _SavedTrajectory):
            raise ValueError(f"{os.fspath(path)} holds a {type(saved).__name__}, not a Trajectory")
        # Arrays that a network keeps outside of its layers are repeated along time.
        still = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (len(saved.times), *leaf.shape)), saved.flow.net)
        nets = still.with_layers(saved.layers)
        words = (saved.by, saved.stop_reason, saved.stats)
        return Trajectory(saved.flow, saved.times, nets, *words, mirror_path=saved.mirror_path)

    def plot(self) -> "matplotlib.figure.Figure":
        """Plot the loss, the kernel distance S, the predictor or the outputs, and the norm of each layer over time.

        On many inputs, S is measured on some of them; the title says on how many."""
        from lazyrich.trajectory_plot import plot_trajectory

        return plot_trajectory(self)

    def _repr_html_(self) -> str:
        if not is_concrete(self) or self.times.ndim != 1:
            return html_pre(repr(self))
        return html_figure(self.plot()) + html_pre(repr(self))

    def __repr__(self) -> str:
        times = np.asarray(self.times) if is_concrete(self.times) else None
        span = "traced" if times is None else f"{times[0]:g} … {times[-1]:g}"
        text = f"Trajectory({type(self.flow.net).__name__}, {pluralize(len(self), 'time')} {span}, {self.by}"
        return text + (f"; {self.stop_reason})" if self.stop_reason else ")")


def _hermite(flow: GradientFlow, start: Layers, end: Layers, gap: Array, s: Array) -> tuple[Layers, Array]:
    """Return the cubic through two states, with the flow's velocities there, at a fraction s of the gap, and its doubt.

    The doubt is the distance of the flow's velocity on the cubic from the cubic's own, times the gap, relative to the
    distance between the states: the largest over three points and s itself. It vanishes at the states themselves.
    """
    v0, v1 = (jax.tree.map(lambda v: gap * v, flow.vector_field(state)) for state in (start, end))

    def cubic(s: Array) -> tuple[Layers, Layers]:
        def value(a: Array, b: Array, va: Array, vb: Array) -> Array:
            return a + s**2 * (3 - 2 * s) * (b - a) + s * (1 - s) * ((1 - s) * va - s * vb)

        def slope(a: Array, b: Array, va: Array, vb: Array) -> Array:
            return 6 * s * (1 - s) * (b - a) + (1 - s) * (1 - 3 * s) * va - s * (2 - 3 * s) * vb

        return tuple(jax.tree.map(part, start, end, v0, v1) for part in (value, slope))

    def slope_defect(s: Array) -> Array:
        state, slope = cubic(s)
        return _norm(jax.tree.map(lambda v, d: gap * v - d, flow.vector_field(state), slope))

    apart = _norm(jax.tree.map(jnp.subtract, end, start))
    between = (s > 0) & (s < 1) & (gap > 0)
    errors = jnp.stack([slope_defect(jnp.asarray(place)) for place in (0.25, 0.5, 0.75, s)])
    rounding = 1e-12 * _norm(end)
    doubt = jnp.where(between, jnp.max(errors) / jnp.where(apart > rounding, apart, rounding), 0.0)
    return cubic(s)[0], jnp.where(jnp.isnan(doubt), jnp.inf, doubt)


def _norm(tree: PyTree) -> Array:
    """Return the Euclidean norm of all entries, without overflow of squares."""
    return safe_norm(jnp.concatenate([jnp.ravel(leaf) for leaf in jax.tree.leaves(tree)]))


@dataclass(frozen=True)
class _SavedTrajectory:
    """A trajectory on disk, validated when it is saved and when it is loaded: what can be saved can be loaded."""

    flow: GradientFlow
    times: Array
    layers: Layers
    by: Provenance
    stop_reason: str
    stats: Stats
    mirror_path: Array | None

    def __post_init__(self) -> None:
        words = (self.stop_reason, self.by.kind, self.by.method, self.by.detail, *self.by.sources)
        if not isinstance(self.flow, GradientFlow) or not isinstance(self.stats, dict):
            raise TypeError(f"a trajectory has a GradientFlow and a dict; found {type(self.flow)}, {type(self.stats)}")
        if not all(isinstance(word, str) for word in words):
            raise TypeError(f"how a trajectory was obtained, and why it ends, is said in words; found {words}")
        if self.times.ndim != 1 or self.times.dtype != float or not np.all(np.isfinite(self.times)):
            raise ValueError(
                f"times must be finite, and in one row; found {self.times.dtype} {self.times.shape}. "
                "Of many trajectories, as vmap makes them, save one after the other: "
                "jax.tree.map(lambda leaf: leaf[i], trajectories)"
            )
        shapes = [(len(self.times), *leaf.shape) for leaf in jax.tree.leaves(self.flow.net.layers)]
        leaves = jax.tree.leaves(self.layers)
        if (
            len({jax.tree.structure(layers) for layers in (self.layers, self.flow.net.layers)}) > 1
            or [leaf.shape for leaf in leaves] != shapes
            or any(leaf.dtype != float for leaf in leaves)
        ):
            raise ValueError(
                f"the layers along time must be float64 of shapes {shapes}; "
                f"found {[f'{leaf.dtype} {leaf.shape}' for leaf in leaves]}"
            )
        path = self.mirror_path
        if path is not None and (path.shape[:2] != (len(self.times), 3) or path.ndim != 3 or path.dtype != float):
            raise ValueError(f"mirror_path must be float64 with 3 rows per time; found {path.dtype} {path.shape}")


_LOSSES = (Square, Logistic, Exponential)
_SAVABLE_CLASSES = (_SavedTrajectory, Provenance, GradientFlow, Problem, Population, *_LOSSES, *NETWORKS)


def _user_classes(node: PyTree) -> set[type]:
    """Return the user's own classes in a network, after checking that their constructors rebuild them from their
    fields."""
    if isinstance(node, list):
        raise TypeError("cannot save a network that holds a list, which would come back as a tuple: give it a tuple")
    if isinstance(node, (tuple, dict)):
        return set().union(*(_user_classes(item) for item in (node.values() if isinstance(node, dict) else node)))
    if not isinstance(node, eqx.Module):
        return set()
    parts = {field.name: getattr(node, field.name) for field in fields(node)}
    classes = _user_classes(parts)
    if type(node) in _SAVABLE_CLASSES:
        return classes
    name = _check_class_names(type(node))
    try:
        again = type(node)(**parts)
    except Exception as error:  # a user's constructor can raise anything
        raise TypeError(
            f"cannot save a {name}: its constructor must take its fields, {list(parts)}. {error}"
        ) from error
    if not eqx.tree_equal(again, node):
        raise TypeError(f"cannot save a {name}: made again from its fields, {list(parts)}, it is another")
    return classes | {type(node)}


def _check_class_names(cls: type) -> str:
    """Return the name of a class; raise an error if it collides with a class of lazyrich."""
    if any(ours.__name__ == cls.__name__ and ours is not cls for ours in _SAVABLE_CLASSES):
        raise ValueError(f"{cls.__name__} is a class of lazyrich: give your own another name to save and load it")
    return cls.__name__
