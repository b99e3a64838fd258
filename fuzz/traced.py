"""Invalid values inside jit and vmap: each must raise an error when the program runs, and valid ones must not."""

import logging
from collections.abc import Callable
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import lazyrich as lr
from fuzz.ring import Outcome

KEY = jax.random.key(0)
logging.getLogger("jax._src.callback").setLevel(logging.CRITICAL)  # this logger prints each error with a traceback


def _flow(weight: Any = 1.0, rate: Any = 1.0, kappa: Any = 1.0, label: Any = 2.0, entry: Any = 1.0) -> lr.GradientFlow:
    net = lr.DeepLinear([weight * jnp.ones((1, 2)), jnp.ones((1, 1))])
    y = jnp.stack([jnp.asarray(1.0), jnp.asarray(label)])
    return lr.GradientFlow(net, lr.Problem(entry * jnp.eye(2), y, kappa=kappa), (rate, 1.0))


VERBS: dict[str, Callable[[lr.GradientFlow], Any]] = {
    "exact": lambda flow: lr.exact(flow, [1.0]).loss,
    "limit": lambda flow: lr.limit(flow).value,
    "integrate": lambda flow: lr.integrate(flow, [1.0]).loss,
    "descend": lambda flow: lr.descend(flow, 3, 0.01).loss,
    "diffuse": lambda flow: lr.diffuse(flow, [0.1], KEY, dt=0.1).loss,
    "basin": lr.basin,
}
BAD = {
    "weight": (np.nan, np.inf, -np.inf),
    "rate": (-1.0, 0.0, np.nan, np.inf),
    "kappa": (-1.0, 0.0, np.nan),
    "label": (np.nan, np.inf),
    "entry": (np.nan, -np.inf),
}


def draw(rng: np.random.Generator) -> dict[str, Any]:
    part = str(rng.choice(sorted(BAD)))
    return {
        "verb": str(rng.choice(sorted(VERBS))),
        "part": part,
        "good": float(rng.uniform(0.5, 1.5)),
        "bad": float(rng.choice(BAD[part])),
        "mapped": bool(rng.random() < 0.5),
    }


@cache
def _program(verb: str, part: str, mapped: bool) -> Callable[[Any], Any]:
    one = lambda value: VERBS[verb](_flow(**{part: value}))  # noqa: E731
    return jax.jit(jax.vmap(one) if mapped else one)


def check(verb: str, part: str, good: float, bad: float, mapped: bool) -> Outcome:
    program = _program(verb, part, mapped)
    wrap = (lambda value: jnp.array([good, value])) if mapped else jnp.asarray
    right = np.asarray(VERBS[verb](_flow(**{part: good})))
    found = np.asarray(program(wrap(good)))
    error = float(np.max(np.abs(found - right) / (1e-6 * (1 + np.abs(right)))))
    try:
        jax.block_until_ready(program(wrap(bad)))
    except Exception as refusal:  # JAX's own exception type, which contains the message
        if "NaN or infinite" in str(refusal) or "must be positive" in str(refusal):
            return Outcome(verb, error)
        raise
    return Outcome(verb, np.inf)
