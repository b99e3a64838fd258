"""What neural-tangents says, kept in neural_tangents.npz: run by a Python that has it (see benchmarks/bench_jax.py)."""

import os
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
LAYERS = {"relu": "Relu", "leaky": "LeakyRelu", "abs": "Abs", "erf": "Erf", "linear": "Identity"}


def main():
    os.environ["JAX_ENABLE_X64"] = "1"
    import jax.numpy as jnp
    import neural_tangents as nt
    from neural_tangents import stax

    rng = np.random.default_rng(0)
    x, x2, y = rng.normal(size=(6, 3)), rng.normal(size=(2, 3)), rng.normal(size=(6, 2))
    params = [rng.normal(size=(3, 5)), rng.normal(size=5), rng.normal(size=(5, 2))]
    found = {"x": x, "x2": x2, "y": y, **{f"P{k}": value for k, value in enumerate(params)}}

    def f(p, x):
        return jnp.tanh(x @ p[0] + p[1]) @ p[2]

    kernel = nt.empirical_ntk_fn(f)
    found["K"], found["Kt"] = kernel(x, None, params), kernel(x2, x, params)
    found["default"] = kernel(x, x2, params)
    found["full"] = nt.empirical_ntk_fn(f, trace_axes=())(x, x2, params)
    found["diag"] = nt.empirical_ntk_fn(f, trace_axes=(), diagonal_axes=(-1,))(x, x2, params)
    found["nngp"] = nt.empirical_nngp_fn(f)(x, x2, params)
    found["lin"] = nt.linearize(f, params)([1.1 * p for p in params], x2)
    times = (("t3", 3.0), ("inf", None))
    for reg in (0.0, 0.01):
        predict = nt.predict.gradient_descent_mse(found["K"], y, learning_rate=0.7, diag_reg=reg)
        for name, t in times:
            for where, value in zip(
                ("train", "test"), predict(t, f(params, x), f(params, x2), found["Kt"]), strict=True
            ):
                found[f"mse_{name}_{reg}_{where}"] = value
    for name, layer in LAYERS.items():
        bend = getattr(stax, layer)(*(0.3,) * (name == "leaky"))
        dense = stax.Dense(1, W_std=1.5, b_std=0.1)
        _, _, kernels = stax.serial(dense, bend, dense, bend, dense)
        found[f"{name}_nngp"], found[f"{name}_ntk"] = kernels(x, x2, ("nngp", "ntk"))
        if name == "erf":
            for reg in (0.0, 0.01):
                ensemble = nt.predict.gradient_descent_mse_ensemble(kernels, x, y, diag_reg=reg)
                for get in ("ntk", "nngp"):
                    for when, t in times:
                        posterior = ensemble(t=t, x_test=x2, get=get, compute_cov=True)
                        found[f"ens_{get}_{when}_{reg}_mean"] = posterior.mean
                        found[f"ens_{get}_{when}_{reg}_cov"] = posterior.covariance
    np.savez(HERE / "neural_tangents.npz", **{name: np.asarray(value) for name, value in found.items()})


if __name__ == "__main__":
    main()
