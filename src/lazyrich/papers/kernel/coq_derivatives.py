"""Record the derivatives that SymPy takes for a proof, and write each as a lemma of Coquelicot.

A proof that differentiates returns what SymPy made of it, so that its identities begin after that step. These lemmas
are that step: `is_derive (fun x => f) x f'`, for all reals for which both sides are defined.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from types import FrameType
from typing import Any

from lazyrich.papers.kernel.coq_files import hypotheses
from lazyrich.papers.kernel.coq_terms import NotExportable, Writer, is_opaque, nodes

HEADER = "From Coquelicot Require Import Coquelicot.\nFrom lazyrich Require Import tactics.\nOpen Scope R_scope.\n"
MANY = 40  # a proof with more derivatives is left out
# What may stand between a paper's code and a derivative: SymPy also differentiates on the way of limits and the like.
THROUGH = ("diff", "jacobian", "hessian", "applyfunc", "_new", "_handle_creation_inputs", "<lambda>", "<listcomp>")
Derivative = tuple[Any, Any, Any]


def derivatives_of(prove: Callable[[bool], Any]) -> list[Derivative]:
    """Run a proof, and return each function that it differentiates, by which symbol, and the result."""
    found: dict[Derivative, None] = {}
    with _recorded(found, prove.__module__):
        prove(False)
    return [(f, x, result) for f, x, result in found if isinstance(x, str) or (f.has(x) and f != x)]


@contextmanager
def _recorded(found: dict[Derivative, None], module: str) -> Iterator[None]:
    from sympy import Expr

    original = Expr.diff

    inside: list[Any] = []  # a derivative that SymPy takes on the way of another one is not recorded

    def diff(self: Any, *symbols: Any, **options: Any) -> Any:
        inside.append(self)
        try:
            result = original(self, *symbols, **options)
        finally:
            inside.pop()
        if not inside and _is_asked_for(module):
            by, order = symbols[0], symbols[1] if len(symbols) == 2 else 1
            if not getattr(by, "is_Symbol", False) or len(symbols) > 2 or not str(order).isdigit():
                found[self, str(symbols), None] = None  # which no lemma can say
                return result
            between = [self]
            inside.append(self)
            for _ in range(int(order)):
                between.append(original(between[-1], by))
            inside.pop()
            found.update(((f, by, g), None) for f, g in pairwise(between))
        return result

    Expr.diff = diff
    try:
        yield
    finally:
        Expr.diff = original


def _is_asked_for(module: str) -> bool:
    """Return whether a proof of this module asks for a derivative, or a helper of papers, and not SymPy for itself."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        caller = frame.f_globals.get("__name__", "")
        if caller == module or caller.startswith("lazyrich."):
            return True
        if frame.f_code.co_name not in THROUGH:
            return False
        frame = frame.f_back
    return False


def derivative_lemmas(name: str, prove: Callable[[bool], Any]) -> list[str]:
    """Return a lemma for each derivative that a proof takes; none if one of them cannot be written."""
    found = derivatives_of(prove)
    if len(found) > MANY:
        return []
    try:
        return [derivative_lemma(f"{name}_d{number}", *each) for number, each in enumerate(found, 1)]
    except NotExportable:
        return []


def derivative_lemma(name: str, f: Any, x: Any, result: Any) -> str:
    """Return the lemma that `result` is the derivative of `f` by `x`, with its proof."""
    if isinstance(x, str) or any(is_opaque(e) for side in (f, result) for e in nodes(side)):
        raise NotExportable(f"the derivative by {x}")
    writer = Writer()
    stated = f"is_derive (fun {writer.name(x)} => {writer(f)}) {writer.name(x)} ({writer(result)})"
    assumed, variables = hypotheses(writer, f, result), " ".join(writer.names.values())
    roots = {e.base for side in (f, result) for e in nodes(side) if e.is_Pow and e.exp.is_Rational and e.exp.q == 2}
    rules = f" [{' '.join(['rule', 'rule0', 'rule1', 'rule2'][: len(roots)])}]" if roots else ""
    return (
        f"Lemma {name} : forall {variables} : R,\n  {assumed}{stated}.\nProof.\n  intros. unfold_to_exp. auto_derive;"
        f"\n    [repeat split; first [exact I | positive | nonzero] |].\n  plain. roots. field{rules}; nonzero.\nQed.\n"
    )
