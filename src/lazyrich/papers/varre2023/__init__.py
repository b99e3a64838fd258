"""Varre et al. 2023: the spectral bias of two-layer linear networks."""

from lazyrich.papers.paper import Paper
from lazyrich.references import REFERENCES

PAPER = Paper(
    title="Varre et al. 2023: On the spectral bias of two-layer linear networks",
    order=4,
    sections=(
        "setting",
        "reduction",
        "spectral_bias",
        "spectra",
        "anisotropic",
        "mirror_flow",
        "convergence",
        "white_data",
        "discrete_steps",
        "experiments",
        "noise_scale",
        "noise_alignment",
    ),
    bibtex=REFERENCES["varre2023"],
    text="On the spectral bias of two-layer linear networks, Markdown with formulas in TeX, undated, 133494 bytes",
    text_sha256="f0a0fdd8d8688290fd5026487651cbabc8be72bd6d1f614038db0798e101603e",
)
