"""Launch keywords of the CPU backend."""

from __future__ import annotations

import hashlib
from typing import Any

from triton import knobs
from triton._knob_types import Knob, KnobGroup
from triton._record import Record

_OFF = ("", "0", "false", "off", "no", "n")
_ON = ("1", "true", "on", "yes", "y", "storage")


def sanitize_mode(value: Any) -> str:
    """The option `sanitize` as text: ``""`` (off), ``"storage"`` or ``"view"``. ValueError for anything else."""
    text = str(value).strip().lower()
    if value is None or text in _OFF:
        return ""
    if text in _ON:
        return "storage"
    if text == "view":
        return "view"
    raise ValueError(f"sanitize (TRITON_CPU_SANITIZE) must be 0, 1, 'storage' or 'view', got {value!r}")


# Keywords that kernels written for GPUs pass. They are accepted, reported in the metadata, and change no code.
NO_EFFECT = frozenset(
    (
        "num_warps",
        "num_stages",
        "num_ctas",
        "cluster_dims",
        "maxnreg",
        "warp_size",
        "waves_per_eu",
        "matrix_instr_nonkdim",
        "kpack",
        "schedule_hint",
        "launch_cooperative_grid",
        "launch_pdl",
        "enable_reflect_ftz",
        "allow_flush_denorm",
        "ptx_version",
        "ptx_options",
        "extern_libs",
        "backend_name",
        # Products and sums are rounded one by one, whatever it says.
        "enable_fp_fusion",
    )
)


class CPUKnobs(KnobGroup):
    """Settings that only this backend has, as `knobs.cpu`."""

    # the option `sanitize` of launches that do not give one
    sanitize = Knob("TRITON_CPU_SANITIZE", sanitize_mode, "")


knobs.add_group("cpu", CPUKnobs(), code=("sanitize",))


class CPUOptions(Record):
    """Options of a compile. Those in `NO_EFFECT` exist so that one source runs on every device."""

    debug: bool = False
    sanitize_overflow: bool = True
    # "" (off), "storage" or "view": check every access to memory, see sanitizer.py
    sanitize: str = ""
    # atomic additions whose old values nobody wants are done per thread; needs the runtime of this package
    collect_adds: bool = True
    enable_fp_fusion: bool = True
    arch: str = ""
    default_dot_input_precision: str = "ieee"
    allowed_dot_input_precisions: tuple[str, ...] = ("ieee", "tf32", "tf32x3", "bf16x3", "bf16x6")
    supported_fp8_dtypes: tuple[str, ...] = ("fp8e5", "fp8e4nv", "fp8e4b8", "fp8e5b16", "fp8e4b15")
    deprecated_fp8_dot_operand_dtypes: tuple[str, ...] = ()
    max_num_imprecise_acc_default: int = 0
    instrumentation_mode: str = ""
    ir_override: str | None = None

    num_warps: int = 4
    num_stages: int = 3
    num_ctas: int = 1
    cluster_dims: tuple[int, ...] = (1, 1, 1)
    maxnreg: int | None = None
    warp_size: int = 1
    waves_per_eu: int = 0
    matrix_instr_nonkdim: int = 0
    kpack: int = 1
    schedule_hint: str = "none"
    launch_cooperative_grid: bool = False
    launch_pdl: bool = False
    enable_reflect_ftz: bool = False
    allow_flush_denorm: bool = False
    ptx_version: int | None = None
    ptx_options: str | None = None
    extern_libs: tuple = ()
    backend_name: str = "cpu"

    def __post_init__(self) -> None:
        warps = self.num_warps
        if not isinstance(warps, int) or warps <= 0 or warps & (warps - 1):
            raise ValueError(f"num_warps must be a power of 2, got {warps!r}")
        known = self.allowed_dot_input_precisions
        if self.default_dot_input_precision not in known:
            raise ValueError(
                f"default_dot_input_precision must be one of {', '.join(known)}, "
                f"got {self.default_dot_input_precision!r}"
            )

    def hash(self) -> str:
        """Digest of the options that change code, so that autotuning over the others compiles once."""
        text = "_".join(f"{name}-{value!r}" for name, value in vars(self).items() if name not in NO_EFFECT)
        return hashlib.sha256(text.encode("utf-8")).hexdigest()


def parse_options(options: dict[str, Any], arch: str) -> CPUOptions:
    """Options of a launch; keywords that are none are ignored (the launcher has rejected them)."""
    names = CPUOptions.defaults
    chosen = {name: value for name, value in options.items() if name in names and value is not None}
    chosen["arch"] = arch
    fusion = chosen.get("enable_fp_fusion", knobs.language.default_fp_fusion)
    chosen["enable_fp_fusion"] = fusion and not knobs.language.force_disable_fp_fusion
    chosen["sanitize"] = sanitize_mode(chosen.get("sanitize", knobs.cpu.sanitize))
    return CPUOptions(**chosen)
