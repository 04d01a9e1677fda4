"""What can be wrong with the sandbox itself; what is wrong with a program is a status."""

__all__ = ["IsolationUnavailable", "SandboxError"]


class SandboxError(Exception):
    """Anything this package raises."""


class IsolationUnavailable(SandboxError):
    """The platform lacks layers that the asked-for isolation requires; the message lists them."""
