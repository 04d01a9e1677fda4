"""Rewards for the form of a completion."""
