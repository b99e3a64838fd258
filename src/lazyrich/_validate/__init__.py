"""Validate input: arrays, times, learning rates, integers and optional dependencies. Errors say what is needed."""
