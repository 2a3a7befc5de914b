"""Whether a function object was compiled from a text, so that what runs is what was read."""

from __future__ import annotations

import ast
import types
from collections.abc import Iterable, Iterator
from functools import lru_cache

#: `from __future__ import annotations`, which a prompt hands on to what is typed after it.
_FUTURE = 0x1000000


def compiled_from(node: ast.FunctionDef, source: str, file: str, code: types.CodeType) -> bool:
    """Whether compiling a top-level function of a source text gives this code, at any line."""
    flags = code.co_flags & _FUTURE
    # A file is compiled as a whole, a cell statement by statement: imported names load otherwise.
    return _among(_functions(source, file, flags), node, code) or _among(
        _alone(node, file, flags), node, code
    )


def _among(codes: Iterable[types.CodeType], node: ast.FunctionDef, code: types.CodeType) -> bool:
    first = first_line(node)
    return any(
        found.co_name == node.name and found.co_firstlineno == first and _equal(found, code)
        for found in codes
    )


def first_line(node: ast.FunctionDef) -> int:
    """The line of the first decorator, or of `def`: what a code object calls its first line."""
    return min([node.lineno, *(d.lineno for d in node.decorator_list)])


@lru_cache(maxsize=256)
def _functions(source: str, file: str, flags: int) -> tuple[types.CodeType, ...]:
    return tuple(_codes(compile(source, file, "exec", flags, True)))


def _alone(node: ast.FunctionDef, file: str, flags: int) -> Iterator[types.CodeType]:
    return _codes(compile(ast.Module([node], []), file, "exec", flags, True))


def _codes(whole: types.CodeType) -> Iterator[types.CodeType]:
    for constant in whole.co_consts:
        if isinstance(constant, types.CodeType):
            yield constant
            if constant.co_name.startswith("<generic parameters"):  # def f[T](...), from 3.12 on
                yield from _codes(constant)


def _equal(a: types.CodeType, b: types.CodeType) -> bool:
    if len(a.co_consts) != len(b.co_consts) or any(getattr(a, f) != getattr(b, f) for f in _FIELDS):
        return False
    return all(
        _equal(x, y)
        if isinstance(x, types.CodeType) and isinstance(y, types.CodeType)
        else type(x) is type(y) and repr(x) == repr(y)
        for x, y in zip(a.co_consts, b.co_consts, strict=True)
    )


#: What two codes have in common that do the same with the same arguments, besides constants.
_FIELDS = (
    "co_code", "co_names", "co_varnames", "co_freevars", "co_cellvars", "co_exceptiontable",
    "co_argcount", "co_posonlyargcount", "co_kwonlyargcount",
)  # fmt: skip
