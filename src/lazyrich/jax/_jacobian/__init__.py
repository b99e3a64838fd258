"""Factored per-sample Jacobians of a JAX function, weight by weight."""
