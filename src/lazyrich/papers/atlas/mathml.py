"""Convert TeX to MathML, for the pages of the claims and for the documentation."""

import re
from typing import Literal

UNKNOWN = re.compile(r"\\[a-zA-Z]+")
# TeX commands that latex2mathml does not support, and replacements that it does.
SYNONYMS = {
    r"\\label\{[^}]*\}|\\boxed\b": "",
    r"\\intercal\b": r"\\top",
    r"\\mathop\{\\mathrm\{arg\\,min\}\}": r"\\arg\\min",
    r"\\arg\b": r"\\operatorname{arg}",
    r"\{aligned\}": "{align*}",
}
# Brackets of TeX: environments, \left and \right, braces; and characters that only an environment may contain.
NESTING = re.compile(
    r"\\begin\{(?P<begin>\w+\*?)\}|\\end\{(?P<end>\w+\*?)\}|(?P<left>\\left)\b|(?P<right>\\right)\b"
    r"|(?P<frac>\\[dt]?frac\s*\{)|(?P<row>\\\\|(?<!\\)&)|\\[{}&]|(?P<open>\{)|(?P<close>\})"
)


def convert_tex(tex: str, display: Literal["inline", "block"] = "inline") -> str:
    """Convert a formula to MathML; a formula that cannot be converted raises a ValueError.

    >>> convert_tex("a")
    '<math xmlns="http://www.w3.org/1998/Math/MathML" display="inline"><mrow><mi>a</mi></mrow></math>'
    """
    from latex2mathml.converter import convert

    known = tex
    for pattern, synonym in SYNONYMS.items():
        known = re.sub(pattern, synonym, known)
    if not known.strip():
        return ""
    try:
        mathml = _adjust_spacing(convert(known.strip(), display=display))
    except Exception as error:
        raise ValueError(f"cannot convert the formula {tex!r}: {type(error).__name__} {error}") from error
    unknown = UNKNOWN.search(re.sub(r"<[^>]*>", " ", mathml))
    if unknown:  # latex2mathml outputs unknown commands as text
        raise ValueError(f"unknown command {unknown[0]} in the formula {tex!r}")
    return mathml


def _adjust_spacing(mathml: str) -> str:
    """Adjust the spacing to that of TeX, where browsers take a bar, a slash or a sign for a binary operator."""
    bar, double, slash, partial, minus = (f"&#x{ord(char):05X};" for char in "|‖/∂−")
    mathml = re.sub(rf"<mo[^>]*>({bar}|{double})</mo>", r'<mo stretchy="false" lspace="0" rspace="0">\1</mo>', mathml)
    mathml = mathml.replace(f"<mo>{slash}</mo>", f'<mo lspace="0.05em" rspace="0.05em">{slash}</mo>')
    mathml = mathml.replace(f"<mo>{partial}</mo>", f'<mi mathvariant="normal">{partial}</mi>')
    for bracket in (f"&#x{ord(char):05X};" for char in "⟨⟩"):
        mathml = mathml.replace(f"<mi>{bracket}</mi>", f'<mo stretchy="false" lspace="0" rspace="0">{bracket}</mo>')
    before = "|".join(f"&#x{ord(char):05X};" for char in "=≈≤≥←(,")
    mathml = re.sub(rf"(<mo[^>]*>(?:{before})</mo>)<mo>{minus}</mo>", rf'\1<mo form="prefix">{minus}</mo>', mathml)
    mathml = mathml.replace("<mi>&#x0007E;</mi>", "<mo>∼</mo>")
    return mathml.replace('<mn mathvariant="double-struck">1</mn>', "<mi>𝟙</mi>")


def complete_tex(tex: str) -> str:
    r"""Complete a part of a formula: open before it what it closes, and close after it what it leaves open.

    >>> complete_tex(r"a} + \left(b"), complete_tex(r"a &= \frac{1")
    ('{a} + \\left(b\\right.', '\\begin{aligned}a &= \\frac{1}{\\cdots}\\end{aligned}')
    """
    tex = re.sub(r"(?:[_^]|\\[dt]?frac|\\dot|\\hat|\\tilde|\\sqrt|\\left|\\right|(?<!\\)\\)\s*$", "", tex)
    closers: list[str] = []
    before, rows = "", False
    for found in NESTING.finditer(tex):
        kind = found.lastgroup
        if kind == "row":
            rows |= not any(closer.startswith(r"\end") for closer in closers)
        elif kind in ("begin", "left", "frac", "open"):
            ends = {"begin": rf"\end{{{found['begin']}}}", "left": r"\right.", "frac": r"}{\cdots}", "open": "}"}
            closers.append(ends[kind])
        elif kind and closers:
            closers.pop()
        elif kind:
            rows &= kind != "end"
            before = {"end": rf"\begin{{{found['end']}}}", "right": r"\left.", "close": "{"}[kind] + before
    whole = before + tex + "".join(reversed(closers))
    return rf"\begin{{aligned}}{whole}\end{{aligned}}" if rows else whole
