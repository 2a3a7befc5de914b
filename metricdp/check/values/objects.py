"""What an expression evaluates to in the interpreter.

Numbers and containers are `Value`s of the domain; the rest are Python's own objects seen from
outside: tuples, functions, modules, constants, names of libraries.
"""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import msgspec

from metricdp.check.values.facts import Facts
from metricdp.check.values.forms import Form
from metricdp.check.values.keys import Keys
from metricdp.diagnostics import Span
from metricdp.expr import Expr
from metricdp.record import Record
from metricdp.spaces import Space


class SourceFile(ABC):
    """A source file as those see it that read names; `check.source.program` says what they mean."""

    path: str
    source: str
    tree: ast.Module
    lines: Sequence[str]
    #: Name -> the statements at the top of the file that bind it.
    bindings: dict[str, list[ast.stmt]]

    @abstractmethod
    def span(self, node: ast.AST) -> Span:
        """Place of a node of this file."""

    @abstractmethod
    def functions(self) -> list[ast.FunctionDef]:
        """Every top-level function, in order."""

    @abstractmethod
    def lookup(self, name: str) -> Obj | None:
        """What a top-level name means; None if the file does not bind it."""

    @abstractmethod
    def reached(self) -> Sequence[SourceFile]:
        """This file, and every file of the project that it imports, or that these import."""

    @abstractmethod
    def star_import(self) -> ast.ImportFrom | None:
        """The first `from module import *` at the top of the file, or None."""


class Missing:
    """No literal is known."""

    def __repr__(self) -> str:
        return "unknown"


UNKNOWN = Missing()


class Value(msgspec.Struct, frozen=True):
    """A number, container or other data value.

    Attributes:
        origin: "private" (form and space say how it moves), "released" or "public".
        space, form: of a private value.
        expr: of a public or released number, as an expression; None if not expressible.
        typed: `expr` with decimals as they were typed, where that differs.
        literal: the Python value when it is known while checking.
        source: of a public value: "literal", "parameter", "schema" or "computed".
        size: number of items of a public or released sequence, if known.
        facts: of a truth value: what it says about numbers.
        holds: what a public or released value certainly is in a run ("int", "exact", "bool",
            "text"), or "optional"; "" where the other fields say all that is known (`public.kind`).
        term: of a private value: which function of one row it is (`values.terms`); of an item of a
            public parameter: which item.
        each: of a public list: what each of its items is, where that is an array.
        keys: of a public sequence, set or dictionary: which parameter it is, or is made of.
        step: id of the derivation step that made it.
        why: reason of an infinite bound.
    """

    origin: str
    space: Space | None = None
    form: Form | None = None
    expr: Expr | None = None
    typed: Expr | None = None
    literal: Any = UNKNOWN
    source: str = ""
    step: str = ""
    why: Any = None
    size: Expr | None = None
    facts: Facts | None = None
    holds: str = ""
    term: tuple[Any, ...] | None = None
    each: Value | None = None
    keys: Keys | None = None

    @property
    def private(self) -> bool:
        return self.origin == "private"


#: How `TupleValue.kind` of a row begins, before the name of its class.
ROW = "row "


class TupleValue(msgspec.Struct, frozen=True):
    """A tuple or list display of known length, or a row with named fields."""

    items: tuple[Obj, ...]
    is_list: bool = False
    names: tuple[str, ...] = ()
    #: Class of an instance that the program made, or of a row.
    kind: str = ""


class ListRef(msgspec.Struct, frozen=True):
    """A list made by the program; its contents are in the heap under this number."""

    number: int


class AlignedParts(msgspec.Struct, frozen=True):
    """Containers whose rows belong to the same persons: an aligned parameter."""

    parts: tuple[Value, ...]


class Closure(msgspec.Struct, frozen=True, eq=False):
    """A function of the program: its node, its module, the frame it closes over, its name."""

    node: ast.FunctionDef | ast.Lambda
    module: SourceFile
    frame: Any
    name: str
    #: Values of default arguments, evaluated where a nested function is defined.
    defaults: dict[str, Any] = {}
    #: What `functools.partial` gives it already, by position and by name.
    given: tuple[Any, ...] = ()
    given_names: dict[str, Any] = {}


class Primitive(msgspec.Struct, frozen=True, eq=False):
    """A record of the registry, called by one of its names."""

    record: Record


class Constant(msgspec.Struct, frozen=True, eq=False):
    """A literal bound at the top of a file."""

    value: Any
    node: ast.AST
    module: Any


class Computed(msgspec.Struct, frozen=True, eq=False):
    """A constant at the top of a file that is built from literals: its expression, its file."""

    node: ast.expr
    module: Any


class ModuleRef(msgspec.Struct, frozen=True, eq=False):
    """A file of the project, imported as a module."""

    module: SourceFile


class Library(msgspec.Struct, frozen=True, eq=False):
    """A dotted name of metricdp or of a public library."""

    dotted: str


class Builtin(msgspec.Struct, frozen=True, eq=False):
    """A name of Python's builtins."""

    name: str


class Range(msgspec.Struct, frozen=True, eq=False):
    """`range(...)`: its public count and, when known, the expression of its i-th value."""

    start: Value
    count: Expr
    step: Expr


class External(msgspec.Struct, frozen=True, eq=False):
    """A name whose meaning is not known, why, and what to write instead where that is known."""

    name: str
    reason: str
    code: str = "unknown-name"
    remedy: str = ""


class Poison(External, frozen=True, eq=False):
    """What a name holds after the statement that makes its value was rejected.

    Exists only while the mistakes of a function are gathered that was rejected already.
    """


class Unset(External, frozen=True, eq=False):
    """What a name holds that is read only where something was stored into it before."""


class BlackBox(msgspec.Struct, frozen=True, eq=False):
    """A function whose body is not analysed.

    Attributes:
        name: what its file calls it.
        module: the file that declares it.
        options: keyword arguments of `dp.black_box(...)`.
        place: the definition or the assignment, for messages.
        source, home: the function's own tree and file; None where its source is not read.
    """

    name: str
    module: SourceFile
    options: dict[str, ast.expr]
    place: ast.AST
    source: ast.FunctionDef | ast.Lambda | None
    home: SourceFile

    @property
    def key(self) -> str:
        """Its file and name: what tells it from every other box of the project."""
        return f"{self.module.path}::{self.name}"


class Member(msgspec.Struct, frozen=True, eq=False):
    """A function of a class.

    Attributes:
        kind: "method", "property", "static" or "class".
        function: the function.
        stores: whether it stores into `self`, which it then may only be given fresh.
    """

    kind: str
    function: Closure
    stores: bool = False


class Factory(msgspec.Struct, frozen=True, eq=False):
    """A default that is made anew for each instance: the expression that makes it."""

    node: ast.expr


class RecordClass(msgspec.Struct, frozen=True, eq=False):
    """A class whose instances are values that never change.

    Attributes:
        node, module: its definition and its file.
        fields: names of its fields, in order.
        defaults: of fields that need not be given.
        members: its functions by name.
        attributes: constants that all instances share.
        made: `__init__` as a function of its arguments that gives the fields in order; None where
            the fields themselves are the arguments.
    """

    node: ast.ClassDef
    module: SourceFile
    fields: tuple[str, ...]
    defaults: dict[str, Constant | Computed | Factory]
    members: dict[str, Member] = {}
    attributes: dict[str, Constant | Computed] = {}
    made: Closure | None = None

    @property
    def kind(self) -> str:
        """Its file and name: `TupleValue.kind` of its instances."""
        return f"{self.module.path}:{self.node.name}"


class Zip(msgspec.Struct, frozen=True, eq=False):
    """`zip(...)`, lazily: its arguments."""

    parts: tuple[Obj, ...]


class View(msgspec.Struct, frozen=True, eq=False):
    """`d.keys()`, `d.values()` or `d.items()`, lazily: of which dictionary, and which of these."""

    of: ListRef
    what: str


class Numbered(msgspec.Struct, frozen=True, eq=False):
    """`enumerate(...)`: what it counts, from a public number."""

    inner: Obj
    start: Expr


Obj = (
    Value
    | TupleValue
    | AlignedParts
    | Closure
    | Primitive
    | Constant
    | Computed
    | ModuleRef
    | Library
    | Builtin
    | Range
    | External
    | ListRef
    | BlackBox
    | RecordClass
    | Zip
    | Numbered
    | View
)


def shape(value: TupleValue) -> tuple[object, ...]:
    """What the type and the length of a tuple show."""
    return value.names, value.is_list, value.kind, len(value.items)


def same(a: Obj, b: Obj) -> bool:
    """Whether two objects are certainly one value, to anybody who could look at either.

    Two public values that are not known are not the same because nothing is known of both; and 1,
    1.0 and True are different values to whoever prints them.
    """
    if a is b:
        return True
    if isinstance(a, TupleValue) and isinstance(b, TupleValue):
        return shape(a) == shape(b) and all(
            same(x, y) for x, y in zip(a.items, b.items, strict=True)
        )
    if isinstance(a, Value) and isinstance(b, Value):
        if a.private and b.private:
            return a.form == b.form and a.space == b.space
        known = UNKNOWN not in (a.literal, b.literal)
        return known and a.origin == b.origin and _spelled(a.literal) == _spelled(b.literal)
    return isinstance(a, ListRef) and a == b


def literal_text(literal: Any) -> str:
    """A literal as a key: 0.0 and -0.0 differ, and whole numbers of any size have one."""
    return hex(literal) if type(literal) is int else repr(literal)


def _spelled(literal: Any) -> tuple[type, str]:
    return type(literal), literal_text(literal)
