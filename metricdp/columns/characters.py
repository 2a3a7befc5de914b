"""What is done with one text: total, for every text and every public value that is given beside it.

Python's methods are total on texts; given values of another type than they take, they raise, and
would only do so if there is a row at all.  Here the result is then that of a search that finds
nothing: the text itself, False, 0, or -1 as a position.  The same where no memory would hold the
result.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final

#: The longest text that is made of another one.
LONGEST: Final = 10**7

#: What is given to a method, position by position.
_TEXT, _MAYBE, _TEXTS = "a text", "a text or None", "a text or a tuple of texts"
_PLACE, _TIMES = "a whole number or None", "a whole number"
_FOUND = (_TEXT, _PLACE, _PLACE)

#: Method of a text -> what it gives, what it may be given, and how much of this it needs.
METHODS: Final[dict[str, tuple[str, tuple[str, ...], int]]] = {
    **dict.fromkeys("lower upper casefold title capitalize swapcase".split(), ("text", (), 0)),
    **dict.fromkeys("strip lstrip rstrip".split(), ("text", (_MAYBE,), 0)),
    **dict.fromkeys("removeprefix removesuffix".split(), ("text", (_TEXT,), 1)),
    "replace": ("text", (_TEXT, _TEXT, _TIMES), 2),
    **dict.fromkeys(
        "isdigit isdecimal isnumeric isalpha isalnum isspace isupper islower istitle "
        "isascii".split(),
        ("boolean", (), 0),
    ),
    **dict.fromkeys("startswith endswith".split(), ("boolean", (_TEXTS, _PLACE, _PLACE), 1)),
    "count": ("integer", _FOUND, 1),
    **dict.fromkeys("find rfind".split(), ("integer", _FOUND, 1)),
}
#: Methods that take a text apart -> how many parts there certainly are, where they are given what
#: they take; `split` and `rsplit` of nothing may give none.
SPLITTING: Final[dict[str, tuple[tuple[str, ...], int, int]]] = {
    **dict.fromkeys("split rsplit".split(), ((_MAYBE, _TIMES), 0, 1)),
    **dict.fromkeys("partition rpartition".split(), ((_TEXT,), 1, 3)),
    "splitlines": ((), 0, 0),
}


def method(x: str, name: str, *given: Any) -> Any:
    """What a method of `METHODS` makes of a text."""
    made, kinds, least = METHODS[name]
    values = taken(kinds, least, given)
    if values is None or (name == "replace" and not _is_held(x, *values)):
        return {"text": x, "boolean": False}.get(made, 0 if name == "count" else -1)
    return getattr(x, name)(*values)


def _is_held(x: str, old: str, new: str, times: int = -1) -> bool:
    places = len(x) // len(old) if old else len(x) + 1
    if times >= 0:
        places = min(places, times)
    return len(x) + places * len(new) <= LONGEST


def taken(kinds: tuple[str, ...], least: int, given: tuple[Any, ...]) -> list[Any] | None:
    """The values as a method takes them; None where it takes no such values."""
    if not least <= len(given) <= len(kinds):
        return None
    found = []
    for kind, value in zip(kinds, given, strict=False):
        plain = as_taken(kind, value)
        if plain is _NONE:
            return None
        found.append(plain)
    return found


_NONE: Final = object()


def as_taken(kind: str, value: Any) -> Any:
    """A value as a method takes it at a position of this kind; `_NONE` where it takes none such."""
    if value is None:
        return None if kind in (_MAYBE, _PLACE) else _NONE
    if isinstance(value, str):
        return value if kind in (_TEXT, _MAYBE, _TEXTS) else _NONE
    if isinstance(value, int | Fraction) and value.denominator == 1:
        if kind == _TIMES:  # Python takes no more than a machine word
            return max(-1, min(int(value), LONGEST))
        return int(value) if kind == _PLACE else _NONE
    if kind == _TEXTS and isinstance(value, tuple) and all(isinstance(v, str) for v in value):
        return value
    return _NONE


def pieces(x: str, name: str, *given: Any) -> list[str]:
    """The parts into which a method of `SPLITTING` takes a text; the text alone where it is given
    what it does not take."""
    kinds, least, sure = SPLITTING[name]
    values = taken(kinds, least, given)
    if values is None or (values and values[0] == ""):
        return [x, "", ""][: max(sure, 1)]
    return list(getattr(x, name)(*values))


def _cut_pieces(x: str, name: str, given: tuple[Any, ...], cuts: tuple[Any, ...]) -> list[str]:
    found = pieces(x, name, *given)
    for cut in cuts:
        found = found[slice(*cut)] if cut else list(dict.fromkeys(found))
    return found


def piece(
    x: str, name: str, given: tuple[Any, ...], at: int, cuts: tuple[Any, ...] = ()
) -> str:  # fmt: skip
    """The part at a position; the empty text where there is none.

    Args:
        cuts: start, stop and step of slices of the parts, one after the other; nothing where what
            is there becomes a set.
    """
    found = _cut_pieces(x, name, given, cuts)
    return found[at] if -len(found) <= at < len(found) else ""


def pieces_of(x: str, name: str, given: tuple[Any, ...], cuts: tuple[Any, ...] = ()) -> int:
    """How many parts there are."""
    return len(_cut_pieces(x, name, given, cuts))


def among_pieces(
    x: str, name: str, given: tuple[Any, ...], part: Any, cuts: tuple[Any, ...] = ()
) -> bool:
    """Whether a part is this value."""
    return isinstance(part, str) and part in _cut_pieces(x, name, given, cuts)


def cut(x: str, start: int | None, stop: int | None, step: int | None) -> str:
    """x[start:stop:step]."""
    return x[start:stop:step]


def holds(x: str, part: Any) -> bool:
    """Whether a value is a part of the text."""
    return isinstance(part, str) and part in x


def lies_in(x: str, whole: Any) -> bool:
    """Whether the text is a part of a value, which is a text, or one of several values."""
    if isinstance(whole, str):
        return x in whole
    return x in whole if isinstance(whole, frozenset) else False


#: Function of a text and of public values, by its name in the columnar language -> what it gives.
FUNCTIONS: Final[dict[str, tuple[str, Callable[..., Any]]]] = {
    "len": ("integer", len),
    "cut": ("text", cut),
    "holds": ("boolean", holds),
    "lies_in": ("boolean", lies_in),
    "piece": ("text", piece),
    "pieces_of": ("integer", pieces_of),
    "among_pieces": ("boolean", among_pieces),
}


def made(name: str) -> str:
    """What a method or function gives: "text", "boolean" or "integer"; "" where there is none."""
    if name in METHODS:
        return METHODS[name][0]
    return FUNCTIONS[name][0] if name in FUNCTIONS else ""


def result(x: str, name: str, given: tuple[Any, ...]) -> Any:
    """What the method or function of this name makes of a text."""
    return FUNCTIONS[name][1](x, *given) if name in FUNCTIONS else method(x, name, *given)
