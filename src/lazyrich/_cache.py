"""Where what was computed once is kept for the next process."""

import os
from pathlib import Path


def folder(*parts: str) -> Path:
    """A folder in LAZYRICH_CACHE, or else in the user's cache directory; made if it is missing."""
    home = os.environ.get("LAZYRICH_CACHE")
    user = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    found = Path(home if home else Path(user) / "lazyrich").joinpath(*parts)
    found.mkdir(parents=True, exist_ok=True)
    return found
