"""What a probe measures at a snapshot, within its budget, and how it is saved."""
