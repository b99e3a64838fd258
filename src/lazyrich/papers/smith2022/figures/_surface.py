"""The regression model with one input, x = 1, and its tangent model, around the initialization (figures 1 and 2)."""

from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import xarray

from lazyrich import inits
from lazyrich.networks import Linearized
from lazyrich.papers.figure import Fact

REACH = 2.0  # the square [α − 2, α + 2]²


def surfaces(alphas: Any, points: int) -> xarray.Dataset:
    """Return f and f̄ over the square around α𝟙, for each α; the coordinates are the offsets from α."""
    offsets = np.linspace(-REACH, REACH, points)
    grid = jnp.stack(jnp.meshgrid(offsets, offsets, indexing="ij")).reshape(2, -1)
    models: dict[str, list[Any]] = {"f": [], "linear": []}
    for alpha in alphas:
        net = inits.tied_diagonal(1, alpha)
        for name, model in (("f", net), ("linear", Linearized(net))):
            outputs = jax.vmap(lambda w, model=model: model.with_layers((w[:, None],)).beta[0])(alpha + grid.T)
            models[name].append(np.asarray(outputs).reshape(points, points))
    return xarray.Dataset(
        {name: (("alpha", "u1", "u2"), np.array(values)) for name, values in models.items()},
        coords={"alpha": np.array(alphas), "u1": offsets, "u2": offsets},
    )


def share(data: xarray.Dataset) -> xarray.DataArray:
    """Return the largest gap between the two, relative to the largest value of the tangent model."""
    return abs(data.f - data.linear).max(("u1", "u2")) / abs(data.linear).max(("u1", "u2"))


def facts(data: xarray.Dataset) -> Iterator[Fact]:
    yield Fact.equal(
        "the gap is f − f̄ = (w₁ − α)² − (w₂ − α)², the same at every α",
        data.f - data.linear,
        (data.u1**2 - data.u2**2).broadcast_like(data.f),
        1e-11,
    ).contradicts("smith2022/figure-one")
    yield Fact.equal("as a share of the range of f̄ it is 1/(2α)", share(data) * data.alpha, 0.5, 1e-11).on(
        "smith2022/figure-one"
    )
    middle = data.sel(u1=0, u2=0)
    yield Fact.equal("at the initialization both are zero", abs(middle.f) + abs(middle.linear) + 1, 1.0, 1e-12).on(
        "smith2022/regression-kernel"
    )


def paint(axes: Any, data: xarray.Dataset, alpha: float) -> None:
    """Plot both surfaces at one α, in units of the range of f̄."""
    from lazyrich._io.plots import COLORS

    here = data.sel(alpha=alpha)
    size = float(abs(here.linear).max())
    w1, w2 = np.meshgrid(alpha + data.u1.values, alpha + data.u2.values, indexing="ij")
    for name, color, opacity in (("linear", COLORS[1], 0.45), ("f", COLORS[0], 0.75)):
        values = here[name].values
        axes.plot_surface(w1, w2, values, color=color, alpha=opacity, linewidth=0, rcount=25, ccount=25)
        axes.plot_wireframe(w1, w2, values, color=color, linewidth=0.4, alpha=0.6, rcount=8, ccount=8)
    axes.scatter([alpha], [alpha], [0.0], color="black", s=18, depthshade=False)
    reach = max(4.2, size)
    axes.set(xlabel="$w_1$", ylabel="$w_2$", zlim=(-reach, reach))
    axes.view_init(20, -112)
    axes.set_box_aspect((1, 1, 0.75), zoom=1.0)
    axes.locator_params(nbins=5)


def legend(figure: Any) -> None:
    from matplotlib.patches import Patch

    from lazyrich._io.plots import COLORS

    handles = [
        Patch(color=COLORS[0], label=r"model $f = w_1^2 - w_2^2$"),
        Patch(color=COLORS[1], alpha=0.6, label=r"tangent model $\bar{f} = 2\alpha(w_1 - w_2)$"),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=2)
