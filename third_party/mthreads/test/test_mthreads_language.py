"""What this backend adds to the language and to triton's helpers; kernels run on the CPU."""

from __future__ import annotations


def test_squeeze_and_unsqueeze_are_exported_by_the_backend(installation):
    code = """
        import triton.language as tl
        print(tl.squeeze.__module__, tl.unsqueeze.__module__)
    """
    assert installation.output(code) == "triton.language.singleton_dims triton.language.singleton_dims"


def test_a_kernel_that_uses_them_runs_on_the_cpu(installation):
    code = """
        import numpy as np
        import triton
        import triton.language as tl

        @triton.jit
        def kernel(x, y, ROWS: tl.constexpr, COLS: tl.constexpr, DIM: tl.constexpr):
            at = tl.arange(0, ROWS)[:, None] * COLS + tl.arange(0, COLS)[None, :]
            block = tl.unsqueeze(tl.load(x + at), DIM)
            tl.store(y + at, tl.squeeze(block, DIM) * 2)

        for dim in (0, 1, 2, -1):
            x = np.arange(32, dtype=np.float32)
            y = np.zeros_like(x)
            kernel[(1,)](x, y, 4, 8, dim)
            np.testing.assert_array_equal(y, 2 * x)
        print("ok")
    """
    assert installation.output(code) == "ok"


def test_squeezing_another_size_points_at_the_line(installation):
    code = """
        import numpy as np
        import triton
        import triton.language as tl

        @triton.jit
        def kernel(x):
            block = tl.load(x + tl.arange(0, 8))
            tl.store(x + tl.arange(0, 8), tl.squeeze(block, 0))

        kernel[(1,)](np.zeros(8, np.float32))
    """
    done = installation.run(code)
    assert done.returncode != 0
    assert "only size 1 can be removed" in done.stderr
    assert "tl.squeeze(block, 0)" in done.stderr


def test_apply_with_path_comes_through_spec_func(installation):
    code = """
        from triton._utils import apply_with_path
        apply_with_path((1, (2, [3]), ()), lambda path, leaf: print(path, leaf))
        apply_with_path(7, lambda path, leaf: print(path, leaf))
        print(apply_with_path.__module__)
    """
    assert installation.output(code).splitlines() == [
        "(0,) 1",
        "(1, 0) 2",
        "(1, 1, 0) 3",
        "() 7",
        "triton.backends.mthreads.spec.triton._utils",
    ]


def test_tools_are_this_backends_and_their_package_the_trunks(installation):
    code = """
        import importlib
        for name in ("tools", "tools.compile", "tools.link", "tools.ragged_tma"):
            print(name, "/spec/" in importlib.import_module("triton." + name).__file__)
    """
    assert installation.output(code).splitlines() == [
        "tools False",
        "tools.compile True",
        "tools.link True",
        "tools.ragged_tma True",
    ]


def test_ragged_blocks_neither_read_nor_write_their_neighbours(installation):
    code = """
        import numpy as np
        import triton
        import triton.language as tl
        from triton.tools.ragged_tma import atomic_add_ragged, create_ragged_descriptor, load_ragged, store_ragged

        @triton.jit
        def double(source, target, off, size, ROWS: tl.constexpr, DIM: tl.constexpr):
            start = tl.program_id(0) * ROWS
            block = load_ragged(source, off, size, [start, 0], DIM)
            store_ragged(target, off, size, [start, 0], block * 2 + 1, DIM)

        @triton.jit
        def accumulate(source, target, off, size, ROWS: tl.constexpr):
            start = tl.program_id(0) * ROWS
            atomic_add_ragged(target, off, size, [start, 0], load_ragged(source, off, size, [start, 0]))

        x = np.arange(20 * 6, dtype=np.float32).reshape(20, 6)
        y = np.full_like(x, -1)
        sizes, off = (3, 9, 0, 8), 0
        for size in sizes:
            arguments = [create_ragged_descriptor(array, [4, 8]) for array in (x, y)]
            double[(triton.cdiv(max(size, 1), 4),)](*arguments, off, size, 4, 0)
            expected = np.full_like(x, -1)
            off += size
            expected[:off] = 2 * x[:off] + 1
            np.testing.assert_array_equal(y, expected)
        sums = np.ones_like(x)
        accumulate[(2,)](create_ragged_descriptor(x, [4, 8]), create_ragged_descriptor(sums, [4, 8]), 3, 5, 4)
        expected = np.ones_like(x)
        expected[3:8] += x[3:8]
        np.testing.assert_array_equal(sums, expected)
        # The ragged dimension may be any: here columns of the transposed array.
        wide, out = np.ascontiguousarray(x.T), np.zeros((6, 20), np.float32)
        @triton.jit
        def columns(source, target, off, size, DIM: tl.constexpr):
            store_ragged(target, off, size, [0, 0], load_ragged(source, off, size, [0, 0], DIM), DIM)
        columns[(1,)](*(create_ragged_descriptor(a, [8, 4], -1) for a in (wide, out)), 5, 3, -1)
        expected = np.zeros_like(out)
        expected[:, 5:8] = wide[:, 5:8]
        np.testing.assert_array_equal(out, expected)
        print("ok")
    """
    assert installation.output(code) == "ok"


def test_wrong_ragged_descriptors_are_refused(installation):
    code = """
        import numpy as np
        from triton.tools.ragged_tma import create_ragged_descriptor
        x = np.zeros((4, 8))
        for block, dim in (([4], 0), ([4, 3], 0), ([4, 8], 2)):
            try:
                create_ragged_descriptor(x, block, dim)
            except ValueError as error:
                print(error)
    """
    lines = installation.output(code).splitlines()
    assert [line.partition(": ")[2].split(" ", 2)[:2] for line in lines] == [
        ["block", "shape"],
        ["block", "size"],
        ["ragged_dim", "="],
    ]
