"""``python -m triton.cli`` is the ``flagtree`` command."""

import sys

from . import main

sys.exit(main())
