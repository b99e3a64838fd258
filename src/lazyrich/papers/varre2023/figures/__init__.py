"""The figures of Varre et al. 2023."""
