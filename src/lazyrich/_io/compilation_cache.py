"""Persistent caches: JAX's compiled programs are stored for the next process."""

import os
import sys
from pathlib import Path

# JAX stores every program, however small: a first call waits mostly for dozens of small ones.
_JAX_SETTINGS = {
    "jax_persistent_cache_min_compile_time_secs": 0.0,
    "jax_persistent_cache_min_entry_size_bytes": -1,
}


def cache_directory(*parts: str) -> Path:
    """Return a folder inside LAZYRICH_CACHE, or else inside the user's cache directory; it is created if missing."""
    home = os.environ.get("LAZYRICH_CACHE")
    user = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    directory = Path(home if home else Path(user) / "lazyrich").joinpath(*parts)
    directory.mkdir(parents=True, exist_ok=True)
    return directory


def enable_compilation_cache() -> None:
    """Store what JAX compiles for the next process, in the user's cache directory (or LAZYRICH_CACHE).

    Call it at the top of a script, and its second run need not compile. The commands of lazyrich call it themselves. If
    JAX_COMPILATION_CACHE_DIR is already set, nothing changes. Child processes inherit the setting. JAX does not store
    programs that can raise errors at run time, so integration gains less than the rest. If the directory cannot be
    written, nothing is stored.
    """
    if "JAX_COMPILATION_CACHE_DIR" in os.environ:
        return
    try:
        place = str(cache_directory("programs"))
    except OSError:
        return
    settings = {"jax_compilation_cache_dir": place, **_JAX_SETTINGS}
    os.environ.update({name.upper(): str(value) for name, value in settings.items()})
    if "jax" in sys.modules:  # JAX has read its environment variables already
        import jax

        for name, value in settings.items():
            jax.config.update(name, value)
