"""Where what was computed once is kept for the next process."""

import os
import sys
from pathlib import Path

# Every program that JAX can store, however small: tens of small ones are what a first call waits for.
_JAX_SETTINGS = {
    "jax_persistent_cache_min_compile_time_secs": 0.0,
    "jax_persistent_cache_min_entry_size_bytes": -1,
}


def cache_directory(*parts: str) -> Path:
    """Return a folder in LAZYRICH_CACHE, or else in the user's cache directory; made if it is missing."""
    home = os.environ.get("LAZYRICH_CACHE")
    user = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    found = Path(home if home else Path(user) / "lazyrich").joinpath(*parts)
    found.mkdir(parents=True, exist_ok=True)
    return found


def enable_compilation_cache() -> None:
    """Keep what JAX compiles for the next process, in the user's cache directory (or LAZYRICH_CACHE).

    One line at the top of a script, and its second run does not wait for the compiler. The commands of lazyrich do it
    by themselves. A JAX_COMPILATION_CACHE_DIR that is set already is respected, and processes that are started inherit
    it. JAX does not store programs that can raise errors at run time, so integration gains less than the rest. Where
    the directory cannot be written, nothing is stored.
    """
    if "JAX_COMPILATION_CACHE_DIR" in os.environ:
        return
    try:
        place = str(cache_directory("programs"))
    except OSError:
        return
    settings = {"jax_compilation_cache_dir": place, **_JAX_SETTINGS}
    os.environ.update({name.upper(): str(value) for name, value in settings.items()})
    if "jax" in sys.modules:  # it has read its settings already
        import jax

        for name, value in settings.items():
            jax.config.update(name, value)
