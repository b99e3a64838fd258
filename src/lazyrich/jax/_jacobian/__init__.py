"""Per-sample Jacobians of a JAX function as factors, weight by weight."""
