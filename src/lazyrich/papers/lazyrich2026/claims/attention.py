"""Linear attention in context: the loss over all prompts, and heads as modes of depth three."""

from typing import Any

import numpy as np

from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.oracles.flows import ode


def _moments(values: np.ndarray, N: int) -> tuple[np.ndarray, np.ndarray]:
    cov = np.diag(values)
    return cov, loss_over_prompts.formulas[1].right({"Λ": cov, "N": N})


@claim(
    "lazyrich2026",
    "attention",
    "over prompts, the loss of bᵀMx is $tr Λ/2 − tr(MΛ²) + ½ tr(MᵀCMΛ)$ with $C = Λ² + (Λ² + tr(Λ)Λ)/N$",
    quote="The loss over all prompts of linear regression is that of D² + 1 samples",
    tolerance=0.05,
    why="a mean over 400,000 drawn prompts, about five of its standard errors",
)
def loss_over_prompts(setup: Setup, noise: float = 1.0) -> Evidence:
    """A random M on 400,000 prompts of five pairs in three dimensions."""
    rng, values, N, n = setup.rng, np.array([1.0, 0.6, 0.3]), 5, 400_000
    cov, C = _moments(values, N)
    C = cov @ cov + noise * (C - cov @ cov)
    M = rng.normal(size=(3, 3))
    x, w = rng.normal(size=(n, N, 3)) * np.sqrt(values), rng.normal(size=(n, 3))
    query = rng.normal(size=(n, 3)) * np.sqrt(values)
    b = np.einsum("nid,ni->nd", x, np.einsum("nid,nd->ni", x, w)) / N
    losses = (np.sum(w * query, 1) - np.einsum("nd,de,ne->n", b, M, query)) ** 2 / 2
    loss = loss_over_prompts.formulas[0].right({"Λ": cov, "M": M, "C": C})
    return Evidence.sampled(losses, float(loss))


loss_over_prompts.breaks("without the noise of the context, C = Λ²", noise=0.0)


@claim(
    "lazyrich2026",
    "attention",
    "aligned heads of rank one obey $ṁ = 3|m|^{4/3}ρ(s − m)$, $ρ = λ³(1 + (1 + tr Λ/λ)/N)$, $s = λ²/ρ$",
    quote="a head of rank one on an eigenvector of the covariance stays there, and is a mode of depth three",
    tolerance=1e-8,
    why="the raw flow of value, key and query, integrated by SciPy at rtol 1e-12",
)
def heads_are_modes(setup: Setup, power: float = 4 / 3) -> Evidence:
    """Three heads on three eigenvectors: v k q of each along the raw flow, against the equation of its mode alone."""
    values, N, times = np.array([1.0, 0.6, 0.3]), 20, np.array([1.0, 5.0, 20.0, 60.0])
    cov, C = _moments(values, N)
    size = setup.rng.uniform(0.15, 0.3, size=3)

    def field(z: np.ndarray) -> np.ndarray:
        v, K, Q = z[:3], z[3:12].reshape(3, 3), z[12:].reshape(3, 3)
        G = cov @ cov - C @ np.einsum("h,hd,he->de", v, K, Q) @ cov
        parts = np.einsum("hd,de,he->h", K, G, Q), v[:, None] * (Q @ G.T), v[:, None] * (K @ G)
        return np.concatenate([part.ravel() for part in parts])

    path = ode(field, np.concatenate([size, np.diag(size).ravel(), np.diag(size).ravel()]), times)
    M = np.einsum("th,thd,the->tde", path[:, :3], path[:, 3:12].reshape(-1, 3, 3), path[:, 12:].reshape(-1, 3, 3))
    moves, speed, strength = heads_are_modes.formulas
    names = {"λ": values, "tr Λ": values.sum(), "N": N}
    names["ρ"] = speed.right(names)
    names["s"] = strength.right(names)
    modes = ode(lambda m: moves.right(names | {"m": m, "|m|": np.abs(m) ** (0.75 * power)}), size**3, times)
    return Evidence.together(
        Evidence.equal(np.diagonal(M, axis1=1, axis2=2), modes),
        Evidence.equal(M, np.stack([np.diag(m) for m in modes])),
    )


heads_are_modes.breaks("depth two, |m|", power=1.0)


@heads_are_modes.proof("one head of size s in each of its three parts", whole=False)
def a_head_is_a_mode(spoilt: bool) -> Any:
    from sympy import expand, symbols

    s, rho, target = symbols("s rho target", positive=True)
    moved = s**2 * rho * (target - s**3)  # each part moves by the other two times the slope
    change = 3 * s**2 * moved
    return expand(change - (2 if spoilt else 3) * s**4 * rho * (target - s**3)), 0
