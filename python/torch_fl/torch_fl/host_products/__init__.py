"""Large matrix products in f32 of the device in host memory, as a Triton kernel."""
