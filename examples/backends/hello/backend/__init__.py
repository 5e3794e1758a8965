"""A device that greets every kernel and runs it on the CPU."""
