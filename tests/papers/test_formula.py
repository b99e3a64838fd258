"""Formulas of statements: the reader, and that an altered formula makes the check or a proof fail."""

import random
import re
import zlib
from collections.abc import Iterator

import numpy as np
import pytest

from lazyrich.papers.formula import FUNCTIONS, RELATIONS, Formula, split_formulas
from lazyrich.papers.verify import load

SYMBOL = re.compile(
    rf"(?P<word>{'|'.join(sorted(FUNCTIONS, key=len, reverse=True))}|e(?=\^)|[∂∇∫Σ]\S*)|"
    r"‖[^‖]*‖|\|[^|]*\||[^\W\d_⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ᵀ½⅓⅔¼¾][\u0300-\u036f]*(?:_\{[^}]*\}|_[^\W_⁰-⁹²³¹]+)?[₀-₉₊₋ᵢ]*[*′']*(?:\([0t]\))?"
)
RAISED = dict(zip("¹²³⁴⁵⁶⁷⁸⁹", "²³⁴⁵⁶⁷⁸⁹¹", strict=True))
ALL = ("sign", "factor", "exponent", "swap")
STATE_THE_SAME = {  # changes after which the statement is still true
    "kunin2024/theorem-1": ("factor", "twice an objective has the same minimizer"),
    "kunin2024/theorem-5": ("factor", "twice an objective has the same minimizer"),
    "azulay2021/balanced-bias": ("sign factor", "the flow stops where the objective is stationary"),
    "kunin2024/nu-closed-form": ("sign", "ν is even in R"),
    "kunin2024/theorem-15": ("sign factor", "the flow stops where the objective is stationary"),
    "varre2023/jensen": ("sign swap", "a smaller number is a lower bound, too"),
    "lazyrich2026/decay-runs-the-scale-down": ("sign", "s enters by its square"),
}
EVERY = [
    pytest.param(claim, where, index, id=f"{claim.id}-{where}-{index}")
    for claim in load()
    for where in ("formulas", "corrections")
    for index in range(len(getattr(claim, where)))
    if where == "corrections" or not claim.corrections  # else the printed formula is what must fail
]


def altered(text: str, kinds: tuple[str, ...] = ALL) -> str:
    """Return a formula with one change of its last side: of a sign, a factor or an exponent, or two symbols swapped.

    The change is drawn by the hash of the text. A swap that leaves the formula the same is not drawn. If the last side
    is a number, such as 0, the first one is changed.
    """
    rng = random.Random(zlib.crc32(text.encode()))
    parts = RELATIONS.split(text)
    first, last = parts[0], parts[-1]
    side, begin = (first, 0) if last.isdigit() else (last, len(text) - len(last))
    for kind in rng.sample(kinds, len(kinds)):
        changed = [each for each in changes(side, kind) if not same(side, each)]
        if changed:
            return text[:begin] + rng.choice(changed) + text[begin + len(side) :]
    raise ValueError(f"nothing to change in {text!r}")


def changes(side: str, kind: str) -> Iterator[str]:
    if kind == "factor":
        yield f"2({side})"
    elif kind == "sign":
        yield f"−({side})"
        for found in re.finditer(r"(?<=\s)[+−](?=\s)", side):
            yield side[: found.start()] + {"+": "−", "−": "+"}[found[0]] + side[found.end() :]
    elif kind == "exponent":
        for found in re.finditer("[¹²³⁴⁵⁶⁷⁸⁹]", side):
            yield side[: found.start()] + RAISED[found[0]] + side[found.end() :]
    else:
        found = [each for each in SYMBOL.finditer(side) if not each["word"]]
        for one in found:
            for other in found:
                if one.end() <= other.start() and one[0] != other[0]:
                    between = side[one.end() : other.start()]
                    yield side[: one.start()] + other[0] + between + one[0] + side[other.end() :]


def same(one: str, other: str) -> bool:
    """Return whether two formulas of numbers are the same expression, if both can be read."""
    import sympy

    names = {each[0] for each in SYMBOL.finditer(one)} - {*FUNCTIONS, "e"}
    values = {name: sympy.Symbol(f"x{n}", positive=True) for n, name in enumerate(sorted(names))}
    try:
        return bool(Formula(one).right(values) - Formula(other).right(values) == 0)
    except (ValueError, TypeError, AttributeError):  # a formula of matrices
        return False


def goes_red(claim) -> bool:
    """Return whether the check misses its tolerance, or a proof does not go through, or either cannot be run."""
    try:
        return bool(claim.evidence().error > claim.tolerance) or any(proof._trouble() for proof in claim.proofs)
    except (ValueError, TypeError, AttributeError, ArithmeticError, RuntimeError, np.linalg.LinAlgError):
        return True  # the formula cannot be read with these names, or its flow has no solution


def test_the_sample_of_mutations_goes_red(monkeypatch):
    quick = [each.values for each in EVERY if each.values[0].source in ("kunin2024", "azulay2021")]
    for claim, where, index in random.Random(0).sample(quick, 6):
        mutate(monkeypatch, claim, where, index)
        assert goes_red(claim), (claim.id, getattr(claim, where)[index].text)


@pytest.mark.slow
@pytest.mark.parametrize(("claim", "where", "index"), EVERY)
def test_every_mutation_goes_red(monkeypatch, claim, where, index):
    mutate(monkeypatch, claim, where, index)
    assert goes_red(claim), getattr(claim, where)[index].text


def mutate(monkeypatch, claim, where, index):
    formulas = list(getattr(claim, where))
    without, _ = STATE_THE_SAME.get(claim.id, ("", ""))
    kinds = tuple(kind for kind in ALL if kind not in without.split())
    formulas[index] = Formula(altered(formulas[index].text, kinds))
    monkeypatch.setattr(claim, where, tuple(formulas))


def test_an_altered_formula_is_another_one():
    assert {altered(text) for text in ("y = a + b²",)} <= {
        "y = −(a + b²)", "y = a − b²", "y = 2(a + b²)", "y = a + b³", "y = b + a²"
    }  # fmt: skip
    assert not same("a/b", "b/a")
    assert same("ab", "ba")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2a/3b", 2 * 5 / (3 * 7)),
        ("(2/3)ab", 2 / 3 * 35),
        ("a/b/2", 5 / 14),
        ("½a² − b", 5.5),
        ("−a²", -25.0),
        ("a⁻² + b^{2/3}", 1 / 25 + 7 ** (2 / 3)),
        ("a^½", np.sqrt(5)),
        ("√(a + 4)b", 21.0),
        ("√a b", np.sqrt(5) * 7),
        ("2√2/3", 2 * np.sqrt(2) / 3),
        ("cosh²a/(1 + sinh 2b)", np.cosh(5) ** 2 / (1 + np.sinh(14))),
        ("e^{−a} + ln b", np.exp(-5) + np.log(7)),
        ("max(a, b) − sgn(a)", 6.0),
        ("b/2π", 7 / (2 * np.pi)),
    ],
)
def test_numbers_and_symbols_agree(text, value):
    import sympy

    a, b = sympy.symbols("a b", positive=True)
    assert Formula(text).right({"a": 5.0, "b": 7.0}) == pytest.approx(value, rel=1e-14)
    exact = Formula(text).right({"a": a, "b": b}).subs({a: 5, b: 7})
    assert float(exact) == pytest.approx(value, rel=1e-14)


def test_matrices():
    rng = np.random.default_rng(0)
    A, B, v = rng.normal(size=(3, 3)), rng.normal(size=(2, 2)), rng.normal(size=(3, 1))
    names = {"A": A, "B": B, "v": v, "I": np.eye(3)}
    assert np.allclose(Formula("vᵀAᵀA²v").right(names), v.T @ A.T @ A @ A @ v)
    assert Formula("v·(Av)").right(names) == pytest.approx((v.T @ A @ v)[0, 0])
    root = Formula("√(AAᵀ + I)").right(names)
    assert np.allclose(root @ root, A @ A.T + np.eye(3))
    assert np.allclose(Formula("(AAᵀ + I)^{−1/2}").right(names) @ root, np.eye(3))
    assert np.allclose(Formula("A⁻¹A").right(names), np.eye(3))
    assert np.allclose(Formula("A ⊗ B").right(names), np.kron(A, B))
    assert np.allclose(Formula("A ⊕ B").right(names), np.kron(A, np.eye(2)) + np.kron(np.eye(3), B))


def test_matrices_of_symbols():
    import sympy

    A, w = sympy.Matrix(2, 2, sympy.symbols("a:4")), sympy.Matrix(sympy.symbols("w:2"))
    B = sympy.Matrix(2, 2, sympy.symbols("b:4"))
    assert Formula("wᵀAw").right({"A": A, "w": w}) == w.T * A * w
    assert Formula("w·(Aw)").right({"A": A, "w": w}).expand() == (w.T * A * w)[0].expand()
    one = sympy.eye(2)
    expected = sympy.kronecker_product(A, one) + sympy.kronecker_product(one, B)
    assert sympy.Matrix(Formula("A ⊕ B").right({"A": A, "B": B})) == sympy.Matrix(expected)


def test_sides_put_the_smaller_side_first():
    names = {"a": 1.0, "b": 2.0}
    assert Formula("b ≥ a").sides(names) == Formula("a ≤ b").sides(names) == (1.0, 2.0)
    assert Formula("a = 2a − a = b").sides(names) == (1.0, 2.0)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a/b c", r"a/b c may mean \(a/b\)c or a/\(bc\): brackets are needed around ' c'"),
        ("a + d", "cannot read ' d' in the formula 'a \\+ d', read with the names a, b, c"),
        ("(a + b", r"'\)' is needed before 'the end'"),
        ("a b)", r"unexpected '\)'"),
        ("a +", "cannot read 'the end'"),
        ("a₀", "unexpected '₀'"),
    ],
)
def test_what_cannot_be_read_is_refused(text, says):
    with pytest.raises(ValueError, match=says):
        Formula(text).right({"a": 1.0, "b": 2.0, "c": 3.0})


def test_refusals():
    with pytest.raises(ValueError, match="a formula with two sides is needed; found 'a'"):
        Formula("a").sides({"a": 1.0})
    with pytest.raises(ValueError, match="a formula stands between two dollars; found 1 in 'a \\$b'"):
        split_formulas("a $b")
    with pytest.raises(ValueError, match="kunin2024/conservation has 0 corrections"):
        next(claim for claim in load() if claim.id == "kunin2024/conservation").correction  # noqa: B018
    with pytest.raises(ValueError, match="has 2 formulas: take one from `formulas`"):
        next(claim for claim in load() if claim.id == "kunin2024/gradient-flow").formula  # noqa: B018


def test_statements_are_printed_without_dollars():
    assert not any("$" in claim.statement or "$" in claim.remark for claim in load())
