"""What this backend changes in the trunk: the functions that trunk code asks for by name."""

from ._utils import apply_with_path
from .autotuning import select_configs
from .exports import compiler_exports, runtime_exports, triton_exports
from .knobs_groups import knobs_extend_globals
from .language import language_extend_globals
from .testing_helpers import testing_extend_globals

__all__ = [
    "apply_with_path",
    "compiler_exports",
    "knobs_extend_globals",
    "language_extend_globals",
    "runtime_exports",
    "select_configs",
    "testing_extend_globals",
    "triton_exports",
]
