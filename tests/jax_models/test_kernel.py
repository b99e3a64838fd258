"""Tangent kernels against the explicit Jacobian."""

import numpy as np
import pytest

from lazyrich.jax import tangent_kernel
from tests.jax_models.zoo import KINDS, LIBRARIES, PLAIN, explicit, made, plain

SLACK = {np.float32: 1e-5, np.float64: 1e-10}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("dtype", SLACK)
def test_models_of_every_library(library, kind, dtype):
    f, params, x = made(library, kind, dtype)
    found, wanted = tangent_kernel(f, params, x), explicit(f, params, x)
    assert found.dtype == wanted.dtype == dtype
    assert np.abs(found - wanted).max() <= SLACK[dtype] * np.abs(wanted).max()


@pytest.mark.parametrize("function", PLAIN, ids=lambda function: function.__name__)
def test_unusual_functions(function):
    params, x = plain(function)
    found, wanted = tangent_kernel(function, params, x), explicit(function, params, x)
    np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-10 * np.abs(wanted).max())
