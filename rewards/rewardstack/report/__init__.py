"""One scored run, shown."""
