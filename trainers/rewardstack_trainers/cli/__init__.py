"""The commands `rewards train` and `rewards plan`; imported when called."""
