"""Fuzz tests: random and special cases of everything the library promises, each against an independent reference.

`python3 dev.py fuzz` draws cases until its time is up and prints the first wrong one as a script; a seeded part runs
with the tests. A kind of case is a module here with two functions, and one line in `KINDS` (ring.py).
"""
