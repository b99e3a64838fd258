"""The public functions take numbers as lists, NumPy and JAX arrays. `dev.py test` runs this file with the types of
every call checked at run time (jaxtyping and beartype); alone it checks that nothing is refused."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import lazyrich as lr

TIMES = ([0.0, 0.5, 2.0], (0, 1, 2), np.linspace(0, 2, 3), jnp.linspace(0, 2, 3), range(3))
X, Y = [[1.0, 0.0], [0.0, 2.0]], [1.0, -1.0]
FLOWS = {
    "neuron": lambda: lr.GradientFlow(
        lr.inits.neuron([0.1, 0.2], delta=0.5), lr.Problem(np.eye(2), Y), rates=(1.0, 0.5)
    ),
    "diagonal": lambda: lr.GradientFlow(lr.inits.diagonal(2, 0.1), lr.Problem(X, Y)),
    "linearized": lambda: lr.GradientFlow(lr.inits.neuron([0.1, 0.2]), lr.Problem(X, Y)).linearize(),
}


@pytest.mark.parametrize("name", FLOWS)
def test_solve_exact_and_integrate(name):
    flow = FLOWS[name]()
    for times in TIMES:
        assert len(lr.solve(flow, times)) == 3
    for times in TIMES[::2]:
        assert len(lr.integrate(flow, times)) == 3


@pytest.mark.parametrize("name", FLOWS)
def test_limit_and_explain(name):
    flow = FLOWS[name]()
    assert str(lr.explain(flow))
    assert len(lr.exact(FLOWS["neuron"](), (0.0, 1.0))) == 2
    assert np.all(np.isfinite(lr.limit(flow).value))


def test_limits_at_scales_and_derivatives():
    flow = FLOWS["diagonal"]()
    assert len(lr.limit(flow, scales=[1.0, 0.5]).value) == 2
    slope = jax.grad(lambda beta: lr.solve(lr.GradientFlow(lr.inits.neuron(beta), lr.Problem(X, Y)), [1.0]).loss[-1])
    assert np.all(np.isfinite(slope(jnp.array([0.1, 0.2]))))
