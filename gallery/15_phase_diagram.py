"""A (τ, δ) diagram of your own

Which students of twenty ReLU neurons learn features, over overall scale τ and relative scale δ? The sweep is stored in
a folder: run it again to resume it after an interruption, or with more seeds.
"""

import matplotlib.pyplot as plt
import numpy as np

import lazyrich as lr

if __name__ == "__main__":  # other processes may import this file
    taus, deltas = np.geomspace(0.1, 2, 7), np.linspace(-1, 1, 7)
    setup = lr.phase.StudentSetup(d=20, width=20, n=200, test=1000)
    data = lr.phase.phase_diagram(taus, deltas, seeds=2, out="diagram", setup=setup, engine="serial")
    figure, panels = plt.subplots(1, 2, figsize=(8, 3.2), layout="constrained")
    for axes, name in zip(panels, ("kernel_distance", "test_error"), strict=True):
        value = np.log10(data[name].mean("seed").transpose("delta", "tau"))
        figure.colorbar(axes.pcolormesh(taus, deltas, value), ax=axes)
        axes.set(xscale="log", xlabel="overall scale τ", ylabel="relative scale δ", title=f"log₁₀ of {name}")
    S = data["kernel_distance"].mean("seed").transpose("delta", "tau")
    lines = panels[0].contour(taus, deltas, S, [0.01, 0.05], colors="w")
    panels[0].clabel(lines, fmt={0.01: "lazy below", 0.05: "rich above"})
    figure.savefig("15_phase_diagram.png")
