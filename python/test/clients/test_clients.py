"""A sample of what the runner scripts of this folder check in full; `docs/clients.md` has the results.

Each client runs in a process of its own: they import much, warn about things of their own and patch torch.
"""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
SAMPLES = {
    "run_inductor.py": ["gelu", "softmax_backward", "dynamic_sum"],
    "run_gems.py": ["add.Tensor", "_softmax", "mm", "cumsum", "topk", "index_put", "rand"],
    "run_conch.py": ["silu_and_mul", "rms_norm", "blockwise_nf4", "paged_attention"],
    "run_torchao.py": ["fp8_blockwise_act_quant", "int_matmul", "hp_to_fp8_row_major.atomic_max"],
    "run_liger.py": ["rms_norm", "swiglu", "cross_entropy"],
    "run_vllm.py": ["unified[prefill]", "fused_moe[plain]", "awq_gemm", "chunk_kda[one]", "min_p"],
}
NEEDS = {
    "run_inductor.py": ["torch"],
    "run_gems.py": ["torch", "flag_gems"],
    "run_conch.py": ["torch", "conch"],
    "run_torchao.py": ["torch", "torchao"],
    "run_liger.py": ["torch", "liger_kernel"],
    "run_vllm.py": ["torch", "vllm", "transformers"],
}


@pytest.mark.parametrize("script", SAMPLES)
def test_sample(script, tmp_path):
    for package in NEEDS[script]:
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    environment = {**os.environ, "TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "inductor"), "PYTHONWARNINGS": "ignore"}
    ended = subprocess.run(
        [sys.executable, FOLDER / script, *SAMPLES[script]],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    total = len(SAMPLES[script])
    assert f"{total} of {total} " in ended.stdout
