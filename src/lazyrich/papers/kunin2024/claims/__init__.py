"""Statements of Kunin et al. 2024, checked."""
