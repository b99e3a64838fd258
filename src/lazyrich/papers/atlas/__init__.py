"""The atlas: every claim and every figure on one page."""
