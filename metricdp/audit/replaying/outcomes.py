"""What a run shows in public: its result, error, prints, warnings, logs and what it left behind."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from fractions import Fraction
from types import ModuleType
from typing import Any

import msgspec

from metricdp.audit.contents import (
    Unreadable,
    attributes,
    consumed,
    of_error,
    own_attributes,
    parts_of,
    refusal,
    refuse_awaitable,
    table_of,
)
from metricdp.audit.measurements.drawing import Heard
from metricdp.audit.measurements.limits import OutOfTime, guarded
from metricdp.audit.replaying.decisions import DecidedDraw
from metricdp.audit.replaying.pending import Array, Waiting
from metricdp.audit.replaying.tape import Diverged, Tape

_DEEP = 60
#: By exact type first: most parts are plain, and this runs for each of them.
_ATOMS = frozenset((type(None), bool, str, bytes, int, Fraction))
#: What a copy is the same object as.
_FIXED = _ATOMS | {float}
#: Most parts of most runs are empty.
_EMPTY = {type(None): "None", str: "''", tuple: "()", list: "[]", dict: "{}"}


class PublicOutcome(msgspec.Struct, frozen=True):
    """Everything that somebody outside may see of one run, in comparable form.

    Attributes:
        parts: name of the part ("result", "error", "printed", "warnings", "log", "state of ...")
            -> comparable form.
        shown: name of the part -> text.
        result: what was returned.
    """

    parts: Mapping[str, Any]
    shown: Mapping[str, str]
    result: Any = None


def observe(
    run: Callable[[], Any], state: Mapping[str, Callable[[], Any]], tape: Tape, name: str = ""
) -> PublicOutcome:
    """Run, and collect what is public.

    Args:
        run: the program on its arguments.
        state: name -> what reads a mutable object that the program may change.
        tape: of the run; if it broke, the outcome is not looked at.
        name: of the program, for errors.

    Raises:
        ReplayError: a result that is or holds an object whose content cannot be read.
    """
    result: Any = None
    error: tuple[str, str, Any] | None = None
    with Heard() as beside:
        try:
            result = known(guarded(lambda: consumed(run())))
        except Diverged:
            pass
        except OutOfTime:
            raise
        except KeyboardInterrupt:
            # A checked function turns what it does not know into an interrupt.
            if tape.broken is None:
                raise
        except BaseException as failed:
            kind, said, more = of_error(failed)
            error = (kind, said, form(known(list(more))))
    printed, warned, logged = beside.take()
    refuse_awaitable(result, name, replaying=True)
    try:
        seen = form(result, strict=True)
    except Unreadable as unreadable:
        raise refusal(unreadable.value, name, replaying=True) from None
    parts: dict[str, Any] = {
        "result": seen,
        "error": error,
        "printed": printed,
        "warnings": warned,
        "log": logged,
    }
    shown: dict[str, Any] = {**parts, "result": result, "error": error and error[:2]}
    for name, read in state.items():
        value = known(read())
        parts[f"state of {name}"], shown[f"state of {name}"] = form(value), value
    return PublicOutcome(parts, TextsOfPieces(shown), result)


class TextsOfPieces(dict[str, str]):
    """Parts as text, by name: of what does not change, text is made when it is asked for."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values
        super().__init__({n: text(v) for n, v in values.items() if not _still(v)})

    def __missing__(self, name: str) -> str:
        found = self[name] = text(self._values[name])
        return found


def difference(first: PublicOutcome, second: PublicOutcome) -> str | None:
    """The first part that tells two runs apart; None if they look the same."""
    for name, part in first.parts.items():
        if part != second.parts.get(name):
            return name
    return None


def known(value: Any, depth: int = 0) -> Any:
    """The value with noise that still waits read as numbers: it has been released."""
    if isinstance(value, Waiting):
        return value.read()
    if isinstance(value, Array):
        return value._array()
    if depth < _DEEP:
        if type(value) in (list, tuple):
            return type(value)([known(each, depth + 1) for each in value])
        if type(value) is dict:
            return {key: known(each, depth + 1) for key, each in value.items()}
    return value


def form(value: Any, depth: int = 0, strict: bool = False) -> Any:
    """A comparable form: equal exactly when nobody can tell the values apart by reading them.

    Floats compare by their digits, so 0.0 and -0.0 differ and NaN is itself; dictionaries with
    their order, sets without one; objects by their type and what they hold.

    Args:
        strict: code, and objects whose content cannot be read, are refused; else they are their
            names.

    Raises:
        Unreadable: where strict.
    """
    known = type(value)
    if known is float:
        return ("number", repr(value))
    if known in _ATOMS:
        return (known.__name__, value)
    if (known is list or known is tuple) and depth <= _DEEP:
        return (known.__name__, tuple([form(v, depth + 1, strict) for v in value]))
    if known is dict and depth <= _DEEP:
        pairs = [(form(k, depth + 1, strict), form(v, depth + 1, strict)) for k, v in value.items()]
        return ("mapping", tuple(pairs))
    own = own_attributes(value)
    if own:
        bare = _plain(value, depth, strict)
        return ("made from", bare, _named(own, depth, strict))
    return _plain(value, depth, strict)


def _plain(value: Any, depth: int, strict: bool) -> Any:
    if isinstance(value, DecidedDraw):
        # Runs that are followed one by one end here: it stands for more than one number.
        value._decisions.stop("a draw is used as a number")
        return ("draw",)
    if value is None or isinstance(value, (bool, str, bytes, int, Fraction)):
        return (type(value).__name__, value)
    if isinstance(value, float | complex):
        return ("number", repr(value))
    if depth > _DEEP:
        if strict:
            raise Unreadable(value)
        return ("deep",)
    if isinstance(value, list | tuple):
        return (type(value).__name__, tuple(form(v, depth + 1, strict) for v in value))
    if isinstance(value, Mapping):
        items = value.items()
        pairs = tuple((form(k, depth + 1, strict), form(v, depth + 1, strict)) for k, v in items)
        return ("mapping", pairs)
    if isinstance(value, set | frozenset):
        return ("set", frozenset(form(each, depth + 1, strict) for each in value))
    if table_of(value) is None and hasattr(value, "dtype") and hasattr(value, "tolist"):
        inner = form(value.tolist(), depth + 1, strict)
        return inner if getattr(value, "ndim", 1) == 0 else ("array", str(value.dtype), inner)
    found = _release(value) or (parts_of(value) if strict else _kept(value))
    if found is None:
        if strict:
            raise Unreadable(value)
        return ("code", getattr(value, "__qualname__", str(type(value))))
    return (found[0], _named(found[1], depth, strict))


def _named(parts: Any, depth: int, strict: bool) -> Any:
    return tuple((name, form(part, depth + 1, strict)) for name, part in parts)


def _kept(value: Any) -> Any:
    """Parts of an object that a program keeps: nothing of it is run, iterators stay as they are."""
    table = table_of(value)
    if table is not None:
        return type(value).__qualname__, table
    if callable(value) or isinstance(value, ModuleType):
        return None
    return attributes(value, type(value).__qualname__, pickled=False)


def _release(value: Any) -> Any:
    """A release without its time, which differs between any two of them."""
    if type(value).__qualname__ != "Release":
        return None
    kind, parts = attributes(value, "Release") or ("Release", [])
    return kind, [part for part in parts if part[0] != "about"]


def _still(value: Any) -> bool:
    """Whether a value, or a list of its own, holds nothing that changes."""
    known = type(value)
    return known in _FIXED or (known is list and all(type(each) in _FIXED for each in value))


def text(value: Any) -> str:
    """A part as text."""
    if type(value) in _EMPTY and not value:
        return _EMPTY[type(value)]
    from metricdp.audit.measurements.verdicts import brief

    if type(value).__qualname__ == "Release":
        value = value.value
    if isinstance(value, set):
        value = sorted(value, key=repr)
    return brief(value)


def copied(value: Any) -> Any:
    """A copy for one run, so that what it changes is seen and not kept."""
    if _still(value):
        return value[:] if type(value) is list else value
    try:
        return copy.deepcopy(value)
    except Exception:
        return value
