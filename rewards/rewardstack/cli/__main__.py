"""Lets `python -m rewardstack.cli` do what `rewards` does."""

from rewardstack.cli import main

main()
