"""Read a user's model and its data, and restore the model afterwards."""
