"""A proof kernel: the pairs of proofs as lemmas of Coq, and what its kernel has accepted."""
