"""What z3 decides about all reals: proved, or refuted by numbers that SymPy agrees with."""

import pytest
import sympy
from sympy import Abs, And, Eq, Implies, Max, Min, Ne, Or, symbols

from lazyrich.papers.proof import Proof
from lazyrich.papers.real_arithmetic import Decision, for_all
from lazyrich.papers.verify import load

X, Y = symbols("x y", real=True)
P = symbols("p", positive=True)
BY_Z3 = [(each, proof) for each in load() for proof in each.proofs if proof.by == "z3"]


def test_what_holds_and_what_does_not():
    assert for_all([X**2 + Y**2 < 1], X < 1).holds is True
    assert for_all([X**2 + Y**2 <= 1], [X <= 1, Y >= -1]).holds is True
    assert for_all([X**2 + Y**2 <= 1], [X <= 1, Y > -1]).counterexample == {"x": "0", "y": "-1"}
    assert for_all([], Eq(Max(X, -X), Abs(X))).holds is True
    assert for_all([], Min(X, Y, P) <= P).holds is True
    assert for_all([], Implies(And(X > 0, Ne(Y, 0)), Or(X * Y > 0, X * Y < 0))).holds is True
    assert for_all([], P + 1 > 1).holds is True, "the assumption of the symbol"
    assert for_all([], sympy.true).holds is True


def test_a_denominator_must_not_be_zero():
    assert for_all([], 1 / P > 0).holds is True
    assert for_all([], 1 / X**2 > 0).counterexample == {"x": "0"}
    assert for_all([1 / X > 2], X > 0).holds is True, "where the hypothesis means something"


def test_what_proves_nothing():
    assert str(for_all([X > 1, X < 0], X > 5)) == "undecided: no reals satisfy the hypotheses"
    hard = for_all([], 3 * X**2 * Y**2 * P**2 * Max(X, Y) <= X**6 * Y**2 + Y**6 * P**2 + P**6 * X**2, resources=2000)
    assert hard.holds is None
    assert "gave up" in str(hard)
    assert "cannot tell" in Proof("x", lambda spoiled: Decision(None if spoiled else True)).check()
    assert "does not go through" in Proof("x", lambda spoiled: Decision(None)).check()


def test_what_it_does_not_decide_is_an_error():
    with pytest.raises(TypeError, match=r"rational functions of reals; found sqrt\(p\): name it by a symbol"):
        for_all([], sympy.sqrt(P) > X)
    with pytest.raises(TypeError, match="must be a relation; found x"):
        for_all([X], X > 0)


def test_a_wrong_proof_says_where_it_fails():
    wrong = Proof("everywhere", lambda spoiled: for_all([], X > 0))
    assert wrong.check() == "the proof does not go through (everywhere): it fails at x = 0"
    assert (wrong.by, Proof("x", lambda spoiled: (X, X)).by) == ("z3", "computer algebra")


@pytest.mark.parametrize(("claim", "proof"), BY_Z3, ids=[f"{c.id}-{p.prove.__name__}" for c, p in BY_Z3])
def test_sympy_agrees_with_each_counterexample(claim, proof, monkeypatch):
    asked = []
    monkeypatch.setitem(proof.prove.__globals__, "for_all", lambda *of: (asked.append(of), for_all(*of))[1])
    assert proof.prove(False).holds is True
    spoiled = proof.prove(True)
    assert spoiled.holds is False
    hypotheses, conclusion = asked[-1]
    conclusions = conclusion if isinstance(conclusion, list) else [conclusion]
    named = {str(s): s for each in (*hypotheses, *conclusions) for s in each.free_symbols}
    if any("?" in value for value in spoiled.counterexample.values()):
        return  # an algebraic number, of which only decimals are printed
    at = {named[name]: sympy.Rational(value) for name, value in spoiled.counterexample.items()}
    assert all(each.subs(at) == True for each in hypotheses)  # noqa: E712
    assert any(each.subs(at) == False for each in conclusions)  # noqa: E712
