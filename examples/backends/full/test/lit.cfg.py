"""The trunk's configuration for this folder."""

import os

_here = os.path.dirname(os.path.abspath(__file__))
lit_config.load_config(config, os.path.join(_here, "..", "..", "..", "..", "test", "lit.cfg.py"))

config.name = "FULL"
config.test_source_root = _here
config.test_exec_root = os.path.join(config.test_exec_root, "examples", "full")
