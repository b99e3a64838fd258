"""Names of parameters: the layer that a parameter belongs to, and the prefixes that select it."""

from collections.abc import Iterable


def layer_name_of(name: str) -> str:
    """Return the layer that a parameter belongs to: `net.0` for `net.0.weight`; a name without a dot stands for
    itself."""
    return name.rpartition(".")[0] or name


def has_prefix(name: str, prefix: str) -> bool:
    """Return whether a name begins with a prefix, by whole words: `net.1` is no prefix of `net.10.weight`."""
    return prefix == "" or name == prefix or name.startswith(prefix.rstrip(".") + ".")


def longest_prefix(name: str, prefixes: Iterable[str]) -> str | None:
    """Return the longest of the prefixes that a name begins with, or None."""
    return max((prefix for prefix in prefixes if has_prefix(name, prefix)), key=len, default=None)
