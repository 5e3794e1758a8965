"""What the compiler believes about MUSA targets, in one place: names, numbers and command lines.

Nothing here could be tried on hardware by the authors. Each fact says where it comes from, so that someone who has the
toolkit knows what to check first, and corrects it here and nowhere else:

- ``PUBLIC``: used by public compilers for MUSA (FlagTree's and XLA's MUSA backends, torch_musa) in the same role;
- ``ASSUMED``: inferred from those, or from the conventions of related targets.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import NamedTuple

PUBLIC, ASSUMED = "public", "assumed"
TARGET = "musa"


class Fact(NamedTuple):
    """A value and its source."""

    value: str
    source: str


@dataclass(frozen=True)
class Architecture:
    """A generation of GPUs: ``mp_<number>``. `shared_limit`: bytes of shared memory of a block, None where unknown."""

    number: int
    warp_size: int
    shared_limit: int | None
    source: str

    @property
    def name(self) -> str:
        return f"mp_{self.number}"


ARCHITECTURES = {
    architecture.number: architecture
    for architecture in (
        Architecture(21, warp_size=128, shared_limit=None, source=PUBLIC),
        Architecture(22, warp_size=128, shared_limit=73728, source=PUBLIC),
        Architecture(31, warp_size=32, shared_limit=196608, source=PUBLIC),
    )
}
# Threads that a block may have.
MAX_THREADS, MAX_THREADS_SOURCE = 1024, ASSUMED

# The form of LLVM IR. Pointers are 64 bits wide, those to shared memory 32. Address space 1 is global and 3 is shared
# memory, as in Triton IR. The toolkit's LLVM is version 14, told to read opaque pointers.
TRIPLE = Fact("mtgpu-mt-musa", PUBLIC)
DATA_LAYOUT = Fact(
    "e-p:64:64:64:64-p1:64:64:64:64-p2:64:64:64:64-p3:32:32-p4:32:32-p5:64:64-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128",
    PUBLIC,
)
KERNEL_CONVENTION = Fact("mtgpu_kernel", PUBLIC)
ANNOTATIONS = Fact("musa.annotations", PUBLIC)

# What lowered kernels refer to, and the target's names. The barrier is that of all memory, not of shared memory alone.
# Warp shuffles are not used: public sources disagree about their names and operands.
DEVICE_NAMES = {
    "simt.thread_id": Fact("llvm.musa.read.ptx.sreg.tid.x", PUBLIC),
    **{f"simt.block_id.{axis}": Fact(f"llvm.musa.read.ptx.sreg.ctaid.{axis}", PUBLIC) for axis in "xyz"},
    **{f"simt.num_blocks.{axis}": Fact(f"llvm.musa.read.ptx.sreg.nctaid.{axis}", PUBLIC) for axis in "xyz"},
    "simt.barrier": Fact("llvm.musa.barrier0", PUBLIC),
    "simt.print": Fact("printf", PUBLIC),
    "simt.exit": Fact("llvm.musa.exit", PUBLIC),
    "simt.shared": Fact("global_smem", ASSUMED),
    "simt.math.umulhi.i64": Fact("__mt_umul64hi", PUBLIC),
}

# Functions of the toolkit's bitcode library, by the compiler's name: of f32, of f64.
_MATH_PUBLIC = {
    "acos": ("__nv_acosf", "__nv_acos"),
    "acosh": ("__nv_acoshf", "__nv_acosh"),
    "asin": ("__nv_asinf", "__nv_asin"),
    "asinh": ("__nv_asinhf", "__nv_asinh"),
    "atan": ("__nv_atanf", "__nv_atan"),
    "atan2": ("__nv_atan2f", "__nv_atan2"),
    "atanh": ("__nv_atanhf", "__nv_atanh"),
    "cbrt": ("__mt_cbrt_f32", "__mt_cbrt_f64"),
    "ceil": ("__nv_ceilf", "__nv_ceil"),
    "copysign": ("__nv_copysignf", "__nv_copysign"),
    "cos": ("__nv_cosf", "__nv_cos"),
    "cosh": ("__nv_coshf", "__nv_cosh"),
    "div_rn": ("__mt_div_rte_f32", "__mt_div_rte_f64"),
    "erf": ("__mt_erf_f32", "__mt_erf_f64"),
    "erfc": ("__mt_erfc_f32", "__mt_erfc_f64"),
    "exp": ("__nv_expf", "__nv_exp"),
    "exp2": ("__mt_exp2_f32", "__mt_exp2_f64"),
    "expm1": ("__nv_expm1f", "__nv_expm1"),
    "floor": ("__mt_floor_f32", "__mt_floor_f64"),
    "fmod": ("__mt_fmod_f32", "__mt_fmod_f64"),
    "log": ("__mt_log_f32", "__mt_log_f64"),
    "log10": ("__mt_log10_f32", "__mt_log10_f64"),
    "log1p": ("__mt_log1p_f32", "__mt_log1p_f64"),
    "log2": ("__nv_log2f", "__nv_log2"),
    "powf": ("__mt_pow_f32", "__mt_pow_f64"),
    "round": ("__mt_round_f32", "__mt_round_f64"),
    "roundeven": ("__nv_rintf", "__nv_rint"),
    "rsqrt": ("__mt_rsqrt_rn_f32", "__nv_rsqrt"),
    "sin": ("__nv_sinf", "__nv_sin"),
    "sinh": ("__mt_sinh_f32", "__mt_sinh_f64"),
    "sqrt": ("__mt_sqrt_f32", "__mt_sqrt_f64"),
    "tan": ("__mt_tan_f32", "__mt_tan_f64"),
    "tanh": ("__mt_tanh_f32", "__mt_tanh_f64"),
    "trunc": ("__mt_trunc_f32", "__mt_trunc_f64"),
}
MATH_NAMES = {
    f"simt.math.{function}.{kind}": Fact(name, PUBLIC)
    for function, names in _MATH_PUBLIC.items()
    for kind, name in zip(("f32", "f64"), names)
}

# The toolkit, below MUSA_HOME.
DEFAULT_HOME = "/usr/local/musa"
LLC = Fact("bin/llc", PUBLIC)
LINKER = Fact("bin/ld.lld", PUBLIC)
BITCODE_LINKER = Fact("bin/llvm-link", PUBLIC)
# Linked into kernels that call its functions.
MATH_LIBRARIES = {
    21: Fact("mtgpu/bitcode/libdevice.bc", PUBLIC),
    22: Fact("mtgpu/bitcode/libdevice.bc", PUBLIC),
    31: Fact("mtgpu/bitcode/libdevice.31.bc", PUBLIC),
}


def device_names() -> list[tuple[str, str]]:
    """(the compiler's name, the target's name) of everything that kernels may refer to."""
    return [(neutral, fact.value) for neutral, fact in {**DEVICE_NAMES, **MATH_NAMES}.items()]


def llc_arguments(architecture: Architecture, source: str, output: str, extra: str = "") -> list[str]:
    """Arguments of the code generator: LLVM IR in `source` to an object file. `extra` is split like a shell does."""
    fixed = ["-march=mtgpu", f"-mcpu={architecture.name}", "--opaque-pointers", "-O2", "-filetype=obj"]
    return [source, *fixed, *shlex.split(extra), "-o", output]


def linker_arguments(source: str, output: str) -> list[str]:
    """Arguments of the linker: an object file to what the driver loads."""
    return ["-flavor", "gnu", "-shared", source, "-o", output]


def bitcode_linker_arguments(source: str, library: str, output: str) -> list[str]:
    """Arguments that link the functions `source` needs of `library` into it."""
    return ["--opaque-pointers", source, "--only-needed", library, "-o", output]
