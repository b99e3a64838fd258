"""The figures of Smith 2022."""
