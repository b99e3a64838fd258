"""BibTeX of the literature on which the theorems are based. The papers that the library verifies have theirs in their
folders."""

import importlib

NEURIPS_TITLE = "Advances in Neural Information Processing Systems"


def bibtex_entry(key: str, kind: str, **fields: str) -> str:
    """Return a BibTeX entry."""
    lines = ",\n".join(f"  {name:9s} = {{{value}}}" for name, value in fields.items())
    return f"@{kind}{{{key},\n{lines}\n}}"


REFERENCES = {
    "saxe2014": bibtex_entry(
        "saxe2014",
        "inproceedings",
        title="Exact solutions to the nonlinear dynamics of learning in deep linear neural networks",
        author="Saxe, Andrew M. and McClelland, James L. and Ganguli, Surya",
        booktitle="International Conference on Learning Representations",
        year="2014",
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
    """Return the BibTeX of a key: from `REFERENCES`, or from a paper, which is imported only then."""
    if key in REFERENCES:
        return REFERENCES[key]
    try:
        return importlib.import_module(f"lazyrich.papers.{key}").PAPER.bibtex
    except (ImportError, AttributeError):
        raise ValueError(f"there is no reference {key!r}: neither in lazyrich.references nor a paper") from None


class BibTeX(str):
    """A string that notebooks and the interpreter print unquoted, with its line breaks."""

    def __repr__(self) -> str:
        return str(self)


def cite(result: object) -> str:
    """Return BibTeX for the theorem behind a result (a trajectory, a limit, their `by`, or a theorem); empty if none
    was used. For an unknown source, such as that of your own theorem, return a comment with its key.

    >>> from lazyrich import Provenance
    >>> print(cite(Provenance("exact", "single neuron", sources=("smith2022",))).splitlines()[0])
    @misc{smith2022,
    """
    found = getattr(result, "by", result)
    sources = getattr(found, "sources", None)
    if sources is None:
        raise TypeError(f"cite takes a trajectory, its `by` or a theorem; found {type(result).__name__}")
    return BibTeX("\n\n".join(_bibtex_of_key(key) for key in sources))


def _bibtex_of_key(key: str) -> str:
    try:
        return bibtex(key)
    except ValueError:
        return f"% {key}: its entry is not known here"
