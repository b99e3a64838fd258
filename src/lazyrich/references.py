"""The BibTeX entries of the sources that theorems cite.

The library does not import `lazyrich.papers`: a paper there takes its entry from here, or brings its own.
"""

NEURIPS_TITLE = "Advances in Neural Information Processing Systems"


def bibtex_entry(key: str, kind: str, **fields: str) -> str:
    """Return a BibTeX entry."""
    lines = ",\n".join(f"  {name:9s} = {{{value}}}" for name, value in fields.items())
    return f"@{kind}{{{key},\n{lines}\n}}"


REFERENCES = {
    "kunin2024": bibtex_entry(
        "kunin2024",
        "inproceedings",
        title="Get rich quick: exact solutions reveal how unbalanced initializations promote rapid feature learning",
        author="Kunin, Daniel and Ravent{\\'o}s, Allan and Domin{\\'e}, Cl{\\'e}mentine and Chen, Feng and "
        "Klindt, David and Saxe, Andrew and Ganguli, Surya",
        booktitle=NEURIPS_TITLE,
        volume="37",
        year="2024",
    ),
    "azulay2021": bibtex_entry(
        "azulay2021",
        "inproceedings",
        title="On the Implicit Bias of Initialization Shape: Beyond Infinitesimal Mirror Descent",
        author="Azulay, Shahar and Moroshko, Edward and Nacson, Mor Shpigel and Woodworth, Blake and Srebro, Nathan "
        "and Globerson, Amir and Soudry, Daniel",
        booktitle="International Conference on Machine Learning",
        year="2021",
    ),
    "dln": bibtex_entry(
        "dln",
        "misc",
        title="Deep Linear Networks: A Solvable Model of Learning Dynamics",
        howpublished="Lecture notes",
    ),
    "varre2023": bibtex_entry(
        "varre2023",
        "inproceedings",
        title="On the spectral bias of two-layer linear networks",
        author="Varre, Aditya and Vladarean, Maria-Luiza and Pillaud-Vivien, Loucas and Flammarion, Nicolas",
        booktitle=NEURIPS_TITLE,
        volume="36",
        year="2023",
    ),
    "smith2022": bibtex_entry(
        "smith2022",
        "misc",
        title="Implicit Regularization in Deep Learning: The Kernel and Rich Regimes",
        author="Smith, Henry",
        howpublished="Senior thesis, Department of Statistics and Data Science, Yale University",
        year="2022",
    ),
    "lazyrich2026": bibtex_entry(
        "lazyrich2026",
        "misc",
        title="lazyrich: exactly how a neural network leaves its initialization",
        author="{The lazyrich authors}",
        howpublished="Python library",
        year="2026",
    ),
    "saxe2014": bibtex_entry(
        "saxe2014",
        "inproceedings",
        title="Exact solutions to the nonlinear dynamics of learning in deep linear neural networks",
        author="Saxe, Andrew M. and McClelland, James L. and Ganguli, Surya",
        booktitle="International Conference on Learning Representations",
        year="2014",
    ),
    "zhang2025": bibtex_entry(
        "zhang2025",
        "inproceedings",
        title="Training dynamics of in-context learning in linear attention",
        author="Zhang, Yedi and Singh, Aaditya K. and Latham, Peter E. and Saxe, Andrew",
        booktitle="International Conference on Machine Learning",
        year="2025",
    ),
    "lyu2023": bibtex_entry(
        "lyu2023",
        "inproceedings",
        title="Dichotomy of early and late phase implicit biases can provably induce grokking",
        author="Lyu, Kaifeng and Jin, Jikai and Li, Zhiyuan and Du, Simon S. and Lee, Jason D. and Hu, Wei",
        booktitle="International Conference on Learning Representations",
        note="arXiv:2311.18817, 2023",
        year="2024",
    ),
    "lindsey2025": bibtex_entry(
        "lindsey2025",
        "misc",
        title="Regularization implies balancedness in the deep linear network",
        author="Lindsey, Kathryn and Menon, Govind",
        note="arXiv:2511.01137",
        year="2025",
    ),
    "hoerl1970": bibtex_entry(
        "hoerl1970",
        "article",
        title="Ridge regression: biased estimation for nonorthogonal problems",
        author="Hoerl, Arthur E. and Kennard, Robert W.",
        journal="Technometrics",
        volume="12",
        year="1970",
    ),
    "tibshirani1996": bibtex_entry(
        "tibshirani1996",
        "article",
        title="Regression shrinkage and selection via the {L}asso",
        author="Tibshirani, Robert",
        journal="Journal of the Royal Statistical Society, Series B",
        volume="58",
        year="1996",
    ),
    "srebro2004": bibtex_entry(
        "srebro2004",
        "inproceedings",
        title="Maximum-margin matrix factorization",
        author="Srebro, Nathan and Rennie, Jason D. M. and Jaakkola, Tommi S.",
        booktitle=NEURIPS_TITLE,
        volume="17",
        year="2004",
    ),
    "yuan2006": bibtex_entry(
        "yuan2006",
        "article",
        title="Model selection and estimation in regression with grouped variables",
        author="Yuan, Ming and Lin, Yi",
        journal="Journal of the Royal Statistical Society, Series B",
        volume="68",
        year="2006",
    ),
    "fukumizu1998": bibtex_entry(
        "fukumizu1998",
        "inproceedings",
        title="Effect of batch learning in multilayer neural networks",
        author="Fukumizu, Kenji",
        booktitle="International Conference on Neural Information Processing",
        year="1998",
    ),
    "braun2022": bibtex_entry(
        "braun2022",
        "inproceedings",
        title="Exact learning dynamics of deep linear networks with prior knowledge",
        author="Braun, Lukas and Domin{\\'e}, Cl{\\'e}mentine and Fitzgerald, James and Saxe, Andrew",
        booktitle=NEURIPS_TITLE,
        volume="35",
        year="2022",
    ),
    "domine2025": bibtex_entry(
        "domine2025",
        "inproceedings",
        title="From Lazy to Rich: Exact Learning Dynamics in Deep Linear Networks",
        author="Domin{\\'e}, Cl{\\'e}mentine C. J. and Anguita, Nicolas and Proca, Alexandra M. and Braun, Lukas and "
        "Kunin, Daniel and Mediano, Pedro A. M. and Saxe, Andrew M.",
        booktitle="International Conference on Learning Representations",
        year="2025",
    ),
    "woodworth2020": bibtex_entry(
        "woodworth2020",
        "inproceedings",
        title="Kernel and rich regimes in overparametrized models",
        author="Woodworth, Blake and Gunasekar, Suriya and Lee, Jason D. and Moroshko, Edward and Savarese, Pedro and "
        "Golan, Itay and Soudry, Daniel and Srebro, Nathan",
        booktitle="Conference on Learning Theory",
        year="2020",
    ),
    "pesme2023": bibtex_entry(
        "pesme2023",
        "inproceedings",
        title="Saddle-to-Saddle Dynamics in Diagonal Linear Networks",
        author="Pesme, Scott and Flammarion, Nicolas",
        booktitle=NEURIPS_TITLE,
        year="2023",
    ),
    "gunasekar2017": bibtex_entry(
        "gunasekar2017",
        "inproceedings",
        title="Implicit regularization in matrix factorization",
        author="Gunasekar, Suriya and Woodworth, Blake and Bhojanapalli, Srinadh and Neyshabur, Behnam and "
        "Srebro, Nathan",
        booktitle=NEURIPS_TITLE,
        volume="30",
        year="2017",
    ),
    "chizat2019": bibtex_entry(
        "chizat2019",
        "inproceedings",
        title="On lazy training in differentiable programming",
        author="Chizat, L{\\'e}na{\\\"i}c and Oyallon, Edouard and Bach, Francis",
        booktitle=NEURIPS_TITLE,
        volume="32",
        year="2019",
    ),
    "jacot2018": bibtex_entry(
        "jacot2018",
        "inproceedings",
        title="Neural tangent kernel: convergence and generalization in neural networks",
        author="Jacot, Arthur and Gabriel, Franck and Hongler, Cl{\\'e}ment",
        booktitle=NEURIPS_TITLE,
        volume="31",
        year="2018",
    ),
    "soudry2018": bibtex_entry(
        "soudry2018",
        "article",
        title="The implicit bias of gradient descent on separable data",
        author="Soudry, Daniel and Hoffer, Elad and Nacson, Mor Shpigel and Gunasekar, Suriya and Srebro, Nathan",
        journal="Journal of Machine Learning Research",
        volume="19",
        year="2018",
    ),
    "ji2019": bibtex_entry(
        "ji2019",
        "inproceedings",
        title="Gradient descent aligns the layers of deep linear networks",
        author="Ji, Ziwei and Telgarsky, Matus",
        booktitle="International Conference on Learning Representations",
        year="2019",
    ),
    "gunasekar2018": bibtex_entry(
        "gunasekar2018",
        "inproceedings",
        title="Implicit bias of gradient descent on linear convolutional networks",
        author="Gunasekar, Suriya and Lee, Jason D. and Soudry, Daniel and Srebro, Nathan",
        booktitle=NEURIPS_TITLE,
        volume="31",
        year="2018",
    ),
    "moroshko2020": bibtex_entry(
        "moroshko2020",
        "inproceedings",
        title="Implicit bias in deep linear classification: initialization scale vs training accuracy",
        author="Moroshko, Edward and Gunasekar, Suriya and Woodworth, Blake and Lee, Jason D. and Srebro, Nathan and "
        "Soudry, Daniel",
        booktitle=NEURIPS_TITLE,
        volume="33",
        year="2020",
    ),
}


def bibtex(key: str) -> str:
    """Return the BibTeX entry of a source.

    >>> print(bibtex("dln").splitlines()[0])
    @misc{dln,
    """
    if key not in REFERENCES:
        raise ValueError(f"there is no reference {key!r} in lazyrich.references; add its BibTeX entry to REFERENCES")
    return REFERENCES[key]


class BibTeX(str):
    """A string that notebooks and the interpreter print unquoted, with its line breaks."""

    def __repr__(self) -> str:
        return str(self)


def cite(result: object) -> str:
    """Return BibTeX entries for the sources of a result: a trajectory, a limit, their `by`, or a theorem.

    The string is empty if no theorem was used. A source that is not in `REFERENCES`, such as that of your own theorem,
    becomes a comment with its key.

    >>> from lazyrich import Provenance
    >>> print(cite(Provenance("exact", "single neuron", sources=("smith2022",))).splitlines()[0])
    @misc{smith2022,
    """
    provenance = getattr(result, "by", result)
    sources = getattr(provenance, "sources", None)
    if sources is None:
        raise TypeError(f"cite takes a trajectory, its `by` or a theorem; found {type(result).__name__}")
    return BibTeX("\n\n".join(REFERENCES.get(key, f"% {key}: its entry is not known here") for key in sources))
