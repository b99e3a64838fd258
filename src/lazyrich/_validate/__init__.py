"""Validation of input: arrays, times, learning rates, integers, optional dependencies; errors say what is needed."""
