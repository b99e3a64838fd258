"""Papers: folders with `PAPER`, claims and figures, and how they are found."""

import importlib
import importlib.util
import math
import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from lazyrich import papers as book


@dataclass(frozen=True)
class Paper:
    """A source: its title for headings, its BibTeX, and its address if it has one.

    - `bibtex`: an entry of `lazyrich.references` if theorems cite the paper, else one made by `bibtex_entry`.
    - `order`: its position among the papers; those without one come last, by name.
    - `sections`: the files of its `claims/` in the order in which they are shown; others follow, by name.
    - `text`: the title, form, date and size of the file that was read and quoted, as it states them; `text_sha256`: the
      SHA-256 of that file. The file itself is not part of this package; `lazyrich errata NAME --text FILE` compares it
      with a copy.
    """

    title: str
    bibtex: str
    address: str = ""
    order: float = math.inf
    sections: tuple[str, ...] = ()
    text: str = ""
    text_sha256: str = ""

    @property
    def short_title(self) -> str:
        """The authors and the year, or what the source is: the title up to its colon.

        >>> papers()["kunin2024"].short_title
        'Kunin et al. 2024'
        """
        return self.title.split(":")[0]


@cache
def papers() -> dict[str, Paper]:
    """Return every paper by the name of its folder, in order.

    >>> papers()["kunin2024"].title
    'Kunin et al. 2024: Get rich quick'
    """
    folders = [module.name for module in pkgutil.iter_modules(book.__path__) if module.ispkg]
    by_name = {name: importlib.import_module(f"{book.__name__}.{name}") for name in folders}
    those = {name: module.PAPER for name, module in by_name.items() if hasattr(module, "PAPER")}
    return dict(sorted(those.items(), key=lambda item: (item[1].order, item[0])))


def files(paper: str, room: str) -> Iterator[str]:
    """Yield the names of the modules in a paper's `claims` or `figures`, without helpers that begin with an
    underscore."""
    package = f"{book.__name__}.{paper}.{room}"
    spec = importlib.util.find_spec(package)
    for module in pkgutil.iter_modules(spec.submodule_search_locations if spec else []):
        if not module.name.startswith("_"):
            yield f"{package}.{module.name}"
