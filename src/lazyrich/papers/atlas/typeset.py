"""Mathematics for pages: TeX of the sources as MathML, our own plain text with its indices and exponents in place."""

import importlib.util
import re
from html import escape
from typing import Literal

FORMULA = re.compile(r"\$\$(.+?)\$\$|\$(.+?)\$|\\\((.+?)\\\)|\\\[(.+?)\\\]", re.DOTALL)
COMMAND = re.compile(r"\\[a-zA-Z]+")
INDEX = re.compile(r"_(\{[^{}]*\}|[0-9A-Za-z]+|[α-ωΑ-Ω∞⊥*])|\^(\{[^{}]*\}|[−+]?[0-9A-Za-z]+|[α-ωΑ-Ω∞⊥*])")
EMPHASIS = re.compile(r"\*\*(.+?)\*\*|\*(.+?)\*")


def plain(text: str) -> str:
    """Our own statements: `w_i` and `x^{2}` as they are printed.

    >>> plain("η_w a² < δ_k, x^{n}")
    'η<sub>w</sub> a² &lt; δ<sub>k</sub>, x<sup>n</sup>'
    """

    def put(match: re.Match[str]) -> str:
        tag, inner = ("sub", match[1]) if match[1] else ("sup", match[2])
        return f"<{tag}>{inner.strip('{}')}</{tag}>"

    return INDEX.sub(put, escape(text, quote=False))


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
