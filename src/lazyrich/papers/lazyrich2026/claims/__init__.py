"""Claims about our own results, by topic."""
