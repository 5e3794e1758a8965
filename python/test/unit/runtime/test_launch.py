"""Launching: binding of arguments, grids, options, errors, hooks, caches."""

import copy
import gc
import threading
import weakref

import numpy as np
import pytest
import triton
import triton.language as tl
from triton import knobs

from .kernels import fill, programs, scale

N = 50


def arrays(dtype=np.float32):
    return np.arange(N).astype(dtype), np.zeros(N, dtype)


def check(out, factor=2):
    assert (out == np.arange(N) * factor).all()


GRIDS = {
    "tuple": (4,),
    "list": [4],
    "integer": 4,
    "numpy integer": (np.int64(4),),
    "callable": lambda meta: (triton.cdiv(meta["n"], meta["BLOCK"]),),
    "callable that gives an integer": lambda meta: triton.cdiv(meta["n"], meta["BLOCK"]),
}


@pytest.mark.parametrize("grid", GRIDS.values(), ids=GRIDS.keys())
def test_grids(grid):
    for _ in range(2):
        x, out = arrays()
        scale[grid](x, out, N, 2.0, BLOCK=16)
        check(out)


def test_callable_grid_gets_all_arguments():
    seen = []
    x, out = arrays()
    scale[lambda meta: (seen.append(meta), (4,))[1]](x, out, factor=2.0, n=N, BLOCK=16)
    assert isinstance(seen[0], dict)
    assert seen[0]["x_ptr"] is x and seen[0]["n"] == N and seen[0]["BLOCK"] == 16


def test_three_axes():
    out = np.zeros(24, np.int32)
    programs[(4, 3, 2)](out)
    assert out.tolist() == [100 * z + 10 * y + x for z in range(2) for y in range(3) for x in range(4)]


def test_zero_in_the_grid_launches_nothing():
    x, out = arrays()
    assert scale[(0,)](x, out, N, 2.0, BLOCK=16) is not None
    assert not out.any()


@pytest.mark.parametrize(
    ("grid", "error", "text"),
    [
        ((1, 1, 1, 1), ValueError, "1 to 3 sizes, got 4"),
        ((), ValueError, "1 to 3 sizes, got 0"),
        ((1, -1), ValueError, "axis y.*-1"),
        ((2**31,), ValueError, "axis x"),
        ((1.5,), TypeError, "axis x.*float"),
        ("1", TypeError, "axis x.*str"),
    ],
)
def test_bad_grids(grid, error, text):
    x, out = arrays()
    with pytest.raises(error, match=text):
        scale[grid](x, out, N, 2.0, BLOCK=16)
    with pytest.raises(error, match=text):
        scale[lambda meta: grid](x, out, N, 2.0, BLOCK=16)


def test_exception_of_a_grid_is_the_users():
    x, out = arrays()
    with pytest.raises(ZeroDivisionError):
        scale[lambda meta: (1 // 0,)](x, out, N, 2.0, BLOCK=16)


def test_all_ways_to_pass_arguments_are_one_kernel():
    x, out = arrays()
    first = scale[(4,)](x, out, N, 2.0, 16)
    rest = {"factor": 2.0, "BLOCK": 16}
    assert scale[(4,)](x, out, N, BLOCK=16, factor=2.0) is first
    assert scale[(4,)](x, out, n=N, **rest) is first
    assert scale.run(x, out, N, 2.0, 16, grid=(4,), warmup=False) is first
    assert scale.run(x, out, N, 2.0, grid=(4,), BLOCK=16) is first
    bound = scale[(4,)]
    assert bound(x, out, N, 2.0, BLOCK=16) is first and bound(x, out, N, 2.0, 16) is first


def test_defaults():
    out = np.zeros(N, np.int32)
    fill[(4,)](out, 7, N)
    assert (out == 7).all()


def test_specialization_gives_new_kernels_only_when_needed():
    x, out = np.zeros(64, np.float32), np.zeros(64, np.float32)
    kernels = [scale[(4,)](x, out, n, 2.0, BLOCK=16) for n in (16, 32, 48, 17, 33, 1, 2**33)]
    assert len({id(k) for k in kernels}) == 4
    assert kernels[0] is kernels[1] is kernels[2] and kernels[3] is kernels[4]
    wide = np.zeros(N + 1, np.float32)[1:]
    assert scale[(4,)](x, wide, 16, 2.0, BLOCK=16) is not kernels[0]
    assert scale[(4,)](x.astype(np.float64), out, 16, 2.0, BLOCK=16) is not kernels[0]


@triton.jit
def which(out_ptr, C: tl.constexpr):
    tl.store(out_ptr, 5)


def test_equal_constants_of_different_types_are_different_constants():
    out = np.zeros(1, np.int32)
    values = [1, True, 1.0, "1", (1,), (True,), 0.0, -0.0, None, tl.float32, tl.float16]
    kernels = [which[(1,)](out, v) for v in values]
    assert len({id(k) for k in kernels}) == len(values)
    assert [which[(1,)](out, v) for v in values] == kernels


def test_options_in_any_order_are_one_kernel():
    x, out = arrays()
    first = scale[(4,)](x, out, N, 2.0, BLOCK=16, num_warps=8, num_stages=2)
    assert scale[(4,)](x, out, N, 2.0, num_stages=2, BLOCK=16, num_warps=8) is first
    assert scale[(4,)](x, out, N, 2.0, num_stages=3, BLOCK=16, num_warps=8) is not first
    assert first.metadata.num_warps == 8


def test_options_of_other_devices_are_accepted():
    x, out = arrays()
    scale[(4,)](x, out, N, 2.0, BLOCK=16, num_ctas=1, maxnreg=64, waves_per_eu=2, enable_fp_fusion=False)
    check(out)


@pytest.mark.parametrize(("name", "hint"), [("num_warp", "num_warps"), ("BLOK", "BLOCK")])
def test_unknown_keyword_names_the_nearest(name, hint):
    x, out = arrays()
    for _ in range(2):
        with pytest.raises(KeyError, match=f"{name}.*scale.*{hint}"):
            scale[(4,)](x, out, N, 2.0, BLOCK=16, **{name: 4})
    scale[(4,)](x, out, N, 2.0, BLOCK=16)
    check(out)


def test_device_keyword_is_rejected():
    x, out = arrays()
    with pytest.raises(KeyError, match="'stream'"):
        scale[(4,)](x, out, N, 2.0, BLOCK=16, stream=1)


BAD_ARGUMENTS = {
    "missing constexpr": (lambda x, o: scale[(4,)](x, o, N, 2.0), TypeError, "'BLOCK'.*constexpr"),
    "missing argument": (lambda x, o: scale[(4,)](x, o, BLOCK=16), TypeError, "'n', 'factor'"),
    "too many": (lambda x, o: scale[(4,)](x, o, N, 2.0, 16, 3), TypeError, "takes 5 positional arguments but 6"),
    "twice": (lambda x, o: scale[(4,)](x, o, N, 2.0, 16, n=3), TypeError, "multiple values for argument 'n'"),
    "text": (lambda x, o: scale[(4,)](x, o, "n", 2.0, BLOCK=16), TypeError, r"argument 2 \('n'\), of type str"),
    "list": (lambda x, o: scale[(4,)]([1.0], o, N, 2.0, BLOCK=16), TypeError, r"argument 0 \('x_ptr'\), of type list"),
    "complex": (lambda x, o: scale[(4,)](x, o.astype(complex), N, 2.0, BLOCK=16), TypeError, "'out_ptr'.*complex128"),
    "byte order": (lambda x, o: scale[(4,)](x.astype(">f4"), o, N, 2.0, BLOCK=16), TypeError, "'x_ptr'.*byte order"),
    "tensor as constexpr": (lambda x, o: scale[(4,)](x, o, N, 2.0, x), TypeError, r"'BLOCK'\) is a tl.constexpr"),
    "too large": (lambda x, o: scale[(4,)](x, o, 2**64, 2.0, BLOCK=16), OverflowError, "'n'.*64 bits"),
    "read-only": (
        lambda x, o: scale[(4,)](x, np.broadcast_to(np.float32(0), N), N, 2.0, BLOCK=16),
        ValueError,
        "'out_ptr'.*read-only",
    ),
}


@pytest.mark.parametrize("name", BAD_ARGUMENTS)
def test_bad_arguments_are_named(name):
    launch, error, text = BAD_ARGUMENTS[name]
    x, out = arrays()
    for _ in range(2):  # before and after a good launch
        with pytest.raises(error, match=text):
            launch(x, out)
        assert (out == 0).all()
        scale[(4,)](x, out, N, 2.0, BLOCK=16)
        check(out)
        out[:] = 0


def test_read_only_input_is_fine():
    x, out = arrays()
    x.flags.writeable = False
    for _ in range(2):
        scale[(4,)](x, out, N, 2.0, BLOCK=16)
        check(out)


@triton.jit
def pinned(out_ptr, a: tl.int64, b: tl.float16, c: tl.uint8):
    tl.static_assert(a.dtype == tl.int64)
    tl.static_assert(b.dtype == tl.float16)
    tl.static_assert(c.dtype == tl.uint8)
    tl.store(out_ptr, a.to(tl.float64))
    tl.store(out_ptr + 1, b.to(tl.float64))
    tl.store(out_ptr + 2, c.to(tl.float64))


@pytest.mark.parametrize("a", [1, 5, 2**40, -(2**40)])
@pytest.mark.parametrize("b", [0.1, 65504.0, 1e-7, 6e-8, 70000.0, -0.0, float("inf"), 3])
def test_annotated_scalars(a, b):
    with np.errstate(over="ignore"):
        half = float(np.float16(b))
    for _ in range(2):
        out = np.zeros(3)
        pinned[(1,)](out, a, b, 200)
        assert out.tolist() == [a, half, 200]


@pytest.mark.parametrize(
    ("args", "error", "text"),
    [
        ((1, 1.0, 256), OverflowError, "'c'.*256 does not fit in u8"),
        ((1, 1.0, -1), OverflowError, "'c'.*-1 does not fit in u8"),
        ((2**63, 1.0, 1), OverflowError, "'a'.*does not fit in i64"),
        ((1.5, 1.0, 1), TypeError, "'a'.*i64.*float"),
        ((1, "x", 1), TypeError, "'b'.*fp16.*str"),
    ],
)
def test_annotated_scalars_out_of_range(args, error, text):
    with pytest.raises(error, match=text):
        pinned[(1,)](np.zeros(3), *args)


@triton.jit
def pair(out_ptr, values, scales: tl.constexpr):
    tl.store(out_ptr, values[0] + values[1] * scales[0] + scales[1])


def test_tuples():
    for _ in range(2):
        out = np.zeros(1, np.int32)
        pair[(1,)](out, (20, 3), (10, 7))
        assert out[0] == 57
    first = pair[(1,)](out, (20, 3), (10, 7))
    assert pair[(1,)](out, (21, 5), (10, 7)) is first
    assert pair[(1,)](out, (21, 5), (10, 8)) is not first
    assert pair[(1,)](out, (1, 5), (10, 8)) is not first
    assert out[0] == 59


@triton.jit
def optional(out_ptr, x_ptr):
    if x_ptr is None:
        tl.store(out_ptr, -1)
    else:
        tl.store(out_ptr, tl.load(x_ptr))


def test_none():
    out = np.zeros(1, np.int32)
    for _ in range(2):
        optional[(1,)](out, None)
        assert out[0] == -1
        optional[(1,)](out, np.array([5], np.int32))
        assert out[0] == 5


def test_array_subclasses(tmp_path):
    x = np.memmap(tmp_path / "x", np.float32, "w+", shape=N)
    x[:] = np.arange(N)
    out = np.zeros(N, np.float32).view(np.recarray)
    scale[(4,)](x, out, N, 2.0, BLOCK=16)
    check(out)


def test_masked_arrays_are_refused():
    x, out = arrays()
    with pytest.raises(TypeError, match="x_ptr"):
        scale[(4,)](np.ma.masked_less(x, 3), out, N, 2.0, BLOCK=16)


def test_numpy_scalars():
    for _ in range(2):
        x, out = arrays()
        scale[(4,)](x, out, np.int64(N), np.float64(2.0), BLOCK=np.int64(16))
        check(out)


def test_tensor_without_memory():
    torch = pytest.importorskip("torch")
    _, out = arrays()
    for _ in range(2):
        with pytest.raises(ValueError, match=r"scale\(\): argument 0 \('x_ptr'\).*no memory"):
            scale[(4,)](torch.zeros(N, device="meta"), out, N, 2.0, BLOCK=16)
        scale[(4,)](torch.zeros(0), np.zeros(0, np.float32), 0, 2.0, BLOCK=16)  # nothing to read is fine


class Duck:
    """Any object with an address and a dtype is a tensor."""

    def __init__(self, array):
        self.array = array
        self.dtype = f"lib.{array.dtype}"

    def data_ptr(self):
        return self.array.ctypes.data


def test_objects_with_data_ptr():
    for _ in range(2):
        x, out = arrays()
        scale[(4,)](Duck(x), Duck(out), N, 2.0, BLOCK=16)
        check(out)


def test_error_of_data_ptr_is_kept():
    class Broken(Duck):
        def data_ptr(self):
            raise RuntimeError("gone")

    x, out = arrays()
    with pytest.raises(RuntimeError, match="gone"):
        scale[(4,)](Broken(x), out, N, 2.0, BLOCK=16)


def test_warmup_compiles_and_does_not_launch():
    x, out = arrays()
    kernel = scale.warmup(x, out, N, 2.0, BLOCK=16, grid=(4,))
    assert not out.any()
    assert "ttir" in kernel.asm and kernel.asm["obj"][:4] == b"\x7fELF"
    by_type = scale.warmup(tl.float32, np.dtype("float32"), N, 2.0, BLOCK=16, grid=(4,))
    assert by_type.hash == kernel.hash


def test_hooks_see_every_launch_and_can_be_removed():
    seen = []

    def enter(described):
        seen.append(("enter", described.get()["name"]))

    def leave(described):
        seen.append(("leave", described.get()["name"]))

    x, out = arrays()
    scale[(4,)](x, out, N, 2.0, BLOCK=16)
    knobs.runtime.launch_enter_hook.add(enter)
    knobs.runtime.launch_exit_hook.add(leave)
    scale[(4,)](x, out, N, 2.0, BLOCK=16)
    assert seen == [("enter", "scale"), ("leave", "scale")]
    knobs.runtime.launch_enter_hook.remove(enter)
    knobs.runtime.launch_exit_hook = None
    scale[(4,)](x, out, N, 2.0, BLOCK=16)
    assert len(seen) == 2
    knobs.runtime.launch_enter_hook = enter
    scale[(4,)](x, out, N, 2.0, BLOCK=16)
    assert len(seen) == 3


def test_pre_run_hook():
    @triton.jit
    def kernel(out_ptr):
        tl.store(out_ptr, 1)

    seen = []
    out = np.zeros(1, np.int32)
    kernel[(1,)](out)
    kernel.add_pre_run_hook(lambda *args, **kwargs: seen.append(args))
    kernel[(1,)](out)
    assert len(seen) == 1 and seen[0][0] is out


def test_compile_hooks():
    calls = []

    def hook(**kwargs):
        calls.append(kwargs)

    knobs.runtime.jit_cache_hook = hook
    knobs.runtime.jit_post_compile_hook = hook
    x, out = arrays()
    scale.device_caches.clear()
    scale[(4,)](x, out, N, 2.0, BLOCK=16)
    scale[(4,)](x, out, N, 2.0, BLOCK=16)
    assert [c["already_compiled"] for c in calls] == [False, True]
    assert calls[0]["fn"].name.endswith("kernels.scale") and calls[0]["compile"]["signature"]["n"] == "i32"
    assert not calls[0]["is_manual_warmup"]
    scale.device_caches.clear()
    knobs.runtime.jit_cache_hook = knobs.runtime.jit_post_compile_hook = None
    kernel = scale.preload(calls[0]["compile"]["specialization_data"])
    assert scale[(4,)](x, out, N, 2.0, BLOCK=16).hash == kernel.hash


def test_hooks_of_loading_and_unloading():
    @triton.jit
    def loaded_and_unloaded(out_ptr):
        tl.store(out_ptr, 1)

    seen = []

    def noting(event):  # kernels of other tests may be collected meanwhile
        return lambda *described: seen.append((event, *described)) if described[2] == "loaded_and_unloaded" else None

    kernel = loaded_and_unloaded
    with knobs.runtime.scope():
        knobs.runtime.kernel_load_start_hook = noting("start")
        knobs.runtime.kernel_load_end_hook = noting("end")
        knobs.runtime.kernel_unload_hook = noting("unload")
        out = np.zeros(1, np.int32)
        compiled = kernel[(1,)](out)
        again = copy.copy(compiled)  # of the same code
        loaded = (compiled.module, compiled.function, "loaded_and_unloaded", compiled.metadata_group, compiled.hash)
        assert seen == [("start", None, None, *loaded[2:]), ("end", *loaded)]
        del compiled
        kernel.device_caches.clear()
        gc.collect()
        assert len(seen) == 2
        again[(1,)](out)
        del again
        gc.collect()
        assert seen[2:] == [("unload", *loaded)]
        kernel[(1,)](out)


def test_variables_count_after_the_first_launch(monkeypatch):
    monkeypatch.delenv("TRITON_DISABLE_LINE_INFO", raising=False)
    x, out = arrays()
    with_lines = scale[(4,)](x, out, N, 2.0, BLOCK=16)
    monkeypatch.setenv("TRITON_DISABLE_LINE_INFO", "1")
    without = scale[(4,)](x, out, N, 2.0, BLOCK=16)
    assert without is not with_lines
    assert scale[(4,)](x, out, N, 2.0, BLOCK=16) is without
    monkeypatch.setenv("TRITON_DISABLE_LINE_INFO", "perhaps")
    for _ in range(2):
        with pytest.raises(ValueError, match="TRITON_DISABLE_LINE_INFO='perhaps'"):
            scale[(4,)](x, out, N, 2.0, BLOCK=16)
    monkeypatch.delenv("TRITON_DISABLE_LINE_INFO")
    assert scale[(4,)](x, out, N, 2.0, BLOCK=16) is with_lines


def test_compile_hook_can_skip():
    knobs.runtime.jit_cache_hook = lambda **kwargs: True
    x, out = arrays()
    scale.device_caches.clear()
    assert scale[(4,)](x, out, N, 2.0, BLOCK=16) is None
    assert not out.any()


def test_clearing_the_caches_compiles_again():
    x, out = arrays()
    first = scale[(4,)](x, out, N, 2.0, BLOCK=16)
    scale.device_caches.clear()
    second = scale[(4,)](x, out, N, 2.0, BLOCK=16)
    assert second is not first and second.hash == first.hash
    scale.device_caches[0].kernels.clear()
    assert scale[(4,)](x, out, N, 2.0, BLOCK=16) is not second


SETTING = tl.constexpr(1)


@triton.jit
def reads_global(out_ptr):
    tl.store(out_ptr, SETTING)


def test_changed_global_is_an_error(monkeypatch):
    out = np.zeros(1, np.int32)
    reads_global[(1,)](out)
    assert out[0] == 1
    monkeypatch.setitem(globals(), "SETTING", tl.constexpr(2))
    with pytest.raises(RuntimeError, match="'SETTING' has changed.*'reads_global'"):
        reads_global[(1,)](out)
    monkeypatch.undo()
    reads_global[(1,)](out)


def test_debug_knob_is_part_of_the_key():
    x, out = arrays()
    first = scale[(4,)](x, out, N, 2.0, BLOCK=16)
    knobs.runtime.debug = True
    debug = scale[(4,)](x, out, N, 2.0, BLOCK=16)
    assert debug is not first and debug.metadata.debug
    knobs.runtime.debug = False
    assert scale[(4,)](x, out, N, 2.0, BLOCK=16) is first


def test_subclass_that_overrides_run():
    class Counting(triton.JITFunction):
        def run(self, *args, **kwargs):
            self.count = getattr(self, "count", 0) + 1
            return super().run(*args, **kwargs)

    kernel = Counting(scale.fn)
    for _ in range(3):
        x, out = arrays()
        kernel[(4,)](x, out, N, 2.0, BLOCK=16)
        check(out)
    assert kernel.count == 3


def test_replaced_run_is_honoured(monkeypatch):
    x, out = arrays()
    scale[(4,)](x, out, N, 2.0, BLOCK=16)
    monkeypatch.setattr(triton.JITFunction, "run", lambda self, *args, **kwargs: "replaced")
    assert scale[(4,)](x, out, N, 2.0, BLOCK=16) == "replaced"
    monkeypatch.undo()
    assert scale[(4,)](x, out, N, 2.0, BLOCK=16) != "replaced"


def test_compiled_kernel_can_be_launched_itself():
    x, out = arrays()
    kernel = scale[(4,)](x, out, N, 2.0, BLOCK=16)
    out[:] = 0
    kernel[(4, 1, 1)](x, out, N, 2.0, 16)
    check(out)
    out[:] = 0
    kernel.run(4, 1, 1, 0, kernel.function, kernel.packed_metadata, None, None, None, x, out, N, 2.0, 16)
    check(out)
    with pytest.raises(TypeError, match=r"scale\(\): argument 1 \('out_ptr'\), of type str: expected a tensor"):
        kernel.run(4, 1, 1, 0, kernel.function, kernel.packed_metadata, None, None, None, x, "out", N, 2.0, 16)
    with pytest.raises(TypeError, match="14 positional arguments"):
        kernel.run(4, 1, 1, 0, kernel.function, kernel.packed_metadata, None, None, None, x)


def test_functions_and_kernels_are_collected():
    @triton.jit
    def kernel(out_ptr):
        tl.store(out_ptr, 1)

    out = np.zeros(1, np.int32)
    found = weakref.ref(kernel)
    compiled = weakref.ref(kernel[(1,)](out))
    del kernel
    gc.collect()
    assert found() is None and compiled() is None


def test_many_threads_get_their_own_results():
    errors = []

    def work(seed):
        try:
            for i in range(50):
                x, out = arrays()
                scale[lambda meta: (meta["n"] // meta["BLOCK"] + 1,)](x, out, N, float(seed), BLOCK=2 ** (i % 5))
                check(out, seed)
        except BaseException as error:  # noqa: BLE001 (shown below)
            errors.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
