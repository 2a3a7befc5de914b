"""Which diagnostics a primitive may give: the codes that its rule names, with what the rule calls.

Read from the compiled functions, so that no list is kept by hand; a code that only some arguments
lead to is among them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import CodeType, FunctionType
from typing import Any

from metricdp.diagnostics.catalogue import CATALOGUE
from metricdp.record import Record

#: Functions of these packages belong to a rule; those of others are what it computes with.
_OWN = ("metricdp.primitives", "metricdp.record")


def codes_of(record: Record) -> list[str]:
    """Names of the catalogue that a record's rule may give, in order."""
    return sorted(set(_codes(record.rule, set())))


def _codes(called: Callable[..., Any], seen: set[int]) -> Iterator[str]:
    found = called if isinstance(called, FunctionType) else getattr(called, "__init__", None)
    if not isinstance(found, FunctionType) or id(found) in seen:
        return
    seen.add(id(found))
    for code in _nested(found.__code__):
        yield from (each for each in code.co_consts if isinstance(each, str) and each in CATALOGUE)
        for name in code.co_names:
            yield from _of_name(found.__globals__.get(name), seen)
    for cell in found.__closure__ or ():
        yield from _of_name(cell.cell_contents, seen)


def _of_name(value: Any, seen: set[int]) -> Iterator[str]:
    if callable(value) and (getattr(value, "__module__", None) or "").startswith(_OWN):
        yield from _codes(value, seen)


def _nested(code: CodeType) -> Iterator[CodeType]:
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _nested(each)
