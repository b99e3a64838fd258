"""Colours of the style, whether or not matplotlib has put a # before them."""


def colours() -> list[str]:
    from lazyrich._draw import COLOURS

    return ["#" + colour.lstrip("#") for colour in COLOURS]
