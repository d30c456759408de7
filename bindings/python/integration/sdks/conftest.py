"""Makes the provider in `law.py`, which replays recorded bodies, a fixture of all tests here."""

from law import provider

__all__ = ["provider"]
