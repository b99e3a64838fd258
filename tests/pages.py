"""Read the code blocks of documentation pages, and apply the files and changes that they show."""

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r'^```(\w+)(?: title="([^"\n]+)")?[^\n]*\n(.*?)^```', re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    language: str
    title: str  # the path of the file that is shown, if any
    code: str


def blocks(page):
    """Return the fenced blocks of a page, without those that include a file of docs/examples."""
    found = [Block(*each) for each in BLOCK.findall(page.read_text(encoding="utf-8"))]
    return [block for block in found if not block.code.startswith("--8<--")]


def apply(block, root):
    """Write a new file, or change the lines that a diff shows. The path in the title is relative to `root`."""
    path = root / block.title
    if block.language != "diff":
        assert not path.exists(), f"{block.title} is shown as a new file, but exists"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.code, encoding="utf-8")
        return
    lines = path.read_text(encoding="utf-8").splitlines()
    at = 0
    for line in block.code.splitlines():
        mark, text = line[:1], line[1:]
        if mark == "+":
            lines.insert(at, text)
            at += 1
            continue
        assert text in lines[at:], f"the diff of {block.title} shows a line that is not there: {text}"
        at = lines.index(text, at)
        if mark == "-":
            del lines[at]
        else:
            at += 1
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
