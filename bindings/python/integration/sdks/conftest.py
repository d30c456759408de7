from law import provider

__all__ = ["provider"]
