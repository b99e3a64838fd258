"""Closed-form trajectories, one file per family. `lazyrich.theorems` joins each to its hypotheses and its source."""
