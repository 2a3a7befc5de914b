"""Outputs of any kind as columns of numbers and labels, so that events can be asked of them.

An output is taken apart into its leaves, in order: a number is one leaf, a list or tuple has those
of its items, a dictionary those of its values by key, a text what is left of it without the numbers
that are written in it, and these.  What is no finite number (None, text, NaN, an infinity, a leaf
that other outputs have and this one lacks) is a label.  How an output is built (types, lengths,
keys) is a label of its own: a private length or key set is visible there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import isfinite
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.audit.contents import (
    Unreadable,
    own_attributes,
    parts_of,
    table_of,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Columns for leaves.  Where there are more leaves, the last column is the sum of the rest, which
#: are also seen in the structure and the whole output.
MOST_LEAVES = 24
#: Code of a finite number in a column of labels.
_NUMBER = 0
_HUGE = 1.7e308
#: Kinds of dtypes whose items are numbers, and containers in one another at most.
_NUMBERS, _DEEP = "fiub", 60
#: A decimal in a text.
_PRINTED = re.compile(r"[-+]?\d{1,300}(?:\.\d{1,300})?(?:[eE][-+]?\d{1,3})?")
_DIGIT = re.compile(r"\d")
#: Types of outputs that hold nothing but their value.
PLAIN = frozenset((float, int, bool, str, Fraction, type(None)))


class Raised(msgspec.Struct, frozen=True):
    """An exception in place of an output: whoever sees it sees the data, if it depends on them.

    Attributes:
        kind, text: its type and what it says.
        parts: what else its receiver may read; see `contents.of_error`.
    """

    kind: str
    text: str
    parts: tuple[tuple[str, Any], ...] = ()


class OutputCodes:
    """Labels as small integers, alike in all tables of one audit."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {"a finite number": _NUMBER}
        self._texts: list[str] = ["a finite number"]

    def __getitem__(self, label: str) -> int:
        code = self._codes.get(label)
        if code is None:
            code = self._codes[label] = len(self._texts)
            self._texts.append(label)
        return code

    def text(self, code: int) -> str:
        """The label of a code."""
        return self._texts[code]


class OutputTable(msgspec.Struct, frozen=True):
    """Outputs as columns.

    Attributes:
        numbers: shape (n, leaves): finite numbers, NaN elsewhere.
        labels: shape (n, leaves): codes of what is no finite number.
        built: shape (n,): code of how the output is built.
        whole: shape (n,): code of the output as a whole; -1 for a float (0.0 and -0.0 apart) or
            an array of few numbers, which the columns tell.
    """

    numbers: NDArray[Any]
    labels: NDArray[Any]
    built: NDArray[Any]
    whole: NDArray[Any]

    def __len__(self) -> int:
        return len(self.built)

    def rows(self, first: int, last: int) -> OutputTable:
        """The outputs `first` .. `last - 1`."""
        return OutputTable(*(getattr(self, name)[first:last] for name in self.__struct_fields__))


def tables(
    first: Any, second: Any, codes: OutputCodes, leaves: int | None = None
) -> tuple[OutputTable, OutputTable]:
    """Outputs on two inputs as tables that are read by the same rules, and are equally wide.

    Whatever a view says of an output may depend on that output only, or it is no event of the
    mechanism: so both are taken apart in the same way, and every output has a code of its own.

    Args:
        first, second: sequences of outputs, or arrays whose first axis counts them.
        codes: shared by all tables whose labels are compared.
        leaves: number of columns; the largest number of leaves when left out.
    """
    built = [_built(each) for each in (first, second)]
    if all(built):
        return _even(lambda n, i: _of_array((first, second)[i], built[i], codes, n), leaves)
    parts = [[taken_apart(o) for o in _listed(each)] for each in (first, second)]
    return _even(lambda n, i: _of_parts(parts[i], codes, n), leaves)


def _even(
    make: Callable[[int | None, int], OutputTable], leaves: int | None
) -> tuple[OutputTable, OutputTable]:
    found = [make(leaves, i) for i in (0, 1)]
    width = max(t.numbers.shape[1] for t in found)
    a, b = (t if t.numbers.shape[1] == width else make(width, i) for i, t in enumerate(found))
    return a, b


def _built(outputs: Any) -> str:
    """How all outputs are built, where they are numbers that go into an array unseen; else ""."""
    import numpy as np

    if isinstance(outputs, np.ndarray):
        return f"array of shape {outputs.shape[1:]}" if outputs.dtype.kind in _NUMBERS else ""
    # A shorter way to the same table; 0.0 and -0.0 have codes of their own.
    if set(map(type, outputs)) == {float} and np.asarray(outputs).all():
        return "float"
    return ""


def _listed(outputs: Any) -> Any:
    return outputs.tolist() if hasattr(outputs, "dtype") else outputs


def table(outputs: Any, codes: OutputCodes, leaves: int | None = None) -> OutputTable:
    """Outputs of one input as a table; see `tables`."""
    built = _built(outputs)
    if built:
        return _of_array(outputs, built, codes, leaves)
    return _of_parts([taken_apart(output) for output in _listed(outputs)], codes, leaves)


def _of_parts(parts: list[Any], codes: OutputCodes, leaves: int | None) -> OutputTable:
    import numpy as np

    width = max((len(p[1]) for p in parts), default=0) if leaves is None else leaves
    width = min(width, MOST_LEAVES)
    numbers = np.full((len(parts), width), np.nan)
    labels = np.full((len(parts), width), codes["absent"], dtype=np.int64)
    for i, (_, values) in enumerate(parts):
        for j, value in enumerate(_folded(values)[:width]):
            number, label = leaf(value)
            labels[i, j] = codes[label] if label else _NUMBER
            if not label:
                numbers[i, j] = number
    built = np.array([codes[p[0]] for p in parts], dtype=np.int64)
    whole = np.array([_whole(p, codes) for p in parts], dtype=np.int64)
    return OutputTable(numbers, labels, built, whole)


def _whole(part: tuple[str, tuple[Any, ...]], codes: OutputCodes) -> int:
    if part[0] == "float" and part[1][0] != 0:
        return -1
    rest = f" and {_digest(repr(part[1]).encode())}" if len(part[1]) > MOST_LEAVES else ""
    return codes[f"{part[0]} {part[1][:MOST_LEAVES]!r}{rest}"]


def _digest(content: bytes) -> str:
    from hashlib import blake2b

    return blake2b(content, digest_size=8).hexdigest()


def _folded(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Leaves that have columns; where there are too many, the last one is the sum of the rest."""
    if len(values) <= MOST_LEAVES:
        return values
    found = [number for number, label in map(leaf, values[MOST_LEAVES - 1 :]) if not label]
    return (*values[: MOST_LEAVES - 1], sum(found))


def _of_array(outputs: Any, how: str, codes: OutputCodes, leaves: int | None) -> OutputTable:
    import numpy as np

    n = len(outputs)
    given = np.asarray(outputs, dtype=np.float64).reshape(n, -1)
    whole = np.full(n, -1, dtype=np.int64)
    if given.shape[1] > MOST_LEAVES:
        whole[:] = [codes[f"{how} {_digest(row.tobytes())}"] for row in given]
        rest = given[:, MOST_LEAVES - 1 :]
        rest = np.where(np.isfinite(rest), rest, 0).sum(axis=1, keepdims=True)
        given = np.hstack([given[:, : MOST_LEAVES - 1], rest])
    width = min(given.shape[1] if leaves is None else leaves, MOST_LEAVES)
    numbers = np.full((n, width), np.nan)
    shared = min(width, given.shape[1])
    numbers[:, :shared] = given[:, :shared]
    labels = np.full((n, width), _NUMBER, dtype=np.int64)
    labels[:, shared:] = codes["absent"]
    for label, where in (
        ("nan", np.isnan(given)), ("inf", given == np.inf), ("-inf", given == -np.inf),
    ):  # fmt: skip
        labels[:, :shared][where[:, :shared]] = codes[label]
    numbers[~np.isfinite(numbers)] = np.nan
    built = np.full(n, codes[how], dtype=np.int64)
    return OutputTable(numbers, labels, built, whole)


def leaf(value: Any) -> tuple[float, str]:
    """A finite number and "", or 0 and the label of what is none."""
    if isinstance(value, (bool, int, float, Fraction)):
        try:
            number = float(value)
        except OverflowError:
            return (_HUGE if value > 0 else -_HUGE), ""
        return (number, "") if isfinite(number) else (0.0, str(number))
    return 0.0, value if isinstance(value, str) else repr(value)[:80]


def taken_apart(output: Any, depth: int = 0) -> tuple[str, tuple[Any, ...]]:
    """How an output is built, in words, and its leaves.

    Raises:
        Unreadable: it is or holds an object whose content cannot be read: such outputs would be
            counted as equal, whatever they hold.
    """
    # By exact type first: most outputs are plain, and this runs once for each of them.
    known: type = type(output)
    if known is str:
        return "str", _of_text(output)
    if known in PLAIN:
        return known.__name__, (output,)
    if depth > _DEEP:
        raise Unreadable(output)
    if known is list or known is tuple:
        return _of_items(output, depth)
    own = own_attributes(output)
    if own:
        bare, beside = _contained(output, depth), _of_named("", own, depth)
        return f"{bare[0]} with {beside[0]}", (*bare[1], *beside[1])
    return _contained(output, depth)


def _contained(output: Any, depth: int) -> tuple[str, tuple[Any, ...]]:
    known = type(output)
    if isinstance(output, str):
        return known.__name__, _of_text(output)
    if isinstance(output, (bool, int, float, Fraction)):
        return known.__name__, (output,)
    if isinstance(output, Raised):
        return _of_named(f"raises {output.kind}", [("text", output.text), *output.parts], depth)
    if isinstance(output, Mapping):
        return _of_keys(output, depth)
    if isinstance(output, (set, frozenset)):
        shape, leaves = _of_items(sorted(output, key=_rank), depth)
        return f"{known.__name__} of {shape}", leaves
    if isinstance(output, bytes):
        return "bytes", _of_text(repr(output))
    if isinstance(output, (list, tuple)):
        return _of_items(output, depth)
    if table_of(output) is None and hasattr(output, "dtype") and hasattr(output, "tolist"):
        inside = output.tolist()
        built = f"{output.dtype} of shape {getattr(output, 'shape', ())}"
        if getattr(output.dtype, "kind", "?") in _NUMBERS:
            return built, tuple(_flat(inside)) if isinstance(inside, list) else (inside,)
        shape, leaves = taken_apart(inside, depth + 1)
        return f"{built}: {shape}", leaves
    found = parts_of(output)
    if found is not None:
        return _of_named(*found, depth)
    if isinstance(output, Sequence):
        return _of_items(output, depth)
    raise Unreadable(output)


def _of_text(text: str) -> tuple[Any, ...]:
    """The text without its numbers, and these: noise is printed as well as returned."""
    numbers = _PRINTED.findall(text)
    if not numbers:
        return (text,)
    return (_PRINTED.sub(_written, text), *(float(number) for number in numbers))


def _written(found: re.Match[str]) -> str:
    """What stands for a number in a text: one that is not written as Python writes it shows more
    than its value (zeros at its end, a plus, an exponent)."""
    bare = found.group().removeprefix("-")
    whole = bare.isdigit() and (bare[0] != "0" or bare == "0")
    return "#" if whole or bare == repr(float(bare)) else f"#{_DIGIT.sub('0', bare)}"


def _of_items(output: Sequence[Any], depth: int) -> tuple[str, tuple[Any, ...]]:
    parts = [taken_apart(item, depth + 1) for item in output]
    inner = ", ".join([p[0] for p in parts]) if len(parts) <= 4 else f"{len(parts)} items"
    return f"{type(output).__name__}({inner})", tuple([x for p in parts for x in p[1]])


def _of_keys(output: Mapping[Any, Any], depth: int) -> tuple[str, tuple[Any, ...]]:
    """Values by key, so that a key has its column; keys that are no whole numbers or texts are
    leaves, and an order of the keys that is not theirs is seen."""
    given = list(output)
    keys = sorted(given, key=_rank)
    shapes: list[str] = []
    leaves: list[Any] = []
    for key in keys:
        shape, inside = taken_apart(output[key], depth + 1)
        if isinstance(key, str | int | bytes | Fraction) or key is None:
            name = repr(key)
        else:
            name, own = taken_apart(key, depth + 1)
            leaves += own
        shapes.append(f"{name}: {shape}")
        leaves += inside
    order = "" if keys == given else f" in the order {[keys.index(k) for k in given]}"
    return f"{{{', '.join(shapes)}}}{order}", tuple(leaves)


def _rank(value: Any) -> tuple[str, Any, str]:
    """Numbers by size, the rest by type and text."""
    if isinstance(value, (int, float, Fraction)):
        return "", value, ""
    return type(value).__name__, 0, repr(value)


def _of_named(
    kind: str, parts: Sequence[tuple[str, Any]], depth: int
) -> tuple[str, tuple[Any, ...]]:
    inside = [(name, taken_apart(part, depth + 1)) for name, part in parts]
    shapes = ", ".join([f"{name}: {p[0]}" for name, p in inside])
    return f"{kind}({shapes})", tuple([x for _, p in inside for x in p[1]])


def _flat(values: list[Any]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, list):
            yield from _flat(value)
        else:
            yield value
