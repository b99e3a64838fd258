"""What Azulay et al. 2021 say, checked."""
