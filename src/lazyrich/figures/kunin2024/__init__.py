"""Kunin et al. 2024: exact solutions of unbalanced networks, and their phase diagram."""
