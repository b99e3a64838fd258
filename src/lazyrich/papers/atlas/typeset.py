"""Mathematics for pages, as MathML: TeX of the sources, and our own text, in Unicode with `x_y` and `x^{y}`."""

import importlib.util
import re
from html import escape
from typing import Literal

FORMULA = re.compile(r"\$\$(.+?)\$\$|\$(.+?)\$|\\\((.+?)\\\)|\\\[(.+?)\\\]", re.DOTALL)
COMMAND = re.compile(r"\\[a-zA-Z]+")
EMPHASIS = re.compile(r"\*\*(.+?)\*\*|\*(.+?)\*")
# A letter with its accents, or a closing bracket; then an index or exponent: a word, or what is in braces.
SCRIPT = re.compile(r"(\w[\u0300-\u036f]*|[)\]‖|])([_^])(\{[^{}]*\}|\w+|∞)")


def typeset(text: str) -> str:
    """The text as HTML; indices and exponents become MathML.

    >>> typeset("as C_L < 1")
    'as <math><msub><mi>C</mi><mi>L</mi></msub></math> &lt; 1'
    """
    parts, end = [], 0
    for found in SCRIPT.finditer(text):
        parts += [escape(text[end : found.start()]), _script(*found.groups())]
        end = found.end()
    return "".join([*parts, escape(text[end:])])


def _script(base: str, kind: str, script: str) -> str:
    tag = "msub" if kind == "_" else "msup"
    inner = script[1:-1] if script.startswith("{") else script
    row = "".join(_token(part) for part in re.findall(r"\d+(?:\.\d+)?|\w[\u0300-\u036f]*(?:[a-z]+)?|\S", inner))
    row = f"<mrow>{row}</mrow>" if row.count("<m") > 1 else row
    return f"<math><{tag}>{_token(base)}{row}</{tag}></math>"


def _token(text: str) -> str:
    tag = "mn" if text[0].isdigit() else "mi" if text[0].isalpha() or text == "∞" else "mo"
    return f"<{tag}>{escape(text)}</{tag}>"


def quoted(text: str) -> str:
    """A sentence of a source: its formulas as MathML, where they can be read; else as they were written.

    >>> quoted("so $a < b$ *at last*").replace('xmlns="http://www.w3.org/1998/Math/MathML" ', "")[:30]
    'so <math display="inline"><mro'
    """
    if not FORMULA.search(text) and COMMAND.search(text):
        return _formula(text, "block")
    found, end = [], 0
    for match in FORMULA.finditer(text):
        found += [_words(text[end : match.start()]), _formula(next(filter(None, match.groups())))]
        end = match.end()
    return "".join([*found, _words(text[end:])])


def _words(text: str) -> str:
    return EMPHASIS.sub(lambda match: f"<em>{match[1] or match[2]}</em>", escape(text, quote=False))


def _formula(tex: str, display: Literal["inline", "block"] = "inline") -> str:
    as_written = f"<code>{escape(tex)}</code>"
    if importlib.util.find_spec("latex2mathml") is None:
        return as_written
    from latex2mathml.converter import convert

    try:
        made = convert(re.sub(r"\\label\{[^}]*\}|\\(boxed|intercal)\b", _known, tex).strip(), display=display)
    except Exception:
        return as_written
    unknown = COMMAND.search(re.sub(r"<[^>]*>", "", made))
    return as_written if unknown else made


def _known(match: re.Match[str]) -> str:
    """What the converter does not know, in words that it does."""
    return r"\top" if match[1] == "intercal" else ""
