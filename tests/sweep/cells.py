"""Functions for the tests of sweeps. They import nothing heavy: a spawned process starts in a moment."""

import os
import time
from pathlib import Path

import numpy as np


def simple(x, y, seed, offset=0.0):
    rng = np.random.default_rng([seed, int(10 * x)])
    return {"sum": x + len(y) + offset, "noise": rng.normal(size=3), "seed_is_even": seed % 2 == 0, "label": f"{y}!"}


def counted(x, seed, log, pause=0.0):
    """Leaves a line in a file each time that it runs."""
    with open(log, "a", encoding="utf8") as file:
        file.write(f"{x} {seed}\n")
    time.sleep(pause)
    return {"square": x**2 + seed}


def fragile(x, seed, marker):
    """Raises at x = 1 and dies at x = 2, unless the marker is there."""
    if not Path(marker).exists():
        if x == 1:
            raise ValueError("one is too few")
        if x == 2:
            os._exit(9)
    return {"square": x**2}


def shapeless(x, seed):
    return {"a": np.zeros(x)}


def wrong(x, seed):
    return x


def environment(x, seed):
    return {"flags": os.environ.get("XLA_FLAGS", "")}


def gaussian(x, name, seed, scale=1.0):
    """Small, and traceable by JAX."""
    import jax
    import jax.numpy as jnp

    noise = scale * jax.random.normal(jax.random.key(seed), (3,))
    return {"path": x + noise, "norm": jnp.linalg.norm(noise), "length": len(name)}


def concrete(x, seed):
    """Not traceable: it asks for the value of x."""
    return {"a": 1.0 if x > 1 else 2.0}


def deadly(x, seed, log):
    """Kills the process that computes it at x = 3."""
    with open(log, "a", encoding="utf8") as file:
        file.write(f"{x}\n")
    if x == 3:
        os._exit(9)
    return {"square": x**2}


def greedy(x, seed):
    """From now on its process may write no file of more than 400 bytes, as if the disk were full."""
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (400, resource.RLIM_INFINITY))
    return {"square": x**2}


def picky(x, name, seed):
    """Traceable; raises while it is traced for one name, and while it runs at x = 3."""
    import jax
    import jax.numpy as jnp

    def refuse(x):
        if (x == 3).any():
            raise ValueError("three is too many")
        return x

    if name == "bad":
        raise ValueError("no such name")
    x = jax.pure_callback(refuse, jax.ShapeDtypeStruct(jnp.shape(x), jnp.result_type(x)), x, vmap_method="expand_dims")
    return {"v": 2 * x}


def quits(x, seed):
    """Ends its process as a program would, at x = 1."""
    import sys

    return {"v": x} if x != 1 else sys.exit(3)


class Mute(Exception):
    def __str__(self):
        raise RuntimeError("no str")


def mute(x, seed):
    """Raises an exception that cannot be printed, at x = 1."""
    if x == 1:
        raise Mute
    return {"v": x}


def flaky(x, seed, log):
    """Raises at the first two calls."""
    with open(log, "a+", encoding="utf8") as file:
        file.write("x")
        file.seek(0)
        calls = len(file.read())
    if calls < 3:
        raise OSError("not yet")
    return {"calls": calls}


def noisy(x, seed, log):
    """Takes some milliseconds, leaves a line in a file, and returns random digits."""
    with open(log, "a", encoding="utf8") as file:
        file.write(f"{x} {seed}\n")
    time.sleep(0.003)
    return {"v": float(np.random.default_rng([x, seed]).normal())}
