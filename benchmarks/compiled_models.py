"""The models that are compiled whole, and what a step of them is."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import nn

Step = Callable[..., torch.Tensor]


class MLP(nn.Module):
    """The feed-forward part of a transformer: `width` to four times as many and back."""

    def __init__(self, width: int):
        super().__init__()
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.down(nn.functional.gelu(self.up(x)))


class Block(nn.Module):
    """A decoder's block: causal attention with heads of 64, and an MLP, each behind a norm and beside a residual."""

    def __init__(self, width: int):
        super().__init__()
        self.before_attention, self.before_mlp = nn.LayerNorm(width), nn.LayerNorm(width)
        self.in_projection, self.out_projection = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = MLP(width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        heads = (*x.shape[:2], x.shape[2] // 64, 64)
        query, key, value = (part.view(heads).transpose(1, 2)
                             for part in self.in_projection(self.before_attention(x)).chunk(3, -1))
        seen = nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.out_projection(seen.transpose(1, 2).reshape(x.shape))
        return x + self.mlp(self.before_mlp(x))


class ConvNet(nn.Module):
    """Two convolutions with batch norm over `width` channels, pooled to ten numbers."""

    def __init__(self, width: int):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU(),
                                  nn.Conv2d(width, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU())
        self.head = nn.Linear(width, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.body(x).mean((2, 3)))


class LSTM(nn.Module):
    """One layer over a batch of sequences."""

    def __init__(self, width: int):
        super().__init__()
        self.layer = nn.LSTM(width, width, batch_first=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x)[0]


@dataclass(frozen=True)
class Setup:
    """A model of some width with the shape of its input."""

    title: str
    model: type[nn.Module]
    width: int
    shape: tuple[int, ...]
    needed: float | None = None  # of the speed of Inductor's C++

    def make(self, dtype: torch.dtype, device: str) -> tuple[nn.Module, torch.Tensor]:
        """Model and input, the same for every device."""
        torch.manual_seed(0)
        model, x = self.model(self.width), torch.randn(self.shape)
        return model.to(device, dtype), x.to(device, dtype)


SMALL, LARGE = (8, 64, 256), (8, 512, 768)
SETUPS = {
    "compiled_mlp": Setup("MLP 8 × 64 × 256", MLP, 256, SMALL, 1.0),
    "compiled_mlp_large": Setup("MLP 8 × 512 × 768", MLP, 768, LARGE, 1.0),
    "compiled_block": Setup("transformer block 8 × 64 × 256", Block, 256, SMALL, 1.0),
    "compiled_block_large": Setup("transformer block 8 × 512 × 768", Block, 768, LARGE, 1.0),
    "compiled_conv": Setup("conv net 16 × 3 × 32 × 32", ConvNet, 32, (16, 3, 32, 32)),
    "compiled_lstm": Setup("LSTM 8 × 32 × 128", LSTM, 128, (8, 32, 128)),
}


def forward(model: nn.Module, call: Step, x: torch.Tensor) -> Step:
    """Calls without gradients of `model`, or of what it was compiled to; they return the result."""

    def step() -> torch.Tensor:
        with torch.no_grad():
            return call(x)

    return step


def training(model: nn.Module, call: Step, x: torch.Tensor) -> Step:
    """Forward and backward; returns the gradient of the input."""
    x = x.detach().requires_grad_()

    def step() -> torch.Tensor:
        x.grad = None
        model.zero_grad(set_to_none=True)
        call(x).square().mean().backward()
        assert x.grad is not None
        return x.grad

    return step
