"""The functions that the trunk asks this backend for by name."""

from .language import language_extend_globals

__all__ = ["language_extend_globals"]
