"""A release: what was computed, under which guarantee, with which noise.  Never the true value.

`About` is what a reader of a filed release needs beside its numbers: texts only, all of them
public.
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from importlib import import_module
from itertools import islice
from typing import TYPE_CHECKING, Any, Generic, cast

import msgspec

from metricdp.record import Told
from metricdp.run import derived
from metricdp.run.as_table import columns_of
from metricdp.run.draws import Drawn
from metricdp.run.parts import fields_of, inside, keys_of, of_items
from metricdp.spaces import Aligned, Matrix, Owned, Records, Row, Space, TupleSpace
from metricdp.spaces.vectors import Entries

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    Value = TypeVar("Value", default=Any)
else:
    from typing import TypeVar

    Value = TypeVar("Value")

ALWAYS_OPEN = (
    "running time and memory use",
    "whether the call failed because the data's types or shapes do not fit the declared schema",
)


class About(msgspec.Struct, frozen=True):
    """The part of a release that a data protection officer files.

    Attributes:
        not_covered: what the unit of privacy leaves out.
        unprotected: quantities of the data that are treated as public.
        derivation: one line per step: value, space, movement, rule.
        assumptions: what the user asserted.
        composition: what this release belongs to: "ledger", "data set", "row", "budget", "spent",
            "left" and so on; empty for a release outside of a session.
        versions: name -> version of what computed it.
        time: UTC, ISO 8601; "" if not recorded.
        by_row: what has no form in columns and ran row by row, as check found it from the source:
            nothing that the data decided.
    """

    not_covered: tuple[str, ...] = ()
    unprotected: tuple[str, ...] = ()
    derivation: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    composition: Mapping[str, str] = {}
    versions: Mapping[str, str] = {}
    time: str = ""
    by_row: tuple[str, ...] = ()


def not_covered(spaces: Mapping[str, Space]) -> tuple[str, ...]:
    """What one unit of the inputs leaves out."""
    found = [
        f"{name}: whoever contributes more than one unit ({space.unit}) is protected less: "
        "k units cost what distance k costs"
        for name, space in spaces.items()
    ]
    return (*found, "what can be learned about a person from the data of all others")


def unprotected(spaces: Mapping[str, Space]) -> tuple[str, ...]:
    """Quantities that the inputs' metrics treat as public."""
    found: list[str] = []
    for name, space in spaces.items():
        found += _open(name, space)
    return (*found, *ALWAYS_OPEN)


def answers(
    spaces: Iterable[Space], rows: Iterable[Told], env: Mapping[str, Any]
) -> tuple[str, ...]:
    """What a reader of an answer has to be told.

    Args:
        spaces: of the private inputs.
        rows: which rows it is about, where some are left out.
        env: public numbers by name.
    """
    told = [f"about {each.at(env)}" for each in rows]
    if any(map(_reads_nan, spaces)):
        told.append("NaN counts as 0")
    return tuple(told)


def _reads_nan(space: Space) -> bool:
    """Whether NaN enters, and is neither missing nor left out."""
    if isinstance(space, Records | Owned):
        return not space.drop_nan and _holds_nan(space.row)
    if isinstance(space, Aligned | TupleSpace):
        return any(map(_reads_nan, space.parts))
    return _holds_nan(space)


def _holds_nan(space: Any) -> bool:
    if isinstance(space, Row):
        return any(map(_holds_nan, space.fields))
    element = getattr(space, "element", "")
    return element in ("Real", "Data") and getattr(space, "kind", "") in ("", "float")


def _open(name: str, space: Space) -> Iterable[str]:
    if isinstance(space, Records):
        if space.sized:
            yield f"the number of records of {name}"
        if isinstance(space.row, Row):
            yield f"the names and types of the columns of {name}"
    elif isinstance(space, Owned):
        yield f"the names and types of the columns of {name}"
    elif isinstance(space, Matrix):
        yield f"the number of columns of {name}"
        yield f"the number of rows of {name}"
    elif isinstance(space, Entries):
        yield f"the number of entries of {name}"
    elif isinstance(space, Aligned | TupleSpace):
        for i, part in enumerate(space.parts):
            yield from _open(f"{name}[{i}]", part)


def versions() -> dict[str, str]:
    """metricdp, Python and, where it is in use, NumPy."""
    found = {
        "metricdp": str(sys.modules["metricdp"].__version__),
        "python": platform.python_version(),
    }
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        found["numpy"] = str(numpy.__version__)
    return found


_SIGNS = {"epsilon": "ε", "delta": "δ", "rho": "ρ"}
#: Bits of a whole number that is shown digit by digit.
_SHOWN = 2048
_GAP = " "
#: Items of a list or a dictionary that are shown, letters of a text, and outputs one per line.
_ITEMS, _LETTERS, _OUTPUTS = 20, 400, 40
_BRACKETS: Mapping[type, tuple[str, str]] = {tuple: ("(", ")"), list: ("[", "]"), dict: ("{", "}")}


class Release(msgspec.Struct, Generic[Value], frozen=True, repr_omit_defaults=True):
    """The released value of one run of a measurement, with what a reader needs to judge it.

    Attributes:
        value: float, int, bool, NumPy array, or tuple of these.
        function: name of the measurement.
        fingerprint: of the guarantee.
        unit: unit of privacy in words, per input or one for all.
        privacy: measure -> cost as printed ("epsilon" -> "1").
        draws: the noise, in order.
        requires: requirements on public parameters that were enforced.
        parameters: public parameter -> (value as text, origin).
        rests_on: built-in trust.
        answers: what a reader takes for something else who is not told: which rows an answer is
            about, and that NaN counted as 0.
        outputs: per output (one, or one per item of a tuple), the index in `draws` of the draw
            that it is; None for post-processing.  Of a list, a dictionary or a tuple inside, a
            tuple of these, one per item in order, or None where no item is a draw.  None as a
            whole: found by identity.
        formulas: per output, as outputs: how it is computed from draws d0, d1, ..., where that is
            arithmetic with public numbers; else None.
        test_only: the noise was seeded or replayed, so nothing is private.
        about: what else is filed with it: unprotected quantities, derivation, composition.
    """

    value: Value
    function: str
    fingerprint: str = ""
    unit: str = ""
    privacy: Mapping[str, str] = {}
    draws: tuple[Drawn, ...] = ()
    requires: tuple[str, ...] = ()
    parameters: Mapping[str, tuple[str, str]] = {}
    rests_on: tuple[str, ...] = ()
    outputs: tuple[Any, ...] | None = None
    test_only: bool = False
    about: About | None = None
    formulas: tuple[Any, ...] = ()
    answers: tuple[str, ...] = ()

    @property
    def cost(self) -> str:
        """ "ε = 1", "ρ = 0.5" or "ε = 1, δ = 1e-06"; a delta of 0 is left out."""
        return ", ".join(
            f"{_SIGNS.get(measure, measure)} = {cost}"
            for measure, cost in self.privacy.items()
            if not (measure == "delta" and cost == "0")
        )

    def interval(self, confidence: float = 0.95) -> Any:
        """(low, high) around each output that is a draw itself, or arithmetic with draws: sums,
        differences, products, quotients, `min`, `max` and `abs` of numbers that were released.

        It holds what the output would be without the noise, with at least this chance; see
        `run.derived` for several draws.  None for other post-processing, and for a quotient whose
        divisor may be 0.  A tuple of outputs gives a tuple; a list or a dictionary gives one of
        its kind with what each of its items has, or None where no item has any; an instance of a
        class gives a dictionary by field; an array gives arrays (each entry on its own).  A draw
        that was chosen by what was released, as the largest of many or where others are left out,
        has none: it holds less often.

        Raises:
            ParameterError: confidence outside (0, 1).
        """
        items = zip(self._items(), self._sources(), self._formulas(), strict=True)
        found = [self._interval(*each, confidence) for each in items]
        return tuple(found) if type(self.value) is tuple else found[0]

    def _interval(self, item: Any, at: Any, text: Any, confidence: float) -> Any:
        parts = self._opened(item, at, text)
        if parts is not None:
            found = [self._interval(*each, confidence) for each in parts]
            if all(each is None for each in found):
                return None
            named = type(item) is dict or fields_of(item) is not None
            return dict(zip(keys_of(item), found, strict=True)) if named else type(item)(found)
        if at is None:
            return None if text is None else derived.interval(text, self.draws, confidence)
        width = at.half_width(confidence)
        return None if width is None else _around(item, width)

    def _opened(self, item: Any, at: Any, text: Any) -> list[tuple[Any, Any, Any]] | None:
        """The items of a list, dictionary or tuple inside, where something is known of one."""
        if not (isinstance(at, tuple) or isinstance(text, tuple)):
            return None
        each = inside(item) or ()
        count = len(each)
        return [*zip(each, of_items(at, count), of_items(text, count), strict=True)]

    def parts(self) -> Iterator[tuple[str, Drawn | None, str | None]]:
        """Every output, and every item of those of whose items something is known: its number and
        key, the draw that it is, and its formula; None for each that there is not."""
        items = zip(self._items(), self._sources(), self._formulas(), strict=True)
        for i, each in enumerate(items):
            yield from self._parts(str(i + 1), *each)

    def _parts(self, name: str, item: Any, at: Any, text: Any) -> Iterator[tuple[str, Any, Any]]:
        parts = self._opened(item, at, text)
        if parts is None:
            yield name, at, text
            return
        keys = keys_of(item)
        for key, part in zip(keys, parts, strict=True):
            yield from self._parts(f"{name}[{key!r}]", *part)

    def _formulas(self) -> tuple[Any, ...]:
        return self.formulas or (None,) * len(self._items())

    def _items(self) -> tuple[Any, ...]:
        value: Any = self.value
        return value if type(value) is tuple else (value,)

    def _sources(self) -> list[Any]:
        """The draw that each output is, as `outputs` says."""
        items = self._items()
        if self.outputs is not None:
            return [self._drawn(at) for at in self.outputs]
        return [self._source(item, len(items) == 1) for item in items]

    def _drawn(self, at: Any) -> Any:
        if isinstance(at, tuple):
            return tuple(map(self._drawn, at))
        return None if at is None else self.draws[at]

    def _source(self, item: Any, only: bool) -> Drawn | None:
        # Small integers are shared objects, so identity says nothing about them.
        if isinstance(item, int) and not (only and len(self.draws) == 1):
            return None
        return next((draw for draw in self.draws if draw.value is item), None)

    def as_dict(self) -> dict[str, Any]:
        """The release in numbers, texts, lists and dictionaries only, as JSON has them."""
        fields: dict[str, Any] = {f: getattr(self, f) for f in self.__struct_fields__}
        draws = [draw.as_dict() for draw in self.draws]
        about = None if self.about is None else msgspec.structs.asdict(self.about)
        found: dict[str, Any] = _builtin(
            {**fields, "draws": draws, "about": about, "cost": self.cost}
        )
        return found

    def to_json(self, indent: int | None = 2) -> str:
        """The record to file, as JSON; see `run.filing` for its fields."""
        import json

        from metricdp.run.filing import filed

        return json.dumps(filed(self), indent=indent, ensure_ascii=False, default=str)

    def to_markdown(self) -> str:
        """The record to file, as a Markdown document."""
        from metricdp.run.filing import markdown

        return markdown(self)

    def to_pandas(self) -> Any:
        """A data frame, with intervals: a row for each key; see `run.as_table`."""
        return import_module("pandas").DataFrame(columns_of(self))

    def to_arrow(self) -> Any:
        """A table of Arrow, with the columns of `to_pandas`."""
        return import_module("pyarrow").table(columns_of(self))

    def to_ibis(self) -> Any:
        """A table of Ibis in memory, with the columns of `to_pandas`."""
        return import_module("ibis").memtable(self.to_arrow())

    def __float__(self) -> float:
        return float(cast(Any, self.value))

    def __int__(self) -> int:
        return int(cast(Any, self.value))

    def __bool__(self) -> bool:
        return bool(self.value)

    def __iter__(self) -> Any:
        return iter(cast(Any, self.value))

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        import numpy as np

        return np.array(self.value, dtype)

    def _tail(self) -> str:
        parts = [f"cost {self.cost}"] if self.cost else []
        parts += self.answers
        if self.about is not None and (place := self.about.composition):
            again = "asked again, free" if "asked again" in place else place["this release cost"]
            parts.append(f"session {again}, left {place['left']}")
            if "not kept" in place:
                parts.append("not kept in the ledger")
        if self.test_only:
            parts.append("test only: seeded noise protects nobody")
        return "   ".join(parts)

    def _lines(self) -> list[str]:
        """A line for each output, and for each item of those whose items have intervals."""
        lines: list[str] = []
        more = 0
        for text in self._texts():
            if len(lines) < _OUTPUTS:
                lines.append(text())
            else:
                more += 1
        return [*lines, f"... {more} more"] if more else lines

    def _texts(self) -> Iterator[Callable[[], str]]:
        """What makes each line."""
        items = [*zip(self._items(), self._sources(), self._formulas(), strict=True)]
        for number, (item, at, text) in enumerate(items, 1):
            parts = self._opened(item, at, text)
            if parts is None:
                yield partial(self._text, item, at, text)
                continue
            within = ""
            if len(items) > 1:
                yield partial(str, f"{number}:")
                within = "  "
            for name, part in zip(_names(item), parts, strict=True):
                yield partial(self._text, *part, within + name)

    def _text(self, item: Any, at: Any, text: Any, name: str = "") -> str:
        """An output behind its name, with its interval at 95%."""
        parts = self._opened(item, at, text)
        if parts is not None:
            pairs = islice(zip(_names(item), parts, strict=True), _ITEMS)
            listed = [self._text(*part, each) for each, part in pairs]
            opening, closing = _brackets(item)
            return name + opening + ", ".join([*listed, *_more(len(parts))]) + closing
        if at is None and text is not None:
            return name + derived.shown(item, text, self.draws, show)
        width = at.half_width() if at is not None else None
        shown = name + show(item, width)
        return shown if width is None else f"{shown} ± {show(width, width)} (95%)"

    def __repr__(self) -> str:
        lines = self._lines() or ["()"]
        if len(lines) == 1 and "\n" in lines[0]:
            head = "   ".join(part for part in ("Release of a text", self._tail()) if part)
            return "\n".join([head, *(f"  {line}" for line in lines[0].splitlines())])
        if len(lines) == 1:
            return "   ".join(part for part in (f"Release {lines[0]}", self._tail()) if part)
        items = self._items()
        count = len(items) if type(self.value) is tuple else len(inside(items[0]) or ())
        head = "   ".join(part for part in (f"Release of {count}", self._tail()) if part)
        return "\n".join([head, *(f"  {line}" for line in lines)])

    def _repr_html_(self) -> str:
        from metricdp.report.html import release_html

        facts = [("function", self.function), ("unit", self.unit)]
        facts += [("rests on", "; ".join(self.rests_on)), ("fingerprint", self.fingerprint)]
        return release_html(self._lines(), self._tail(), [(n, text) for n, text in facts if text])


def _names(item: Any) -> list[str]:
    """What stands before each item of a list, a dictionary, a tuple or an instance."""
    if (fields := fields_of(item)) is not None:
        return [f"{name}=" for name in fields]
    return [f"{key!r}: " for key in item] if type(item) is dict else [""] * len(item)


def _brackets(item: Any) -> tuple[str, str]:
    return _BRACKETS.get(type(item)) or (f"{type(item).__name__}(", ")")


def _around(item: Any, width: float) -> tuple[Any, Any]:
    """The interval of this half-width, which may be wider than doubles reach."""
    from math import inf

    try:
        return item - width, item + width
    except OverflowError:
        return -inf, inf


def _builtin(value: Any) -> Any:
    """Fractions as text, arrays as lists."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Mapping):
        return {str(key): _builtin(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_builtin(item) for item in value]
    if isinstance(value, Fraction):
        return str(value)
    return value


def show(value: Any, width: float | None = None) -> str:
    """A number with spaces between thousands, to the digits that its error leaves standing.

    Args:
        value: number, array or anything else (its repr).
        width: half-width of the interval; None: six significant digits.
    """
    if isinstance(value, str) and len(value) > _LETTERS:
        return f"{value[:_LETTERS]}... ({len(value)} letters)"
    if isinstance(value, (bool, str)) or value is None:
        return str(value)
    if hasattr(value, "tolist") and getattr(value, "ndim", None):
        entries = value.tolist()
        shown = [show(x, width) for x in entries[:8]]
        return "[" + ", ".join(shown) + (", ...]" if len(entries) > 8 else "]")
    if isinstance(value, list):
        shown = [show(x, width) for x in value[:_ITEMS]]
        return "[" + ", ".join([*shown, *_more(len(value))]) + "]"
    if type(value) is tuple and len(value) > _ITEMS:
        return "(" + ", ".join([*map(repr, value[:_ITEMS]), *_more(len(value))]) + ")"
    if type(value) is dict and len(value) > _ITEMS:
        shown = [f"{key!r}: {show(value[key], width)}" for key in list(value)[:_ITEMS]]
        return "{" + ", ".join([*shown, *_more(len(value))]) + "}"
    if isinstance(value, int):
        if value.bit_length() > _SHOWN:  # Python refuses to print very long ones
            return f"about {'-' if value < 0 else ''}2**{value.bit_length() - 1}"
        return f"{value:,}".replace(",", _GAP)
    if isinstance(value, (float, Fraction)):
        return _real(float(value), width)
    return repr(value)


def _more(count: int) -> list[str]:
    """What stands for the items that are left out; the value itself has them all."""
    return [f"... {count - _ITEMS} more"] if count > _ITEMS else []


def _real(value: float, width: float | None) -> str:
    from math import floor, isfinite, log10

    if not isfinite(value):
        return str(value)
    size = width if width else abs(value) / 1000
    if abs(value) >= 1e15 or not isfinite(size) or (size and size < 1e-9):
        return f"{value:.6g}"
    # Three digits of the error, none after the point beyond that.
    decimals = max(0, 2 - floor(log10(size))) if size else 0
    digits = f"{value:,.{decimals}f}".replace(",", _GAP)
    # Noughts at the end say how near a number is where its error is known, and nothing elsewhere.
    return digits if width or "." not in digits else digits.rstrip("0").rstrip(".")
