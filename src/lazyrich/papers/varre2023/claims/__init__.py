"""Statements of Varre et al. 2023, checked."""
