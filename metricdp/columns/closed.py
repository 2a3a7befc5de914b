"""Functions that are nothing but records of what they are given, told by their code.

Such a function makes the same of the same row whenever it is called (`columns.kept_rows`): it reads
nothing from outside but the machine, and asks that for records alone whose forms compute with what
they are given.
"""

from __future__ import annotations

import dis
from types import CodeType, FunctionType
from typing import Any, Final

#: Operations on what a function holds itself, of all interpreters; what is none of them is none of
#: such a function.
_STEPS: Final = frozenset(
    """RESUME CACHE NOP EXTENDED_ARG PUSH_NULL PRECALL CALL KW_NAMES CALL_KW RETURN_VALUE
    RETURN_CONST LOAD_CONST LOAD_SMALL_INT LOAD_FAST LOAD_FAST_CHECK LOAD_FAST_BORROW
    LOAD_FAST_LOAD_FAST LOAD_FAST_BORROW_LOAD_FAST_BORROW STORE_FAST STORE_FAST_STORE_FAST
    STORE_FAST_LOAD_FAST LOAD_GLOBAL LOAD_ATTR LOAD_METHOD BUILD_TUPLE UNPACK_SEQUENCE SWAP COPY
    POP_TOP NOT_TAKEN""".split()
)
#: Names that are read from outside, and what of the machine is called.
_OUTSIDE: Final = frozenset({"_machine", "_Exact"})
_CALLED: Final = frozenset({"primitive", "compare"})
#: Records, and comparisons, that compute with what they are given.
RECORDS: Final = frozenset(
    """abs add ceil clamp clip div eq exp floor floordiv ge gt le log logical_and logical_not
    logical_or lt maximum minimum mod mul ne neg power relu sigmoid softplus sqrt sub
    tanh""".split()
)
_NUMBERS: Final = frozenset({int, float, bool, type(None)})

#: Code that was read before.
_known: dict[int, tuple[CodeType, bool]] = {}
_MOST: Final = 1024


def is_closed(function: Any) -> bool:
    """Whether a function of compiled code makes the same of the same row whenever it is called."""
    if type(function) is not FunctionType or function.__closure__ is not None:
        return False
    if function.__defaults__ or function.__kwdefaults__:
        return False
    machine = function.__globals__.get("_machine")
    if machine is None or machine.public:  # there what it does is Python's
        return False
    code = function.__code__
    known = _known.get(id(code))
    if known is None or known[0] is not code:
        if len(_known) >= _MOST:
            _known.clear()
        known = _known[id(code)] = code, _is_closed(code, machine)
    return known[1]


def _is_closed(code: CodeType, machine: Any) -> bool:
    for step in dis.get_instructions(code):
        if step.opname not in _STEPS:
            return False
        if step.opname == "LOAD_GLOBAL" and step.argval not in _OUTSIDE:
            return False
        attribute = step.opname in ("LOAD_ATTR", "LOAD_METHOD")
        if attribute and step.argval not in _CALLED and hasattr(machine, step.argval):
            return False
    return all(map(_is_plain, code.co_consts))


def _is_plain(value: Any) -> bool:
    """A number, the name of a record, or names of its parameters."""
    if type(value) is tuple:
        return all(type(each) is str or _is_plain(each) for each in value)
    return type(value) in _NUMBERS or value in RECORDS
