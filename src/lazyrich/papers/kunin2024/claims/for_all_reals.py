"""Proofs of statements about all real numbers, decided by z3 (see `real_arithmetic.py`)."""

from typing import Any

from lazyrich.papers.kunin2024.claims.deep_networks import definition_12_is_downstream
from lazyrich.papers.kunin2024.claims.experiments import kernel_distance_range
from lazyrich.papers.kunin2024.claims.linear_regions import convex_regions
from lazyrich.papers.kunin2024.claims.neuron_basins import empty_surface
from lazyrich.papers.kunin2024.claims.neuron_downstream import lemma_4
from lazyrich.papers.kunin2024.claims.neuron_flow import sheets_of_a_hyperboloid
from lazyrich.papers.kunin2024.claims.neuron_function_space import outer_quadratic, outer_weight_stays
from lazyrich.papers.kunin2024.claims.neuron_mirror_flow import positive_definite
from lazyrich.papers.kunin2024.claims.neuron_potential import potential_constant, radial_profile
from lazyrich.papers.real_arithmetic import for_all


@lemma_4.proof(
    "any d, any rates: d/dt (a w·β*) > 0 wherever a w·β* = 0 but at the saddles, so that it crosses zero once, upwards",
    general=True,
)
def crosses_zero_upwards(spoiled: bool) -> Any:
    from sympy import Eq, Ne, Or, symbols

    a, omega = symbols("a omega", real=True)  # ω = w·β*
    B, eta_a, eta_w = symbols("B eta_a eta_w", positive=True)
    square = symbols("n", nonnegative=True)  # ‖w‖²
    a_dot, omega_dot = eta_a * (omega - a * square), eta_w * ((-1 if spoiled else 1) * a * B**2 - a**2 * omega)
    return for_all([Eq(a * omega, 0), Or(Ne(a, 0), Ne(omega, 0))], a_dot * omega + a * omega_dot > 0)


@definition_12_is_downstream.proof(
    "any widths, h ≥ 2: of two units, g = W_LW_Lᵀ is a_i² − δ and a₁a₂ off the diagonal, with g_ii ≥ 0, g₁₁g₂₂ ≥ g₁₂²; "
    "a = 0 and W_LW_Lᵀ = −δI are of any δ ≤ 0",
    general=True,
)
def two_units_of_one_rank(spoiled: bool) -> Any:
    from sympy import symbols

    a1, a2, delta = symbols("a1 a2 delta", real=True)
    g11, g22, g12 = a1**2 - delta, a2**2 - delta, a1 * a2
    second = [] if spoiled else [g22 >= 0, g11 * g22 >= g12**2]
    return for_all([g11 >= 0, *second], delta <= 0)


@kernel_distance_range.proof("two samples: 0 ≤ ⟨K, L⟩ ≤ ‖K‖‖L‖ for all kernels K, L, by its square, and any scale")
def cosine_of_two_kernels(spoiled: bool) -> Any:
    from sympy import symbols

    p, q, r, s = symbols("p q r s", nonnegative=True)
    b, d = symbols("b d", real=True)
    product, sizes = p * r + 2 * b * d + q * s, (p**2 + 2 * b**2 + q**2) * (r**2 + 2 * d**2 + s**2)
    kernels = [p * q >= b**2, *([] if spoiled else [r * s >= d**2])]
    return for_all(kernels, [product >= 0, product**2 <= sizes])


@convex_regions.proof(
    "one input; two hidden neurons, the second on the first: between points of one region neither changes its sign"
)
def between_two_points_of_a_region(spoiled: bool) -> Any:
    from sympy import And, Equivalent, Max, symbols

    x, y, t, w, b, v, c = symbols("x y t w b v c", real=True)
    between = t * x + (1 - t) * y
    first = [w * z + b for z in (x, y, between)]
    second = [v * Max(z, 0) + c for z in first]
    same = [Equivalent(layer[0] > 0, layer[1] > 0) for layer in ((second,) if spoiled else (first, second))]
    kept = And(*(Equivalent(layer[2] > 0, layer[0] > 0) for layer in (first, second)))
    return for_all([t >= 0, t <= 1, *same], kept)


@empty_surface.proof("any d: |w·β*| ≤ ‖w‖‖β*‖ is all that is used of the dimension", general=True)
def no_common_point(spoiled: bool) -> Any:
    from sympy import Eq, Ne, symbols

    a, along = symbols("a c", real=True)
    delta, B, root = symbols("delta B l", positive=True)
    size = symbols("r", nonnegative=True)
    rise = Eq(root**2, delta * root + B**2)  # l₊ is its positive root
    hyperboloid = Eq(a**2 - size**2, (-1 if spoiled else 1) * delta)
    return for_all([hyperboloid, along**2 <= size**2 * B**2, rise], Ne(along, -a * root))


@sheets_of_a_hyperboloid.proof("k = 1, any n: |x₁| ≥ 1, so that the sheets x₁ > 0 and x₁ < 0 are apart", whole=False)
def apart_from_zero(spoiled: bool) -> Any:
    from sympy import Abs, Eq, symbols

    first, rest = symbols("x r", real=True)  # r² is the sum of the other squares
    return for_all([Eq(first**2 - (-1 if spoiled else 1) * rest**2, 1)], Abs(first) >= 1)


@outer_quadratic.proof(
    "in general, b = ‖β‖ > 0: a positive u = a² solves it if and only if it is (κ + δ)/2η_w", general=True
)
def the_one_positive_root(spoiled: bool) -> Any:
    from sympy import Eq, Equivalent, symbols

    delta = symbols("delta", real=True)
    u, b, kappa, eta_a, eta_w = symbols("u b kappa eta_a eta_w", positive=True)
    root = (kappa + (-1 if spoiled else 1) * delta) / (2 * eta_w)
    quadratic = Eq(eta_w * u**2 - delta * u - eta_a * b**2, 0)
    return for_all([Eq(kappa**2, delta**2 + 4 * eta_a * eta_w * b**2)], Equivalent(quadratic, Eq(u, root)))


@outer_weight_stays.proof("δ ≥ 0, any data: η_w a² = δ + η_a‖w‖² is zero at the origin alone", whole=False)
def zero_at_the_origin_alone(spoiled: bool) -> Any:
    from sympy import Eq, Ne, Or, symbols

    a, r, delta = symbols("a r delta", real=True)
    eta_a, eta_w = symbols("eta_a eta_w", positive=True)
    conserved = [Eq(eta_w * a**2 - eta_a * r**2, delta), delta >= (-1 if spoiled else 0)]
    return for_all([*conserved, Or(Ne(a, 0), Ne(r, 0))], Ne(a, 0))


@positive_definite.proof(
    "any d: vᵀMv by the part p of v along β and the square n of the rest; κ is its value along β, ½(κ + δ) across",
    general=True,
)
def form_of_two_parts(spoiled: bool) -> Any:
    from sympy import Eq, symbols

    delta, p = symbols("delta p", real=True)
    x = symbols("x", **({"nonnegative": True} if spoiled else {"positive": True}))  # ‖β‖
    kappa, rest = symbols("kappa n", nonnegative=True)
    form = (kappa + delta) / 2 * (p**2 + rest) + (kappa - delta) / 2 * p**2
    parts = [Eq(form.subs({p: 1, rest: 0}), kappa), Eq(form.subs({p: 0, rest: 1}), (kappa + delta) / 2)]
    return for_all([Eq(kappa**2, delta**2 + 4 * x**2), p**2 + rest > 0], [form > 0, *parts])


@potential_constant.proof(
    "any d and δ: 3Φ_δ = (κ − 2δ)s + mδ with s² = κ + δ, and m² = 2δ for δ > 0, else m = 0", general=True
)
def zero_at_zero_alone(spoiled: bool) -> Any:
    from sympy import Eq, Implies, Max, symbols

    delta = symbols("delta", real=True)
    x, kappa, s, m = symbols("x kappa s m", nonnegative=True)
    potential = (kappa - 2 * delta) * s + m * delta / (2 if spoiled else 1)
    known = [Eq(kappa**2, delta**2 + 4 * x**2), Eq(s**2, kappa + delta), Eq(m**2, Max(0, 2 * delta))]
    return for_all(known, [Implies(x > 0, potential > 0), Implies(Eq(x, 0), Eq(potential, 0))])


@radial_profile.proof("in general: q″ = √(κ + δ)/κ > 0 wherever x ≠ 0", whole=False)
def curved_upwards(spoiled: bool) -> Any:
    from sympy import Eq, Ne, symbols

    delta, x = symbols("delta x", real=True)
    kappa = symbols("kappa", nonnegative=True)
    away = [] if spoiled else [Ne(x, 0)]
    return for_all([Eq(kappa**2, delta**2 + 4 * x**2), *away], [kappa > 0, kappa + delta > 0])
