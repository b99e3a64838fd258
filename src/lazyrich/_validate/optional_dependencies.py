"""Check for packages that are not installed by default."""

from importlib.util import find_spec


def require_packages(what: str, extra: str, *packages: str) -> None:
    """Raise an error with the command that installs them, before any work starts, if optional packages are missing.

    >>> require_packages("a sweep", "sweep", "numpy")
    >>> require_packages("a sweep", "sweep", "numpy", "nowhere")
    Traceback (most recent call last):
    ImportError: a sweep needs nowhere: pip install 'lazyrich[sweep]', or '.[sweep]' in a checkout
    """
    missing = [package for package in packages if find_spec(package) is None]
    if missing:
        raise ImportError(
            f"{what} needs {' and '.join(missing)}: pip install 'lazyrich[{extra}]', or '.[{extra}]' in a checkout"
        )
