"""What this backend adds to the language and to triton's helpers; kernels run on the CPU."""

from __future__ import annotations

import json

import pytest


def test_the_backend_exports_names_of_the_language(installation):
    """And leaves alone what the trunk has meanwhile: squeeze and unsqueeze, once this backend's own."""
    code = """
        import triton.language as tl
        print(tl._experimental_descriptor_load.__module__, tl.squeeze.__module__, tl.unsqueeze.__module__)
    """
    expected = ["triton.language.descriptor_names", *["triton.language.standard"] * 2]
    assert installation.output(code).split() == expected


def test_a_kernel_that_squeezes_runs_on_the_cpu(installation):
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
    assert "must have size 1" in done.stderr
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


@pytest.mark.parametrize("first", ["triton.tools.link", "triton.backends.mthreads.spec.triton.tools.link"])
def test_p5_one_file_is_one_module_whichever_name_a_process_imports_first(installation, first):
    code = f"""
        import importlib
        importlib.import_module({first!r})
        import triton.tools.link as a, triton.backends.mthreads.spec.triton.tools.link as b
        print(a is b, a.LinkerError is b.LinkerError)
    """
    assert installation.output(code) == "True True"


def test_what_the_tools_do_not_change_is_the_trunks(installation):
    code = """
        import triton.tools.compile as c, triton.tools.link as l
        for value in (c.load_kernel, c.AotError, l.read_header, l.Linked):
            print(value.__module__)
    """
    assert installation.output(code).split() == ["triton.tools._trunk_compile"] * 2 + ["triton.tools._trunk_link"] * 2


def test_names_that_are_added_to_the_packages(installation):
    code = """
        import triton, triton.compiler, triton.runtime
        from triton.backends.mthreads.musa import MusaError
        print(triton.max_shared_mem is triton.compiler.max_shared_mem, triton.runtime.MusaError is MusaError)
        print(triton.compiler.warp_size(21), triton.compiler.warp_size(31))
        for package in (triton, triton.compiler, triton.runtime):
            print(hasattr(package, "max_shared_men"))
    """
    assert installation.output(code).splitlines() == ["True True", "128 32", "False", "False", "False"]


def test_knobs_of_this_backend(installation):
    code = """
        import os
        from triton import knobs
        print(knobs.musa.home, knobs.musa.libmusa_path)
        os.environ["MUSA_HOME"] = "/opt/musa"
        print(knobs.musa.home)
        with knobs.musa.scope():
            knobs.musa.libmusa_path = "/x/libmusa.so"
            print(os.environ["TRITON_LIBMUSA_PATH"], knobs.musa in knobs._GROUPS)
        print("TRITON_LIBMUSA_PATH" in os.environ)
        try:
            knobs.musa.hom = 1
        except AttributeError as error:
            print(error)
    """
    assert installation.output(code).splitlines() == [
        "/usr/local/musa None",
        "/opt/musa",
        "/x/libmusa.so True",
        "False",
        "musa_knobs has no knob 'hom'; did you mean 'home'?",
    ]


def test_test_helpers_of_this_backend(installation, fake_musa):
    code = "from triton._internal_testing import is_cpu, is_musa, is_musa_arch\n"
    code += "print(is_cpu(), is_musa(), is_musa_arch(31), is_musa_arch(22))"
    assert installation.output(code) == "True False False False"
    found = installation.output(code, TRITON_LIBMUSA_PATH=str(fake_musa), FAKE_MUSA_DEVICES="1")
    assert found == "False True True False"


def test_the_backend_may_be_chosen_by_its_alias(installation, fake_musa):
    code = "import triton; print(triton.runtime.driver.active.get_current_target().backend)"
    chosen = {"TRITON_DEFAULT_BACKEND": "musa", "TRITON_LIBMUSA_PATH": str(fake_musa), "FAKE_MUSA_DEVICES": "1"}
    assert installation.output(code, **chosen) == "musa"
    done = installation.run(code, **{**chosen, "TRITON_DEFAULT_BACKEND": "muse"})
    assert "Did you mean 'musa'?" in done.stderr


def test_descriptors_under_their_earlier_names(installation):
    code = """
        import numpy as np
        import triton
        import triton.language as tl

        @triton.jit
        def kernel(x, y, ROWS: tl.constexpr, COLS: tl.constexpr):
            source = tl._experimental_make_tensor_descriptor(x, [8, 16], [16, 1], [ROWS, COLS])
            target = tl._experimental_make_tensor_descriptor(y, [8, 16], [16, 1], [ROWS, COLS])
            at = [tl.program_id(0) * ROWS, tl.program_id(1) * COLS]
            block = tl._experimental_descriptor_load(source, at, [ROWS, COLS], tl.float32)
            tl._experimental_descriptor_store(target, block + 1, at)

        @triton.jit
        def wrong(x, SIZE: tl.constexpr, DTYPE: tl.constexpr):
            source = tl._experimental_make_tensor_descriptor(x, [8, 16], [16, 1], [4, 8])
            tl._experimental_descriptor_load(source, [0, 0], [4, SIZE], DTYPE)

        x = np.arange(128, dtype=np.float32)
        y = np.zeros_like(x)
        kernel[(2, 2)](x, y, 4, 8)
        np.testing.assert_array_equal(y, x + 1)
        for arguments in ((16, tl.float32), (8, tl.float16)):
            try:
                wrong[(1,)](x, *arguments)
            except triton.CompilationError as error:
                print(str(error).splitlines()[-1].split("the ")[1].split()[0])
    """
    assert installation.output(code).splitlines() == ["shape", "dtype"]


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


def test_offsets_of_ragged_blocks_are_narrow_where_the_array_allows_it(installation):
    code = """
        import numpy as np
        import triton
        import triton.language as tl
        from triton.tools.ragged_tma import create_ragged_descriptor, load_ragged, store_ragged

        @triton.jit
        def double(source, target):
            store_ragged(target, 2, 3, [0, 0], load_ragged(source, 2, 3, [0, 0]) * 2)

        x = np.arange(20 * 6, dtype=np.float32).reshape(20, 6)
        for wide in (False, True):
            y = np.zeros_like(x)
            pair = [create_ragged_descriptor(array, [4, 8]) for array in (x, y)]
            print([bool(d.wide.value) for d in pair])
            pair = [d._replace(wide=tl.constexpr(wide)) for d in pair]
            kernel = double[(1,)](*pair)
            expected = np.zeros_like(x)
            expected[2:5] = 2 * x[2:5]
            np.testing.assert_array_equal(y, expected)
            print("xi64>" in kernel.asm["ttir"])
        far = np.lib.stride_tricks.as_strided(x, (2, 6), (1 << 33, 4))
        print(bool(create_ragged_descriptor(far, [4, 8]).wide.value))
    """
    assert installation.output(code).splitlines() == ["[False, False]", "False", "[False, False]", "True", "True"]


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
    assert installation.output(code).splitlines() == [
        "create_ragged_descriptor: block_shape [4] for a tensor of rank 2",
        "Shape element 1 must be a power of 2, got 3",
        "create_ragged_descriptor: ragged_dim 2 is out of range for rank 2",
    ]


def test_autotuning_times_only_what_differs_on_the_device(installation, fake_musa):
    code = """
        import triton
        import triton.language as tl
        from triton import Config
        from triton.backends.compiler import GPUTarget

        @triton.autotune([Config({"B": 64}, num_warps=w, num_stages=s) for w in (4, 8, 16) for s in (1, 2, 3)], key=[])
        @triton.jit
        def kernel(x, B: tl.constexpr):
            pass

        target = triton.runtime.driver.active.get_current_target()
        kernel.nargs = {}
        print(target.backend, [(c.num_warps, c.num_stages) for c in kernel.prune_configs({})])
        from triton.flagtree_spec import spec
        wide = spec("select_configs", kernel.configs, GPUTarget("musa", 21, 128))
        print([(c.num_warps, c.num_stages) for c in wide])
        print(len(spec("select_configs", kernel.configs[6:], GPUTarget("musa", 21, 128))))
    """
    assert installation.output(code).splitlines()[0].count("(") == 9, "on the CPU all of them stay"
    lines = installation.output(code, TRITON_LIBMUSA_PATH=str(fake_musa), FAKE_MUSA_DEVICES="1").splitlines()
    assert lines == ["musa [(4, 1), (8, 1), (16, 1)]", "[(4, 1), (8, 1)]", "3"]


def test_the_doctor_says_what_of_the_toolkit_is_missing(installation, tmp_path):
    code = """
        import sys
        from triton.cli import main
        sys.exit(main(["doctor", "--no-build", "--json"]))
    """

    def findings(**environment):
        done = installation.run(code, MUSA_HOME=str(tmp_path), TRITON_CACHE_DIR=str(tmp_path / "cache"), **environment)
        return [f for f in json.loads(done.stdout)["sections"]["backends"] if f["subject"] == "mthreads"]

    (absent,) = (f for f in findings() if "toolkit lacks" in f["text"])
    assert absent["level"] == "note" and f"{tmp_path}/bin/llc" in absent["text"] and "set MUSA_HOME" in absent["fix"]
    wanted = findings(TRITON_DEFAULT_BACKEND="mthreads")
    assert {f["level"] for f in wanted} == {"problem"}
