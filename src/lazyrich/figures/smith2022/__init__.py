"""Smith 2022: a thesis on the kernel and rich regimes."""
