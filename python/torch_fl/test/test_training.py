"""Twenty steps of training compiled models give the losses of the CPU."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")


class Recurrent(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.cells, self.head = torch.nn.LSTM(6, 8, batch_first=True), torch.nn.Linear(8, 3)

    def forward(self, x):
        return self.head(self.cells(x)[0][:, -1])


class Bag(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.bag, self.head = torch.nn.EmbeddingBag(20, 8, mode="mean"), torch.nn.Linear(8, 3)

    def forward(self, indices):
        return self.head(self.bag(indices))


def mlp():
    layers = torch.nn.Linear(6, 16), torch.nn.GELU(), torch.nn.LayerNorm(16), torch.nn.Linear(16, 3)
    return torch.nn.Sequential(*layers), torch.randn(8, 6)


def convolutions():
    layers = torch.nn.Conv2d(2, 4, 3), torch.nn.BatchNorm2d(4), torch.nn.ReLU(), torch.nn.MaxPool2d(2)
    return torch.nn.Sequential(*layers, torch.nn.Flatten(), torch.nn.Linear(36, 3)), torch.randn(8, 2, 8, 8)


def transformer():
    block = torch.nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
    return torch.nn.Sequential(block, torch.nn.Flatten(), torch.nn.Linear(40, 3)), torch.randn(8, 5, 8)


def recurrent():
    return Recurrent(), torch.randn(8, 5, 6)


def bag():
    return Bag(), torch.randint(0, 20, (8, 4))


def start(make, where):
    """A model, a batch and its classes on `where`, the same on every device; nothing is compiled yet."""
    torch._dynamo.reset()
    torch.manual_seed(0)
    model, data = make()
    wanted = torch.randint(0, 3, (8,))
    return model.to(where), data.to(where), wanted.to(where)


def losses(make, where, wrap):
    model, data, wanted = start(make, where)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    step, seen = wrap(model), []
    for _ in range(20):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(step(data), wanted)
        loss.backward()
        optimizer.step()
        seen.append(loss.item())
    return seen


@pytest.mark.parametrize("make", [mlp, convolutions, transformer, recurrent, bag], ids=lambda make: make.__name__)
def test_losses_are_those_of_the_cpu(device, make):
    ours = losses(make, device, lambda model: torch.compile(model, backend="flagos"))
    theirs = losses(make, "cpu", lambda model: model)
    torch.testing.assert_close(ours, theirs, atol=1e-5, rtol=1e-4)
    assert ours[-1] < ours[0]


def scaled_losses(where, wrap):
    """In mixed precision, from a scale so high that the first gradients are infinite; the last scale comes last."""
    model, data, wanted = start(mlp, where)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.02)
    scaler = torch.amp.GradScaler(where, init_scale=2.0**22, growth_interval=100)
    step, seen = wrap(model), []
    for _ in range(20):
        optimizer.zero_grad()
        with torch.autocast(where, dtype=torch.float16):
            loss = torch.nn.functional.cross_entropy(step(data), wanted)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        seen.append(loss.item())
    return seen, scaler.get_scale()


def test_scaled_training_in_mixed_precision_has_the_losses_of_the_cpu(device):
    ours, scale = scaled_losses(device, lambda model: torch.compile(model, backend="flagos"))
    theirs, scale_of_theirs = scaled_losses("cpu", lambda model: model)
    torch.testing.assert_close(ours, theirs, atol=2e-3, rtol=1e-2)
    assert scale == scale_of_theirs
    assert ours[0] == ours[1], "the first steps are skipped"
    assert ours[-1] < ours[0] - 0.1
