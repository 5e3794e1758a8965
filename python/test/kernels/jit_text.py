"""Kernels from text that a test made up."""

import importlib.util


def jit_text(source, path):
    """The jit function `kernel` that `source` defines. jit wants its source in a file: it is written to `path`."""
    path.write_text("import triton\nimport triton.language as tl\n\n\n@triton.jit\n" + source)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.kernel
