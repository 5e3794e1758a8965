"""Alias of ``triton.flagtree_spec``: the name by which other software recognises FlagTree."""

import sys

from . import flagtree_spec

sys.modules[__name__] = flagtree_spec
