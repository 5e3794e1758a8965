"""One sample of an operator, run on a device, in a type, forward or forward and backward."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.utils._pytree import tree_leaves, tree_map

Convert = Callable[[torch.dtype], torch.dtype]


def same(dtype: torch.dtype) -> torch.dtype:
    return dtype


def wider(dtype: torch.dtype) -> torch.dtype:
    """The type in which a result of `dtype` is known much better than `dtype` can say."""
    if dtype in (torch.bfloat16, torch.float16):
        return torch.float32
    return {torch.float32: torch.float64, torch.complex64: torch.complex128}.get(dtype, dtype)


def move(value: Any, where: str, convert: Convert = same) -> Any:
    """A copy of `value`: tensors are on `where`, with their strides; types have gone through `convert`."""

    def one(leaf: Any) -> Any:
        if isinstance(leaf, torch.Tensor):
            return _moved(leaf.detach(), where, convert(leaf.dtype)).requires_grad_(leaf.requires_grad)
        if isinstance(leaf, torch.dtype):
            return convert(leaf)
        return torch.device(where) if isinstance(leaf, torch.device) else leaf

    return tree_map(one, value)


def _moved(tensor: torch.Tensor, where: str, dtype: torch.dtype) -> torch.Tensor:
    if tensor.layout != torch.strided or tensor.is_conj() or tensor.is_neg() or tensor.untyped_storage().nbytes() == 0:
        return tensor.clone().to(where, dtype)
    # The whole memory travels, so that a view stays one.
    elements = tensor.untyped_storage().nbytes() // tensor.element_size()
    memory = tensor.as_strided((elements,), (1,), 0).clone().to(where, dtype)
    return memory.as_strided(tensor.shape, tensor.stride(), tensor.storage_offset())


def forward(function: Any, sample: Any, where: str, convert: Convert = same) -> list[Any]:
    """The results of `function` on the CPU, as a flat list."""
    input, args, kwargs = (move(part, where, convert) for part in (sample.input, sample.args, sample.kwargs))
    torch.manual_seed(0)
    return _on_cpu(function(input, *args, **kwargs))


def backward(function: Any, sample: Any, where: str, convert: Convert = same) -> list[Any]:
    """The results of `function` and its gradients, with random gradients of the results, on the CPU as a flat list.

    ValueError if the sample has nothing to differentiate.
    """
    input, args, kwargs = (move(part, where, convert) for part in (sample.input, sample.args, sample.kwargs))
    leaves = [leaf for leaf in tree_leaves((input, args, kwargs)) if _has_gradient(leaf)]
    torch.manual_seed(0)
    results = function(input, *args, **kwargs)
    # Some results mean something only through what is made of them: eigenvectors have no sign.
    process = sample.output_process_fn_grad
    roots = [leaf for leaf in tree_leaves(process(results)) if _has_gradient(leaf)]
    if not leaves or not roots:
        raise ValueError("nothing to differentiate")
    grads = torch.autograd.grad(roots, leaves, [_cotangent(root, i) for i, root in enumerate(roots)], allow_unused=True)
    return _on_cpu([*roots, *grads])


def _has_gradient(leaf: Any) -> bool:
    return isinstance(leaf, torch.Tensor) and leaf.requires_grad


def _cotangent(root: torch.Tensor, seed: int) -> torch.Tensor:
    # Whole numbers and halves are the same in every type.
    generator = torch.Generator().manual_seed(seed)
    halves = torch.randint(-6, 7, root.shape, generator=generator) / 2
    return halves.to(root.device, root.dtype)


def _on_cpu(results: Any) -> list[Any]:
    leaves = tree_leaves(results)
    return [leaf.detach().cpu() if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
