"""From a jit function to a binary."""

from triton.flagtree_spec import spec_path

spec_path(__path__)
