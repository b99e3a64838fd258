"""Section 2: when a mode is half learned."""

from typing import Any

import numpy as np

from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.oracles.flows import ode


@claim(
    "toy2027",
    "equation (2)",
    "u = v = √ε, β = uv: half of the target s is learned at $log(s/ε − 1)/2s$",
    quote=r"t_{1/2} = \frac{1}{2s}\log\left(\frac{s}{\epsilon} - 1\right)",
    tolerance=1e-8,
    why="integrated by SciPy at rtol 1e-12, through an escape that multiplies errors by 1e4",
)
def half_time(setup: Setup, rate: float = 1.0) -> Evidence:
    s, eps = setup.rng.uniform(1.0, 3.0), 10.0 ** setup.rng.uniform(-4, -2)
    predicted = half_time.formula.right({"s": s, "ε": eps}) / rate
    u = ode(lambda u: u * (s - u**2), np.sqrt(eps), [predicted])  # the raw flow, by SciPy alone
    return Evidence.equal(u[0] ** 2, s / 2, f"s = {s:.2f}, ε = {eps:.1e}")


half_time.breaks("the time without the 2", rate=0.5)


@half_time.proof("in general", general=True)
def solves_the_flow(spoiled: bool) -> Any:
    from sympy import diff, exp, simplify, symbols

    s, eps, t = symbols("s epsilon t", positive=True)
    beta = s / (1 + (s / eps - 1) * exp(-2 * s * t))
    half = half_time.formula.right({"s": s, "ε": eps})
    left, right = [simplify(diff(beta, t)), beta.subs(t, half)], [simplify(2 * beta * (s - beta)), s / 2]
    return left, [right[0] / 2 if spoiled else right[0], right[1]]
