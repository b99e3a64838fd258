"""Draw the pictures that take minutes, and are therefore kept in `docs/images`.

python docs_build/large_pictures.py plane               half a minute
python docs_build/large_pictures.py phase FOLDER NAME   from a folder that `lazyrich phase --out FOLDER` has filled
"""

import sys
from pathlib import Path

from lazyrich import phase, sweep

IMAGES = Path(__file__).parents[1] / "docs" / "images"
CORNERS = ((0.1, 0.0), (2.0, 0.0), (0.1, 1.0), (0.1, -1.0))


def main() -> None:
    match sys.argv[1:]:
        case ["plane"]:
            students = {rf"$\tau = {t:g},\ \delta = {d:g}$": phase.planar_student(t, d, seed=1) for t, d in CORNERS}
            phase.plot_planar_students(students).savefig(IMAGES / "plane.png", dpi=140)
        case ["phase", folder, name]:
            phase.plot(sweep.load(folder)).savefig(IMAGES / f"{name}.png", dpi=120)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
