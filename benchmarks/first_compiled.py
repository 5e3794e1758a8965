"""Prints the seconds of the first training step of a compiled model on the device that is named, imports excluded."""

import sys
import time

import torch
import torch._dynamo.testing
import torch._inductor.compile_fx
import torch._inductor.select_algorithm
from compiled_models import SETUPS, training


def main() -> None:
    device = sys.argv[1]
    if device == "flagos":
        import torch_fl  # noqa: F401
    model, x = SETUPS["compiled_block"].make(torch.float32, device)
    start = time.perf_counter()
    training(model, torch.compile(model), x)()
    print(time.perf_counter() - start)


if __name__ == "__main__":
    main()
