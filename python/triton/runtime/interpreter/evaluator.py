"""Walks a kernel and runs it: the code generator, with control flow that is executed instead of emitted."""

from __future__ import annotations

from typing import Any

from ...compiler.code_generator import CodeGenerator, visitors_of
from ...language import core
from ...language._tensor import tensor
from ...language._values import _unwrap_if_constexpr, as_value, constexpr
from ...language._values import tuple as tl_tuple
from ...language.semantic import TritonSemantic
from .control import Control
from .debugging import interact


class InterpreterSemantic(TritonSemantic):
    """The semantic on values. Operations with a region run it as often as they need."""

    def reduction(self, inputs, axis, make_region) -> tuple:
        return super().reduction(inputs, axis, lambda region: region.run(make_region))

    def associative_scan(self, inputs, axis, reverse, make_region) -> tuple:
        return super().associative_scan(inputs, axis, reverse, lambda region: region.run(make_region))


class Evaluator(Control, CodeGenerator):
    """Runs one call of one function. `fork` makes the next one cheaply from the first of its function."""

    max_call_depth = 100

    @classmethod
    def of(cls, state: Any, fn: Any) -> Evaluator:
        prototype = state.prototypes.get(fn)
        if prototype is None:
            prototype = state.prototypes[fn] = cls(state, fn)
        made = cls.__new__(cls)
        made.__dict__.update(prototype.__dict__)
        return made

    # --- names and calls ---
    def lookup(self, name):
        if name == "breakpoint" and name not in self.lscope and name not in self.gscope:
            return breakpoint
        return super().lookup(name)

    def call(self, fn, args, kwargs, node=None):
        if fn is breakpoint:
            if not self.builder.muted:
                interact(self)
            return constexpr(None)
        return super().call(fn, args, kwargs, node)

    def call_jit(self, fn, args, kwargs):
        return self.inline_call(fn, args, kwargs)

    def callee_of(self, fn):
        return Evaluator.of(self.state, fn)

    def _call_builtin(self, fn, args, kwargs):
        if fn is core.map_elementwise:
            return self._map_elementwise(*args, **kwargs)
        return super()._call_builtin(fn, args, kwargs)

    def _map_elementwise(self, scalar_fn, *args, pack=1):
        """`tl.map_elementwise` with a function that runs as often as its branches need."""
        pack = _unwrap_if_constexpr(pack)
        if not args or not isinstance(pack, int) or pack < 1 or pack & (pack - 1):
            raise ValueError(f"tl.map_elementwise needs arguments and a power of two as pack, got pack={pack!r}")
        inputs = [self.semantic.to_tensor(a) for a in args]
        for x in inputs[1:]:
            inputs[0], _ = self.semantic.broadcast_pair(inputs[0], x)
        inputs = [self.semantic.broadcast_pair(x, inputs[0])[0] for x in inputs]
        if not inputs[0].type.is_block():
            return self.inline_call(scalar_fn, inputs, {})
        dtypes: list = []

        def function(lanes):
            scalars = [tensor(v, inputs[i // pack].dtype) for i, v in enumerate(lanes)]
            result = as_value(self.inline_call(scalar_fn, scalars, {}))
            values = list(result) if isinstance(result, tl_tuple) else [result]
            values = [self.semantic.to_tensor(v) for v in values]
            if len(values) % pack:
                raise ValueError(f"tl.map_elementwise: {len(values)} results cannot be packs of {pack}")
            dtypes[:] = [v.dtype for v in values[::pack]]
            return [v.handle for v in values]

        region = self.builder.create_map_elementwise([x.handle for x in inputs], pack)
        handles = region.run(function)
        results = [tensor(h, inputs[0].type.with_element_ty(t)) for h, t in zip(handles, dtypes)]
        return results[0] if len(results) == 1 else tl_tuple(results)


Evaluator.visitors = visitors_of(Evaluator)
