"""Measurements of a probe at a snapshot, within its budget, and how they are saved."""
