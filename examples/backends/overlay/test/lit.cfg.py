"""The trunk's configuration for this folder, plus %which: SPEC, or TRUNK with ``lit -Dexpect=TRUNK``.

With TRUNK the same files show what a triton-opt without this backend does.
"""

import os

_here = os.path.dirname(os.path.abspath(__file__))
lit_config.load_config(config, os.path.join(_here, "..", "..", "..", "..", "test", "lit.cfg.py"))

config.name = "OVERLAY"
config.test_source_root = _here
config.test_exec_root = os.path.join(config.test_exec_root, "examples", "overlay")
_which = lit_config.params.get("expect", "SPEC")
config.available_features.add(_which)
config.substitutions.append(("%which", _which))
