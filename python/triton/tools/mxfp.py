"""Reference implementations of the microscaling formats, in torch: 4-bit floats (e2m1) and scales (e8m0)."""

from __future__ import annotations

from typing import Any

# The values of e2m1 without sign, by code.
_E2M1 = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
_SCALE_BIAS, _SCALE_NAN = 127, 255


class MXFP4Tensor:
    """4-bit floats, one per byte of `data` (sign in bit 3, code of the value below)."""

    def __init__(self, data: Any = None, size: Any = None, device: Any = None):
        import torch

        if (data is None) == (size is None):
            raise ValueError("MXFP4Tensor: give either data or size")
        self.device = device
        self.size = tuple(size) if size is not None else tuple(data.shape)
        self.data = None if data is None else self._encode(torch.as_tensor(data, device=device))

    def random(self) -> MXFP4Tensor:
        """Fills it with random codes. Returns itself."""
        import torch

        self.data = torch.randint(0, 16, self.size, dtype=torch.uint8, device=self.device)
        return self

    @staticmethod
    def _encode(values: Any) -> Any:
        """Codes of the nearest values, ties to even codes; too large values become 6."""
        import torch

        magnitude = values.float().abs().clamp(max=6.0)
        table = torch.tensor(_E2M1, device=values.device)
        upper = torch.searchsorted(table, magnitude).clamp(max=7)
        lower = (upper - 1).clamp(min=0)
        above, below = table[upper] - magnitude, magnitude - table[lower]
        take_lower = (below < above) | ((below == above) & (lower % 2 == 0))
        code = torch.where(take_lower, lower, upper)
        return (code + 8 * torch.signbit(values.float())).to(torch.uint8)

    def to(self, dtype: Any) -> Any:
        """The values as a tensor of `dtype`."""
        import torch

        table = torch.tensor(_E2M1, device=self.data.device)
        values = table[(self.data & 7).long()]
        return torch.where(self.data >= 8, -values, values).to(dtype)

    def to_packed_tensor(self, dim: int) -> Any:
        """Two codes per byte along `dim`, the first in the low half. ValueError if its size is odd."""
        size = self.data.shape[dim]
        if size % 2:
            raise ValueError(f"MXFP4Tensor: dimension {dim} has odd size {size} and cannot be packed")
        pairs = self.data.unflatten(dim, (size // 2, 2)).movedim(dim % self.data.dim() + 1, -1)
        return pairs[..., 0] | pairs[..., 1] << 4

    def unpack_packed_tensor(self, packed_tensor: Any, dim: int, original_shape: Any) -> Any:
        """Undoes `to_packed_tensor`."""
        import torch

        dim %= packed_tensor.dim()
        return torch.stack((packed_tensor & 15, packed_tensor >> 4), dim=dim + 1).reshape(original_shape)


class MXScaleTensor:
    """Scales that are powers of two: one exponent per byte, biased by 127; 255 is NaN."""

    def __init__(self, data: Any = None, size: Any = None, device: Any = None):
        if (data is None) == (size is None):
            raise ValueError("MXScaleTensor: give either data or size")
        self.device = device
        self.size = tuple(size) if size is not None else tuple(data.shape)
        self.data = None if data is None else self._encode(data)

    def random(self, low: float | None = None, high: float | None = None) -> MXScaleTensor:
        """Fills it with random scales between the powers of two `low` and `high`. Returns itself."""
        import math

        import torch

        first = 0 if low is None else max(0, int(math.log2(low)) + _SCALE_BIAS)
        last = 254 if high is None else min(254, max(0, int(math.log2(high)) + _SCALE_BIAS))
        self.data = torch.randint(first, last + 1, self.size, dtype=torch.uint8, device=self.device)
        return self

    @staticmethod
    def _encode(values: Any) -> Any:
        import torch

        exponents = torch.frexp(values.double()).exponent - 1 + _SCALE_BIAS
        valid = torch.isfinite(values) & (values > 0)
        return torch.where(valid, exponents.clamp(0, 254), _SCALE_NAN).to(torch.uint8)

    def to(self, dtype: Any) -> Any:
        """The scales as a tensor of `dtype`."""
        return fp8e8m0_to_float32(self.data).to(dtype)


def fp8e8m0_to_float32(scale: Any) -> Any:
    """Float values of exponent bytes."""
    import torch

    bits = scale.view(torch.uint8).to(torch.int32)
    # Exponent 0 of e8m0 is 2**-127, a denormal of float32.
    encoded = torch.where(bits == 0, 0x00400000, bits << 23)
    encoded = torch.where(bits == _SCALE_NAN, 0x7FC00000, encoded)
    return encoded.to(torch.int32).view(torch.float32)
