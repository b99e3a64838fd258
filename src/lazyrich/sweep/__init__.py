"""Grids of cells in a folder that loses nothing: any function of named parameters, here or on a cluster."""

from lazyrich.sweep.dataset import Status, forget, load, status
from lazyrich.sweep.grid import Grid
from lazyrich.sweep.runner import SweepError, run
from lazyrich.sweep.store import StoreError

__all__ = ["Grid", "Status", "StoreError", "SweepError", "forget", "load", "run", "status"]
