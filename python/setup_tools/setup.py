"""Makes the distribution ``flagtree-build`` of this folder, as the package ``flagtree_build``."""

import importlib
import importlib.util
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
spec = importlib.util.spec_from_file_location(
    "flagtree_build", HERE / "__init__.py", submodule_search_locations=[str(HERE)]
)
assert spec is not None
sys.modules["flagtree_build"] = importlib.util.module_from_spec(spec)

importlib.import_module("flagtree_build.own_distribution").run_setup()
