"""Runs Triton kernels of torchao on CPU tensors and compares them with torchao's references or the formula.

    python python/test/clients/run_torchao.py [NAME ...]

torchao registers most of its operators for one kind of device, so their implementations are called directly.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import Any

import torch
from report import difference, report

Outcome = tuple[Any, Any, float]
CASES: dict[str, Callable[[], Outcome]] = {}
FP8 = torch.float8_e4m3fn


def _case(name: str, function: Callable[[], Outcome]) -> None:
    CASES[name] = function


def _quantized(values: torch.Tensor, limits: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Blocks with the greatest magnitude `limits`, scaled into the range of fp8, and the scales."""
    scale = limits / 448.0
    return (values / scale).to(FP8), scale


# --- torchao.kernel ---
def _act_quant() -> Outcome:
    from torchao.kernel.blockwise_quantization import fp8_blockwise_act_quant

    x = torch.randn(5, 256)
    blocks = x.view(5, 2, 128)
    expected, scale = _quantized(blocks, blocks.abs().amax(-1, keepdim=True))
    actual, actual_scale = fp8_blockwise_act_quant(x)
    return [actual.float(), actual_scale], [expected.view(5, 256).float(), scale[..., 0]], 0.07


def _weight_quant() -> Outcome:
    from torchao.kernel.blockwise_quantization import fp8_blockwise_weight_dequant, fp8_blockwise_weight_quant

    x = torch.randn(256, 384)
    quantized, scale = fp8_blockwise_weight_quant(x)
    limits = x.view(2, 128, 3, 128).abs().amax((1, 3))
    return [fp8_blockwise_weight_dequant(quantized, scale), scale], [x, limits / 448.0], 0.08


def _blockwise_gemm() -> Outcome:
    from torchao.kernel import blockwise_quantization as ops

    a, b = torch.randn(16, 256), torch.randn(256, 256)
    qa, sa = ops.fp8_blockwise_act_quant(a)
    qb, sb = ops.fp8_blockwise_weight_quant(b)
    left = qa.float() * sa.repeat_interleave(128, 1)
    right = qb.float() * sb.repeat_interleave(128, 0).repeat_interleave(128, 1)
    return ops.blockwise_fp8_gemm(qa, sa, qb, sb).float(), left @ right.T, 0.2


def _config() -> Any:
    import triton

    return triton.Config({"BLOCK_M": 32, "BLOCK_N": 64, "BLOCK_K": 32, "GROUP_M": 8}, num_warps=2, num_stages=2)


def _int_matmul() -> Outcome:
    from torchao.kernel.intmm_triton import int_matmul_kernel

    a, b = (torch.randint(-128, 127, shape, dtype=torch.int8) for shape in ((70, 96), (96, 130)))
    actual = int_matmul_kernel(a, b, torch.empty(70, 130, dtype=torch.int32), _config())
    return actual, a.int() @ b.int(), 0.0


def _int_scaled_matmul() -> Outcome:
    from torchao.kernel.intmm_triton import int_scaled_matmul_kernel

    a, b = (torch.randint(-128, 127, shape, dtype=torch.int8) for shape in ((70, 96), (96, 130)))
    scales = torch.rand(70, 1)
    expanded = scales.expand(70, 130)
    actual = int_scaled_matmul_kernel(a, b, expanded, torch.empty(70, 130), _config())
    return actual, (a.int() @ b.int()) * scales, 1e-3


_case("fp8_blockwise_act_quant", _act_quant)
_case("fp8_blockwise_weight_quant", _weight_quant)
_case("blockwise_fp8_gemm", _blockwise_gemm)
_case("int_matmul", _int_matmul)
_case("int_scaled_matmul", _int_scaled_matmul)


# --- torchao.prototype ---
def _scaled_int8_mm() -> Outcome:
    from torchao.prototype.quantized_training.int8_mm import scaled_int8_mm_cuda

    a, b = (torch.randint(-128, 127, shape, dtype=torch.int8) for shape in ((64, 64), (64, 64)))
    rows, columns = torch.rand(64), torch.rand(64)
    return scaled_int8_mm_cuda(a, b, rows, columns), (a.int() @ b.int()) * rows[:, None] * columns, 1e-2


def _mixed_mm() -> Outcome:
    from torchao.prototype.hqq.mixed_mm import pack_2xint4, triton_mixed_mm

    a, codes = torch.randn(16, 128), torch.randint(0, 15, (128, 64), dtype=torch.uint8)
    # The kernel finds the group of a block only if a group is as long as the block.
    scales, zeros = torch.rand(4, 64), torch.rand(4, 64)
    actual = triton_mixed_mm(
        a, pack_2xint4(codes), scales, zeros, group_size=32, BLOCK_M=16, BLOCK_N=32, BLOCK_K=32, kernel_type="debug"
    )
    scales, zeros = (t.repeat_interleave(32, 0) for t in (scales, zeros))
    return actual, a @ ((codes.float() - zeros) * scales), 1e-2


def _to_fp8(function: str, algorithm: str) -> Outcome:
    from torchao.float8.float8_scaling_utils import hp_tensor_to_float8_dynamic
    from torchao.float8.float8_training_tensor import LinearMMConfig
    from torchao.prototype.float8nocompile.kernels import fp8_dynamic_tensorwise as ops

    # One of the kernels has the mask of the transposed shape, so only square ones are right.
    x = torch.randn(64, 64, dtype=torch.bfloat16)
    made = getattr(ops, function)(x, FP8, LinearMMConfig(), algo=ops.KernelAlgorithm[algorithm])
    made = made if isinstance(made, tuple) else (made,)
    plain = hp_tensor_to_float8_dynamic(x, FP8, LinearMMConfig())
    # `_t`: transposed; `_t_and_non_t`: both.
    transposed = [False, True] if function.endswith("_t_and_non_t") else [function.endswith("_t")] * len(made)
    data = [(plain._data.T if t else plain._data).float() for t in transposed]
    return [*(m._data.float() for m in made), made[0]._scale], [*data, plain._scale], 0.0


def _training_quant(function: str, reference: str, transposed: bool, weight: bool) -> Outcome:
    from torchao.prototype.blockwise_fp8_training import kernels as ops

    x = torch.randn(256, 384)
    expected = getattr(ops, reference)(x.T.contiguous() if transposed and not weight else x)
    actual = getattr(ops, function)(x)
    if transposed and weight:
        expected = tuple(e.T for e in expected)
    return [a.float() for a in actual], [e.float() for e in expected], 0.07


def _training_gemm(columns: int) -> Outcome:
    from torchao.prototype.blockwise_fp8_training import kernels as ops

    a, b = torch.randn(64, 128), torch.randn(128, 128)
    qa, sa = ops.torch_blockwise_scale_act_quant_lhs(a)
    left = qa.float() * sa.repeat_interleave(128, 1)
    if columns == 128:
        qb, sb = ops.torch_blockwise_scale_weight_quant(b)
        right = qb.float() * sb.repeat_interleave(128, 0).repeat_interleave(128, 1)
        actual = ops.triton_fp8_gemm_1x128_128x128(qa, qb.T.contiguous().T, sa, sb.T.contiguous().T)
    else:
        qb, sb = ops.torch_blockwise_scale_act_quant_rhs(b)
        right = qb.float() * sb.repeat_interleave(128, 0)
        actual = ops.triton_fp8_gemm_1x128_128x1(qa, qb.T.contiguous().T, sa, sb)
    return actual.float(), left @ right, 0.5


_case("scaled_int8_mm", _scaled_int8_mm)
_case("hqq_mixed_mm", _mixed_mm)
for _function in (
    "hp_to_fp8_row_major",
    "hp_to_fp8_row_major_t",
    "hp_to_fp8_col_major",
    "hp_to_fp8_col_major_t",
    "hp_to_fp8_row_and_col_major",
    "hp_to_fp8_row_major_t_and_non_t",
    "hp_to_fp8_col_major_t_and_non_t",
):
    for _algorithm in ("REDUCTION", "ATOMIC_MAX"):
        _case(f"{_function}.{_algorithm.lower()}", lambda f=_function, a=_algorithm: _to_fp8(f, a))
for _function, _reference, _transposed, _weight in (
    ("triton_fp8_blockwise_act_quant_lhs", "torch_blockwise_scale_act_quant_lhs", False, False),
    ("triton_fp8_blockwise_act_quant_rhs", "torch_blockwise_scale_act_quant_rhs", False, False),
    ("triton_fp8_blockwise_act_quant_transposed_lhs", "torch_blockwise_scale_act_quant_lhs", True, False),
    ("triton_fp8_blockwise_weight_quant_rhs", "torch_blockwise_scale_weight_quant", False, True),
    ("triton_fp8_blockwise_weight_quant_transposed_rhs", "torch_blockwise_scale_weight_quant", True, True),
):
    _case(_function, lambda c=(_function, _reference, _transposed, _weight): _training_quant(*c))
_case("triton_fp8_gemm_1x128_128x128", lambda: _training_gemm(128))
_case("triton_fp8_gemm_1x128_128x1", lambda: _training_gemm(1))


def check(name: str) -> str:
    """What is wrong with the kernel; empty if nothing is."""
    torch.manual_seed(0)
    return difference(*CASES[name]())


def main(names: list[str]) -> int:
    warnings.simplefilter("ignore")
    return report(names or CASES, check, "kernels of torchao agree with their references")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
