"""The base of the errors that this package defines."""


class TritonError(Exception):
    """Something went wrong while a kernel was compiled, tuned or run."""
