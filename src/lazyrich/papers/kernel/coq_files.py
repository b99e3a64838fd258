"""Write the pairs of a proof as lemmas of Coq, and the steps that lead from each to `field`.

A lemma states that the two expressions that the proof returned are equal, for all reals that satisfy the assumptions
of the symbols and the conditions of `domain`. What is stated is written by `coq_terms.Writer` alone; the steps of its
proof need no trust, since the kernel checks them.
"""

from dataclasses import dataclass
from typing import Any

from lazyrich.papers.kernel.coq_steps import steps_to_field
from lazyrich.papers.kernel.coq_terms import Writer, domain
from lazyrich.papers.proof import entries

HEADER = "From lazyrich Require Import tactics.\nOpen Scope R_scope.\n"
CONDITIONS = {"<>": "{} <> 0", ">": "0 < {}", ">=": "0 <= {}"}
ASSUMED = (("is_positive", "0 < {}"), ("is_negative", "{} < 0"), ("is_nonnegative", "0 <= {}"))


@dataclass(frozen=True)
class Exported:
    """The lemmas of a proof, and the number of pairs whose two sides are one and the same expression, of which there
    is nothing to check."""

    lemmas: tuple[str, ...]
    same: int


def export(name: str, sides: tuple[Any, Any]) -> Exported:
    """Return the lemmas of a pair of expressions, matrices or sequences; each different entry is one lemma."""
    pairs = dict.fromkeys(entries(*sides))
    different = [pair for pair in pairs if pair[0] != pair[1]]
    lemmas = tuple(lemma(f"{name}_{number}", *pair) for number, pair in enumerate(different, 1))
    return Exported(lemmas, sum(left == right for left, right in entries(*sides)))


def lemma(name: str, left: Any, right: Any) -> str:
    """Return the lemma that two expressions are equal, with its proof."""
    writer = Writer()
    stated = f"{writer(left)} =\n  {writer(right)}"
    assumed = hypotheses(writer, left, right)
    variables = f"forall {' '.join(writer.names.values())} : R,\n  " if writer.names else ""
    steps = "\n  ".join(steps_to_field(writer, left, right))
    return f"Lemma {name} : {variables}{assumed}{stated}.\nProof.\n  {steps}\nQed.\n"


def hypotheses(writer: Writer, *expressions: Any) -> str:
    """Return what is assumed of the symbols that were written, and the conditions under which all is defined."""
    conditions = [CONDITIONS[relation].format(writer(e)) for relation, e in domain(*expressions)]
    assumed = [form.format(name) for symbol, name in writer.names.items() if (form := _assumption(symbol))]
    return "".join(f"{each} ->\n  " for each in (*assumed, *conditions))


def _assumption(symbol: Any) -> str:
    found = [form for assumed, form in ASSUMED if getattr(symbol, assumed)]
    return found[0] if found else "{} <> 0" if symbol.is_nonzero else ""
