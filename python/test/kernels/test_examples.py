"""The examples run as a reader would run them, and each says what it checked."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[3] / "examples").glob("*.py"))


def test_there_are_examples():
    assert len(EXAMPLES) >= 10


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path, capsys):
    runpy.run_path(str(path), run_name="__main__")
    lines = capsys.readouterr().out.splitlines()
    assert lines
    assert all(line.startswith(f"{path.stem}: ") for line in lines)


def test_every_example_is_in_the_list():
    listed = (EXAMPLES[0].parent / "README.md").read_text()
    assert [path.name for path in EXAMPLES if f"`{path.name}`" not in listed] == []
