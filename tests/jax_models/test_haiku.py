"""The recipe for Haiku: a transform is already a function of parameters and inputs."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lazyrich.jax import kernel_distance, tangent_kernel
from tests.jax_models.jax_zoo import IMAGES, SERIES, explicit, jittered

hk = pytest.importorskip("haiku")


def test_a_transform():
    def forward(x):
        start = jnp.zeros((len(x), 5), x.dtype)
        return hk.Linear(2)(hk.dynamic_unroll(hk.VanillaRNN(5), x.swapaxes(0, 1), start)[1])

    net, x = hk.without_apply_rng(hk.transform(forward)), jnp.asarray(SERIES, jnp.float32)
    params = jittered(net.init(jax.random.key(0), x))
    found, wanted = tangent_kernel(net.apply, params, x), explicit(net.apply, params, x)
    assert np.abs(found - wanted).max() <= 1e-5 * np.abs(wanted).max()
    assert kernel_distance(net.apply, params, params, x).value < 1e-12
    assert tangent_kernel(net.apply, params, x, rates={"linear": 0.0}).shape == found.shape


def test_a_transform_with_state_has_its_statistics_fixed():
    def forward(x, train):
        x = jax.nn.relu(hk.BatchNorm(True, True, 0.9)(hk.Conv2D(4, 3)(x), is_training=train))
        return hk.Linear(2)(x.mean((1, 2)))

    net, x = hk.without_apply_rng(hk.transform_with_state(forward)), jnp.asarray(IMAGES, jnp.float32)
    params, state = net.init(jax.random.key(0), x, True)
    f = lambda p, x: net.apply(p, state, x, False)[0]  # noqa: E731
    found, wanted = tangent_kernel(f, params, x), explicit(f, params, x)
    assert np.abs(found - wanted).max() <= 1e-5 * np.abs(wanted).max()
    with pytest.raises(ValueError, match="batch norm in training mode"):
        tangent_kernel(lambda p, x: net.apply(p, state, x, True)[0], params, x)
