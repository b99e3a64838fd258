"""What is written for Coq is the proof's own expressions; what is stored is shown only for the proof as it stands."""

import re
import shutil
from dataclasses import replace

import pytest
import sympy
from sympy import Rational, exp, log, sin, sqrt, symbols

from lazyrich.papers.atlas.claim_pages import pages
from lazyrich.papers.claim import Claim
from lazyrich.papers.kernel import __main__ as kernel
from lazyrich.papers.kernel import record
from lazyrich.papers.kernel.coq_derivatives import HEADER, derivative_lemma, derivative_lemmas, derivatives_of
from lazyrich.papers.kernel.coq_files import export, lemma
from lazyrich.papers.kernel.coq_terms import NotExportable, Writer, domain
from lazyrich.papers.proof import entries
from lazyrich.papers.verify import Report, check, load, select_claims

X, Y = symbols("x y")
P, Q, L = symbols("p q L", positive=True)
FUNCTIONS = {
    "exp": sympy.exp, "ln": sympy.log, "sqrt": sympy.sqrt, "sin": sympy.sin, "cos": sympy.cos, "sinh": sympy.sinh,
    "cosh": sympy.cosh, "tanh": sympy.tanh, "arcsinh": sympy.asinh, "Rabs": sympy.Abs, "Rpower": sympy.Pow,
}  # fmt: skip


class Reader:
    """Reads a term of Coq back, by Coq's own precedence: application, ^, unary - and /, * and /, + and -."""

    def __init__(self, text, names):
        self.tokens, self.names = re.findall(r"\w+|[-+*/^()]", text), names

    def sum(self):
        value = self.product()
        while self.tokens and self.tokens[0] in "+-":
            value = value + self.product() if self.tokens.pop(0) == "+" else value - self.product()
        return value

    def product(self):
        value = self.signed()
        while self.tokens and self.tokens[0] in "*/":
            value = value * self.signed() if self.tokens.pop(0) == "*" else value / self.signed()
        return value

    def signed(self):
        if self.tokens[0] in "-/":
            return -self.signed() if self.tokens.pop(0) == "-" else 1 / self.signed()
        return self.power()

    def power(self):
        base = self.applied()
        while self.tokens and self.tokens[0] == "^":
            self.tokens.pop(0)
            base = base ** int(self.tokens.pop(0))
        return base

    def applied(self):
        token = self.tokens.pop(0)
        if token == "(":
            value = self.sum()
            assert self.tokens.pop(0) == ")"
            return value
        if token in FUNCTIONS:
            return FUNCTIONS[token](*(self.applied() for _ in range(2 if token == "Rpower" else 1)))
        return sympy.Integer(token) if token.isdigit() else sympy.pi if token == "PI" else self.names[token]


def read_back(expression):
    writer = Writer()
    text = writer(expression)
    reader = Reader(text, {name: symbol for symbol, name in writer.names.items()})
    value = reader.sum()
    assert not reader.tokens, text
    return value


EXPRESSIONS = [
    -X**2 - 3 * X * Y + Rational(-2, 3), X - (Y - 1), X / (Y * (X + 1)), -(X + Y) ** -2, (X**2) ** -1 * Y**3,
    sqrt(P) ** 3 / sqrt(Q + P), exp(-X * Y) * exp(2) / (1 + exp(X)), log(P / Q) ** 2, sympy.tanh(X - Y),
    sin(X) ** 2 * sympy.cosh(2 * X), sympy.asinh(X / 2), sympy.pi * X, abs(X - 1), -P * (X - Y), 1 / (1 / (X + 1) + Y),
    2 ** Rational(1, 2) * X, (-X) ** 3, Rational(1, 3) ** 2 * X, sympy.Function("f")(X) * 2,
    sympy.Function("f")(X).diff(X) + 1, P ** (2 - 2 / L),
]  # fmt: skip


@pytest.mark.parametrize("expression", EXPRESSIONS, ids=str)
def test_what_is_written_is_the_expression(expression):
    assert read_back(expression) == expression
    assert read_back(expression) != expression + X / 10**6


SAMPLE = ["kunin2024/deep-inverse", "azulay2021/neuron-metric", "dln/clean-separation", "varre2023/variance"]


@pytest.mark.parametrize("name", SAMPLE)
def test_what_is_written_is_what_the_proof_returns(name):
    (claim,) = select_claims(name)
    for proof in claim.proofs:
        for pair in entries(*proof.prove(False)):
            for side in pair:
                assert sympy.expand(read_back(side) - side) == 0


def test_what_has_no_counterpart_is_refused():
    for expression in (sympy.Float(0.5) * X, sympy.I * X, sympy.oo, sympy.zeta(X), sympy.Max(X, Y), sympy.zoo):
        with pytest.raises(NotExportable, match="has no counterpart"):
            Writer()(expression)


def _differentiates(spoiled):
    root = sqrt(1 + X**2)
    assert sympy.limit(sin(X) / X, X, 0) == 1  # SymPy differentiates, and the proof does not
    return [root.diff(X), sympy.diff(Q * X**3, X, 2)], [X / root, 6 * Q * X]


def test_the_derivatives_of_a_proof_are_recorded():
    """Those that it takes itself, each of the first order; a symbol by itself and constants are left out."""
    root = sqrt(1 + X**2)
    found = [(root, X, X / root), (Q * X**3, X, 3 * Q * X**2), (3 * Q * X**2, X, 6 * Q * X)]
    assert derivatives_of(_differentiates) == found
    assert sympy.diff(X**2, X) == 2 * X
    (first, *_) = derivative_lemmas("a", _differentiates)
    assert "is_derive (fun x => sqrt (1 + x ^ 2)) x (x / sqrt (1 + x ^ 2))" in first
    assert derivative_lemmas("a", lambda spoiled: sympy.Function("f")(X).diff(X)) == []


def test_names_are_kept_apart():
    writer = Writer()
    several = [symbols("x"), symbols("x", positive=True), symbols("exp"), symbols("λ"), symbols("μ"), symbols("R")]
    names = [writer(symbol) for symbol in several]
    assert len(set(names)) == len(names)
    assert not set(names) & {"exp", "R"}
    assert all(re.fullmatch(r"[A-Za-z]\w*", name) for name in names)


def test_conditions_are_hypotheses_unless_they_hold_by_sight():
    assert domain(1 / (1 + X**2), sqrt(P + Q), log(P), 1 / P) == []
    assert domain(1 / (1 + X), sqrt(X), log(X), 1 / sqrt(Y)) == [("<>", 1 + X), (">=", X), (">", X), (">", Y)]
    assert domain(1 / X**2) == [("<>", X)], "a square may be zero"
    written = lemma("a", 1 / (X - P), (X + P) / (X**2 - P**2))
    assert "forall x p : R,\n  0 < p ->\n" in written or "forall p x : R,\n  0 < p ->\n" in written
    assert written.count("<> 0 ->") == 2


def test_one_expression_on_both_sides_is_not_counted():
    exported = export("a", (sympy.Matrix([X, X * (X + 1)]), sympy.Matrix([X, X**2 + X])))
    assert (len(exported.lemmas), exported.same) == (1, 1)


def _identity(spoiled):
    x, p = symbols("x", real=True), symbols("p", positive=True)
    root = sqrt(x**2 + p)
    return [1 / (root - x), exp(p) ** 2], [(root + x) / p, exp((3 if spoiled else 2) * p)]


def _made(prove=_identity):
    made = Claim("dln", "nowhere", "an identity", 1e-3, "none", lambda setup: (1.0, 1.0))
    made.check.__name__ = "made_up"
    made.proof("in general", general=True)(prove)
    return made


@pytest.fixture
def stored(monkeypatch, tmp_path):
    """Store what the kernel would have accepted of a claim, in a folder of its own."""
    made = _made()
    monkeypatch.setattr(record, "HOME", tmp_path)
    entry = {"hash": record.hash_of(made, made.proofs[0]), "lemmas": 2, "same": 1, "derivatives": 0}
    monkeypatch.setattr(record, "_record", lambda: {"coqc": "8.16.1", "proofs": {"dln/made-up#_identity": entry}})
    record.file_of(made).parent.mkdir(parents=True)
    record.file_of(made).write_text("Lemma identity_1 : 0 < 1.")
    return made


def test_the_page_says_what_the_kernel_has_checked_and_shows_it(stored):
    page = dict(pages(Report((check(stored),)).rows()))["claims/dln/made-up.html"]
    said = "Checked by Coq&#x27;s kernel (coqc 8.16.1): 2 identities of two printed expressions; in 1 more both sides"
    assert said in page
    assert "Lemma identity_1 : 0 &lt; 1." in page


def test_a_result_is_not_shown_for_another_proof_or_statement(stored):
    changed = replace(stored, statement="another", proofs=stored.proofs)
    assert record.accepted(stored, stored.proofs[0])
    assert record.accepted(changed, changed.proofs[0]) is None
    other = replace(stored.proofs[0], prove=lambda spoiled: _identity(spoiled))
    assert record.accepted(stored, other) is None
    stored.proofs[:] = [other]
    assert record.coq_text(stored) == ""
    assert "Coq" not in dict(pages(Report((check(stored),)).rows()))["claims/dln/made-up.html"]


STORED = [(each, proof) for each in load() for proof in each.proofs if record.accepted(each, proof)]


@pytest.mark.parametrize(
    ("claim", "proof"),
    [
        pytest.param(claim, proof, marks=() if number % 40 == 0 else pytest.mark.slow, id=claim.id)
        for number, (claim, proof) in enumerate(STORED)
    ],
)
def test_the_stored_lemmas_are_those_of_the_proof(claim, proof):
    text, exported = record.coq_text(claim), export(proof.prove.__name__, proof.prove(False))
    found = record.accepted(claim, proof)
    assert all(each in text for each in exported.lemmas) or not found["lemmas"]
    assert found["lemmas"] in (0, len(exported.lemmas))
    assert found["same"] in (0, exported.same)
    derivatives = derivative_lemmas(proof.prove.__name__, proof.prove) if found["derivatives"] else []
    assert all(each in text for each in derivatives)
    assert found["derivatives"] == len(derivatives)
    assert not re.search(r"Admitted|admit|Axiom|Parameter|Hypothesis|Abort", text)


def _never(spoiled):
    return X, X + 1


def _always(spoiled):
    return X * (X + 1), X**2 + X


@pytest.mark.skipif(shutil.which("coqc") is None, reason="coqc is not installed: python3 dev.py prove says how")
def test_the_kernel_accepts_what_is_true_and_nothing_else(tmp_path):
    true, never = _made(), _made(_never)
    good, lines = kernel.check_identities([true, never], tmp_path)
    assert [job.claim for job in good] == [true]
    assert "not a valid" in lines[0]
    slopes = [derivative_lemma("a", X**2 * exp(P * X), X, (P * X**2 + factor * X) * exp(P * X)) for factor in (2, 3)]
    slopes += derivative_lemmas("b", _differentiates)
    answers = [kernel.coqc(tmp_path, f"d{n}", [each], HEADER)[0] for n, each in enumerate(slopes)]
    assert [bool(each) for each in answers] == [False, True, False, False, False]
    good, lines = kernel.check_identities([_made(_always)], tmp_path)
    assert not good
    assert "the spoiled lemmas are true" in lines[0]
