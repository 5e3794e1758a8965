"""Pseudo-random numbers from a seed and an offset, by the counter-based generator Philox 4x32-10 or 4x64-10."""

from __future__ import annotations

from ..runtime.jit import jit
from . import core, math

__all__ = [
    "pair_uniform_to_normal",
    "philox",
    "philox_impl",
    "rand",
    "rand4x",
    "randint",
    "randint4x",
    "randn",
    "randn4x",
    "uint_to_uniform_float",
]

N_ROUNDS_DEFAULT = core.constexpr(10)

# Multipliers and key increments of Philox, for words of 32 and of 64 bits.
_MULTIPLIER_A_32 = core.constexpr(0xD2511F53)
_MULTIPLIER_B_32 = core.constexpr(0xCD9E8D57)
_KEY_STEP_A_32 = core.constexpr(0x9E3779B9)
_KEY_STEP_B_32 = core.constexpr(0xBB67AE85)
_MULTIPLIER_A_64 = core.constexpr(0xD2E7470EE14C6C93)
_MULTIPLIER_B_64 = core.constexpr(0xCA5A826395121157)
_KEY_STEP_A_64 = core.constexpr(0x9E3779B97F4A7C15)
_KEY_STEP_B_64 = core.constexpr(0xBB67AE8584CAA73B)


@jit
def _philox_rounds(c0, c1, c2, c3, k0, k1, n_rounds: core.constexpr, a, b, step_a, step_b):
    for _ in core.static_range(n_rounds):
        first = c0
        third = c2
        c0 = math.umulhi(b, third) ^ c1 ^ k0
        c1 = core.mul(b, third, sanitize_overflow=False)
        c2 = math.umulhi(a, first) ^ c3 ^ k1
        c3 = core.mul(a, first, sanitize_overflow=False)
        k0 = core.add(k0, step_a, sanitize_overflow=False)
        k1 = core.add(k1, step_b, sanitize_overflow=False)
    return c0, c1, c2, c3


@jit
def philox_impl(c0, c1, c2, c3, k0, k1, n_rounds: core.constexpr = N_ROUNDS_DEFAULT):
    """Run the generator on a counter `c0 .. c3` with the key `k0, k1`, all of the same unsigned dtype."""
    if c0.dtype == core.uint32:
        return _philox_rounds(
            c0,
            c1,
            c2,
            c3,
            k0,
            k1,
            n_rounds,
            _MULTIPLIER_A_32,
            _MULTIPLIER_B_32,
            _KEY_STEP_A_32,
            _KEY_STEP_B_32,
        )
    else:
        core.static_assert(c0.dtype == core.uint64, "the counter of philox_impl must be uint32 or uint64")
        return _philox_rounds(
            c0,
            c1,
            c2,
            c3,
            k0,
            k1,
            n_rounds,
            _MULTIPLIER_A_64,
            _MULTIPLIER_B_64,
            _KEY_STEP_A_64,
            _KEY_STEP_B_64,
        )


@jit
def philox(seed, c0, c1, c2, c3, n_rounds: core.constexpr = N_ROUNDS_DEFAULT):
    """Four words of random bits for the counter `c0 .. c3`, with the 64 bits of `seed` as the key."""
    seed = core.to_tensor(seed)
    c0 = core.to_tensor(c0)
    c1 = core.to_tensor(c1)
    c2 = core.to_tensor(c2)
    c3 = core.to_tensor(c3)
    seed = seed.to(core.uint64)
    if c0.dtype.primitive_bitwidth == 32:
        word: core.constexpr = core.uint32
        k0 = (seed & 0xFFFFFFFF).to(core.uint32)
        k1 = (seed >> 32).to(core.uint32)
    else:
        word: core.constexpr = core.uint64
        k0 = seed
        k1 = core.full((), 0, core.uint64)
    c0 = c0.to(word, bitcast=True)
    c1 = c1.to(word, bitcast=True)
    c2 = c2.to(word, bitcast=True)
    c3 = c3.to(word, bitcast=True)
    return philox_impl(c0, c1, c2, c3, k0, k1, n_rounds)


@jit
def randint(seed, offset, n_rounds: core.constexpr = N_ROUNDS_DEFAULT):
    """A block of random uint32, one for each offset."""
    word, _, _, _ = randint4x(seed, offset, n_rounds)
    return word


@jit
def randint4x(seed, offset, n_rounds: core.constexpr = N_ROUNDS_DEFAULT):
    """Four blocks of random uint32; cheaper than four times `randint`. Offsets may have up to 64 bits."""
    offset = core.to_tensor(offset)
    low = offset.to(core.uint32)
    zero = core.full((), 0, core.uint32)
    if offset.dtype.primitive_bitwidth > 32 and offset.dtype.is_int():
        return philox(seed, low, (offset >> 32).to(core.uint32), zero, zero, n_rounds)
    else:
        return philox(seed, low, zero, zero, zero, n_rounds)


@jit
def uint_to_uniform_float(x):
    """Random bits as a float32 uniform in [0, 1)."""
    if x.dtype.primitive_bitwidth == 32:
        x = x.to(core.int32, bitcast=True)
        scale: core.constexpr = 4.6566127342e-10
    else:
        core.static_assert(x.dtype.primitive_bitwidth == 64, "uint_to_uniform_float needs 32-bit or 64-bit integers")
        x = x.to(core.int64, bitcast=True)
        scale: core.constexpr = 1.0842020432385337e-19
    x = core.where(x < 0, ~x, x)
    return x * scale


@jit
def rand(seed, offset, n_rounds: core.constexpr = N_ROUNDS_DEFAULT):
    """A block of float32 uniform in [0, 1), one for each offset."""
    return uint_to_uniform_float(randint(seed, offset, n_rounds))


@jit
def rand4x(seed, offsets, n_rounds: core.constexpr = N_ROUNDS_DEFAULT):
    """Four blocks of float32 uniform in [0, 1)."""
    a, b, c, d = randint4x(seed, offsets, n_rounds)
    return uint_to_uniform_float(a), uint_to_uniform_float(b), uint_to_uniform_float(c), uint_to_uniform_float(d)


@jit
def pair_uniform_to_normal(u1, u2):
    """Two independent standard normal numbers from two uniform ones (Box and Muller)."""
    # The logarithm of zero is not finite.
    u1 = core.maximum(1.0e-7, u1)
    angle = 6.283185307179586 * u2
    radius = math.sqrt(-2.0 * math.log(u1))
    return radius * math.cos(angle), radius * math.sin(angle)


@jit
def randn(seed, offset, n_rounds: core.constexpr = N_ROUNDS_DEFAULT):
    """A block of standard normal float32, one for each offset."""
    a, b, _, _ = randint4x(seed, offset, n_rounds)
    normal, _ = pair_uniform_to_normal(uint_to_uniform_float(a), uint_to_uniform_float(b))
    return normal


@jit
def randn4x(seed, offset, n_rounds: core.constexpr = N_ROUNDS_DEFAULT):
    """Four blocks of standard normal float32."""
    u1, u2, u3, u4 = rand4x(seed, offset, n_rounds)
    n1, n2 = pair_uniform_to_normal(u1, u2)
    n3, n4 = pair_uniform_to_normal(u3, u4)
    return n1, n2, n3, n4
