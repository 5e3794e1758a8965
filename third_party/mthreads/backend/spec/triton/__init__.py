"""What this backend changes in the trunk: the functions that trunk code asks for by name."""

from ._utils import apply_with_path
from .language import language_extend_globals

__all__ = ["apply_with_path", "language_extend_globals"]
