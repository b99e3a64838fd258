"""What the notes on deep linear networks say, checked."""
