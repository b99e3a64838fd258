"""Mathematics as the book writes it, in Unicode with `x_y` and `x^{y}`, as HTML with MathML."""

import re
from html import escape

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
