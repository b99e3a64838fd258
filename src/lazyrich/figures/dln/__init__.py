"""The notes on deep linear networks: worked examples, plateaus, the landscape."""
