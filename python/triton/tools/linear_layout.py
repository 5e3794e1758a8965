"""Linear layouts: functions between tuples of indices that are linear over the bits of the indices.

``layout(x ^ y) == layout(x) ^ layout(y)``, so the images of the powers of two of every input, its bases, say it all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Bases = Sequence[tuple[str, Sequence[Sequence[int]]]]


def _log2(size: int, what: str) -> int:
    if size < 1 or size & (size - 1):
        raise ValueError(f"LinearLayout: {what} must be a power of two, got {size}")
    return size.bit_length() - 1


class LinearLayout:
    """A linear layout from named inputs to named outputs, each with a size that is a power of two.

    Inputs and outputs have an order. Errors of arguments are ValueErrors.
    """

    __hash__ = None  # type: ignore[assignment]

    def __init__(self) -> None:
        self._bases: dict[str, tuple[tuple[int, ...], ...]] = {}
        self._outs: dict[str, int] = {}

    # --- making ---
    @staticmethod
    def _make(bases: Mapping[str, Sequence[Sequence[int]]], outs: Mapping[str, int]) -> LinearLayout:
        result = LinearLayout()
        result._outs = dict(outs)
        for name, size in outs.items():
            _log2(size, f"the size of output {name!r}")
        for name, vectors in bases.items():
            for vector in vectors:
                if len(vector) != len(outs):
                    raise ValueError(
                        f"LinearLayout: a basis of {name!r} has {len(vector)} numbers for {len(outs)} outputs: {vector}"
                    )
                for value, (out, size) in zip(vector, outs.items()):
                    if not 0 <= value < size:
                        raise ValueError(f"LinearLayout: basis {value} of {name!r} is not an index of {out!r} ({size})")
            result._bases[name] = tuple(tuple(map(int, vector)) for vector in vectors)
        return result

    @staticmethod
    def identity_1d(size: int, inDim: str, outDim: str) -> LinearLayout:
        """``x -> x`` for `size` indices; empty for a size of 0."""
        return LinearLayout.strided_1d(size, 1, inDim, outDim)

    @staticmethod
    def strided_1d(size: int, stride: int, inDim: str, outDim: str) -> LinearLayout:
        """``x -> stride * x`` for `size` indices; both are powers of two. Empty for a size of 0."""
        if size == 0:
            return LinearLayout()
        bits = _log2(size, "the size")
        return LinearLayout._make({inDim: [[stride << bit] for bit in range(bits)]}, {outDim: size * stride})

    @staticmethod
    def zeros_1d(size: int, inDim: str, outDim: str, outDimSize: int = 1) -> LinearLayout:
        """``x -> 0`` for `size` indices; empty for a size of 0."""
        if size == 0:
            return LinearLayout()
        return LinearLayout._make({inDim: [[0]] * _log2(size, "the size")}, {outDim: outDimSize})

    @staticmethod
    def from_bases(
        bases: Bases,
        out_dim_names: Sequence[str],
        out_dim_sizes: Sequence[int] | None = None,
        require_surjective: bool = True,
    ) -> LinearLayout:
        """The layout with these `bases`: for each input its name and the images of 1, 2, 4 and so on.

        Without `out_dim_sizes` an output is as large as its greatest basis needs. ValueError if some output index is
        not reached, unless `require_surjective` is false.
        """
        by_name = dict(bases)
        if len(by_name) != len(bases) or len(set(out_dim_names)) != len(out_dim_names):
            raise ValueError("LinearLayout: two inputs, or two outputs, have the same name")
        if out_dim_sizes is None:
            vectors = [vector for of_input in by_name.values() for vector in of_input]
            greatest = [max((v[i] for v in vectors if i < len(v)), default=0) for i in range(len(out_dim_names))]
            out_dim_sizes = [1 << value.bit_length() for value in greatest]
        if len(out_dim_sizes) != len(out_dim_names):
            raise ValueError(f"LinearLayout: {len(out_dim_sizes)} sizes for {len(out_dim_names)} outputs")
        result = LinearLayout._make(by_name, dict(zip(out_dim_names, out_dim_sizes)))
        if require_surjective and not result.is_surjective():
            raise ValueError(f"LinearLayout: not every output is reached:{result}")
        return result

    # --- looking at it ---
    @property
    def bases(self) -> list[tuple[str, list[list[int]]]]:
        return [(name, [list(vector) for vector in vectors]) for name, vectors in self._bases.items()]

    @property
    def out_dims(self) -> list[tuple[str, int]]:
        return list(self._outs.items())

    @property
    def num_in_dims(self) -> int:
        return len(self._bases)

    @property
    def num_out_dims(self) -> int:
        return len(self._outs)

    def get_in_dim_names(self) -> list[str]:
        return list(self._bases)

    def get_out_dim_names(self) -> list[str]:
        return list(self._outs)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LinearLayout):
            return NotImplemented
        return list(self._bases.items()) == list(other._bases.items()) and self.out_dims == other.out_dims

    def __repr__(self) -> str:
        if not self._bases and not self._outs:
            return "\n(empty layout)"
        lines = []
        for name, vectors in self._bases.items():
            if not vectors:
                lines.append(f" - {name} is a size 1 dimension")
            for bit, vector in enumerate(vectors):
                lines.append(f"{'   ' if bit else ' - '}{name}={1 << bit} -> ({', '.join(map(str, vector))})")
        outs = ", ".join(f"{name} (size {size})" for name, size in self._outs.items())
        return "\n".join(["", *lines, f"where out dims are: [{outs}]"])

    # --- as a matrix of bits ---
    def _columns(self, order: Sequence[str] | None = None) -> list[int]:
        """The image of each bit of the inputs, as one number: the outputs side by side, the first in the low bits."""
        names = list(self._outs)
        positions = [names.index(name) for name in (order or names)]
        columns = []
        for vectors in self._bases.values():
            for vector in vectors:
                image = shift = 0
                for i in positions:
                    image |= vector[i] << shift
                    shift += self._outs[names[i]].bit_length() - 1
                columns.append(image)
        return columns

    def _out_bits(self) -> int:
        return sum(size.bit_length() - 1 for size in self._outs.values())

    def get_matrix_view(self) -> list[list[int]]:
        """A row for each bit of the outputs, a column for each bit of the inputs, the low ones first."""
        columns = self._columns()
        return [[column >> row & 1 for column in columns] for row in range(self._out_bits())]

    def _rank(self) -> int:
        return len(_Eliminated(self._columns()).pivots)

    def is_surjective(self) -> bool:
        """Whether every output is reached."""
        return self._rank() == self._out_bits()

    def is_injective(self) -> bool:
        """Whether different inputs have different outputs."""
        return self._rank() == len(self._columns())

    def is_invertible(self) -> bool:
        return self.is_surjective() and self.is_injective()

    # --- computing ---
    def apply(self, inputs: Mapping[str, int]) -> dict[str, int]:
        """The outputs for the index of every input; bits beyond the size of an input count for nothing."""
        self._check_same("apply()", inputs, self._bases)
        result = dict.fromkeys(self._outs, 0)
        for name, vectors in self._bases.items():
            for bit, vector in enumerate(vectors):
                if inputs[name] >> bit & 1:
                    for out, value in zip(result, vector):
                        result[out] ^= value
        return result

    def __mul__(self, other: LinearLayout) -> LinearLayout:
        """Both side by side: `other` has the high bits of inputs and outputs that they share."""
        outs = dict(self._outs)
        for name, size in other._outs.items():
            outs[name] = outs.get(name, 1) * size
        names = list(outs)

        def widened(layout: LinearLayout, vector: Sequence[int], scale: Mapping[str, int]) -> list[int]:
            values = dict(zip(layout._outs, vector))
            return [values.get(name, 0) * scale.get(name, 1) for name in names]

        bases: dict[str, list[list[int]]] = {}
        for name, vectors in self._bases.items():
            bases[name] = [widened(self, vector, {}) for vector in vectors]
        for name, vectors in other._bases.items():
            bases.setdefault(name, []).extend(widened(other, vector, self._outs) for vector in vectors)
        return LinearLayout._make(bases, outs)

    def compose(self, outer: LinearLayout) -> LinearLayout:
        """``x -> outer(self(x))``. The outputs of this one are the inputs of `outer`, and not larger."""
        self._check_same("compose()", self._outs, outer._bases)
        for name, size in self._outs.items():
            if size > 1 << len(outer._bases[name]):
                raise ValueError(f"LinearLayout.compose(): output {name!r} has {size} indices, more than the input")
        names = list(self._outs)
        bases = {
            name: [list(outer.apply(dict(zip(names, vector))).values()) for vector in vectors]
            for name, vectors in self._bases.items()
        }
        return LinearLayout._make(bases, outer._outs)

    def invert(self) -> LinearLayout:
        """The inverse. ValueError if there is none."""
        if not self.is_invertible():
            raise ValueError(f"LinearLayout.invert(): the layout is not invertible:{self}")
        return self.pseudoinvert()

    def pseudoinvert(self) -> LinearLayout:
        """A layout that gives, for every output, an input with that output: the one with 0 where there is a choice.

        ValueError if not every output is reached.
        """
        identity = LinearLayout()
        for name, size in self._outs.items():
            identity = identity * LinearLayout.identity_1d(size, name, name)
        return identity.invert_and_compose(self)

    def invert_and_compose(self, outer: LinearLayout) -> LinearLayout:
        """The layout `c` with ``outer(c(x)) == self(x)``, with 0 where there is a choice.

        Both have the same outputs, and those of `outer` are not smaller. ValueError if `outer` does not reach what this
        one reaches.
        """
        self._check_same("invert_and_compose()", self._outs, outer._outs)
        for name, size in self._outs.items():
            if outer._outs[name] < size:
                raise ValueError(f"LinearLayout.invert_and_compose(): output {name!r} of the other layout is smaller")
        same_sizes = LinearLayout._make(self._bases, {n: outer._outs[n] for n in self._outs})
        solver = _Eliminated(outer._columns())
        solutions = iter([solver.solve(image) for image in same_sizes._columns(list(outer._outs))])
        sizes = {name: len(vectors) for name, vectors in outer._bases.items()}
        bases: dict[str, list[list[int]]] = {}
        for name, vectors in self._bases.items():
            bases[name] = [_split(next(solutions), list(sizes.values())) for _ in vectors]
        return LinearLayout._make(bases, {name: 1 << bits for name, bits in sizes.items()})

    @staticmethod
    def _check_same(what: str, given: Mapping[str, object], expected: Mapping[str, object]) -> None:
        if given.keys() != expected.keys():
            raise ValueError(f"LinearLayout.{what}: expected the names {list(expected)}, got {list(given)}")

    def get_shared_view(self, useHWPointOfView: bool) -> str:
        """NotImplementedError: it draws the shared memory of a GPU."""
        raise NotImplementedError("get_shared_view() draws the shared memory of a GPU; print the layout itself")

    def get_distributed_view(self, useHWPointOfView: bool) -> str:
        """NotImplementedError: it draws the registers of a GPU's threads."""
        raise NotImplementedError("get_distributed_view() draws the registers of a GPU; print the layout itself")


class _Eliminated:
    """Columns of bits in echelon form, to find which of them add up to a given one."""

    def __init__(self, columns: Sequence[int]):
        # highest bit of a sum of columns -> the sum, and the set of columns in it
        self.pivots: dict[int, tuple[int, int]] = {}
        for index, column in enumerate(columns):
            value, members = self._reduce(column, 1 << index)
            if value:
                self.pivots[value.bit_length()] = value, members

    def _reduce(self, value: int, members: int) -> tuple[int, int]:
        while value and (pivot := self.pivots.get(value.bit_length())):
            value ^= pivot[0]
            members ^= pivot[1]
        return value, members

    def solve(self, image: int) -> int:
        """The columns, as bits, whose sum is `image`; only those that are no sum of columns before them."""
        rest, members = self._reduce(image, 0)
        if rest:
            raise ValueError("LinearLayout: the other layout does not reach all that this one reaches")
        return members


def _split(value: int, bits: Sequence[int]) -> list[int]:
    parts = []
    for count in bits:
        parts.append(value & ((1 << count) - 1))
        value >>= count
    return parts
