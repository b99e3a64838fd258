"""Statements of the notes on deep linear networks, checked."""
