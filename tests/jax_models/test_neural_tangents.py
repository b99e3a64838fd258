"""The page for those who come from neural-tangents, call by call, against what version 0.6.5 gave (JAX 0.4.30)."""

from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest

from lazyrich.jax import infinite, linearize, predict, tangent_kernel

THEIRS = np.load(Path(__file__).parent / "neural_tangents.npz")
x, x2, y = (THEIRS[name] for name in ("x", "x2", "y"))
PARAMS = [THEIRS[f"P{k}"] for k in range(3)]
TIMES = {"t3": 3.0, "inf": np.inf}
C = 2


def f(p, x):
    return jnp.tanh(x @ p[0] + p[1]) @ p[2]


def same(found, name):
    wanted = THEIRS[name]
    assert found.shape == wanted.shape
    assert np.abs(found - wanted).max() <= 1e-12 * np.abs(wanted).max()


def ridge(K, reg):
    return reg * float(jnp.trace(K)) / len(K)


def test_kernels_of_finite_networks():
    same(tangent_kernel(f, PARAMS, x, x2, outputs="trace") / C, "default")
    same(tangent_kernel(f, PARAMS, x, x2).reshape(6, C, 2, C).transpose(0, 2, 1, 3), "full")
    same(jnp.moveaxis(tangent_kernel(f, PARAMS, x, x2, outputs="each"), 0, -1), "diag")
    same(f(PARAMS, x) @ f(PARAMS, x2).T / C, "nngp")
    same(linearize(f, PARAMS)([1.1 * p for p in PARAMS], x2), "lin")


@pytest.mark.parametrize("when", TIMES)
@pytest.mark.parametrize("reg", [0.0, 0.01])
def test_predictions_at_a_fixed_kernel(when, reg):
    K, K_new, given = jnp.asarray(THEIRS["K"]), THEIRS["Kt"], {"start": f(PARAMS, x), "kappa": 0.7 / y.size}
    rho = ridge(K, reg)
    same(predict(K, y, TIMES[when], K_new, start_new=f(PARAMS, x2), ridge=rho, **given).mean, f"mse_{when}_{reg}_test")
    # On the training inputs it has the ridge in both kernels, so that its end is y itself.
    same(predict(K + rho * jnp.eye(6), y, TIMES[when], **given).mean, f"mse_{when}_{reg}_train")


ACTIVATIONS = {
    "relu": infinite.relu, "leaky": infinite.leaky_relu(0.3), "abs": infinite.absolute, "erf": infinite.erf,
    "linear": infinite.linear,
}  # fmt: skip


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_infinite_width(name):
    found = infinite.mlp(3, ACTIVATIONS[name], weight=1.5, bias=0.1)(x, x2)
    same(found.nngp, f"{name}_nngp")
    same(found.ntk, f"{name}_ntk")


@pytest.mark.parametrize("when", TIMES)
@pytest.mark.parametrize("get", ["ntk", "nngp"])
@pytest.mark.parametrize("reg", [0.0, 0.01])
def test_ensembles(when, get, reg):
    kernels = infinite.mlp(3, infinite.erf, weight=1.5, bias=0.1)
    known, new, both = kernels(x), kernels(x2, x), kernels(x2)
    K, K_new = getattr(known, get), getattr(new, get)
    rho = ridge(K, reg)
    noise = rho if get == "nngp" else 0.0  # of a Gaussian process: the targets have it, and so has the posterior
    initial = known.nngp + noise * jnp.eye(6), new.nngp, both.nngp
    found = predict(K, y, TIMES[when], K_new, kappa=1 / y.size, ridge=rho, initial=initial)
    same(found.mean, f"ens_{get}_{when}_{reg}_mean")
    same(found.covariance, f"ens_{get}_{when}_{reg}_cov")
