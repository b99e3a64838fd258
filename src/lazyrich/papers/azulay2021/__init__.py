"""Azulay et al. 2021: the shape of an initialization."""

from lazyrich.papers.paper import Paper
from lazyrich.references import REFERENCES

PAPER = Paper(
    title="Azulay et al. 2021: On the implicit bias of initialization shape",
    address="https://arxiv.org/abs/2102.09769",
    order=2,
    sections=(
        "mirror_descent",
        "diagonal_networks",
        "diagonal_scale_and_shape",
        "neuron_metric",
        "warped_potential",
        "neuron_bias",
        "many_neurons",
        "neuron_scale_and_shape",
        "neuron_limits",
        "leaky_neuron",
        "classification",
        "simulations",
    ),
    bibtex=REFERENCES["azulay2021"],
    text="On the implicit bias of initialization shape: beyond infinitesimal mirror descent, Markdown with formulas in "
    "TeX, dated February 22, 2021, 110082 bytes",
    text_sha256="781bdd21b10cf3bd1bea510f484451f9603ac246212de2a2b7fe13f956439875",
)
