"""`rewards plan`."""
