"""Short training runs of copies of a model, and predictions of what other runs would give."""
