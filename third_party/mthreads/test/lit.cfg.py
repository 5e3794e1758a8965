"""Configuration of this backend's lit tests: the trunk's, for this folder. They need a triton-opt with this backend."""

import os
import subprocess

_here = os.path.dirname(os.path.abspath(__file__))
lit_config.load_config(config, os.path.join(_here, "..", "..", "..", "test", "lit.cfg.py"))

config.name = "TRITON_MTHREADS"
config.test_source_root = _here
config.test_exec_root = os.path.join(config.test_exec_root, "third_party", "mthreads")

_tool = dict(config.substitutions)["triton-opt"]
if "--mthreads-lower-to-threads" not in subprocess.run([_tool, "--help"], capture_output=True, text=True).stdout:
    lit_config.note(f"{_tool} was built without the mthreads backend: its tests are unsupported")
    config.unsupported = True
