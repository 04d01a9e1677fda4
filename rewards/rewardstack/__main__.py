"""Lets `python -m rewardstack` do what `rewards` does."""

from rewardstack.cli import main

main()
