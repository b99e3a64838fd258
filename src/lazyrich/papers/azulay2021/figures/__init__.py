"""The figures of Azulay et al. 2021."""
