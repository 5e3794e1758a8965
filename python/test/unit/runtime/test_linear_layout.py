"""Linear layouts: what they compute, and the errors of arguments that make none."""

import itertools
import random

import pytest
from triton.tools import LinearLayout

LANES = LinearLayout.from_bases([("register", [[0, 1]]), ("lane", [[1, 0], [2, 2]])], ["row", "column"], [4, 4], False)


def inputs_of(layout):
    names = layout.get_in_dim_names()
    sizes = [1 << len(vectors) for _, vectors in layout.bases]
    return [dict(zip(names, values)) for values in itertools.product(*map(range, sizes))]


def random_layout(seed, inputs=("a", "b"), outputs=("x", "y"), bits=5):
    """A surjective layout: a permutation of the bits of the outputs, mixed, and some bases more."""
    rng = random.Random(seed)
    split = rng.randrange(bits + 1)
    sizes = {outputs[0]: 1 << split, outputs[1]: 1 << bits - split}
    columns = [1 << i for i in range(bits)]
    for _ in range(20):
        i, j = rng.sample(range(bits), 2)
        columns[i] ^= columns[j]
    columns += [rng.randrange(1 << bits) for _ in range(rng.randrange(3))]
    rng.shuffle(columns)
    vectors = [[c & (1 << split) - 1, c >> split] for c in columns]
    cut = rng.randrange(len(vectors) + 1)
    bases = [(inputs[0], vectors[:cut]), (inputs[1], vectors[cut:])]
    return LinearLayout.from_bases(bases, list(sizes), list(sizes.values()))


def test_one_dimension():
    assert LinearLayout.identity_1d(8, "i", "o").bases == [("i", [[1], [2], [4]])]
    strided = LinearLayout.strided_1d(4, 8, "i", "o")
    assert [strided.apply({"i": i})["o"] for i in range(4)] == [0, 8, 16, 24]
    assert strided.out_dims == [("o", 32)] and not strided.is_surjective() and strided.is_injective()
    assert LinearLayout.zeros_1d(4, "i", "o", 2).apply({"i": 3}) == {"o": 0}
    assert LinearLayout.identity_1d(0, "i", "o") == LinearLayout()


def test_what_it_says_of_itself():
    assert LANES.bases == [("register", [[0, 1]]), ("lane", [[1, 0], [2, 2]])]
    assert LANES.get_in_dim_names() == ["register", "lane"] and LANES.get_out_dim_names() == ["row", "column"]
    assert (LANES.num_in_dims, LANES.num_out_dims) == (2, 2)
    assert LANES.get_matrix_view() == [[0, 1, 0], [0, 0, 1], [1, 0, 0], [0, 0, 1]]
    assert str(LANES).splitlines()[1:] == [
        " - register=1 -> (0, 1)",
        " - lane=1 -> (1, 0)",
        "   lane=2 -> (2, 2)",
        "where out dims are: [row (size 4), column (size 4)]",
    ]
    assert LANES.apply({"register": 1, "lane": 3}) == {"row": 3, "column": 3}


def test_products():
    low, high = LinearLayout.identity_1d(4, "i", "x"), LinearLayout.identity_1d(2, "i", "x")
    assert low * high == LinearLayout.identity_1d(8, "i", "x")
    both = low * LinearLayout.identity_1d(2, "j", "y")
    assert both.bases == [("i", [[1, 0], [2, 0]]), ("j", [[0, 1]])] and both.out_dims == [("x", 4), ("y", 2)]
    low *= high
    assert low == LinearLayout.identity_1d(8, "i", "x")


@pytest.mark.parametrize("seed", range(20))
def test_inverses(seed):
    layout = random_layout(seed)
    inverse = layout.pseudoinvert()
    for outputs in inputs_of(inverse):
        assert layout.apply(inverse.apply(outputs)) == outputs
    assert layout.is_surjective()
    assert layout.is_invertible() == layout.is_injective() == (sum(len(v) for _, v in layout.bases) == 5)
    if layout.is_invertible():
        assert layout.invert() == inverse
        assert all(inverse.apply(layout.apply(values)) == values for values in inputs_of(layout))
    else:
        with pytest.raises(ValueError, match="not invertible"):
            layout.invert()


@pytest.mark.parametrize("seed", range(20))
def test_compositions(seed):
    layout = random_layout(seed)
    outer = random_layout(seed + 100, outputs=("p", "q"))
    names = {"a": "x", "b": "y"}
    sizes = {names[name]: 1 << len(vectors) for name, vectors in outer.bases}
    outer = LinearLayout.from_bases([(names[n], v) for n, v in outer.bases], ["p", "q"], [s for _, s in outer.out_dims])
    if all(size <= sizes[name] for name, size in layout.out_dims):
        composed = layout.compose(outer)
        assert all(composed.apply(v) == outer.apply(layout.apply(v)) for v in inputs_of(layout))
    other = LinearLayout.from_bases(
        [("c", random_layout(seed + 200).bases[0][1] + random_layout(seed + 200).bases[1][1])],
        ["x", "y"],
        [32, 32],
        False,
    )
    solvable = LinearLayout.identity_1d(32, "c", "x") * LinearLayout.identity_1d(32, "d", "y")
    solution = other.invert_and_compose(solvable)
    assert all(solvable.apply(solution.apply(v)) == other.apply(v) for v in inputs_of(other))


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: LinearLayout.identity_1d(3, "i", "o"), "size must be a power of two, got 3"),
        (lambda: LinearLayout.strided_1d(4, 3, "i", "o"), "size of output 'o' must be a power of two, got 12"),
        (lambda: LinearLayout.from_bases([("i", [[5]])], ["o"], [4]), "basis 5 of 'i' is not an index of 'o'"),
        (lambda: LinearLayout.from_bases([("i", [[-1]])], ["o"], [4]), "basis -1 of 'i' is not an index"),
        (lambda: LinearLayout.from_bases([("i", [[1, 2]])], ["o"]), "a basis of 'i' has 2 numbers for 1 outputs"),
        (lambda: LinearLayout.from_bases([("i", [[1]]), ("i", [[2]])], ["o"]), "have the same name"),
        (lambda: LinearLayout.from_bases([("i", [[1]])], ["o"], [2, 2]), "2 sizes for 1 outputs"),
        (lambda: LinearLayout.from_bases([("i", [[1]])], ["o"], [4]), "not every output is reached"),
        (lambda: LANES.apply({"lane": 1}), r"expected the names \['register', 'lane'\], got \['lane'\]"),
        (lambda: LANES.compose(LANES), "expected the names"),
        (lambda: LANES.pseudoinvert(), "does not reach all"),
        (lambda: LANES.get_shared_view(True), "GPU"),
        (lambda: LANES.get_distributed_view(True), "GPU"),
    ],
)
def test_errors(make, message):
    with pytest.raises((ValueError, NotImplementedError), match=message):
        make()
