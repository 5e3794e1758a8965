"""What the operations of the language mean: types are checked here, and IR is emitted.

`TritonSemantic` is split by subject into the `_semantic_*` modules; every builtin gets an instance as `_semantic`.
"""

from __future__ import annotations

from ._semantic_arith import Arithmetic
from ._semantic_cast import Casts
from ._semantic_memory import Memory
from ._semantic_misc import Compound
from ._semantic_shape import Shapes
from ._semantic_types import IncompatibleTypeErrorImpl, TypeRules, python_scalar_type

__all__ = ["IncompatibleTypeErrorImpl", "TritonSemantic", "python_scalar_type"]


class TritonSemantic(Arithmetic, Casts, Memory, Compound, Shapes, TypeRules):
    """Checks and emits operations through `builder`.

    `options` are the backend's options of this compilation, `codegen_fns` its code generation functions
    (`min_dot_size`, `convert_custom_types`).
    """

    def __init__(self, builder, options=None, codegen_fns=None):
        self.builder = builder
        self.options = options
        self.codegen_fns = codegen_fns or {}
