"""What Varre et al. 2023 say, checked."""
