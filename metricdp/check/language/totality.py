"""Operations on public values at places that private data decide: each has a value, always.

Under a private condition, in a function of rows and in a loop over records the data decide whether
an operation is evaluated at all.  If it raised there, the error would show one bit of the data,
without noise.  So what stands there is total for every public value that a run admits:

* check knows it, from literals and from what the public values certainly are; or
* it follows from requirements on public parameters, which are printed with the guarantee and
  enforced before data are read; or
* it is rejected.  Computed before the condition, it runs whatever the data are.

The operations below are a closed list.  Whatever else such a place evaluates is rejected by the
interpreter, which asks of every expression there whether it was `shown` (`Interpreter.evaluate`).
Records are total on private and public numbers (`values.exact`, `columns.language`); what they are
given besides is asked for here, too (`arguments`).  How long an operation takes, and how much
memory a loop needs that does one small thing after the other, is outside of the guarantee; a single
operation whose result no memory holds is not.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import ceil

from metricdp.check.language.interpreter import Interpreter
from metricdp.check.values import public
from metricdp.check.values.dictionaries import is_dictionary
from metricdp.check.values.findings import Stop
from metricdp.check.values.objects import (
    BlackBox,
    Builtin,
    Closure,
    Constant,
    Library,
    ModuleRef,
    Obj,
    Primitive,
    Range,
    TupleValue,
    Value,
)
from metricdp.expr import ONE, ZERO, Expr, compare, num
from metricdp.expr.core import digits
from metricdp.record import Record, Requirement, by_numpy
from metricdp.spaces import Gradient, Scalar, Vector

#: left, operator, right: what makes an operation total; () for one that is, None for no other.
Needs = tuple[tuple[Expr, str, Expr], ...] | None
TOTAL: Needs = ()
NOWHERE: Mapping[str, Expr] = {}

_NUMBERS = frozenset({"int", "exact", "number", "bool"})
_SCALARS = _NUMBERS | {"text", "None"}
#: Integers and rationals are added and multiplied exactly, whatever their size.
_EXACT = frozenset({"int", "exact", "bool"})
#: Between these magnitudes a constant meets any number without an overflow or a division by 0.0.
_LARGE, _SMALL = Fraction(2) ** 900, Fraction(1, 2**900)
#: Most binary digits of a number that is made here, and of a public parameter (a rational has two).
_LONGEST, _PARAMETER = 10**7, 30_000
_ORDER = frozenset({"<", "<=", ">", ">="})
#: Methods of texts that are given nothing, and that are given one text.
_OF_TEXTS = frozenset("lower upper strip lstrip rstrip casefold title capitalize".split())
_OF_TWO_TEXTS = frozenset("startswith endswith".split())
#: Functions of one constant -> the least and the largest one that they are known to take.
_OF_CONSTANTS: Mapping[str, tuple[Fraction, Fraction]] = {
    "math.sqrt": (Fraction(0), _LARGE), "math.log": (_SMALL, _LARGE),
    "math.log2": (_SMALL, _LARGE), "math.log10": (_SMALL, _LARGE),
    "math.exp": (-_LARGE, Fraction(700)), "math.tanh": (-_LARGE, _LARGE),
    "math.sin": (-_LARGE, _LARGE), "math.cos": (-_LARGE, _LARGE), "math.tan": (-_LARGE, _LARGE),
    "math.atan": (-_LARGE, _LARGE), "math.fabs": (-_LARGE, _LARGE),
}  # fmt: skip
#: Parts of libraries that hold functions with rules.
_FOLDERS = frozenset({"numpy.linalg"})
_ROUNDING = frozenset({"math.floor", "math.ceil", "math.trunc"})


def shown(interpreter: Interpreter, node: ast.AST, needs: Needs) -> None:
    """An operation of this node is total, under these relations of public parameters.

    Raises:
        Stop: nothing shows that it is, or a relation does not hold.
    """
    interpreter.shown.add(node)
    if not interpreter.domain.decided:
        return
    if needs is None or any(compare(*need) is False for need in needs):
        if interpreter.domain.put_off():
            return
        raise partial(interpreter, node)
    remedy = f"arguments for which `{_text(interpreter, node)}` has a value"
    asked = tuple(Requirement(*need, code="partial-operation", remedy=remedy) for need in needs)
    interpreter.domain.require(asked, interpreter.module, node)


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


# -- operators ----------------------------------------------------------------------------


def binary(operator: str, left: Obj, right: Obj) -> Needs:
    """`left operator right` of two values with nothing private in them."""
    a, b = public.kind(left), public.kind(right)
    if operator in ("is", "is not"):
        return TOTAL
    if operator in ("==", "!="):
        return _known(_is_plain(left) and _is_plain(right))
    if operator in _ORDER:
        return _known({a, b} <= _NUMBERS or a == b == "text")
    if operator in ("in", "not in"):
        return _known(bool(a) and _holds(right, a))
    if operator in ("&", "|", "^"):
        return _known(a == b == "bool")
    if not (isinstance(left, Value) and isinstance(right, Value)):
        return None
    if operator == "+" and "text" in (a, b):
        return _known(a == b and any(isinstance(v.literal, str) for v in (left, right)))
    if not {a, b} <= _NUMBERS:
        return None
    if operator in ("+", "-", "*"):
        whole = a == b == "int" and operator != "*"
        return _known(whole or _may_meet(left, right) or _are_small(left, right))
    if operator in ("/", "//", "%"):
        return _divided(left, right)
    return _power(left, right) if operator == "**" else None


def joined(left: TupleValue, right: TupleValue) -> Needs:
    """`left + right` of two tuples, or of two lists."""
    alike = left.is_list == right.is_list
    return _known(alike and not is_dictionary(left) and not is_dictionary(right))


def _known(total: bool) -> Needs:
    return TOTAL if total else None


def _may_meet(left: Value, right: Value) -> bool:
    """Whether numbers are added, multiplied and divided without an overflow: both are exact, or one
    is a constant of the program.

    Of exact ones, the length of one is known: numbers that are not known would double in length
    in every round of a loop.
    """
    if _is_small(left) or _is_small(right):
        return True
    if not {public.kind(left), public.kind(right)} <= _EXACT:
        return False
    lengths = [length for length in map(_length, (left, right)) if length is not None]
    return bool(lengths) and sum(lengths) <= _LONGEST


def _are_small(left: Value, right: Value) -> bool:
    """Whether both are constants, of which one may be rounded: math.sqrt(2) * 3."""
    return all(_is_small(each) or _is_small_float(each) for each in (left, right))


def _is_small_float(value: Value) -> bool:
    expr = value.expr
    if expr is None or expr.symbols or expr.is_infinite or public.kind(value) != "number":
        return False
    ends = [abs(Fraction(end)) for end in (expr.lower({}), expr.upper({}))]
    return all(_SMALL <= end <= _LARGE for end in ends)


def _length(value: Value) -> int | None:
    """Most binary digits of an exact public number in a run; None where nothing says so."""
    if public.kind(value) == "bool":
        return 1
    return _digits(value.expr) if value.expr is not None and public.is_exact(value) else None


#: Functions in expressions whose results are about as long as their arguments.
_PLAIN = frozenset({"max", "min", "abs", "floor", "ceiling", "base"})


def _digits(expr: Expr) -> int | None:
    if expr.is_infinite:
        return None
    total = 0
    for monomial in expr.terms:
        total += digits(expr) + 2
        for atom, exponent in monomial:
            parts: list[int | None] = [_PARAMETER]
            if atom.kind in _PLAIN:
                parts = [_digits(arg) for arg in atom.args]
            elif atom.kind not in ("sym", "prime"):
                return None
            lengths = [part for part in parts if part is not None]
            if len(lengths) < len(parts):
                return None
            total += ceil(abs(Fraction(exponent)) * sum(lengths))
    return total


def _constant(value: Value) -> Fraction | None:
    """A number that is written in the program."""
    if public.kind(value) == "bool":
        return Fraction(value.literal) if isinstance(value.literal, bool) else None
    return value.expr.as_fraction() if value.expr is not None and public.is_exact(value) else None


def _is_small(value: Value) -> bool:
    if public.kind(value) == "bool":
        return True
    known = _constant(value)
    return known is not None and (not known or _SMALL <= abs(known) <= _LARGE)


def _divided(left: Value, right: Value) -> Needs:
    if public.kind(right) == "bool":
        return None  # False is 0
    if right.expr is None or not public.is_exact(right):
        return None
    exact = {public.kind(left), public.kind(right)} <= _EXACT and _may_meet(left, right)
    return ((right.expr, "!=", ZERO),) if exact or _is_small(right) else None


def _power(left: Value, right: Value) -> Needs:
    exponent = _constant(right)
    if exponent is None or public.kind(right) == "bool":
        return None
    if exponent.denominator != 1:
        return TOTAL  # a rational in a run: `values.exact` has a value for every base
    length = _length(left) if public.kind(left) in _EXACT else None
    if exponent >= 0:
        return _known(length is not None and length * exponent <= _LONGEST)
    known = _constant(left)
    return _known(bool(known) and _is_small(left) and abs(exponent) <= 1)


def unary(operator: str, value: Obj) -> Needs:
    """`-a`, `+a`, `not a` of a value with nothing private in it."""
    if operator == "not":
        return truth(value)
    return _known(operator in "+-" and public.kind(value) in _NUMBERS)


def positive(value: Obj) -> Needs:
    """`+a` of a private value: Python has none for texts."""
    space = getattr(value, "space", None)
    return _known(isinstance(space, Scalar) and space.element in ("Real", "Int", "Bool"))


def truth(value: Obj) -> Needs:
    """A value as a condition: an array of several entries is none."""
    return _known(isinstance(value, TupleValue) or public.kind(value) in _SCALARS)


def _is_plain(value: Obj) -> bool:
    """A number, a text, None, or a tuple or list of these: compared as a whole."""
    if isinstance(value, TupleValue):
        return all(map(_is_plain, value.items))
    return public.kind(value) in _SCALARS


def hashed(key: Obj) -> Needs:
    """A key of a dictionary."""
    if isinstance(key, TupleValue):
        return _known(not key.is_list and all(hashed(item) is TOTAL for item in key.items))
    return _known(public.kind(key) in _SCALARS)


def _holds(container: Obj, kind: str) -> bool:
    """Whether a container can be searched for a scalar of this kind."""
    if is_dictionary(container) or getattr(container, "source", "") == "dict":
        return True  # a scalar has a hash
    if isinstance(container, TupleValue):
        return _is_plain(container)
    if public.kind(container) == "text":
        return kind == "text"
    return isinstance(container, Value) and isinstance(container.space, Vector)


# -- parts of public values -----------------------------------------------------------------


def entry(base: Obj, index: Obj, positions: Mapping[str, Expr] = NOWHERE) -> Needs:
    """`base[index]`.

    Args:
        positions: step that released a position -> how many there were.
    """
    known = getattr(index, "literal", None)
    size = _size(base)
    if size is None or not isinstance(index, Value) or index.private:
        return None
    if index.origin == "released" and public.kind(index) == "number":
        count = positions.get(index.step)
        return None if count is None else ((size, ">=", count),)
    if public.kind(index) != "int" or index.expr is None or not public.is_exact(index):
        return None
    if isinstance(known, int) and known < 0:
        return ((size, ">=", num(-known)),)
    if isinstance(known, int):
        return ((size, ">", num(known)),)
    return (index.expr, ">=", ZERO), (index.expr, "<", size)


def unpacked(value: Obj, count: int, more: bool = False) -> Needs:
    """A public sequence bound to so many names; with `more`, to a name of the rest, too."""
    size = _size(value)
    return None if size is None else ((size, ">=" if more else "==", num(count)),)


def sliced(base: Obj, ends: Iterable[Obj]) -> Needs:
    """`base[i:j]`; a step may not be 0."""
    *places, step = ends
    known = getattr(step, "literal", 0)
    stepped = known is ... or (public.kind(step) == "int" and isinstance(known, int) and known != 0)
    whole = all(
        getattr(end, "literal", 0) is ... or public.kind(end) in ("int", "None") for end in places
    )
    held = _size(base) is not None or public.kind(base) == "text"
    return _known(held and stepped and whole)


def _size(value: Obj) -> Expr | None:
    """Number of items of a tuple, list or public sequence."""
    if isinstance(value, TupleValue):
        return None if is_dictionary(value) else num(len(value.items))
    if isinstance(value, Value) and value.origin == "released" and isinstance(value.space, Vector):
        return value.space.size
    return public.public_length(value)


def attribute(base: Obj, found: Obj, name: str) -> Needs:
    """`base.name`: a field, a size, a name of a file or of a library whose meaning is known."""
    if isinstance(base, TupleValue | ModuleRef):
        return TOTAL
    if isinstance(base, Value):
        return _known(base.private)
    if isinstance(found, Library):
        return _known(_is_named(found.dotted))
    return _known(isinstance(base, Library) and isinstance(found, Value))


def _is_named(dotted: str) -> bool:
    """Whether a name of a library is one that the rules or this file know, or leads to one."""
    head = dotted.partition(".")[0]
    if head == "metricdp":
        return True
    if dotted in _OF_CONSTANTS or dotted in _ROUNDING or dotted in ("math", "numpy"):
        return True
    return by_numpy(dotted) is not None or dotted in _FOLDERS


# -- calls --------------------------------------------------------------------------------


def builtin(name: str, arguments: Sequence[Obj], keywords: Mapping[str, Obj]) -> Needs:
    """A builtin of Python that is given nothing private."""
    if name == "dict":
        return TOTAL  # `dictionaries.called` asks
    if name == "zip":
        return _zipped(arguments, keywords)
    if name == "enumerate":
        start = arguments[1] if len(arguments) > 1 else keywords.get("start", public.literal(0))
        return _known(public.kind(start) == "int")
    if keywords:
        return None
    if name == "range":
        return _known(all(map(_is_whole, arguments)))
    if name in ("min", "max"):
        return _largest(arguments)
    if len(arguments) == 2 and name == "round":
        places = _constant(arguments[1]) if isinstance(arguments[1], Value) else None
        whole = public.kind(arguments[1]) == "int" and places is not None and 0 <= places <= 1000
        return _known(public.kind(arguments[0]) in _EXACT and whole)
    if len(arguments) != 1:
        return _known(name in ("list", "tuple") and not arguments)
    return _of_one(name, arguments[0])


def _of_one(name: str, value: Obj) -> Needs:
    held = public.kind(value)
    if name in ("abs", "float"):
        return _known(held in _NUMBERS)
    if name == "bool":
        return truth(value)
    if name in ("int", "round"):
        return _known(held in _EXACT)
    if name == "len":
        sized = isinstance(value, TupleValue) or _size(value) is not None
        return _known(held == "text" or sized or _is_counted(value))
    if name in ("str", "repr"):
        return _known(_is_shown(value))
    if name in ("list", "tuple", "reversed"):
        return _known(isinstance(value, TupleValue) or _is_counted(value))
    if name in ("any", "all"):
        return _known(isinstance(value, TupleValue) and all(truth(i) is TOTAL for i in value.items))
    if name == "sorted":
        return _known(_of_numbers(value))
    if name == "sum" and isinstance(value, TupleValue):
        lengths = [_length(i) for i in value.items if isinstance(i, Value)]
        known = [length for length in lengths if length is not None]
        return _known(len(known) == len(value.items) and sum(known) <= _LONGEST)
    return None


def _is_counted(value: Obj) -> bool:
    """A range whose number of items is written in the program."""
    count = value.count.as_fraction() if isinstance(value, Range) else None
    return count is not None and count <= _PARAMETER


def _of_numbers(value: Obj) -> bool:
    if isinstance(value, TupleValue):
        return not value.names and all(public.kind(item) in _NUMBERS for item in value.items)
    space = getattr(value, "space", None)
    return isinstance(space, Vector) and space.element in ("Real", "Int")


def _is_whole(value: Obj) -> bool:
    return isinstance(value, Value) and public.is_exact(value) and value.expr.is_integer() is True  # type: ignore[union-attr]


def _largest(arguments: Sequence[Obj]) -> Needs:
    if len(arguments) > 1:
        return _known(all(public.kind(each) in _NUMBERS for each in arguments))
    (values,) = arguments or (None,)
    size = None if values is None else _size(values)
    if values is None or size is None or not _of_numbers(values):
        return None
    return ((size, ">=", ONE),)


def _zipped(parts: Sequence[Obj], keywords: Mapping[str, Obj]) -> Needs:
    if not keywords:
        return TOTAL
    sizes = [_size(part) for part in parts]
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
    return _is_small(value)


def text(values: Iterable[Obj], formats: bool) -> Needs:
    """An f-string of these values; with `formats`, some have a format of their own."""
    return _known(not formats and all(map(_is_shown, values)))


def extended(added: Obj) -> Needs:
    """`values.extend(added)`."""
    return _known(_size(added) is not None or _is_counted(added))


def library(dotted: str, arguments: Sequence[Obj], keywords: Mapping[str, Obj]) -> Needs:
    """A function of a library that is given nothing private."""
    value = arguments[0] if len(arguments) == 1 and not keywords else None
    if not isinstance(value, Value):
        return None
    if dotted in _ROUNDING:
        return _known(public.kind(value) in _EXACT)
    known, ends = _constant(value), _OF_CONSTANTS.get(dotted)
    return _known(known is not None and ends is not None and ends[0] <= known <= ends[1])


def method(base: Obj, name: str, arguments: Sequence[Obj], keywords: Mapping[str, Obj]) -> Needs:
    """A method of a public text."""
    if keywords or public.kind(base) != "text":
        return None
    if name in _OF_TWO_TEXTS:
        return _known(len(arguments) == 1 and public.kind(arguments[0]) == "text")
    return _known(name in _OF_TEXTS and not arguments)


def made_by(name: str) -> str:
    """What a method of a text makes, if it makes anything."""
    return "text" if name in _OF_TEXTS else "bool" if name in _OF_TWO_TEXTS else ""


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


#: Records that compare values of any kind, and those that read one entry.
_COMPARING = frozenset({"eq", "ne"})
_READING = frozenset({"index"})
#: Parameters that are given a word of the library.
_WORDS = frozenset({"norm", "to"})
#: What no operation of a record is done to.
_NO_DATA = (BlackBox, Builtin, Closure, Constant, Library, Primitive)


def _taken(record: Record, name: str, value: Obj, sizes: Sequence[Expr | None]) -> Needs:
    if isinstance(value, _NO_DATA):
        return TOTAL
    held = public.kind(value)
    if held in _NUMBERS or held == "None" or getattr(value, "literal", None) is ...:
        return TOTAL
    if held == "text":
        return _known(record.name in _COMPARING or name in _WORDS)
    size = _size(value)
    if size is None or not _of_numbers(value):
        return None
    if record.name in _READING:
        return ((size, ">=", ONE),)
    vectors = [each for each in sizes if each is not None]
    if not vectors or len(vectors) < len(sizes):
        return None
    return tuple((size, "==", each) for each in vectors)


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
