"""Errors of compiling for a device and of tuning."""

from __future__ import annotations

from triton.errors import TritonError


class InterpreterError(TritonError):
    """An exception inside of a kernel that runs in the interpreter."""

    def __init__(self, error_message: str | None = None):
        super().__init__(error_message)
        self.error_message = error_message

    def __str__(self) -> str:
        return self.error_message or ""


class OutOfResources(TritonError):
    """A kernel needs more of a resource than the device has; autotuning skips such a configuration."""

    def __init__(self, required: int, limit: int, name: str):
        super().__init__(required, limit, name)
        self.required = required
        self.limit = limit
        self.name = name

    def __str__(self) -> str:
        return (
            f"out of resource: {self.name}, Required: {self.required}, Hardware limit: {self.limit}. "
            "Reducing block sizes or `num_stages` may help."
        )

    def __reduce__(self) -> tuple:
        # Compile workers send it to their parent.
        return type(self), (self.required, self.limit, self.name)


class PTXASError(TritonError):
    """The assembler of the device failed."""

    def __init__(self, error_message: str | None = None):
        super().__init__(error_message)
        self.error_message = error_message

    def __str__(self) -> str:
        return f"PTXAS error: {self.error_message or ''}"


class AutotunerError(TritonError):
    """Autotuning cannot choose a configuration."""

    def __init__(self, error_message: str | None = None):
        super().__init__(error_message)
        self.error_message = error_message

    def __str__(self) -> str:
        return f"Autotuner error: {self.error_message or ''}"
