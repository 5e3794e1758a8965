"""Additions to ``triton.knobs``."""

from __future__ import annotations

from typing import Any


def knobs_extend_globals(names: dict[str, Any]) -> None:
    """Add the group ``musa`` to ``names``, the globals of ``triton.knobs``: the variables that this backend reads."""
    from triton.backends.mthreads.target import DEFAULT_HOME

    str_knob = names["str_knob"]

    class musa_knobs(names["KnobGroup"]):
        """Where the toolkit and the driver library of Moore Threads are."""

        home = str_knob("MUSA_HOME", DEFAULT_HOME)
        libmusa_path = str_knob("TRITON_LIBMUSA_PATH")
        llc_options = str_knob("TRITON_MUSA_LLC_OPTIONS", "")

    names["musa"] = musa_knobs()
