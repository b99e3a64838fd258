"""What happens while the site is built: pictures are drawn, and formulas become MathML, without any JavaScript."""

import html
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert
from mkdocs.exceptions import PluginError

HERE = Path(__file__).parent
FORMULA = re.compile(r'<(span|div) class="arithmatex">\s*\\([(\[])(.*?)\\[)\]]\s*</\1>', re.DOTALL)


def on_pre_build(config: Any) -> None:
    """Draw the pictures that are missing or older than the code that draws them."""
    script, out = HERE / "pictures.py", HERE / "pictures"
    sources = [script, *(HERE.parent / "src" / "lazyrich").rglob("*.py")]
    newest = max(path.stat().st_mtime for path in sources)
    names = re.findall(r"^def (\w+)\(\) -> Figure", script.read_text(encoding="utf8"), re.MULTILINE)
    stale = [n for n in names if not (out / f"{n}.png").exists() or (out / f"{n}.png").stat().st_mtime < newest]
    if stale:
        # In a process of its own: the site's builder does not import JAX.
        subprocess.run([sys.executable, str(script), *stale], check=True)


def tidied(mathml: str) -> str:
    """Spacing as in TeX, where browsers take a bar, a slash or a sign for an operator between two terms."""
    bar, double, slash, partial, minus = (f"&#x{ord(char):05X};" for char in "|‖/∂−")
    mathml = re.sub(rf"<mo[^>]*>({bar}|{double})</mo>", r'<mo stretchy="false" lspace="0" rspace="0">\1</mo>', mathml)
    mathml = mathml.replace(f"<mo>{slash}</mo>", f'<mo lspace="0.05em" rspace="0.05em">{slash}</mo>')
    mathml = mathml.replace(f"<mo>{partial}</mo>", f'<mi mathvariant="normal">{partial}</mi>')
    for bracket in (f"&#x{ord(char):05X};" for char in "⟨⟩"):
        mathml = mathml.replace(f"<mi>{bracket}</mi>", f'<mo stretchy="false" lspace="0" rspace="0">{bracket}</mo>')
    before = "|".join(f"&#x{ord(char):05X};" for char in "=≈≤≥←(,")
    mathml = re.sub(rf"(<mo[^>]*>(?:{before})</mo>)<mo>{minus}</mo>", rf'\1<mo form="prefix">{minus}</mo>', mathml)
    return mathml.replace('<mn mathvariant="double-struck">1</mn>', "<mi>𝟙</mi>")


def on_page_content(content: str, page: Any, **_: Any) -> str:
    """Replace the formulas that pymdownx.arithmatex has marked by MathML."""

    def render(match: re.Match[str]) -> str:
        tag, bracket, escaped = match.groups()
        latex = html.unescape(escaped).strip()
        display = "block" if bracket == "[" else "inline"
        bare = re.sub(r"\\[{}]", "", latex)
        if bare.count("{") != bare.count("}"):  # which latex2mathml would forgive
            raise PluginError(f"{page.file.src_uri}: unbalanced braces in the formula {latex!r}")
        try:
            mathml = convert(latex, display=display)
        except Exception as error:
            raise PluginError(
                f"{page.file.src_uri}: cannot convert the formula {latex!r}: {type(error).__name__} {error}"
            ) from error
        mathml = tidied(mathml)
        leftover = re.search(r"\\[a-zA-Z]+", re.sub(r"<[^>]*>", "", mathml))
        if leftover:  # latex2mathml lets commands that it does not know pass as text
            raise PluginError(f"{page.file.src_uri}: unknown command {leftover[0]} in the formula {latex!r}")
        return f'<{tag} class="arithmatex">{mathml}</{tag}>'

    content = FORMULA.sub(render, content)
    missed = re.search(r'class="arithmatex">(?!<math).{0,80}', content)
    if missed:
        raise PluginError(f"{page.file.src_uri}: a formula was not understood: {missed[0]}")
    return content
