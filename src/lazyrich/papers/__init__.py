"""The book: what the sources say, checked and drawn. One paper is one folder; the library never imports the book.

A folder has `PAPER` in its `__init__`, its statements in `claims/`, and its figures in `figures/`, one file each; all
are found, not listed.
"""
