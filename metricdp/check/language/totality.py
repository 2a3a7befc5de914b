"""Operations on public values at places that private data decide: each has a value, always.

Under a private condition, in a function of rows and in a loop over records the data decide whether
an operation is evaluated at all.  If it raised there, the error would show one bit of the data,
without noise.  So what stands there is total for every public value that a run admits:

* check knows it, from literals and from what the public values certainly are; or
* it follows from requirements on public parameters, which are printed with the guarantee and
  enforced before data are read; or
* it is rejected.  Computed before the condition, it runs whatever the data are.

The operations that are total are a closed list (`values.total`, `values.total_calls`).  Whatever
else such a place evaluates is rejected by the interpreter, which asks of every expression there
whether it was `shown` (`Interpreter.evaluate`).  Records are total on private and public numbers
(`values.exact`, `columns.language`); what they are given besides is asked for here, too
(`arguments`).  How long an operation takes, and how much memory a loop needs that does one small
thing after the other, is outside of the guarantee; a single operation whose result no memory holds
is not.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from metricdp.check.language.interpreter import Interpreter
from metricdp.check.values import public
from metricdp.check.values.arrays import OF_ARRAYS, shape_of
from metricdp.check.values.findings import Stop
from metricdp.check.values.objects import (
    BlackBox,
    Builtin,
    Closure,
    Constant,
    Library,
    Obj,
    Primitive,
)
from metricdp.check.values.total import NUMBERS, TOTAL, Needs, of_numbers, size_of, sure
from metricdp.expr import ONE, Expr, compare
from metricdp.record import Record, Requirement
from metricdp.spaces import Gradient, Vector
from metricdp.spaces.moments import CLASSES


def shown(interpreter: Interpreter, node: ast.AST, needs: Needs) -> None:
    """An operation of this node is total, under these relations of public parameters.

    Raises:
        Stop: nothing shows that it is, or a relation does not hold.
    """
    if not interpreter.domain.decided:
        return  # what is said here of a node would be believed where it is read again
    interpreter.shown.add(node)
    if needs is None or any(map(_fails, needs)):
        if interpreter.domain.put_off():
            return
        raise partial(interpreter, node)
    if not needs:
        return
    remedy = f"arguments for which `{_text(interpreter, node)}` has a value"
    asked = tuple(Requirement(*need, code="partial-operation", remedy=remedy) for need in needs)
    interpreter.domain.require(asked, interpreter.module, node)


def _fails(need: tuple[Expr, str, Expr]) -> bool:
    """Whether a relation is wrong, or is one of values that only a run knows."""
    known = compare(*need)
    left, _, right = need
    hidden = any(name.startswith("_") for name in left.symbols | right.symbols)
    return known is False or (known is None and hidden)


def holds(interpreter: Interpreter, node: ast.AST, needs: Needs) -> None:
    """As `shown`, of what a statement does with the value of an expression."""
    shown(interpreter, node, needs)
    interpreter.shown.discard(node)


def partial(interpreter: Interpreter, node: ast.AST) -> Stop:
    """The rejection of an operation that may raise where private data decide."""
    text = _text(interpreter, node)
    return interpreter.stop(
        node, "partial-operation",
        f"private data decide whether `{text}` is evaluated, and nothing shows that it never fails",
        "an operation that has a value for all public arguments, or one that runs whatever the "
        "data are",
        f"compute it first, outside of what private data decide: value = {text}",
    )  # fmt: skip


def _text(interpreter: Interpreter, node: ast.AST) -> str:
    if isinstance(node, ast.AugAssign):
        node = node.value if isinstance(node.target, ast.Name) else node
    text = interpreter.text(node) if isinstance(node, ast.expr) else ""
    if text in ("", "x") and isinstance(node, ast.expr | ast.stmt):
        text = ast.unparse(node).partition("\n")[0]
    return text if len(text) <= 60 else f"{text[:57]}..."


def arguments(
    interpreter: Interpreter, record: Record, given: Mapping[str, Obj], node: ast.AST
) -> None:
    """What a record is given that is not private: numbers, which all of them take, or what this one
    is known to take.

    Raises:
        Stop: something else.
    """
    domain = interpreter.domain
    if not domain.decided:
        return
    sizes = [_entries(value) for value in given.values() if interpreter.has_private(value)]
    asked: list[tuple[Expr, str, Expr]] = []
    for name, value in given.items():
        needs = TOTAL if interpreter.has_private(value) else _taken(record, name, value, sizes)
        if needs is None:
            if domain.put_off():
                return
            raise _not_taken(interpreter, node, value)
        asked += needs
    holds(interpreter, node, tuple(asked))
    interpreter.shown.add(node)


#: Records that take texts, and whose rules refuse one beside a number where Python has no value;
#: and those that read one entry.
_OF_TEXTS = frozenset({"eq", "ne", "lt", "le", "gt", "ge", "add"})
_READING = frozenset({"index"})
#: Records whose rules refuse two values that Python does not take together.
_OF_DATES = frozenset(
    """eq ne lt le gt ge time_between time_earlier time_later time_quotient time_ratio""".split()
)
#: Records that take vectors of different lengths.
_OF_ANY_SIZES = frozenset({"outer_product"})
#: Records that have a value for whatever public values they are given.
_TOTAL = frozenset({"contains", "entry_of", "text_method", "time_part", "fill_missing"})
#: Parameters that are given a word of the library.
_WORDS = frozenset({"norm", "to"})
#: What no operation of a record is done to.
_NO_DATA = (BlackBox, Builtin, Closure, Constant, Library, Primitive)


def _taken(record: Record, name: str, value: Obj, sizes: Sequence[Expr | None]) -> Needs:
    if isinstance(value, _NO_DATA) or record.name in _TOTAL:
        return TOTAL
    held = public.kind(value)
    if held in NUMBERS or held == "None" or getattr(value, "literal", None) is ...:
        return TOTAL
    if held in CLASSES:
        return sure(record.name in _OF_DATES)
    if held == "text":
        return sure(record.name in _OF_TEXTS or name in _WORDS)
    if isinstance(getattr(value, "space", None), Gradient):
        return _of_matrix(record, name, value, sizes)
    size = size_of(value)
    if size is None or not of_numbers(value):
        return None
    if record.name in _READING:
        return ((size, ">=", ONE),)
    if record.name in _OF_ANY_SIZES:
        return TOTAL
    vectors = [each for each in sizes if each is not None]
    if not vectors or len(vectors) < len(sizes):
        return None
    return tuple((size, "==", each) for each in vectors)


def _of_matrix(record: Record, name: str, value: Obj, sizes: Sequence[Expr | None]) -> Needs:
    """A public array with two axes: a factor of a vector, or beside another one of its shape,
    which the rule asks for."""
    shape, other = shape_of(value), sizes[0] if len(sizes) == 1 else None
    if record.name != "matmul":
        return sure(shape is not None and record.name in OF_ARRAYS)
    if shape is None or other is None:
        return None
    return ((shape[1] if name == "x" else shape[0], "==", other),)


def _entries(value: Obj) -> Expr | None:
    """Number of entries of a private vector."""
    space = getattr(value, "space", None)
    return space.size if isinstance(space, Vector | Gradient) else None


def _not_taken(interpreter: Interpreter, node: ast.AST, value: Obj) -> Stop:
    """The rejection of a public value that a record may not take."""
    text = _text(interpreter, node)
    what = (
        "a text" if public.kind(value) == "text" else "a public value of which too little is known"
    )
    return interpreter.stop(
        node, "partial-operation",
        f"private data decide whether `{text}` is evaluated, and it is given {what}",
        "public numbers, or a list of numbers whose length is known",
        "make it before, outside of what private data decide: values = [float(w[i]) for i in "
        "range(n)]",
    )  # fmt: skip
