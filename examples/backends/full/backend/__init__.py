"""A device with an instruction for saturation, which the CPU plays."""
