"""What is not installed by default: the one sentence that says what is missing, and how to get it."""

from importlib.util import find_spec


def require_packages(what: str, extra: str, *packages: str) -> None:
    """Refuse, before anything is begun, what needs packages of an extra that are not there.

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
