"""Presentation and files: plots, HTML, console, progress, saved arrays, JAX's compilation cache."""
