"""Kunin et al. 2024: exact solutions of unbalanced networks, and their phase diagram."""

from lazyrich.papers.paper import Paper
from lazyrich.references import REFERENCES

PAPER = Paper(
    title="Kunin et al. 2024: Get rich quick",
    address="https://arxiv.org/abs/2406.06158",
    order=1,
    sections=(
        "linear_networks",
        "network_regimes",
        "isotropic",
        "aligned_modes",
        "isotropic_parameters",
        "isotropic_starts",
        "deep_networks",
        "deep_bias",
        "piecewise_linear",
        "piecewise_regimes",
        "piecewise_phases",
        "piecewise_width",
        "linear_regions",
        "experiments",
        "in_practice",
        "in_practice_norms",
        "neuron_flow",
        "neuron_dynamics",
        "neuron_balanced",
        "neuron_solutions",
        "neuron_downstream",
        "neuron_basins",
        "neuron_function_space",
        "neuron_kernel",
        "neuron_regimes",
        "neuron_phases",
        "neuron_mirror_flow",
        "neuron_potential",
        "neuron_bias",
        "neuron_unseen",
    ),
    bibtex=REFERENCES["kunin2024"],
    text="Get rich quick: exact solutions reveal how unbalanced initializations promote rapid feature learning, "
    "Markdown with formulas in TeX, undated, 142299 bytes",
    text_sha256="abbba03ad6b7abe4eef215bb21a36b2cd5bd83a2a9bec0e6c4466e1abc41df3a",
)
