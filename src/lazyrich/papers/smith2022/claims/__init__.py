"""What Smith 2022 says, checked."""
