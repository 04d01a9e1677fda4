"""The command `rewards`."""
