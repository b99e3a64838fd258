"""Saved trajectories, intact and damaged: loading returns exactly what was saved, or raises one error that names the
file."""

import hashlib
import io
import json
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import lazyrich as lr
from fuzz.ring import Outcome
from lazyrich._io import npz_file

NETWORKS = ("deep", "tied", "untied", "relu", "factorization", "linearized")
LOSSES = {"square": lr.Square, "logistic": lr.Logistic, "exponential": lr.Exponential}
DAMAGES = ("none", "flip", "cut", "append", "swap", "compress", "announce", "edit")
EDITS = ("field", "more", "class", "shape", "nan", "complex", "word", "array", "tree")


def draw(rng: np.random.Generator) -> dict[str, Any]:
    return {
        "network": str(rng.choice(NETWORKS)),
        "loss": str(rng.choice(sorted(LOSSES))),
        "times": int(rng.integers(0, 6)),
        "scale": float(10.0 ** rng.integers(-300, 300)),
        "seed": int(rng.integers(2**31)),
        "damage": str(rng.choice(DAMAGES)),
        "where": float(rng.uniform()),
        "edit": str(rng.choice(EDITS)),
    }


def check(
    network: str, loss: str, times: int, scale: float, seed: int, damage: str, where: float, edit: str
) -> Outcome:
    """Save a trajectory, damage the file at the fraction `where` of its length, and load it. `edit` is used by the
    damage of that name."""
    traj = _trajectory(network, loss, times, scale, np.random.default_rng(seed))
    label = f"{damage}: {edit}" if damage == "edit" else damage
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.npz"
        traj.save(path)
        _harm(path, damage, where, edit)
        try:
            loaded = lr.Trajectory.load(path)
        except ValueError as error:
            if str(path) not in str(error) or damage == "none":
                raise
            return Outcome(label, None)
    return Outcome(label, 0.0 if _same(loaded, traj) else np.inf)


def _trajectory(network: str, loss: str, times: int, scale: float, rng: np.random.Generator) -> lr.Trajectory:
    """Return a trajectory of random numbers. Nothing is integrated, so nothing is compiled."""
    d, h = 4, 3

    def weights(*shape: int) -> np.ndarray:
        return scale * rng.normal(size=shape)

    deep = lr.DeepLinear([weights(h, d), weights(1, h)])
    net: Any = {
        "deep": lambda: deep,
        "tied": lambda: lr.Diagonal([weights(2, d)], power=3),
        "untied": lambda: lr.Diagonal([weights(2, d), weights(2, d)]),
        "relu": lambda: lr.TwoLayer(weights(h, d), weights(h), negative_slope=-0.3),
        "factorization": lambda: lr.Factorization(weights(2, h)),
        "linearized": lambda: lr.Linearized(deep, (weights(h, d), weights(1, h))),
    }[network]()
    problem = lr.Problem(rng.normal(size=(5, d)), rng.choice([-1.0, 1.0], size=5), LOSSES[loss](), rng.uniform(0.1, 2))
    flow = lr.GradientFlow(net, problem, tuple(rng.uniform(0.1, 2, size=len(net.layers))))
    still = jax.tree.map(lambda leaf: jnp.asarray(np.broadcast_to(leaf, (times, *leaf.shape))), net)
    nets = still.with_layers(tuple(jnp.asarray(weights(times, *layer.shape)) for layer in net.layers))
    by = lr.Provenance("integrated", "Euler–Maruyama ½", "λ → ∞", ("kunin2024",))
    return lr.Trajectory(
        flow, jnp.asarray(np.sort(rng.uniform(size=times))), nets, by, "stopped", {"steps": 7, "x": 0.1}
    )


def _same(a: lr.Trajectory, b: lr.Trajectory) -> bool:
    """Return whether structure, text and every bit are equal."""
    leaves = list(zip(jax.tree.leaves(a), jax.tree.leaves(b), strict=False))
    bits = all(type(x) is type(y) and np.asarray(x).tobytes() == np.asarray(y).tobytes() for x, y in leaves)
    return bool(jax.tree.structure(a) == jax.tree.structure(b)) and bits


def _harm(path: Path, damage: str, where: float, edit: str) -> None:
    whole = path.read_bytes()
    place = int(where * len(whole))
    match damage:
        case "flip":
            broken = bytearray(whole)
            broken[place] ^= 1 << int(8 * len(whole) * where) % 8
            path.write_bytes(broken)
        case "cut":
            path.write_bytes(whole[:place])
        case "append":
            path.write_bytes(whole + whole[: place + 1])
        case "swap":
            path.write_bytes(whole[place:] + whole[:place])
        case "compress":
            with np.load(path) as file:
                arrays = dict(file)
            _seal(path, lambda: np.savez_compressed(path, **arrays))
        case "announce":
            _seal(path, lambda: _announce(path, int(10 ** (3 + 15 * where))))
        case "edit":
            _seal(path, lambda: _edit(path, where, edit))


def _seal(path: Path, write: Any) -> None:
    """Write a file with a valid checksum, so that its contents have to be checked, too."""
    write()
    body = (
        path.read_bytes()[:-2]
        + (len(npz_file.CHECKSUM_PREFIX) + npz_file.DIGEST_LENGTH).to_bytes(2, "little")
        + npz_file.CHECKSUM_PREFIX
    )
    path.write_bytes(body + hashlib.sha256(body).hexdigest().encode())


def _announce(path: Path, size: int) -> None:
    """Let the first array claim another size than it has."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    part = io.BytesIO()
    np.lib.format.write_array_header_1_0(part, {"descr": "<f8", "fortran_order": False, "shape": (size,)})
    with zipfile.ZipFile(path, "w") as archive:
        for name, old in parts.items():
            archive.writestr(name, part.getvalue() if name == "a0.npy" else old)


def _edit(path: Path, where: float, edit: str) -> None:
    with np.load(path) as file:
        arrays = dict(file)
    header = json.loads(str(arrays.pop("header")))
    fields = header["fields"]
    name = sorted(arrays)[int(where * len(arrays))]
    match edit:
        case "field":
            fields.pop(sorted(fields)[int(where * len(fields))])
        case "more":
            fields["flow"]["fields"]["more"] = {"value": where}
        case "class":
            fields["flow"]["fields"]["net"]["class"] = ("Popen", "By", "TwoLayer", "Problem")[int(4 * where)]
        case "shape":
            arrays[name] = arrays[name][None]
        case "nan":
            arrays["a0"] = np.nan * arrays["a0"]
        case "complex":
            arrays[name] = arrays[name].astype(complex)
        case "word":
            fields[("by", "stop_reason", "stats", "flow", "times", "layers")[int(6 * where)]] = {"value": 3}
        case "array":
            fields["times"] = {"array": "a99"}
        case "tree":
            header = [None, 3, [], {}, {"tuple": 3}, {"class": [], "fields": {}}][int(6 * where)]
    np.savez(path, header=np.array(json.dumps(header)), **arrays)
