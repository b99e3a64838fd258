"""Reading a user's model and its data, and leaving the model as it was."""
