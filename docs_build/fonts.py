"""Subset the fonts of the pages: `python docs_build/fonts.py PACKAGES`, a folder with the unpacked npm packages.

Needs `fonttools` and `brotli`, and what `npm pack` downloads of `@fontsource-variable/inter`,
`@fontsource-variable/source-serif-4`, `@fontsource/stix-two-text` and `@fontsource/jetbrains-mono`, each unpacked into
a folder of its own name. All four fonts are under the SIL Open Font License 1.1 (`OFL.txt` beside them). "Source" is a
reserved name of Adobe's, so the subset of Source Serif has another.
"""

import sys
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont

OUT = Path(__file__).parents[1] / "src" / "lazyrich" / "explorer" / "fonts"
ASCII = set(range(0x20, 0x7F))
SIGNS = set(map(ord, " °±¹²³·×é–—‘’“”…′−"))
GREEK = set(map(ord, "αβγδεηθκλμπρστφχψωΔΘΣΩ"))
FEATURES = ["kern", "tnum", "ccmp", "mark", "mkmk"]
FAMILY_NAMES = (1, 3, 4, 6, 16, 25)  # entries of a font's table of names that say what it is called
FONTS = {  # file: package, its file, characters, axes of a variable font
    "inter": ("inter", "inter-latin-wght-normal", ASCII | SIGNS, {"wght": (400, 650)}),
    "inter-greek": ("inter", "inter-greek-wght-normal", GREEK, {"wght": (400, 650)}),
    "serif": ("source-serif-4", "source-serif-4-latin-opsz-normal", ASCII | SIGNS, {"wght": 600, "opsz": 40}),
    "serif-greek": ("source-serif-4", "source-serif-4-greek-opsz-normal", GREEK, {"wght": 600, "opsz": 40}),
    "stix": ("stix-two-text", "stix-two-text-latin-400-italic", ASCII, {}),
    "stix-greek": ("stix-two-text", "stix-two-text-greek-400-italic", GREEK, {}),
    "mono": ("jetbrains-mono", "jetbrains-mono-latin-400-normal", ASCII | SIGNS, {}),
    "mono-greek": ("jetbrains-mono", "jetbrains-mono-greek-400-normal", GREEK, {}),
}


def subset(source: Path, characters: set[int], axes: dict[str, float | tuple[float, float]], target: Path) -> None:
    """Write the glyphs of these characters, with the axes cut to these ranges, as WOFF2."""
    font = TTFont(source)
    if axes:
        font = instantiateVariableFont(font, axes)
    if "gvar" in font:
        for glyph in font.getGlyphOrder():  # the subsetter asks for all
            if glyph not in font["gvar"].variations:
                font["gvar"].variations[glyph] = []
    options = Options(flavor="woff2", layout_features=FEATURES, hinting=False)
    cut = Subsetter(options)
    cut.populate(unicodes=characters)
    cut.subset(font)
    if "serif" in target.stem:
        for record in font["name"].names:
            if record.nameID in FAMILY_NAMES:
                record.string = "lazyrich serif" if record.nameID != 6 else "lazyrich-serif"
    font.flavor = "woff2"
    font.save(target)


def main(packages: Path) -> None:
    OUT.mkdir(exist_ok=True)
    for name, (package, file, characters, axes) in FONTS.items():
        (source,) = packages.glob(f"*{package}*/**/files/{file}.woff2")
        subset(source, characters, axes, OUT / f"{name}.woff2")
        print(name, (OUT / f"{name}.woff2").stat().st_size)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
