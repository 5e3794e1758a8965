"""The JSON schema of ``backend.toml`` and the reference of its keys, both made from the dataclasses of ``manifest``.

The two texts are checked in, as ``docs/backend.schema.json`` and as a section of ``docs/backends.md``, for editors and
for readers; ``python -m setup_tools schema --write`` renews them, and a test compares.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from .errors import BuildError
from .links import write_if_changed
from .manifest import Key, Manifest

SCHEMA_FILE = "docs/backend.schema.json"
REFERENCE_FILE = "docs/backends.md"
BEGIN = "<!-- The keys: written by `python -m setup_tools schema --write`. -->"
END = "<!-- End of the keys. -->"
_TYPES = {str: "string", int: "integer", bool: "boolean"}  # JSON and TOML call them alike


def schema() -> dict[str, Any]:
    """The JSON schema (2020-12) of a manifest."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "backend.toml of FlagTree",
        "type": "object",
        "properties": {name: _schema_of(hint) for name, hint in _tables()},
        "required": [item.name for item in fields(Manifest) if item.name != "folder" and _is_required(item)],
        "additionalProperties": False,
    }


def schema_text() -> str:
    return json.dumps(schema(), indent=2) + "\n"


def reference() -> str:
    """The keys of every table, as Markdown."""
    return "\n".join(line for name, hint in _tables() for line in _section(name, hint))


def write_files(root: Path) -> list[str]:
    """Renews both texts below ``root``; returns the names of the files that changed."""
    wanted = {SCHEMA_FILE: schema_text(), REFERENCE_FILE: _with_reference(root / REFERENCE_FILE)}
    changed = [name for name, text in wanted.items() if not _holds(root / name, text)]
    for name in changed:
        write_if_changed(root / name, wanted[name])
    return changed


def _holds(file: Path, text: str) -> bool:
    return file.is_file() and file.read_text(encoding="utf-8") == text


def _with_reference(file: Path) -> str:
    """The text of ``file`` with the present reference between the two marks."""
    text = file.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise BuildError(f"{file} does not hold the lines '{BEGIN}' and '{END}', between which the reference belongs.")
    return f"{before}{BEGIN}\n\n{reference()}\n{END}{after}"


def _tables() -> Iterator[tuple[str, Any]]:
    """Name and type, with annotations, of every top-level key of a manifest."""
    hints = get_type_hints(Manifest, include_extras=True)
    yield from ((item.name, hints[item.name]) for item in fields(Manifest) if item.name != "folder")


def _is_required(item: Field) -> bool:
    return item.default is MISSING and item.default_factory is MISSING


def _parts(hint: Any) -> tuple[Any, Key | None]:
    """A type without its annotation, and the annotation."""
    if get_origin(hint) is Annotated:
        plain, key = get_args(hint)
        return plain, key
    return hint, None


def _schema_of(hint: Any) -> dict[str, Any]:
    plain, key = _parts(hint)
    about = {"description": key.meaning} if key else {}
    if is_dataclass(plain):
        return _schema_of_table(plain)
    if get_origin(plain) is tuple:
        return {"type": "array", "items": {**_schema_of(get_args(plain)[0]), **_limits(key)}, **about}
    if plain in _TYPES:
        return {"type": _TYPES[plain], **_limits(key), **about}
    assert get_origin(plain) is Mapping, f"no schema for a key of type {plain}"
    return {"type": "object", "additionalProperties": _schema_of(get_args(plain)[1]), **about}


def _schema_of_table(table: Any) -> dict[str, Any]:
    hints = get_type_hints(table, include_extras=True)
    keys = {}
    for item in fields(table):
        keys[item.name] = _schema_of(hints[item.name])
        if not _is_required(item):
            default = item.default
            keys[item.name]["default"] = list(default) if isinstance(default, tuple) else default
    required = [item.name for item in fields(table) if _is_required(item)]
    about = {"description": _summary(table), "type": "object", "properties": keys}
    return {**about, **({"required": required} if required else {}), "additionalProperties": False}


def _limits(key: Key | None) -> dict[str, Any]:
    limits: dict[str, Any] = {}
    if key and key.pattern:
        limits["pattern"] = f"^{key.pattern.pattern}$"
    if key and key.choices:
        limits["enum"] = list(key.choices)
    return limits


def _summary(table: Any) -> str:
    return table.__doc__.partition("\n")[0].replace("``", "`")


def _section(name: str, hint: Any) -> Iterator[str]:
    plain, key = _parts(hint)
    many = get_origin(plain) is tuple
    table = get_args(plain)[0] if many else plain
    yield f"### `[[{name}]]`" if many else f"### `[{name}]`"
    yield ""
    if not is_dataclass(table):
        yield f"{key.meaning if key else ''}: any keys, whose values are strings."
        yield ""
        return
    about = _summary(table).partition(": ")[2]
    yield about[:1].upper() + about[1:]
    yield ""
    yield "| key | type | default | meaning |"
    yield "|---|---|---|---|"
    hints = get_type_hints(table, include_extras=True)
    yield from (_row(item, hints[item.name]) for item in fields(table))
    yield ""


def _row(item: Field, hint: Any) -> str:
    plain, key = _parts(hint)
    many = get_origin(plain) is tuple
    kind = _TYPES[get_args(plain)[0] if many else plain]
    meaning = key.meaning if key else ""
    if key and key.choices:
        meaning += ": " + ", ".join(f"`{choice}`" for choice in key.choices)
    default = "required" if _is_required(item) else f"`{_toml(item.default)}`"
    return f"| `{item.name}` | {f'list of {kind}s' if many else kind} | {default} | {meaning} |"


def _toml(value: Any) -> str:
    """``value`` as TOML writes it; JSON writes these kinds of values alike."""
    return json.dumps(list(value) if isinstance(value, tuple) else value)
