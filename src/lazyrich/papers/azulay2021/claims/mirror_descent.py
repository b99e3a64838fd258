"""Section 3.1: where mirror flows stop."""

from typing import Any

import numpy as np

from lazyrich.papers.azulay2021.claims._biases import FLOWED, SOURCE, argmin, data, derivative, sizes_of, unit
from lazyrich.papers.claim import Setup, claim
from lazyrich.papers.oracles.flows import ode


@claim(
    SOURCE,
    "section 3.1",
    "mirror flow ẇ = −(∇²ψ)⁻¹∇L stops at the interpolator of least D_ψ(w, w(0)); of least ψ, if ∇ψ(w(0)) = 0",
    quote=r"then the limit point $\tilde{\mathbf{w}}(\infty)$ is described by $$\tilde{\mathbf{w}}(\infty) = \arg "
    r"\min_{\mathbf{w}} D_\psi(\mathbf{w}, \mathbf{w}(0)) \quad \text{s.t.} \quad \mathbf{X}^\top \mathbf{w} = "
    r"\mathbf{y},$$ … Furthermore, when $\tilde{\mathbf{w}}$ is initialized with $\nabla \psi(\tilde{\mathbf{w}}(0)) "
    r"= 0$ , then $$\tilde{\mathbf{w}}(\infty) = \arg \min_{\mathbf{w}} \psi(\mathbf{w}) \quad \text{s.t.} \quad "
    r"\mathbf{X}^\top \mathbf{w} = \mathbf{y}.$$",
    tolerance=1e-7,
    why=FLOWED,
)
def mirror_flow(setup: Setup, linear: float = 1.0) -> Any:
    """ψ = ½‖w‖² + ¼‖w‖⁴ + Σcosh w, from a point where its slope is not zero, and from its least."""
    rng = setup.rng
    X, y = data(rng, *sizes_of(setup))
    w0 = unit(rng.normal(size=X.shape[1]))

    def psi(w: Any) -> Any:
        square = np.sum(w * w)
        return square / 2 + square**2 / 4 + np.sum(np.cosh(w))

    def field(w: np.ndarray) -> np.ndarray:
        hessian = np.diag(1 + w @ w + np.cosh(w)) + 2 * np.outer(w, w)
        return np.linalg.solve(hessian, X.T @ (y - X @ w))

    slope = linear * derivative(psi, w0)
    ends = [ode(field, start, [2000.0])[-1] for start in (w0, 0 * w0)]
    return ends, [argmin(lambda w: psi(w) - slope @ w, X, y), argmin(psi, X, y)]


mirror_flow.breaks("least ψ although ∇ψ(w(0)) ≠ 0", linear=0.0)


@mirror_flow.proof("the KKT condition of least D_ψ, ∇ψ(w) − ∇ψ(w(0)) = ∫pull; any ψ of degree four in two coordinates")
def bregman_stationarity(spoiled: bool) -> Any:
    from sympy import Matrix, diff, hessian, symbols

    w, start, pull = Matrix(symbols("w:2")), Matrix(symbols("v:2")), Matrix(symbols("p:2"))
    powers = [(i, j) for i in range(5) for j in range(5 - i)]
    psi = sum(c * w[0] ** i * w[1] ** j for c, (i, j) in zip(symbols(f"c:{len(powers)}"), powers, strict=True))
    slope = Matrix([diff(psi, x) for x in w])
    at_start = {w[0]: start[0], w[1]: start[1]}
    divergence = psi - psi.subs(at_start) - (slope.subs(at_start).T * (w - start))[0]
    H = hessian(psi, tuple(w))
    moved = slope.jacobian(w) * (H.adjugate() * pull) - H.det() * pull  # ẇ = H⁻¹ pull, times det H
    computed = Matrix([diff(divergence, x) for x in w])
    return [computed, moved], [slope - (0 if spoiled else 1) * slope.subs(at_start), Matrix([0, 0])]
