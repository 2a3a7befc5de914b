"""Black boxes tried on made-up records before anything is spent.

What fails in a black box gives the public default, in silence: one that fails on every row makes a
release of the default, and a run pays for it.  So each box is called on records that are made up
from the spaces of its arguments, before data are used; where all of them fail, a warning says so,
with the error.  It is a warning and no error: made-up records are numbers of the declared space and
may be none that the box was written for, and a box that fails is as private as any other.  Made-up
texts are in nobody's format, so of a box that reads texts only errors are told that no text mends.
No private value is read here.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections import namedtuple
from collections.abc import Mapping
from fractions import Fraction
from random import Random
from typing import Any

from metricdp.check.values.objects import UNKNOWN, Obj, TupleValue, Value
from metricdp.checked.boxes import Box
from metricdp.errors import BoxWarning, MetricdpError
from metricdp.run.boxes import admitted, argument, quiet
from metricdp.run.guards import admit
from metricdp.run.machine import natural
from metricdp.spaces.base import Space, symbols_of
from metricdp.spaces.instants import as_instants

_RECORDS = 6
#: Errors that another text may not raise.
_OF_CONTENT = (ValueError, LookupError, ArithmeticError)
Given = tuple[tuple[Obj, ...], dict[str, Obj]]


class _Unknown(Exception):
    """What the box is given at this place is not known from the check."""


def try_boxes(
    boxes: Mapping[str, Box], given: Mapping[str, Given], env: Mapping[str, Fraction]
) -> None:
    """Warn of every box that fails on all made-up records; a box is tried once.

    Args:
        given: what check saw the first call of each box be given.
        env: numbers for public names.
    """
    for key, box in boxes.items():
        if box.tried or key not in given or box.batched:
            continue
        box.tried.append(True)
        error = _failure(box, *given[key], env)
        if error:
            warning = BoxWarning(
                f"the black box fails on each of {_RECORDS} made-up records: {error}",
                place=box.name,
                remedy=f"rows on which it fails count as the public default {box.default!r}: "
                "mend it, or go on if your data are of another kind",
            )
            warnings.warn(warning, stacklevel=_outside())


def _outside() -> int:
    """How far up the first frame is that is none of the package: who called the function."""
    inside = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(inside):
        frame, level = frame.f_back, level + 1
    return level


def _failure(
    box: Box, positional: tuple[Obj, ...], named: Mapping[str, Obj], env: Mapping[str, Fraction]
) -> str:
    """Why the last of some made-up records failed; "" if one did not, or none could be made up."""
    rng, error, flat = Random(0), "", (*positional, *named.values())
    try:
        space = box.space.at({n: env[n] for n in symbols_of(box.space)})
    except KeyError:
        return ""
    for _ in range(_RECORDS):
        try:
            args = [_made_up(each, env, rng) for each in positional]
            words = {name: _made_up(each, env, rng) for name, each in named.items()}
        except (_Unknown, KeyError, MetricdpError):  # advice only
            return ""
        with quiet():
            try:
                value = box.copies.fresh()(*map(argument, args), **words)
                if admitted(space, value) is not None:
                    return ""
                error = f"{type(value).__name__} is no value of {space.describe()}"
            except KeyboardInterrupt:
                raise
            except BaseException as failed:
                if isinstance(failed, _OF_CONTENT) and any(map(_has_text, flat)):
                    return ""
                error = f"{type(failed).__name__}: {failed}".rstrip(": ")[:200]
    return error


def _has_text(value: Obj) -> bool:
    if isinstance(value, TupleValue):
        return any(map(_has_text, value.items))
    return isinstance(value, Value) and value.space is not None and _of_texts(value.space)


def _of_texts(space: Space) -> bool:
    parts = [getattr(space, name, None) for name in ("row", "inner", "element")]
    parts += getattr(space, "fields", ())
    return getattr(space, "kind", "") == "str" or any(
        _of_texts(part) for part in parts if isinstance(part, Space)
    )


def _made_up(value: Obj, env: Mapping[str, Fraction], rng: Random) -> Any:
    """A value as the box would see it.

    Raises:
        _Unknown: nothing says what it is.
    """
    if isinstance(value, TupleValue):
        items = [_made_up(item, env, rng) for item in value.items]
        if value.names and value.is_list:
            return dict(zip(value.names, items, strict=True))
        if value.kind:
            return namedtuple("Row", value.names)(*items)
        return items if value.is_list else tuple(items)
    if not isinstance(value, Value):
        raise _Unknown
    if value.private and value.space is not None:
        space = value.space.at({n: env[n] for n in symbols_of(value.space)})
        return natural(admit("record", space, as_instants(space, space.sample(rng))))
    if value.literal is not UNKNOWN:
        return value.literal
    if value.expr is None:
        raise _Unknown
    number = value.expr.exact(env)
    if number is None:
        raise _Unknown
    return int(number) if number.denominator == 1 else float(number)
