"""What Kunin et al. 2024 say, checked."""
