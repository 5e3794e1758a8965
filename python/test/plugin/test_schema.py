"""The schema and the reference of backend.toml are current, and the schema says what the reader says."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from setup_tools.errors import BuildError
from setup_tools.manifest import MANIFEST_NAME, tomllib
from setup_tools.schema import REFERENCE_FILE, SCHEMA_FILE, reference, schema, schema_text, write_files

from .conftest import EXAMPLES, ROOT, run

TYPES = {"string": str, "integer": int, "boolean": bool, "array": list, "object": dict}
GOOD = {"name": "acme", "summary": "", "target": "acme", "triton": "3.6"}


def problems(value: Any, rule: dict[str, Any], where: str = "") -> list[str]:
    """What is wrong with ``value``, as far as the words that the schema uses go."""
    if type(value) is not TYPES[rule["type"]]:
        return [f"{where}: not of type {rule['type']}"]
    if rule["type"] == "array":
        return [text for entry in value for text in problems(entry, rule["items"], where)]
    if rule["type"] == "object":
        return _problems_of_object(value, rule, where)
    wrong = []
    if "pattern" in rule and not re.search(rule["pattern"], value):
        wrong.append(f"{where}: does not match {rule['pattern']}")
    if value not in rule.get("enum", [value]):
        wrong.append(f"{where}: is none of {rule['enum']}")
    return wrong


def _problems_of_object(value: dict, rule: dict[str, Any], where: str) -> list[str]:
    wrong = [f"{where}.{key}: missing" for key in rule.get("required", ()) if key not in value]
    for key, entry in value.items():
        inner = rule.get("properties", {}).get(key) or rule["additionalProperties"]
        wrong += problems(entry, inner, f"{where}.{key}") if inner else [f"{where}.{key}: unknown"]
    return wrong


def test_the_texts_in_docs_are_current():
    again = "renew it: python -m setup_tools schema --write"
    assert (ROOT / SCHEMA_FILE).read_text() == schema_text(), again
    assert f"\n\n{reference()}\n" in (ROOT / REFERENCE_FILE).read_text(), again


def test_every_manifest_of_the_checkout_follows_the_schema():
    files = [*ROOT.glob(f"third_party/*/{MANIFEST_NAME}"), *EXAMPLES.glob(f"*/{MANIFEST_NAME}")]
    assert len(files) >= 4
    for file in files:
        assert problems(tomllib.loads(file.read_text()), schema()) == [], file


@pytest.mark.parametrize(
    ("manifest", "wrong"),
    [
        ({}, ".backend: missing"),
        ({"backend": {**GOOD, "aliasses": []}}, ".backend.aliasses: unknown"),
        ({"backend": {**GOOD, "always": 1}}, ".backend.always: not of type boolean"),
        ({"backend": {**GOOD, "aliases": ["A b"]}}, ".backend.aliases: does not match ^[a-z0-9][a-z0-9_-]*$"),
        ({"backend": {**GOOD, "name": "3d"}}, ".backend.name: does not match ^[a-z][a-z0-9_]*$"),
        ({"backend": GOOD, "cmake": {"A": 1}}, ".cmake.A: not of type string"),
        ({"backend": GOOD, "environment": [{"name": "A", "meaning": "", "type": "paht"}]}, "is none of"),
        ({"backend": GOOD, "artefacts": []}, ".artefacts: unknown"),
    ],
)
def test_the_schema_refuses_what_the_reader_refuses(manifest, wrong):
    (problem,) = problems(manifest, schema())
    assert wrong in problem


def test_the_module_prints_the_schema():
    done = run("python", "-m", "setup_tools", "schema", cwd=ROOT / "python")
    assert json.loads(done.stdout) == schema()


def test_writing_renews_what_changed_and_nothing_else(tmp_path):
    (tmp_path / "docs").mkdir()
    page = tmp_path / REFERENCE_FILE
    page.write_text((ROOT / REFERENCE_FILE).read_text().replace("| `name` |", "| `nam` |"))
    assert write_files(tmp_path) == [SCHEMA_FILE, REFERENCE_FILE]
    assert page.read_text() == (ROOT / REFERENCE_FILE).read_text()
    assert write_files(tmp_path) == []


def test_a_page_without_the_marks_is_not_touched(tmp_path):
    (tmp_path / "docs").mkdir()
    page = tmp_path / REFERENCE_FILE
    page.write_text("# Mine\n")
    with pytest.raises(BuildError, match="does not hold the lines"):
        write_files(tmp_path)
    assert page.read_text() == "# Mine\n"
    assert not (tmp_path / SCHEMA_FILE).exists()
