"""Makes the recorded provider of the SDK tests available as a fixture of these tests."""

from law import provider

__all__ = ["provider"]
