"""Sizes and build times: read from files that a build left behind."""

from pathlib import Path

from report import Row

# Titles a build log may use, with the bound in seconds; a title may go on after a comma. The last two are those that
# tools/wheel/make.py --times writes.
BUILD_BOUNDS = {
    "clean build": 12 * 60,
    "touch one pass": 60,
    "second editable install": None,
    "first Python": None,
    "further Python": 90,
}


def wheel_size(wheel: Path) -> Row:
    """Row of the size of a wheel file. FileNotFoundError when there is none."""
    megabytes = wheel.stat().st_size / 1e6
    return Row(f"wheel `{wheel.name}`", {"measured": f"{megabytes:.1f} MB", "needed": "≤ 35 MB",
                                         "met": "yes" if megabytes <= 35 else "**no**"})


def build_times(log: Path) -> list[Row]:
    """One row per line `name: seconds` of `log`. ValueError names a line that is anything else."""
    rows = []
    for number, line in enumerate(log.read_text().splitlines(), 1):
        if not line.strip():
            continue
        name, _, value = line.rpartition(":")
        try:
            seconds = float(value)
        except ValueError:
            raise ValueError(f"{log}:{number}: expected 'name: seconds', found {line!r}") from None
        bound = BUILD_BOUNDS.get(name.partition(",")[0].strip())
        rows.append(Row(name.strip(), {
            "measured": f"{seconds:.0f} s",
            "needed": f"≤ {bound} s" if bound else "–",
            "met": "–" if bound is None else "yes" if seconds <= bound else "**no**",
        }))
    return rows
