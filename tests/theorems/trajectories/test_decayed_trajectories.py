"""Closed forms with weight decay against SciPy on the raw equations, and ratios of Bessel functions against SciPy's.

`python tests/theorems/trajectories/test_decay.py 1000` follows that many random modes.
"""

import itertools
import sys

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ive, kve

from lazyrich.theorems.bessel_ratios import LARGE_ORDER, ratios_of_large_order, ratios_of_small_order
from lazyrich.theorems.decayed_mode import decayed_factors


def random_mode(rng):
    """Draw a, w, s, λ: generic, balanced, opposed, one-sided, large, nearly balanced; s/λ from 0.1 to 1e4, or 1."""
    s = rng.choice([-1, 1, 1]) * 10 ** rng.uniform(-0.5, 0.5)
    decay = abs(s) if rng.random() < 0.1 else abs(s) / 10 ** rng.uniform(-1, 4)
    a, w = rng.normal(size=2) * 10 ** rng.uniform(-2, 0.5)
    match rng.choice(["generic", "balanced", "opposed", "one side", "large", "nearly"]):
        case "balanced":
            w = a
        case "opposed":
            w = -a
        case "one side":
            w = 0.0
        case "large":
            a, w = 30 * a, 30 * w
        case "nearly":
            w = a * (1 + 10 ** rng.uniform(-8, -2))
    return a, w, s, decay


def followed(a, w, s, decay, times):
    def field(_, v):
        return (s - v[0] * v[1]) * v[::-1] - decay * v

    states, least = [np.array([a, w])], 1e-15 * max(abs(a), abs(w))
    for now, then in itertools.pairwise(times):
        states.append(solve_ivp(field, (now, then), states[-1], "DOP853", rtol=1e-13, atol=least).y[:, -1])
    return np.array(states)


def error_of(a, w, s, decay):
    """Return the error of the closed form, and the effect of a change of the start in its last digits."""
    end = min(8 / decay + 20 / abs(s), 60 / abs(s))
    times = np.append(0.0, np.geomspace(1e-3, end, 6))
    p, m, single = abs(a + w), abs(a - w), np.array
    up, down = decayed_factors(single([p]), single([m]), single([s]), single([decay]), times[:, None])
    P, M = (a + w) * up[:, 0], (a - w) * down[:, 0]
    right = followed(a, w, s, decay, times)
    moved = followed(a, w * (1 + 4e-16) + 1e-17 * a, s, decay, times)
    size = max(abs(a), abs(w), abs(s) ** 0.5)
    return np.max(np.abs(np.stack([P + M, P - M], axis=1) / 2 - right)) / size, np.max(np.abs(moved - right)) / size


@pytest.mark.parametrize("seed", range(40))
def test_random_modes_against_the_raw_equations(seed):
    error, blur = error_of(*random_mode(np.random.default_rng(seed)))
    assert error < 1e-10 + blur


@pytest.mark.parametrize("ratio", [0.1, 1.0, 1.0 + 1e-12, 3.0, 1e6])
@pytest.mark.parametrize(("p", "m"), [(2.0, 1.0), (1.0, 0.0), (0.0, 1.0), (1e-8, 1e-8), (1e8, 1e-8), (1e8, 1e8)])
def test_long_times_are_finite_and_right(ratio, p, m):
    s, times = np.array([1.0]), np.array([[0.0], [1.0], [1e6], [1e12]])
    decay = s / ratio
    up, down = decayed_factors(np.array([p]), np.array([m]), s, decay, times)
    assert np.all(np.isfinite(up))
    assert np.all(np.isfinite(down))
    np.testing.assert_allclose([up[0], down[0]], 1.0, rtol=4e-14)
    beta = ((p * up[-1, 0]) ** 2 - (m * down[-1, 0]) ** 2) / 4
    assert beta == pytest.approx(0.0 if p == 0 else max(1 - 1 / ratio, 0.0), abs=3e-12)


def test_ratios_against_scipy():
    rng = np.random.default_rng(0)
    for _ in range(300):
        order = rng.choice([0.0, 0.5, -0.5, 1.0, 1e-9, rng.uniform(-0.5, 0.5), rng.uniform(0, 40)])
        x = 10 ** rng.uniform(-2, 2)
        K, above, I, higher = kve(order, x), kve(order + 1, x), ive(order, x), ive(order + 1, x)
        if np.hypot(order, x) < LARGE_ORDER:
            found = ratios_of_small_order(np.array([order]), np.log([x]))
        else:
            found = ratios_of_large_order(np.array([order]), np.array([x]), np.array([1.0]))
        R, size = np.hypot(order, x), abs(order)
        c = np.log(np.pi * ive(size, x) / K) + 2 * x - 2 * (R - size * np.arcsinh(size / x))
        if np.all(np.isfinite([above / K, higher / I, c])):
            assert float(found[0][0]) == pytest.approx(x * above / K, rel=1e-12)
            assert float(found[1][0]) == pytest.approx(higher / I / x, rel=1e-12)
            assert float(found[2][0]) == pytest.approx(c, abs=1e-11)


if __name__ == "__main__":
    errors = np.array([error_of(*random_mode(np.random.default_rng(seed))) for seed in range(int(sys.argv[1]))])
    wrong = np.sum(~(errors[:, 0] < 1e-9 + errors[:, 1]))
    print(f"worst {np.nanmax(errors[:, 0]):.1e}, median {np.median(errors[:, 0]):.1e}, above 1e-9 and blur {wrong}")
    print(f"above 1e-9 {np.sum(errors[:, 0] > 1e-9)}, NaN {np.sum(np.isnan(errors))}")
