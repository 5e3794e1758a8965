"""The tables that the benchmark runner writes; nothing is timed here."""

import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"
COLUMNS = ["measured", "needed"]


@pytest.fixture
def tools(monkeypatch):
    """The runner's modules that need neither torch nor a compiler."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import packaging_sizes
    import report
    yield report, packaging_sizes
    for name in ("report", "packaging_sizes"):
        sys.modules.pop(name)


@pytest.fixture
def document(tmp_path):
    path = tmp_path / "performance.md"
    path.write_text("before\n<!-- begin one -->\nnothing\n<!-- end one -->\nafter\n")
    return path


def test_a_section_is_replaced_and_the_rest_kept(tools, document):
    report, _ = tools
    report.update(document, "one", COLUMNS, [report.Row("a", {"measured": "1"})], "how")
    text = document.read_text()
    assert text.startswith("before\n") and text.endswith("after\n")
    assert "how\n" in text and "nothing" not in text
    assert "| a | 1 |  |" in text


def test_a_partial_run_keeps_the_other_rows(tools, document):
    report, _ = tools
    report.update(document, "one", COLUMNS, [report.Row("a", {"measured": "1"}), report.Row("b")], "first")
    report.update(document, "one", COLUMNS, [report.Row("b", {"needed": "2"})], "second")
    text = document.read_text()
    assert "| a | 1 |  |" in text and "| b |  | 2 |" in text and "first" not in text


def test_other_columns_start_a_new_table(tools, document):
    report, _ = tools
    report.update(document, "one", COLUMNS, [report.Row("a")], "first")
    report.update(document, "one", ["other"], [report.Row("b")], "second")
    assert "| a |" not in document.read_text()


def test_missing_markers_are_an_error(tools, document):
    report, _ = tools
    with pytest.raises(ValueError, match="begin two"):
        report.update(document, "two", COLUMNS, [], "")


def test_build_log(tools, tmp_path):
    _, packaging_sizes = tools
    log = tmp_path / "times"
    log.write_text("clean build: 900\ntouch one pass: 12.4\n\nsomething else: 3\n")
    rows = {row.title: row.cells for row in packaging_sizes.build_times(log)}
    assert rows["clean build"]["met"] == "**no**"
    assert rows["touch one pass"]["measured"] == "12 s" and rows["touch one pass"]["met"] == "yes"
    assert rows["something else"]["needed"] == "–"
    log.write_text("clean build: 900\nrubbish\n")
    with pytest.raises(ValueError, match=r"times:2: .*rubbish"):
        packaging_sizes.build_times(log)


def test_the_document_has_the_sections_that_are_written(tools):
    text = (BENCHMARKS.parent / "docs" / "performance.md").read_text()
    for name in ("throughput cold", "throughput warm", "latency", "packaging"):
        assert text.count(f"<!-- begin {name} -->") == text.count(f"<!-- end {name} -->") == 1
