"""Azulay et al. 2021: the shape of an initialization."""
