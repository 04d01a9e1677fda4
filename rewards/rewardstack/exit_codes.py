"""What every command ends with."""

__all__ = ["BROKEN_PIPE", "CANNOT_JUDGE", "FINDINGS", "GOOD", "INTERRUPTED", "WRONG"]

GOOD = 0
FINDINGS = 1
WRONG = 2
CANNOT_JUDGE = 3
INTERRUPTED = 130  # as the shell reports a program that SIGINT ended
BROKEN_PIPE = 141  # and one that SIGPIPE ended
