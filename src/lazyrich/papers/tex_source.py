r"""Read a paper's TeX source: its title, its paragraphs, and the statements in them that can be judged.

A statement is a displayed equation, a theorem-like environment, a caption, or an item of a numbered list. Numbers are
counted as LaTeX counts them: equations through the text, theorems by the counters that `\newtheorem` declares.
"""

import re
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%.*")
INPUT = re.compile(r"\\(?:input|include)\s*\{([^}]*)\}")
NEW_THEOREM = re.compile(r"\\newtheorem(\*?)\s*\{(\w+)\}\s*(?:\[(\w+)\])?\s*\{([^}]*)\}")
LABEL = re.compile(r"\s*\\label\s*\{[^}]*\}\s*")
HEADING = re.compile(r"\\((?:sub)*section)(\*?)\s*(?=\{)|\\appendix\b")
EQUATIONS = ("equation", "align", "gather", "multline", "eqnarray", "alignat", "flalign", "displaymath")
THEOREMS = ("theorem", "lemma", "proposition", "corollary", "claim", "conjecture", "assumption", "remark")
FLOATS = ("figure", "table")
UNNUMBERED = re.compile(r"\\(?:nonumber|notag)\b")
DISPLAY = re.compile(r"\\\[(?P<bracket>.*?)\\\]|\$\$(?P<dollars>.*?)\$\$", re.DOTALL)
NESTED = re.compile(r"\\begin\{(\w+\*?)\}.*?\\end\{\1\}", re.DOTALL)
ITEM = re.compile(r"\\item\b\s*(?:\[[^]]*\])?(.*?)(?=\\item\b|\Z)", re.DOTALL)
LONG = 600  # characters of a quotation, after which the rest is left to the reader


@dataclass(frozen=True)
class Statement:
    """A statement of a paper: its kind and number, the section, the TeX to quote, and its first character."""

    kind: str
    number: str
    section: str
    quote: str
    start: int

    @property
    def place(self) -> str:
        """Where it stands, in words."""
        number = f"({self.number})" if self.kind == "equation" and self.number else self.number
        return ", ".join(filter(None, (self.section, f"{self.kind} {number}".strip())))


@dataclass(frozen=True)
class Paragraph:
    """A paragraph: its section, its TeX, and the statements that begin in it."""

    section: str
    text: str
    statements: tuple[Statement, ...]


@dataclass(frozen=True)
class TexSource:
    """A paper as its TeX source gives it."""

    title: str
    author: str
    paragraphs: tuple[Paragraph, ...]

    @property
    def statements(self) -> tuple[Statement, ...]:
        """All statements, in the order of the text."""
        return tuple(statement for paragraph in self.paragraphs for statement in paragraph.statements)


def read_tex(file: Path) -> str:
    r"""Return the text of a TeX file without comments, with the files that `\input` and `\include` name."""
    return _read(file, ())


def _read(file: Path, within: tuple[Path, ...]) -> str:
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{file} is not UTF-8 text (byte {error.start}): convert it, or pass the TeX source") from None

    def insert(command: re.Match[str]) -> str:
        name = command[1].strip()
        inner = file.parent / (name if name.endswith(".tex") else f"{name}.tex")
        if inner in (*within, file):
            raise ValueError(f"{file} includes {inner}, which includes it in turn")
        if not inner.is_file():
            raise FileNotFoundError(f"{file} includes {name!r}, but there is no {inner}: put it there, or remove it")
        return _read(inner, (*within, file))

    return INPUT.sub(insert, COMMENT.sub(r"\1", text))


def tex_body(text: str) -> str:
    r"""Return what stands between `\begin{document}` and `\end{document}`, or the whole text if neither is there."""
    begins, ends = text.find(r"\begin{document}"), text.find(r"\end{document}")
    return text[begins + len(r"\begin{document}") : ends if ends > begins else None] if begins >= 0 else text


def parse_tex(text: str) -> TexSource:
    r"""Split the text of a TeX file, without comments, into paragraphs with their statements.

    >>> paper = parse_tex(r"\section{One} Half of it:\begin{equation} t = \log s \label{t} \end{equation}")
    >>> [(statement.place, statement.quote) for statement in paper.statements]
    [('section 1, equation (1)', 't = \\log s')]
    """
    body = tex_body(text)
    headings = _headings(body)
    statements = sorted(
        (*_equations(body, headings), *_theorems(text, body, headings), *_captions(body, headings)),
        key=lambda statement: statement.start,
    )
    statements += _items(body, headings, statements)
    paragraphs = []
    for start, block in _blocks(body):
        inside = [each for each in statements if start <= each.start < start + len(block)]
        inside.sort(key=lambda statement: statement.start)
        paragraphs.append(Paragraph(_section(headings, start + len(block) - 1), block, tuple(inside)))
    return TexSource(_argument(text, "title"), _argument(text, "author"), tuple(paragraphs))


def _blocks(body: str) -> list[tuple[int, str]]:
    """Return the start and the text of each paragraph: what stands between blank lines."""
    borders = [(0, 0), *((gap.start(), gap.end()) for gap in re.finditer(r"\n[ \t]*\n\s*", body)), (len(body),) * 2]
    found = [(before[1], body[before[1] : after[0]]) for before, after in pairwise(borders)]
    return [(start, block) for start, block in found if block.strip()]


def _headings(body: str) -> list[tuple[int, str]]:
    """Return where each section begins, and its name: section 2.1, appendix A."""
    numbers, word, headings = [0, 0, 0], "section", []
    for heading in HEADING.finditer(body):
        if heading[1] is None:  # \appendix
            numbers, word = [0, 0, 0], "appendix"
            continue
        depth = heading[1].count("sub")
        if heading[2] or depth > 2:
            headings.append((heading.start(), _braces(body, heading.end())[0].strip().lower()))
            continue
        numbers = [*numbers[:depth], numbers[depth] + 1, *[0] * (2 - depth)]
        first = chr(64 + numbers[0]) if word == "appendix" and 0 < numbers[0] < 27 else str(numbers[0])
        headings.append((heading.start(), f"{word} {'.'.join([first, *map(str, numbers[1 : depth + 1])])}"))
    return headings


def _section(headings: list[tuple[int, str]], place: int) -> str:
    return next((name for start, name in reversed(headings) if start <= place), "")


def _equations(body: str, headings: list[tuple[int, str]]) -> list[Statement]:
    """Return the displayed equations: one for each environment, numbered by its first row that has a number."""
    found = [(start, name, inner) for name in EQUATIONS for start, name, inner in _environments(body, name)]
    found += [(match.start(), "*", match["bracket"] or match["dollars"] or "") for match in DISPLAY.finditer(body)]
    equations, count = [], 0
    for start, name, inner in sorted(found):
        rows = [inner] if name in ("equation", "multline") else NESTED.sub("x", inner).split(r"\\")
        numbered = name[-1] != "*" and name != "displaymath"
        numbers = sum(numbered and row.strip() != "" and not UNNUMBERED.search(row) for row in rows)
        number = f"{count + 1}" + (f"–{count + numbers}" if numbers > 1 else "") if numbers else ""
        count += numbers
        equations.append(Statement("equation", number, _section(headings, start), _quote(inner), start))
    return equations


def _theorems(text: str, body: str, headings: list[tuple[int, str]]) -> list[Statement]:
    """Return the theorem-like environments, with the names and shared counters that the preamble declares."""
    declared = {
        name: (word.lower(), "" if star else shared or name) for star, name, shared, word in NEW_THEOREM.findall(text)
    }
    declared |= {name: (name, name) for name in THEOREMS if name not in declared}
    found = sorted((start, name, inner) for each in declared for start, name, inner in _environments(body, each))
    count: Counter[str] = Counter()
    theorems = []
    for start, name, inner in found:
        word, counter = declared[name.rstrip("*")]
        numbered = counter and name[-1] != "*"
        count[counter] += bool(numbered)
        number = str(count[counter]) if numbered else ""
        theorems.append(Statement(word, number, _section(headings, start), _quote(_without_option(inner)), start))
    return theorems


def _captions(body: str, headings: list[tuple[int, str]]) -> list[Statement]:
    captions = []
    for kind in FLOATS:
        for number, (start, _, inner) in enumerate(sorted(_environments(body, kind)), 1):
            caption = re.search(r"\\caption\s*(?:\[[^]]*\])?\s*(?=\{)", inner)
            if caption:
                quote = _quote(_braces(inner, caption.end())[0])
                captions.append(Statement(kind, str(number), _section(headings, start), quote, start))
    return captions


def _items(body: str, headings: list[tuple[int, str]], others: list[Statement]) -> list[Statement]:
    """Return the items of numbered lists outside of theorems, which quote their own items."""
    inside = [(each.start, each.start + len(each.quote)) for each in others if each.kind != "equation"]
    items: list[Statement] = []
    for start, _, inner in sorted(_environments(body, "enumerate")):
        if any(first <= start < last for first, last in inside):
            continue
        for number, item in enumerate(ITEM.finditer(inner), 1):
            place = body.index(item[0].strip(), start)
            items.append(Statement("item", str(number), _section(headings, place), _quote(item[1]), place))
    return items


def _environments(body: str, name: str) -> list[tuple[int, str, str]]:
    r"""Return the start, name and content of each `\begin{name}` and `\begin{name*}` up to its own `\end`."""
    found = []
    for begin in re.finditer(rf"\\begin\s*\{{({re.escape(name)}\*?)\}}", body):
        end = re.search(rf"\\end\s*\{{{re.escape(begin[1])}\}}", body[begin.end() :])
        if end is None:
            line = body.count("\n", 0, begin.start()) + 1
            raise ValueError(rf"\begin{{{begin[1]}}} in line {line} of the text has no \end{{{begin[1]}}}: add it")
        found.append((begin.start(), begin[1], body[begin.end() : begin.end() + end.start()]))
    return found


def _braces(text: str, start: int) -> tuple[str, int]:
    """Return what stands in the braces that open at `start`, and where they close."""
    depth = 0
    for place in range(start, len(text)):
        if text[place] in "{}" and text[place - 1 : place] != "\\":
            depth += 1 if text[place] == "{" else -1
            if depth == 0:
                return text[start + 1 : place], place
    line = text.count("\n", 0, start) + 1
    raise ValueError(f"the brace that opens in line {line} of the text is never closed: close it")


def _argument(text: str, command: str) -> str:
    found = re.search(rf"\\{command}\s*(?:\[[^]]*\])?\s*(?=\{{)", text)
    return " ".join(_braces(text, found.end())[0].split()) if found else ""


def _without_option(inner: str) -> str:
    return re.sub(r"\A\s*\[[^]]*\]", "", inner)


def _quote(tex: str) -> str:
    """Return TeX to the letter, with "…" where a label is left out, and where a long text is cut."""
    text = LABEL.sub(" … ", tex).strip()
    text = re.sub(r"\A(?:…\s*)+|(?:\s*…)+\Z", "", " ".join(text.split()))
    return text if len(text) <= LONG else text[:LONG].rsplit(" ", 1)[0] + " …"
