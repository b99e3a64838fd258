"""Write text of the sources and of this library as LaTeX in ASCII: the same text that `typeset` writes as MathML.

Formulas of quotations stay what they are, completed where the quotation cuts them. Unicode outside of formulas becomes
commands that pdflatex knows, with the packages amsmath, amssymb and alltt.
"""

import html
import re
import unicodedata

from lazyrich.papers.atlas.mathml import complete_tex
from lazyrich.papers.atlas.typeset import EMPHASIS, FOOTNOTE, SCRIPT, formulas

PREAMBLE = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage[margin=2.5cm]{geometry}
\usepackage{amsmath,amssymb,alltt,hyperref}
\emergencystretch=3em
"""
ACCENTS = {"\u0307": "dot", "\u0302": "hat", "\u0303": "tilde", "\u0304": "bar"}  # of a letter of a formula
TEXT_ACCENTS = {"\u0308": '"', "\u0301": "'", "\u0300": "`"}  # of a letter in a name
ESCAPED = {char: f"\\{char}" for char in "#$%&_{}"} | {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
}
IN_CODE = {"\\": r"\textbackslash{}", "{": r"\{", "}": r"\}"}
SIGNS = {
    "‖": r"\|", "−": "-", "√": r"\surd", "→": r"\to", "←": r"\leftarrow", "↦": r"\mapsto", "∞": r"\infty",
    "Σ": r"\Sigma", "≥": r"\ge", "≤": r"\le", "∇": r"\nabla", "·": r"\cdot", "∂": r"\partial", "′": "'",
    "″": "''", "≠": r"\ne", "±": r"\pm", "∓": r"\mp", "≪": r"\ll", "≫": r"\gg", "∫": r"\int", "≈": r"\approx",
    "×": r"\times", "⟨": r"\langle", "⟩": r"\rangle", "∝": r"\propto", "∈": r"\in", "∉": r"\notin", "∅": r"\emptyset",
    "⊕": r"\oplus", "⊗": r"\otimes", "ℝ": r"\mathbb{R}", "𝟙": r"\mathbf{1}", "⊥": r"\perp", "⟂": r"\perp",
    "≲": r"\lesssim", "≳": r"\gtrsim", "÷": r"\div", "∠": r"\angle", "⪰": r"\succeq", "∗": "*", "⊤": r"\top",
    "ℓ": r"\ell", "<": "<", ">": ">", "|": "|", "∪": r"\cup", "∩": r"\cap", "⊂": r"\subset", "∼": r"\sim",
    "≡": r"\equiv", "⋯": r"\cdots", "ℕ": r"\mathbb{N}", "⌊": r"\lfloor", "⌋": r"\rfloor", "≻": r"\succ",
    "⇒": r"\Rightarrow", "∑": r"\sum", "∏": r"\prod", "∘": r"\circ", "⁄": "/",
}  # fmt: skip
PROSE = {
    "…": r"\dots{}",
    "–": "--",
    "—": "---",
    "‘": "`",
    "’": "'",
    "“": "``",
    "”": "''",
    "\u00a0": "~",
    "✓": "",
    "✎": "",
}


def latex_text(text: str) -> str:
    r"""Return text of this library as LaTeX, with its indices and exponents.

    >>> print(latex_text("δ_k² ≤ 50 %"))
    \ensuremath{\delta}\textsubscript{k}\textsuperscript{2} \ensuremath{\le} 50 \%
    """
    parts, end = [], 0
    for found in SCRIPT.finditer(text):
        base, kind, first, above, second = found.groups()
        parts += [_characters(text[end : found.start()], ESCAPED), _characters(base, ESCAPED), _script(kind, first)]
        parts += [_script(above, second)] if above else []
        end = found.end()
    return "".join([*parts, _characters(text[end:], ESCAPED)])


def _script(kind: str, script: str) -> str:
    inner = script[1:-1] if script.startswith("{") else script
    return rf"\text{'sub' if kind == '_' else 'super'}script{{{latex_text(inner)}}}"


def latex_code(code: str) -> str:
    """Return code as the lines of an `alltt` environment."""
    return "\\begin{alltt}\\small\n" + _characters(code, IN_CODE) + "\n\\end{alltt}"


def latex_quotation(text: str) -> str:
    r"""Return a quotation as LaTeX, with its formulas, which are completed where it cuts them.

    >>> print(latex_quotation(r"so $a & b < c$ & *at last* … \frac{1}{2"))
    so \(\begin{aligned}a & b < c\end{aligned}\) \& \emph{at last} \dots{} \[\frac{1}{2}\]
    """
    text = html.unescape(re.sub(r"</?\w+[^<>]*>", "", text)) if "<span" in text else text
    parts = re.split(r"(\s*…\s*)", text)
    return "".join(_characters(part, ESCAPED) if "…" in part else _part(part) for part in parts)


def _part(text: str) -> str:
    made = ""
    for piece, is_formula, display in formulas(FOOTNOTE.sub("", text)):
        made += _formula(piece, display) if is_formula else _characters(piece, ESCAPED)
    return EMPHASIS.sub(lambda match: rf"\emph{{{match[1] or match[2]}}}", made)


def _formula(tex: str, display: str) -> str:
    tex = re.sub(r"\\tag\{([^}]*)\}", r"\\quad(\\text{\1})", re.sub(r"\\label\{[^}]*\}", "", tex))
    tex = tex.replace("{align*}", "{aligned}").replace("*", r"{\ast}")
    tex = re.sub(r"\\(begin|end)\{(\w+)\{\\ast\}\}", r"\\\1{\2*}", tex)
    tex = re.sub(r"\n\s*\n", "\n", complete_tex(tex)).strip()
    opened, closed = (r"\(", r"\)") if display == "inline" else (r"\[", r"\]")
    return opened + "".join(_in_formula(char) for char in tex) + closed if tex else ""


def _in_formula(char: str) -> str:
    base, accent = _letter_and_accent(char, 0)
    if accent in ACCENTS:
        return rf"\{ACCENTS[accent]}{{{_math(base)}}}"
    return char if char.isascii() else _math(char) + " "


def _characters(text: str, escaped: dict[str, str]) -> str:
    """Return text as ASCII, character by character, with accents on the letter before them."""
    made, index = "", 0
    while index < len(text):
        base, accent = _letter_and_accent(text, index)
        index += 1 if unicodedata.decomposition(text[index]) and accent else 1 + bool(accent)
        if accent in TEXT_ACCENTS:
            made += rf"\{TEXT_ACCENTS[accent]}{{{base}}}"
        elif accent:
            made += rf"\ensuremath{{\{ACCENTS[accent]}{{{_math(base)}}}}}"
        else:
            made += _character(base, escaped)
    return made


def _letter_and_accent(text: str, index: int) -> tuple[str, str]:
    """Return the letter at a position and its accent, which is part of it or follows it."""
    parts = unicodedata.normalize("NFD", text[index])
    if len(parts) == 2 and parts[1] in ACCENTS | TEXT_ACCENTS:
        return parts[0], parts[1]
    follows = text[index + 1 : index + 2]
    return text[index], follows if follows in ACCENTS and follows else ""


def _character(char: str, escaped: dict[str, str]) -> str:
    if char in escaped:
        return escaped[char]
    if char.isascii() and char not in "<>|":
        return char
    if char in PROSE:
        return PROSE[char]
    kind, *codes = unicodedata.decomposition(char).split() or [""]
    if kind in ("<super>", "<sub>"):
        inner = "".join(_character(chr(int(code, 16)), escaped) for code in codes)
        return rf"\text{kind[1:-1]}script{{{inner}}}"
    return char if char.isascii() and escaped is IN_CODE else rf"\ensuremath{{{_math(char)}}}"


def _math(char: str) -> str:
    """Return the command of a character in a formula; a character without one raises a ValueError."""
    if char in SIGNS:
        return SIGNS[char]
    if char.isascii():
        return char
    kind, *codes = unicodedata.decomposition(char).split() or [""]
    if kind == "<fraction>":
        above, below = "".join(chr(int(code, 16)) for code in codes).split("⁄")
        return rf"\frac{{{above}}}{{{below}}}"
    if kind in ("<super>", "<sub>"):
        inner = "".join(_math(chr(int(code, 16))) for code in codes)
        return rf"{'^' if kind == '<super>' else '_'}{{{inner}}}"
    greek = re.fullmatch(r"GREEK (SMALL|CAPITAL) LETTER (\w+)", unicodedata.name(char, ""))
    if greek:
        name = "lambda" if greek[2] == "LAMDA" else greek[2].lower()
        return "\\" + (name if greek[1] == "SMALL" else name.capitalize())
    raise ValueError(
        f"no LaTeX is known for {char!r} ({unicodedata.name(char, 'no name')}): add it to SIGNS in {__name__}"
    )
