"""Tables between markers of a Markdown file.

A section is what lies between `<!-- begin NAME -->` and `<!-- end NAME -->`. Rewriting a section replaces the rows that
were measured and keeps the others, so that a partial run does not lose what it did not measure.
"""

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Row:
    """A line of a table: its title and its cells by column."""

    title: str
    cells: dict[str, str] = field(default_factory=dict)


def table(columns: list[str], rows: list[Row]) -> str:
    """Markdown of `rows` with `columns` after the title; a row without a column has an empty cell."""
    lines = [f"| what | {' | '.join(columns)} |", "|---" * (len(columns) + 1) + "|"]
    lines += [f"| {row.title} | {' | '.join(row.cells.get(column, '') for column in columns)} |" for row in rows]
    return "\n".join(lines)


def _old_rows(section: str, columns: list[str]) -> list[Row]:
    """The rows of the table in `section`, if it has the same columns."""
    lines = [[cell.strip() for cell in line.strip().strip("|").split("|")]
             for line in section.splitlines() if line.startswith("|")]
    if not lines or lines[0][1:] != columns:
        return []
    return [Row(line[0], dict(zip(columns, line[1:], strict=True))) for line in lines[2:]]


def update(path: Path, name: str, columns: list[str], rows: list[Row], remark: str) -> None:
    """Put `rows` under `remark` into section `name` of `path`. ValueError when the markers are missing."""
    text = path.read_text()
    begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
    if text.count(begin) != 1 or text.count(end) != 1:
        raise ValueError(f"{path}: expected exactly one {begin!r} and one {end!r}")
    head, rest = text.split(begin)
    section, tail = rest.split(end)
    merged = {row.title: row for row in _old_rows(section, columns)}
    merged.update((row.title, row) for row in rows)
    path.write_text(f"{head}{begin}\n{remark}\n\n{table(columns, list(merged.values()))}\n{end}{tail}")
