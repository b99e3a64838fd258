"""Statements of Smith 2022, checked."""
