"""Factored per-sample Jacobians of a model, layer by layer, and kernels computed from them."""
