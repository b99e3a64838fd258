"""Papers: statements of the sources, checked, and their figures, recomputed. The rest of the library never imports
this.

Each paper is a folder with `PAPER` in its `__init__`, its statements in `claims/`, and its figures in `figures/`, one
file each. All of them are found automatically.
"""
