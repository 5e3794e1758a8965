"""The comparison of operators finds what is wrong, and nothing else."""

from __future__ import annotations

import json

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("expecttest")


def reason(ours, theirs, exact=None):
    from opinfo_close import difference

    found = difference([ours], [theirs], exact and [exact])
    return found.reason if found else ""


def test_values_shapes_and_types_are_compared():
    one = torch.ones(3)
    assert not reason(one, one.clone())
    assert "not close" in reason(one + torch.tensor([0, 0, 1e-3]), one)
    assert "dtype" in reason(one.double(), one)
    assert "shape" in reason(torch.ones(1, 3), one)
    assert "not close" in reason(torch.tensor([1, torch.nan, 1]), one)
    assert not reason(torch.tensor(torch.nan), torch.tensor(torch.nan))
    assert reason(3, 4)
    assert reason(True, 1)
    assert not reason("text", "text")


def test_an_element_may_be_close_to_the_exact_result():
    from opinfo_close import difference

    exact = torch.tensor([1.0, 2.0])
    eager = torch.tensor([1.0, 2.25], dtype=torch.bfloat16)
    assert not difference([exact.bfloat16()], [eager], [exact])
    wrong = difference([torch.tensor([1.5, 2.25], dtype=torch.bfloat16)], [eager], [exact])
    assert wrong.error == pytest.approx(2)


def test_unwritten_results_are_compared_by_shape_and_type():
    from opinfo_close import difference

    assert not difference([torch.zeros(3)], [torch.ones(3)], None, values=False)
    assert difference([torch.zeros(3)], [torch.ones(4)], None, values=False)


def test_a_wrong_operator_is_found_and_no_known_reason_covers_a_crash(device):
    from opinfo import Sweep, compare, unexplained
    from opinfo_journal import Outcome

    sweep = Sweep(torch.float32, device, samples=2)
    (op,) = sweep.operators(["sin"])
    assert compare(sweep, op) == Outcome("sin")

    class Wrong:
        def __getattr__(self, name):
            return getattr(op, name)

        def get_op(self):
            return lambda x: x.sin() * (1.001 if x.device.type == device else 1)

    wrong = compare(sweep, Wrong())
    assert "not close" in wrong.reason and wrong.error > 100
    assert unexplained(sweep, [wrong]) == [wrong]


def test_a_known_rounding_error_does_not_cover_a_larger_one(monkeypatch):
    import opinfo_known
    from opinfo_journal import Outcome

    known = [opinfo_known.Known("rounds", ("op",), "compiled bfloat16", rounding=2)]
    monkeypatch.setattr(opinfo_known, "_known", lambda: known)
    words = {"compiled", "forward", "bfloat16"}
    assert opinfo_known.explanation(Outcome("op", "not close", error=1.5), words) == "rounds"
    assert not opinfo_known.explanation(Outcome("op", "not close", error=3.0), words)
    assert not opinfo_known.explanation(Outcome("op", "RuntimeError"), words)
    assert not opinfo_known.explanation(Outcome("op", "not close", error=1.5), {"compiled", "float32"})
    assert not opinfo_known.explanation(Outcome("other", "not close", error=1.5), words)


def test_a_known_difference_is_of_one_kind():
    import opinfo_known
    from opinfo_journal import Outcome

    known = opinfo_known.Known("another type", ("op",), says="dtype")
    assert known.explains(Outcome("op", "dtype: a and b"), set())
    assert not known.explains(Outcome("op", "the process died"), set())
    with pytest.raises(ValueError, match="either"):
        opinfo_known.Known("anything", ("op",))
    assert all(entry.operators for entry in opinfo_known._known())


def test_a_sweep_goes_on_after_the_operator_that_ended_its_process(device, tmp_path):
    from opinfo import Sweep, outcomes
    from opinfo_journal import Journal

    path = tmp_path / "journal"
    path.write_text('{"begun": "sin"}\n')
    sweep = Sweep(torch.float32, device, samples=1)
    journal = Journal(path)
    assert [outcome.name for outcome in outcomes(sweep, ["sin", "cos"], journal)] == ["cos"]
    assert journal.outcomes["sin"].reason == "the process died"
    assert json.loads(path.read_text().splitlines()[-1])["name"] == "cos"
    assert Journal(path).outcomes == journal.outcomes


def test_views_stay_views_on_the_device(device):
    from opinfo_sample import move

    memory = torch.arange(24.0).reshape(4, 6)
    for view in (memory[1:, ::2], memory.T, memory[:1].expand(4, 6), memory[:0]):
        moved = move(view, device)
        assert moved.device.type == device
        assert (moved.shape, moved.stride(), moved.storage_offset()) == (
            view.shape, view.stride(), view.storage_offset(),
        )  # fmt: skip
        assert torch.equal(moved.cpu(), view)
