"""Statements of Azulay et al. 2021, checked."""
