"""The figures of Kunin et al. 2024."""
