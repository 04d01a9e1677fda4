"""The kernel's own means of confinement, each in a file: called by number, every return code checked."""
