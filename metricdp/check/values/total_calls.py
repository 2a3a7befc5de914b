"""Which calls and attributes of public values have a value, always; see `values.total`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from metricdp.check.values import arrays, moments, public
from metricdp.check.values.objects import (
    UNKNOWN,
    Library,
    ModuleRef,
    Obj,
    Range,
    RecordClass,
    TupleValue,
    Value,
)
from metricdp.check.values.total import (
    EXACT,
    LARGE,
    LONGEST,
    NUMBERS,
    PARAMETER,
    SMALL,
    TOTAL,
    Needs,
    constant_of,
    digits_of,
    is_small,
    of_numbers,
    size_of,
    sure,
    truth,
)
from metricdp.expr import ONE
from metricdp.record import by_numpy

#: Methods of texts that are given nothing, and that are given one text.
OF_TEXTS = frozenset("lower upper strip lstrip rstrip casefold title capitalize".split())
_OF_TWO_TEXTS = frozenset("startswith endswith".split())
#: Functions of one constant -> the least and the largest one that they are known to take.
_OF_CONSTANTS: Mapping[str, tuple[Fraction, Fraction]] = {
    "math.sqrt": (Fraction(0), LARGE), "math.log": (SMALL, LARGE),
    "math.log2": (SMALL, LARGE), "math.log10": (SMALL, LARGE),
    "math.exp": (-LARGE, Fraction(700)), "math.tanh": (-LARGE, LARGE),
    "math.sin": (-LARGE, LARGE), "math.cos": (-LARGE, LARGE), "math.tan": (-LARGE, LARGE),
    "math.atan": (-LARGE, LARGE), "math.fabs": (-LARGE, LARGE),
}  # fmt: skip
#: Parts of libraries that hold functions with rules.
_FOLDERS = frozenset({"numpy.linalg"})
_ROUNDING = frozenset({"math.floor", "math.ceil", "math.trunc"})


def attribute(base: Obj, found: Obj, name: str) -> Needs:
    """`base.name`: a field, a size, a name of a file or of a library whose meaning is known."""
    if isinstance(base, TupleValue | ModuleRef | RecordClass):
        return TOTAL
    if isinstance(base, Value):
        return sure(base.private or getattr(found, "literal", UNKNOWN) is not UNKNOWN)
    if isinstance(found, Library):
        return sure(_is_named(found.dotted))
    return sure(isinstance(base, Library) and isinstance(found, Value))


def _is_named(dotted: str) -> bool:
    """Whether a name of a library is one that the rules or this file know, or leads to one."""
    head = dotted.partition(".")[0]
    if head == "metricdp" or dotted == "datetime" or dotted in moments.MAKERS:
        return True
    if dotted in _OF_CONSTANTS or dotted in _ROUNDING or dotted in ("math", "numpy"):
        return True
    return by_numpy(dotted) is not None or dotted in _FOLDERS


def builtin(name: str, arguments: Sequence[Obj], keywords: Mapping[str, Obj]) -> Needs:
    """A builtin of Python that is given nothing private."""
    if name == "dict":
        return TOTAL  # `dictionaries.called` asks
    if name == "zip":
        return _zipped(arguments, keywords)
    if name == "enumerate":
        start = arguments[1] if len(arguments) > 1 else keywords.get("start", public.literal(0))
        return sure(public.kind(start) == "int")
    if keywords:
        return None
    if name == "range":
        return sure(all(map(_is_whole, arguments)))
    if name in ("min", "max"):
        return _largest(arguments)
    if len(arguments) == 2 and name == "round":
        places = constant_of(arguments[1]) if isinstance(arguments[1], Value) else None
        whole = public.kind(arguments[1]) == "int" and places is not None and 0 <= places <= 1000
        return sure(public.kind(arguments[0]) in EXACT and whole)
    if len(arguments) != 1:
        return sure(name in ("list", "tuple") and not arguments)
    return _of_one(name, arguments[0])


def _of_one(name: str, value: Obj) -> Needs:
    held = public.kind(value)
    if name in ("abs", "float"):
        return sure(held in NUMBERS)
    if name == "bool":
        return truth(value)
    if name in ("int", "round"):
        return sure(held in EXACT)
    if name == "len":
        sized = isinstance(value, TupleValue) or size_of(value) is not None
        return sure(held == "text" or sized or _is_counted(value))
    if name in ("str", "repr"):
        return sure(_is_shown(value))
    if name in ("list", "tuple", "reversed"):
        return sure(isinstance(value, TupleValue) or _is_counted(value))
    if name in ("set", "frozenset"):
        items = value.items if isinstance(value, TupleValue) else ()
        written = [type(getattr(item, "literal", None)) in (int, str, bool) for item in items]
        return sure(isinstance(value, TupleValue) and all(written))
    if name in ("any", "all"):
        return sure(isinstance(value, TupleValue) and all(truth(i) is TOTAL for i in value.items))
    if name == "sorted":
        return sure(of_numbers(value))
    if name == "sum" and isinstance(value, TupleValue):
        lengths = [digits_of(i) for i in value.items if isinstance(i, Value)]
        known = [length for length in lengths if length is not None]
        return sure(len(known) == len(value.items) and sum(known) <= LONGEST)
    return None


def _is_counted(value: Obj) -> bool:
    """A range whose number of items is written in the program."""
    count = value.count.as_fraction() if isinstance(value, Range) else None
    return count is not None and count <= PARAMETER


def _is_whole(value: Obj) -> bool:
    return isinstance(value, Value) and public.is_exact(value) and value.expr.is_integer() is True  # type: ignore[union-attr]


def _largest(arguments: Sequence[Obj]) -> Needs:
    if len(arguments) > 1:
        return sure(all(public.kind(each) in NUMBERS for each in arguments))
    (values,) = arguments or (None,)
    size = None if values is None else size_of(values)
    if values is None or size is None or not of_numbers(values):
        return None
    return ((size, ">=", ONE),)


def _zipped(parts: Sequence[Obj], keywords: Mapping[str, Obj]) -> Needs:
    if not keywords:
        return TOTAL
    sizes = [size_of(part) for part in parts]
    known = [size for size in sizes if size is not None]
    if set(keywords) != {"strict"} or len(known) != len(parts):
        return None
    return tuple((size, "==", known[0]) for size in known[1:])


def _is_shown(value: Obj) -> bool:
    """Whether a value can be written as text: Python refuses very long integers."""
    held = public.kind(value)
    if held in ("text", "bool", "None"):
        return True
    if held == "number" or not isinstance(value, Value):
        return False
    if value.source == "parameter":
        return True  # bounded where it enters (`public.LARGEST`)
    return is_small(value)


def text(values: Iterable[Obj], formats: bool) -> Needs:
    """An f-string of these values; with `formats`, some have a format of their own."""
    return sure(not formats and all(map(_is_shown, values)))


def extended(added: Obj) -> Needs:
    """`values.extend(added)`."""
    return sure(size_of(added) is not None or _is_counted(added))


def library(dotted: str, arguments: Sequence[Obj], keywords: Mapping[str, Obj]) -> Needs:
    """A function of a library that is given nothing private."""
    value = arguments[0] if len(arguments) == 1 and not keywords else None
    if value is not None and arrays.total_call(dotted, arguments):
        return TOTAL
    if dotted in moments.MAKERS:
        made = moments.made(moments.MAKERS[dotted], arguments, keywords)
        return sure(made.literal is not UNKNOWN)
    if not isinstance(value, Value):
        return None
    if dotted in _ROUNDING:
        return sure(public.kind(value) in EXACT)
    known, ends = constant_of(value), _OF_CONSTANTS.get(dotted)
    return sure(known is not None and ends is not None and ends[0] <= known <= ends[1])


def method(base: Obj, name: str, arguments: Sequence[Obj], keywords: Mapping[str, Obj]) -> Needs:
    """A method of a public text."""
    if keywords or public.kind(base) != "text":
        return None
    if name in _OF_TWO_TEXTS:
        return sure(len(arguments) == 1 and public.kind(arguments[0]) == "text")
    return sure(name in OF_TEXTS and not arguments)


def made_by(name: str) -> str:
    """What a method of a text makes, if it makes anything."""
    return "text" if name in OF_TEXTS else "bool" if name in _OF_TWO_TEXTS else ""
