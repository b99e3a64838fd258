"""Varre et al. 2023: the spectral bias of two-layer linear networks."""
