"""Tools around kernels: ahead-of-time compilation, descriptors, microscaling formats."""

from triton.flagtree_spec import spec_path

spec_path(__path__)
