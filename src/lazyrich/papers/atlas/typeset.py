"""Typeset mathematics as MathML: TeX of the sources, and the library's own Unicode text with `x_y` and `x^{y}`."""

import re
from collections.abc import Iterator
from html import escape
from typing import Literal

from lazyrich.papers.atlas.mathml import complete_tex, convert_tex

DELIMITER = re.compile(r"(\$\$|\$|(?<!\\)\\[()\[\]])")
TEX = re.compile(r"\\[a-zA-Z]|[_^]")
FOOTNOTE = re.compile(r"\[\^\d+\]")
EMPHASIS = re.compile(r"\*\*(.+?)\*\*|\*(.+?)\*", re.DOTALL)
CUT_EMPHASIS = re.compile(r"^\s*\*+(?=\S)|(?<=[:.,])\*+(?!\S)")  # emphasis whose other end is outside of the quotation
# An index or exponent: text in braces, a word, two indices, a number with its sign, or one letter (η_aη_w has two).
INDEX = (
    r"(\{[^{}]*\}|\([^()_^]*\)|eff|[a-z]{3,}(?!\w)|(?:[ijk]{2}|xx|yx|yy|dc|in)(?![\u0300-\u036f]*[_^])"
    r"|[-−±+]?(?:\d+|½)|[+−*∞⊤]|[^\W\d_])"
)
# A letter with its accents, a sign of a derivative or a closing bracket; then an index, an exponent, or both.
SCRIPT = re.compile(rf"([^\W_][\u0300-\u036f]*|[∂∇⁺*)\]‖|])([_^]){INDEX}(?:(\^){INDEX})?")


def typeset(text: str) -> str:
    """Return the text as HTML, with indices and exponents as MathML.

    >>> typeset("as C_L < 1")
    'as <math><msub><mi>C</mi><mi>L</mi></msub></math> &lt; 1'
    """
    parts, end = [], 0
    for found in SCRIPT.finditer(text):
        parts += [escape(text[end : found.start()]), _script(*found.groups())]
        end = found.end()
    return "".join([*parts, escape(text[end:])])


def _script(base: str, kind: str, script: str, above: str | None, exponent: str | None) -> str:
    tag = "msubsup" if above else "msub" if kind == "_" else "msup"
    rows = "".join(_row(each) for each in (script, exponent) if each)
    return f"<math><{tag}>{_token(base)}{rows}</{tag}></math>"


def _row(script: str) -> str:
    """Return an index or exponent as MathML, including its own indices."""
    inner, parts, end = script[1:-1] if script.startswith("{") else script, "", 0
    for found in SCRIPT.finditer(inner):
        parts += _tokens(inner[end : found.start()]) + _script(*found.groups())[len("<math>") : -len("</math>")]
        end = found.end()
    parts += _tokens(inner[end:])
    return f"<mrow>{parts}</mrow>" if parts.count("<m") > 1 else parts


def _tokens(text: str) -> str:
    return "".join(_token(part) for part in re.findall(r"\d+(?:\.\d+)?|\w[\u0300-\u036f]*(?:[a-z]+)?|\S", text))


def _token(text: str) -> str:
    tag = "mn" if text[0].isdigit() else "mi" if text[0].isalpha() or text == "∞" else "mo"
    return f"<{tag}>{escape(text)}</{tag}>"


def quotation_html(text: str) -> str:
    """Return a quotation as HTML, with formulas as MathML if they can be converted, else as TeX.

    A quotation may begin or end within a formula, and so may each of its parts, between which words are left out.

    >>> quotation_html("so $a < b$ *at last*").replace('xmlns="http://www.w3.org/1998/Math/MathML" ', "")[:30]
    'so <math display="inline"><mro'
    """
    if not DELIMITER.search(text) and "\\" not in text and TEX.search(FOOTNOTE.sub("", text)):
        return typeset(text)  # a statement of the library's own, which is no TeX
    return "".join(part if "…" in part else _part(part) for part in re.split(r"(\s*…\s*)", text))


def _part(text: str) -> str:
    """Convert alternating text and formulas, from one delimiter to the next."""
    made = ""
    for piece, is_formula, display in formulas(FOOTNOTE.sub("", text)):
        made += _formula(piece, display) if is_formula else escape(piece, quote=False)
    return CUT_EMPHASIS.sub("", EMPHASIS.sub(lambda match: f"<em>{match[1] or match[2]}</em>", made))


def formulas(text: str) -> Iterator[tuple[str, bool, Literal["inline", "block"]]]:
    """Yield the pieces of a text in order: the piece, whether it is a formula, and how a formula is displayed."""
    pieces = DELIMITER.split(text)  # a piece, a delimiter, a piece, …, a piece
    is_formula = _begins_within_formula(pieces)
    for index in range(0, len(pieces), 2):
        around = pieces[index - 1 : index] + pieces[index + 1 : index + 2]
        inline = any(delimiter in ("$", r"\(", r"\)") for delimiter in around)
        yield pieces[index], is_formula, "inline" if inline else "block"
        is_formula = not is_formula


def _begins_within_formula(pieces: list[str]) -> bool:
    """Return whether the first piece is a formula; a dollar may open or close one."""
    if len(pieces) > 1 and pieces[1].startswith("\\"):
        return pieces[1] in (r"\)", r"\]")
    cut_at_one_end = len(pieces) % 4 == 3  # an odd number of delimiters
    return bool(TEX.search(pieces[0])) or (cut_at_one_end and not pieces[-1].strip())


def _formula(tex: str, display: Literal["inline", "block"]) -> str:
    try:
        return convert_tex(complete_tex(tex), display)
    except (ImportError, ValueError):  # latex2mathml is missing, or cannot convert the formula
        return f"<code>{escape(tex).replace('*', '&#42;')}</code>"
