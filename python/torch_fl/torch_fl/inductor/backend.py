"""The compiler that ``torch.compile(f, backend="flagos")`` names."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from ..flagtree import assert_flagtree_if_asked
from ..profiles import profile
from .patches import BadSetting

FALLBACK = "FLAGOS_COMPILE_FALLBACK_EAGER"


def compile_graph(
    graph: Any, example_inputs: Sequence[Any], *, mode: str | None = None, options: dict[str, Any] | None = None
) -> Callable[..., Any]:
    """Hands `graph` to TorchInductor as it is: it stays on the device.

    `mode` and `options` are those of `torch.compile`, and hold for this graph only. With
    ``FLAGOS_COMPILE_FALLBACK_EAGER=1`` a graph that cannot be compiled runs eagerly, with a warning. BadSetting for a
    mode or an option that there is not.
    """
    assert_flagtree_if_asked()
    try:
        return _compile(graph, example_inputs, mode, options)
    except BadSetting:
        raise
    except Exception as error:
        if os.environ.get(FALLBACK) != "1" or _asks_for_another_graph(error):
            raise
        warnings.warn(
            f"torch.compile on flagos: the graph runs eagerly ({FALLBACK}=1), compiling it failed: "
            f"{type(error).__name__}: {error}",
            RuntimeWarning,
            stacklevel=2,
        )
        return graph.forward


def _asks_for_another_graph(error: Exception) -> bool:
    """Whether TorchDynamo is told to trace again, e.g. with a number as a constant: nothing has failed."""
    from torch._dynamo.exc import RestartAnalysis

    return isinstance(error, RestartAnalysis)


def _compile(
    graph: Any, example_inputs: Sequence[Any], mode: str | None, options: dict[str, Any] | None
) -> Callable[..., Any]:
    from torch._inductor.compile_fx import compile_fx

    from .patches import config_patches
    from .require import require_triton_backend

    require_triton_backend()
    return compile_fx(graph, example_inputs, config_patches=config_patches(profile(), mode, options))
