"""Per-sample Jacobians of a model as factors, layer by layer, and kernels made of them."""
