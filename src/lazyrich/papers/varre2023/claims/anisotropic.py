"""Lemma C.4 and section 4, limitations: anisotropic imbalance."""

from collections.abc import Callable
from typing import Any

import numpy as np

from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.oracles.matrices import frame
from lazyrich.papers.varre2023.claims._flow import FLOW, LATE, directional_derivative, draw_task, flow
from lazyrich.papers.verdicts import Verdict


def _alpha(back: Any, D: Any) -> Any:
    """Return Z₁⁻ᵀD."""
    return back @ D


def _solve_from_right(back: Any, D: Any) -> Any:
    """Return DZ₁⁻ᵀ."""
    return D @ back


@claim(
    "varre2023",
    "Lemma C.4, last display",
    "With imbalance D, condition (P2) at the limit of the flow asks for ∇Ψ₁(Z₁) = $Z₁⁻ᵀZ₂Z₂ᵀ = Z₁ − Z₁⁻ᵀD$",
    quote=r"In this case, $$\nabla \Psi_1(\mathbf{Z}_1^\infty) = \mathbf{Z}_1^\infty - D "
    r"(\mathbf{Z}_1^\infty)^{-\top},",
    tolerance=1e-8,
    why=FLOW,
    verdict=Verdict.CORRECTED,
    remark="the factors are in the other order: Z₁ − Z₁⁻ᵀD",
)
def anisotropic_gradient(setup: Setup, order: Callable[[Any, Any], Any] = _alpha) -> Any:
    """On the way from Z₁(0) = √D, W₂ = 0, and at the end."""
    task = draw_task(setup.rng)
    D = np.diag([0.2, 0.5, 0.8, 1.4])
    path = flow(task, np.array([0.0, 0.3, 0.8, 1.5, 3.0, 40.0]), W1=np.sqrt(D) @ task.P)
    sides = []
    for Z1, Z2 in zip(path.Z1, path.Z2, strict=True):
        back = np.linalg.inv(Z1).T
        names = {"Z₁": Z1, "Z₂": Z2, "Z₁⁻ᵀ": back, "D": D}
        sides.append(anisotropic_gradient.formula.sides(names | ({} if order is _alpha else {"Z₁⁻ᵀD": order(back, D)})))
    return tuple(np.array(each) for each in zip(*sides, strict=True))


anisotropic_gradient.printed(order=_solve_from_right)
anisotropic_gradient.breaks("the mean of D in place of D", order=lambda back, D: back * np.trace(D) / 4)


@anisotropic_gradient.proof("d = k = 2, symbols for all entries; D stands for Z₁ᵀZ₁ − Z₂Z₂ᵀ")
def with_the_imbalance(spoiled: bool) -> Any:
    from sympy import Matrix, symbols

    Z1, Z2 = (Matrix(2, 2, symbols(f"{name}:4")) for name in "ab")
    D, back = Z1.T * Z1 - Z2 * Z2.T, Z1.inv().T
    names = {"Z₁": Z1, "Z₂": Z2, "Z₁⁻ᵀ": back, "D": 2 * D if spoiled else D}
    return anisotropic_gradient.formula.sides(names)


@claim(
    "varre2023",
    "Lemma C.4, proof",
    "$Z₁ − 2γZ₁⁻ᵀ$ is the gradient of $½‖Z₁‖² − γ log det Z₁Z₁ᵀ$; $Z₁ − Z₁⁻ᵀD$ with D not a multiple of I is no "
    "gradient",
    quote=r"which is satisfied by the potential $$\Psi_1(\mathbf{Z}_1) = \frac{1}{2} \|\mathbf{Z}_1\|_F^2 - \gamma "
    r"\log(\det(\mathbf{Z}_1 \mathbf{Z}_1^\top)).$$ … and there exists no such function  $\Psi_1$  and the proof "
    r"breaks.",
    tolerance=1e-8,
    why="differences of fourth order with step 1e-3",
)
def no_potential(setup: Setup, values: Any = (0.6, 0.6, 0.6)) -> Any:
    """The Jacobian of Z ↦ Z − Z⁻ᵀD, and its transpose: the same if and only if the map is a gradient."""
    rng, D = setup.rng, np.diag(values)
    Z = frame(rng, 3, 3) @ np.diag([0.7, 1.0, 1.5]) @ frame(rng, 3, 3)

    def printed(Z: np.ndarray) -> Any:
        return no_potential.formulas[2].right({"Z₁": Z, "Z₁⁻ᵀ": np.linalg.inv(Z).T, "D": D})

    columns = [directional_derivative(printed, Z, E).ravel() for E in np.eye(9).reshape(9, 3, 3)]
    return np.array(columns), np.array(columns).T


no_potential.breaks("D is not a multiple of I", values=(0.2, 0.6, 1.0))


@no_potential.proof("d = 2, symbols for all entries and for γ: the gradient of the potential")
def of_the_log_determinant(spoiled: bool) -> Any:
    from sympy import Matrix, diff, sqrt, symbols

    Z, gamma = Matrix(2, 2, symbols("z:4")), symbols("gamma")
    gradient, potential, _ = no_potential.formulas
    names = {"Z₁": Z, "Z₁⁻ᵀ": Z.inv().T, "‖Z₁‖": sqrt(sum(z**2 for z in Z))}
    slope = diff(potential.right(names | {"γ": gamma}), Z)
    return slope, gradient.right(names | {"γ": 2 * gamma if spoiled else gamma})


@no_potential.proof("d = 2, D = diag(p, q) with symbols: the mixed derivatives agree for p = q, and only then")
def mixed_derivatives_of_the_map(spoiled: bool) -> Any:
    """∂₁₁ of entry 12 less ∂₁₂ of entry 11 is (p − q) times a function that is not zero."""
    from sympy import Matrix, diag, diff, symbols

    Z, (p, q) = Matrix(2, 2, symbols("z:4")), symbols("p q")
    field = no_potential.formulas[2].right({"Z₁": Z, "Z₁⁻ᵀ": Z.inv().T, "D": diag(p, q)})
    curl = diff(field[0, 1], Z[0, 0]) - diff(field[0, 0], Z[0, 1])
    return curl, (p + q if spoiled else p - q) * Z[1, 0] * Z[1, 1] / Z.det() ** 2


@claim(
    "varre2023",
    "section 4, limitations",
    "If W₁(0)W₁(0)ᵀ is off 2γI by ε, so that rows and kernel of X mix, β ends at a distance of order ε from X⁺Y",
    quote=r"the orthogonality of initialization is only approximately faithful to practical settings where small "
    r"random weights are used. Nevertheless, we are confident that this requirement can be loosened through a "
    r"perturbation analysis in the vein of Gidel et al. [2019].",
    tolerance=0.02,
    why="an exponent, over ε from 0.005 to 0.02: the next order is relative ε",
    verdict=Verdict.CONJECTURED,
    remark="the source is confident that a perturbation analysis is possible; seen is that where the flow ends depends "
    "on the perturbation to first order, so that the conclusion holds up to order ε and no better",
)
def anisotropic_limit(setup: Setup, second: float = 0.0) -> Any:
    """How far β ends from X⁺Y when W₁(0) = √(2γ)(I + εS)P, S mixing the rows of X with its kernel."""
    rng = setup.rng
    task = draw_task(rng)
    span = np.linalg.pinv(task.X) @ task.X
    S = span @ rng.normal(size=(4, 4)) @ (np.eye(4) - span)
    S = (S + S.T) / np.linalg.norm(S)
    sizes, W2 = np.array([0.005, 0.01, 0.02]), second * rng.normal(size=(6, 2))
    starts = [np.sqrt(2 * task.gamma) * (np.eye(4) + size * S) @ task.P for size in sizes]
    ends = [flow(task, LATE, W1=start, W2=W2).beta[-1] for start in starts]
    return Evidence.slope(sizes, [np.linalg.norm(end - task.best) for end in ends], 1.0)


anisotropic_limit.breaks("W₂(0) ≠ 0, which keeps β off X⁺Y at every ε", second=0.5)
