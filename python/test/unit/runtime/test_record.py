"""`triton._record.Record` behaves like a frozen dataclass; the oracle is one."""

import copy
import dataclasses
import pickle

import pytest
from triton._record import Record


class Point(Record):
    """A record."""

    x: int
    y: int = 2
    names: tuple = ("a",)


@dataclasses.dataclass(frozen=True)
class Plain:
    x: int
    y: int = 2
    names: tuple = ("a",)


class Checked(Record):
    size: int = 1

    def __post_init__(self):
        if self.size <= 0:
            raise ValueError(f"size must be positive, got {self.size}")


CALLS = [((1,), {}), ((1, 3), {}), ((), {"x": 1, "names": ()}), ((1,), {"y": 5})]


@pytest.mark.parametrize(("args", "values"), CALLS)
def test_values_text_and_fields_are_those_of_a_dataclass(args, values):
    ours, plain = Point(*args, **values), Plain(*args, **values)
    assert vars(ours) == vars(plain) and list(vars(ours)) == list(vars(plain))
    assert repr(ours) == repr(plain).replace("Plain", "Point")
    assert dataclasses.asdict(ours) == dataclasses.asdict(plain)
    assert [f.name for f in dataclasses.fields(ours)] == [f.name for f in dataclasses.fields(plain)]
    assert dataclasses.is_dataclass(ours)
    assert vars(dataclasses.replace(ours, y=7)) == vars(dataclasses.replace(plain, y=7))


@pytest.mark.parametrize(("args", "values"), [((), {}), ((1, 2, (), 4), {}), ((1,), {"x": 1}), ((1,), {"z": 1})])
def test_wrong_values_are_a_type_error_as_those_of_a_dataclass(args, values):
    for cls in (Point, Plain):
        with pytest.raises(TypeError):
            cls(*args, **values)


def test_equality_and_hash_are_those_of_the_values():
    assert Point(1) == Point(1, 2) and hash(Point(1)) == hash(Point(1, 2))
    assert Point(1) != Point(2) and Point(1) != Plain(1)
    assert len({Point(1), Point(1), Point(3)}) == 2


def test_fields_cannot_be_assigned_or_deleted():
    point = Point(1)
    with pytest.raises(dataclasses.FrozenInstanceError, match="'x'"):
        point.x = 3
    with pytest.raises(dataclasses.FrozenInstanceError, match="'x'"):
        del point.x
    assert point.x == 1


def test_copies_and_pickles_are_equal():
    point = Point(1, names=("b", "c"))
    assert copy.copy(point) == copy.deepcopy(point) == pickle.loads(pickle.dumps(point)) == point


def test_values_are_checked():
    assert Checked().size == 1
    with pytest.raises(ValueError, match="must be positive, got 0"):
        Checked(size=0)


def test_fields_are_inherited():

    class Derived(Point):
        z: int = 9

    assert vars(Derived(1)) == {"x": 1, "y": 2, "names": ("a",), "z": 9}
    assert list(Point.defaults) == ["x", "y", "names"]
    for cls, names in ((Point, ["x", "y", "names"]), (Derived, ["x", "y", "names", "z"])):
        assert [field.name for field in dataclasses.fields(cls)] == names
