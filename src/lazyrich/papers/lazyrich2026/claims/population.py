"""Infinite data: the kernel distance over all inputs, in closed form."""

import numpy as np

from lazyrich.papers.claim import Evidence, Setup, claim


@claim(
    "lazyrich2026",
    "population",
    "$E σ(u·x)σ(v·x) = ‖u‖‖v‖(sin θ + (π − θ)cos θ)/2π$ and $‖E σ'σ'xxᵀ‖² = ((π − θ)²d + 2 sin²θ)/4π²$ for ReLU",
    quote="the inner product of two tangent kernels over all inputs is a sum over pairs of units, each in closed form",
    tolerance=0.02,
    why="means over two million drawn inputs, several of their standard errors",
)
def pairs_of_units(setup: Setup, turn: float = 2.0) -> Evidence:
    """Two units in four dimensions, by 40 groups of 50,000 inputs; the square of a mean is taken between two groups."""
    rng, d = setup.rng, 4
    lengths, theta = rng.uniform(0.5, 2.0, size=2), rng.uniform(1.0, 2.0)
    frame = np.linalg.qr(rng.normal(size=(d, d)))[0]
    u, v = lengths[0] * frame[0], lengths[1] * (np.cos(theta) * frame[0] + np.sin(theta) * frame[1])
    products, squares = [], []
    for _ in range(20):
        gates = []
        for X in rng.normal(size=(2, 50_000, d)):
            both = (X @ u > 0) & (X @ v > 0)
            products.append(np.mean(both * (X @ u) * (X @ v)))
            gates.append((both[:, None] * X).T @ X / len(X))
        squares.append(np.sum(gates[0] * gates[1]))
    names = {"‖u‖": lengths[0], "‖v‖": lengths[1], "θ": theta, "d": d}
    product, square = (formula.right(names) for formula in pairs_of_units.formulas)
    square += (turn - 2) * np.sin(theta) ** 2 / (4 * np.pi**2)
    return Evidence.worst(
        Evidence.sampled(np.array(products), float(product)), Evidence.sampled(np.array(squares), float(square))
    )


pairs_of_units.breaks("without the part that turns", turn=0.0)
