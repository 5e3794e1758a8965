"""Moore Threads GPUs: the `musa` target."""
