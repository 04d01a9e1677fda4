"""A training run from a file: what it says, what it is checked for, how it runs, what it leaves."""
