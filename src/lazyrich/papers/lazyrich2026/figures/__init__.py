"""Figures of our own results."""
