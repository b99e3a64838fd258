"""The planar arrangement: every cell, its linear function, and two colors that differ across every line."""

import jax
import numpy as np
import pytest

import lazyrich as lr


def generic(seed, h, d):
    rng = np.random.default_rng(seed)
    return lr.TwoLayer(rng.normal(size=(h, d)), rng.normal(size=h), negative_slope=0.2)


def inside(polygon, point):
    edges = np.roll(polygon, -1, 0) - polygon
    return bool(np.all(edges[:, 0] * (point - polygon)[:, 1] - edges[:, 1] * (point - polygon)[:, 0] >= 0))


@pytest.mark.parametrize(("h", "d"), [(1, 2), (7, 2), (6, 3), (25, 3)])
def test_the_cells_tile_the_plane_and_carry_the_function(h, d):
    net = generic(h, h, d)
    # In a box that holds all crossings, h lines in general position make 1 + h + h(h − 1)/2 cells; through 0, 2h.
    size = 1.0
    if d == 3:
        pairs = [(i, j) for i in range(h) for j in range(i)]
        W = np.asarray(net.W)
        size = 1.1 * max(np.max(np.abs(np.linalg.solve(W[[i, j], :2], -W[[i, j], 2]))) for i, j in pairs)
    cells = lr.linear_regions(net, (-size, size, -size, size))
    assert len(cells) == (2 * h if d == 2 else 1 + h + h * (h - 1) // 2)
    areas = [0.5 * np.sum(p[:, 0] * np.roll(p[:, 1], -1) - p[:, 1] * np.roll(p[:, 0], -1)) for p in cells.polygons]
    assert min(areas) > 0
    np.testing.assert_allclose(sum(areas), 4 * size**2, rtol=1e-12)
    for polygon, slope, offset, pattern in zip(
        cells.polygons, cells.gradients, cells.offsets, cells.patterns, strict=True
    ):
        middle = polygon.mean(0)
        x = np.append(middle, 1.0) if d == 3 else middle
        np.testing.assert_allclose(slope @ middle + offset, float(net(x[None])[0]), rtol=1e-9, atol=1e-9 * size)
        assert np.array_equal(pattern, np.asarray(net.W) @ x > 0)


def test_neighbors_have_different_colors():
    cells = lr.linear_regions(generic(3, 8, 3), (-2, 2, -2, 2))
    checked = 0
    for polygon, color in zip(cells.polygons, cells.colors, strict=True):
        for p, q in zip(polygon, np.roll(polygon, -1, 0), strict=True):
            outward = np.array([(q - p)[1], -(q - p)[0]]) / np.linalg.norm(q - p)
            beyond = (p + q) / 2 + 1e-9 * outward
            others = [c for other, c in zip(cells.polygons, cells.colors, strict=True) if inside(other, beyond)]
            if others:  # not the border of the box
                assert others == [1 - color]
                checked += 1
    assert checked > 30


def test_bends_and_coinciding_lines():
    """At a symmetrized start each line is there twice and the kinks cancel; the activation regions are there anyway."""
    net = lr.inits.symmetrized(jax.random.key(0), 2, 10, tau=0.5)
    cells = lr.linear_regions(net)
    assert len(cells.lines) == 5
    assert len(cells) == 10
    np.testing.assert_allclose(cells.kink_strengths, 0, atol=1e-15)
    np.testing.assert_allclose(cells.gradients, 0, atol=1e-15)
    one = lr.linear_regions(lr.TwoLayer([[3.0, 4.0], [-3.0, -4.0], [0.0, 0.0]], [1.0, 0.5, 7.0]))
    assert len(one.lines) == 1
    np.testing.assert_allclose(one.kink_strengths, [7.5])
    flat = lr.linear_regions(lr.TwoLayer([[0.0, 0.0, 2.0], [0.0, 0.0, -1.0]], [1.0, 1.0]))
    assert len(flat) == 1
    assert np.array_equal(flat.patterns, [[True, False]])
    assert float(flat.offsets[0]) == 2.0


def test_it_draws_and_refuses(tmp_path):
    lr.linear_regions(generic(0, 5, 2)).plot().savefig(tmp_path / "r.png")
    with pytest.raises(ValueError, match="2 inputs"):
        lr.linear_regions(generic(0, 3, 4))
    with pytest.raises(ValueError, match="left < right"):
        lr.linear_regions(generic(0, 3, 2), (1, 0, 0, 1))
