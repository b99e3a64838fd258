"""Grids of cells that lose nothing: any function of named parameters, over a grid and seeds, here or on a cluster."""

from lazyrich.sweep.grid import Grid
from lazyrich.sweep.pack import StoreError
from lazyrich.sweep.runner import SweepError, run
from lazyrich.sweep.store import Status, forget, load, status

__all__ = ["Grid", "Status", "StoreError", "SweepError", "forget", "load", "run", "status"]
