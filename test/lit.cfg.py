"""Configuration of the lit tests: which tools they run and where those are.

A tool is taken from the first of: the environment (TRITON_OPT, FILECHECK), the site configuration that CMake wrote,
the newest build tree under build/, LLVM's own tools, PATH. So the same folder serves a build tree, an installed
package and a plain checkout:

    lit test
    TRITON_OPT=/path/to/triton-opt lit -v test/Triton/ops.mlir
"""

import glob
import os
import shutil
import sys

import lit.formats

config.name = "TRITON"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(os.path.abspath(__file__))

_root = os.path.dirname(config.test_source_root)
_llvm_tools = getattr(config, "llvm_tools_dir", "/usr/lib/llvm-22/bin")


def _newest(pattern):
    """The most recently built file that matches, or None."""
    return max(glob.glob(os.path.join(_root, "build", pattern), recursive=True), key=os.path.getmtime, default=None)


def _is_tool(path):
    return bool(path) and os.path.isfile(path) and os.access(path, os.X_OK)


def _find(tool, variable, configured, *fallbacks):
    """Path of a tool. Ends the run with what to do when there is none."""
    chosen = os.environ.get(variable)
    if chosen and not _is_tool(chosen):
        return lit_config.fatal(f"{variable}={chosen} is no program that can be run.")
    found = next(filter(_is_tool, (chosen, configured, *fallbacks, shutil.which(tool))), None)
    if not found:
        return lit_config.fatal(
            f"{tool} was not found. Build it (cmake --build <tree> --target {tool}) or set {variable}."
        )
    return found


_triton_opt = _find(
    "triton-opt", "TRITON_OPT", getattr(config, "triton_opt", None), _newest("**/bin/triton-opt/triton-opt")
)
_filecheck = _find(
    "FileCheck",
    "FILECHECK",
    getattr(config, "filecheck", None),
    _newest("**/bin/FileCheck/FileCheck"),
    os.path.join(_root, "python", "triton", "FileCheck"),
    os.path.join(_llvm_tools, "FileCheck"),
)

if not getattr(config, "test_exec_root", None):
    config.test_exec_root = os.path.join(os.path.dirname(os.path.dirname(_triton_opt)), "..", "test")

config.substitutions += [
    ("triton-opt", _triton_opt),
    ("FileCheck", _filecheck + " --allow-unused-prefixes=false"),
    ("%python", sys.executable),
]
