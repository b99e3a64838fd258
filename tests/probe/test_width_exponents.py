"""What a width check says in words, of numbers that are made up."""

import numpy as np
import pytest
import xarray

from lazyrich.probe.width_exponents import WidthCheck

WIDTHS = np.array([8.0, 16.0, 32.0])


def width_check(**updates):
    """Return a width check from functions of the width that give the size of each layer's own updates."""
    table = np.stack([np.broadcast_to(update(WIDTHS), (2, 3)) for update in updates.values()], -1)[:, :, None]
    dims, names = ("seed", "width", "step", "layer"), ("activation", "change", "relative_update", "feature_distance")
    data = {name: (dims, np.ones_like(table) if name == "activation" else table) for name in names}
    coords = {"seed": [0, 1], "width": WIDTHS, "step": [3], "layer": list(updates)}
    return WidthCheck(xarray.Dataset(data, coords, attrs={"optimizer": "SGD"}))


def still(n):
    return 0 * n


def flat(n):
    return 1 + 0 * n


@pytest.mark.parametrize(
    ("layers", "said"),
    [
        ({"a": flat, "b": flat}, "a learning rate found at one width should serve at others"),
        (
            {"a": still, "b": still, "c": flat},
            "a learning rate found at one width should serve at others for c; nothing is known of a, b: not moved",
        ),
        ({"a": still, "b": still}, "nothing is known of learning rates: no layer has moved"),
        (
            {"a": still, "b": np.sqrt, "c": flat},
            "a learning rate found at one width will not serve at others: b; nothing is known of a: not moved",
        ),
        ({"a": np.sqrt, "b": flat}, "a learning rate found at one width will not serve at others: a"),
    ],
)
def test_the_summary_is_of_layers_that_move(layers, said):
    assert width_check(**layers).summary == said


def test_a_layer_that_moves_in_some_runs_only():
    """One dead unit at one width is no frozen layer."""
    found = width_check(a=flat, b=lambda n: np.where(n == 16, 0.0, 1.0))
    assert found.verdict("b") == "does not move in 2 of 6 runs: no exponent can be fitted"
    assert "should serve at others for a; nothing is known of b: not moved" in found.summary
    assert width_check(a=still).verdict("a") == "does not move (frozen, or without a gradient)"
