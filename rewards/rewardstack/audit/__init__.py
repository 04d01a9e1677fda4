"""Holds rewards to what they promise."""
