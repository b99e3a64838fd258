"""The figures of the notes on deep linear networks."""
