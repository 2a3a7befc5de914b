"""What a function declares: its kind, claims, parameters and their spaces, read from syntax."""

from __future__ import annotations

import ast
import re
from typing import Any

import msgspec

from metricdp.check.source.names import KINDS, NO_LITERAL, kind_of, qualified
from metricdp.check.values.findings import stop
from metricdp.check.values.objects import (
    Closure,
    Computed,
    Constant,
    External,
    Library,
    ModuleRef,
    RecordClass,
    SourceFile,
)
from metricdp.check.values.public import LARGEST
from metricdp.errors import SpaceError
from metricdp.spaces import Aligned, Public, Space, TupleSpace, space_from_ast, vocabulary
from metricdp.spaces.annotation import evaluate
from metricdp.spaces.written_rows import row_from_call, row_from_class

#: Public types whose number of items is a public name, `len_x`.
SEQUENCES = ("tuple", "list", "Sequence", "numpy.ndarray")
#: Public types that have such a number.
COUNTED = (*SEQUENCES, "dict", "set", "frozenset")
_ITEMS = r"(?:tuple|list|Sequence)\[(float|int|str|datetime|date)(?:, (?:\.\.\.|\1))*\]"


def item_type(text: str) -> str:
    """ "float", "int", "str", "date" or "datetime" for a sequence of these; "" for another type."""
    found = re.fullmatch(_ITEMS, text) if text.endswith("]") else None
    return found[1] if found else ""


#: A decorator that is not at the left margin.
_INDENTED = re.compile(r"^[ \t]+@", re.MULTILINE)


#: Expressions that only name a value, or build one of others.
_PLAIN = (
    ast.Constant, ast.Name, ast.Attribute, ast.Tuple, ast.List, ast.Dict, ast.BinOp, ast.UnaryOp,
    ast.operator, ast.unaryop, ast.expr_context,
)  # fmt: skip


class Parameter(msgspec.Struct, frozen=True):
    """One parameter: its space when private, its plain type when public."""

    name: str
    space: Space | None
    type: str
    node: Any


class Declaration(msgspec.Struct, frozen=True):
    """A decorated function before it is checked.

    Attributes:
        unread: why its decorator cannot be read, which rejects it; "" where it can.
    """

    node: Any
    module: Any
    kind: str
    options: dict[str, Any]
    decorator: Any
    unread: str = ""

    @property
    def name(self) -> str:
        return str(self.node.name)


def declarations(module: SourceFile) -> list[Declaration]:
    """Every function that a metricdp decorator marks, in order.

    Also asynchronous ones and those inside of classes, branches and functions, so that none is
    passed over in silence: `verify` rejects what it cannot check.
    """
    found = []
    nodes: list[Any] = module.functions()
    if "async def" in module.source or _INDENTED.search(module.source):
        nodes = [
            n
            for n in ast.walk(module.tree)
            if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)
        ]
        nodes.sort(key=lambda n: n.lineno)
    for node in nodes:
        for decorator in node.decorator_list:
            call = decorator if isinstance(decorator, ast.Call) else None
            name = call.func if call else decorator
            kind = kind_of(module, name)
            why = unread(module, name) if kind is None else ""
            if kind is not None or why:
                options = {k.arg: k.value for k in call.keywords if k.arg} if call else {}
                declared = Declaration(node, module, kind or _meant(name), options, decorator, why)
                found.append(declared)
                break
    return found


def _meant(node: ast.expr) -> str:
    last = getattr(node, "attr", getattr(node, "id", ""))
    return "transformation" if last == "transformation" else "measurement"


def unread(module: SourceFile, node: ast.expr) -> str:
    """Why a decorator that is none of metricdp's may still be meant as one; "" if it is not."""
    last = node.attr if isinstance(node, ast.Attribute) else ""
    while isinstance(node, ast.Attribute):
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    head = node.id
    named = (last or head) in KINDS
    statements = module.bindings.get(head, [])
    if not statements:
        starred = named and module.star_import() is not None
        return f"`{head}` comes from `import *`" if starred else ""
    found = module.lookup(head)
    if isinstance(found, Library):
        if not f"{found.dotted}.".startswith("metricdp."):
            return ""
        return f"metricdp has no decorator `{last or head}`"
    if isinstance(found, External):
        mentioned = "metricdp" in module.source or head == "dp"
        if any(_from_metricdp(s) for s in statements) or (named and mentioned):
            return found.reason
    return ""


def _from_metricdp(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.ImportFrom):
        return not statement.level and (statement.module or "").split(".")[0] == "metricdp"
    return isinstance(statement, ast.Import) and any(
        alias.name.split(".")[0] == "metricdp" for alias in statement.names
    )


def resolver(module: SourceFile) -> Any:
    """Looks names up in annotations of a module, without importing it."""

    def resolve(name: str) -> object:
        dotted = qualified(module, name)
        if dotted is not None:
            if dotted.startswith(("dataclasses", "metricdp.spaces.")):
                dotted = f"metricdp.{dotted.rsplit('.', 1)[-1]}"
            return vocabulary.qualified(dotted)
        head, _, rest = name.partition(".")
        found = module.lookup(head)
        if isinstance(found, ModuleRef):
            return resolver(found.module)(rest)
        if isinstance(found, Closure):
            return None
        if isinstance(found, Constant) and type(found.value) in (int, float) and not rest:
            return found.value
        if isinstance(found, Computed) and not rest:
            return _written(found.node, found.module, resolver(found.module))
        if isinstance(found, RecordClass):
            home = found.module
            return row_from_class(found.node, resolver(home), lambda n: qualified(home, n))
        if isinstance(found, External) or found is None:
            statements = module.bindings.get(head, [])
            if len(statements) == 1 and isinstance(statements[0], ast.ClassDef):
                return row_from_class(statements[0], resolve, lambda n: qualified(module, n))
            if len(statements) == 1 and isinstance(statements[0], ast.Assign):
                return _written(statements[0].value, module, resolve)
            return vocabulary.qualified(name) if not statements else None
        return None

    return resolve


def _written(node: ast.expr, module: SourceFile, resolve: Any) -> Any:
    """What an expression of a file means in annotations: a row, or a type."""
    row = row_from_call(node, resolve, lambda n: qualified(module, n))
    return evaluate(node, resolve) if row is None else row


def parameters(declared: Declaration) -> list[Parameter]:
    """The parameters with their spaces.

    Raises:
        Stop: a parameter without annotation, or one that is no space and no plain type.
    """
    node, module = declared.node, declared.module
    spec = node.args
    if spec.vararg or spec.kwarg:
        raise stop(
            module, node, "unannotated-parameter",
            f"`{node.name}` takes a variable number of parameters",
            "named, annotated parameters", "write the parameters out",
        )  # fmt: skip
    found = [parameter(declared, argument) for argument in arguments(declared)]
    literal_defaults(spec, module)
    return found


def arguments(declared: Declaration) -> list[ast.arg]:
    """The parameters as they are written."""
    spec = declared.node.args
    return [*spec.posonlyargs, *spec.args, *spec.kwonlyargs]


def parameter(declared: Declaration, argument: ast.arg) -> Parameter:
    """One parameter with its space.

    Raises:
        Stop: no annotation, or one that is no space and no plain type.
    """
    module = declared.module
    if argument.annotation is None:
        raise stop(
            module, argument, "unannotated-parameter",
            f"nothing says whether `{argument.arg}` is private or public",
            "a metric space for private data, or a plain type for a public parameter",
            f"{argument.arg}: dp.Records[float]   or   {argument.arg}: float",
        )  # fmt: skip
    space = annotation(module, argument.annotation, resolver(module), argument.arg)
    _own_names(module, argument, space, {a.arg for a in arguments(declared)})
    if isinstance(space, Public):
        return Parameter(argument.arg, None, space.type, argument)
    return Parameter(argument.arg, space, "", argument)


def _own_names(module: SourceFile, argument: ast.arg, space: Any, names: set[str]) -> None:
    """Names of parameters and sizes stand in bounds: none may mean something else there.

    Raises:
        Stop: a name that bounds use already.
    """
    name, taken = argument.arg, ""
    if isinstance(space, Public):
        if name == "d_in" or name.startswith("_"):
            taken = name
        elif space.type.startswith(COUNTED):
            taken = next((t for t in (f"len_{name}", f"different_{name}") if t in names), "")
    else:
        symbols = {s for size in _sizes(space) for s in size.symbols}
        taken = next((s for s in sorted(symbols) if s == "d_in" or s.startswith("_")), "")
    if taken:
        raise stop(
            module, argument, "not-a-space",
            f"`{taken}` means something else in bounds already", "another name",
            f"rename `{taken}`",
        )  # fmt: skip


def _sizes(space: Any) -> list[Any]:
    parts = space.parts if isinstance(space, Aligned | TupleSpace) else ()
    own = [getattr(space, field, None) for field in ("size", "rows", "cols", "lo", "hi")]
    return [s for s in own if hasattr(s, "symbols")] + [s for p in parts for s in _sizes(p)]


def annotation(module: SourceFile, node: ast.expr, resolve: Any, name: str) -> Space:
    """The space of one annotation.

    Raises:
        Stop: it denotes none.
    """
    try:
        return space_from_ast(node, resolve, name)
    except SpaceError as error:
        raise stop(
            module, node, "not-a-space", error.fact, "a metric space or a plain type", error.remedy
        ) from None


def claims(declared: Declaration) -> dict[str, tuple[str, ast.expr]]:
    """Claims in the decorator: measure or "stability" -> text and place.

    Raises:
        Stop: a claim that is no text.
    """
    allowed = {
        "measurement": ("epsilon", "delta", "rho", "slack"),
        "transformation": ("stability",),
        "black_box": ("returns", "default", "batched"),
    }[declared.kind]
    found: dict[str, tuple[str, ast.expr]] = {}
    for name, node in declared.options.items():
        if name not in allowed:
            raise stop(
                declared.module, node, "claim-syntax",
                f"`{declared.kind}` has no claim `{name}`", f"one of {', '.join(allowed)}",
                f"remove `{name}=`",
            )  # fmt: skip
        if declared.kind == "black_box" or name == "slack":
            continue
        if not isinstance(node, ast.Constant) or isinstance(node.value, bool | type(None)):
            raise stop(
                declared.module, node, "claim-syntax", f"the claim `{name}` is no text",
                "an expression in the public parameters, in quotes", f'{name}="eps"',
            )  # fmt: skip
        large = isinstance(node.value, int) and node.value.bit_length() > LARGEST
        if large or any("\ud800" <= c <= "\udfff" for c in str(node.value)):  # lone surrogates
            raise stop(
                declared.module, node, "claim-syntax",
                f"the claim `{name}` is no expression that can be read",
                "an expression in the public parameters, in quotes", f'{name}="eps"',
            )  # fmt: skip
        found[name] = (str(node.value), node)
    return found


# -- defaults -------------------------------------------------------------------------------


def default_nodes(spec: ast.arguments) -> dict[str, ast.expr]:
    """Default expressions by parameter name, in the order in which Python evaluates them."""
    positional = [p.arg for p in (*spec.posonlyargs, *spec.args)]
    last = positional[len(positional) - len(spec.defaults) :]
    found = dict(zip(last, spec.defaults, strict=True))
    for parameter, default in zip(spec.kwonlyargs, spec.kw_defaults, strict=True):
        if default is not None:
            found[parameter.arg] = default
    return found


def literal_defaults(spec: ast.arguments, module: SourceFile) -> dict[str, Any]:
    """The defaults of a checked function's parameters, by name.

    Raises:
        Stop: one is no literal.
    """
    found: dict[str, Any] = {}
    for name, node in default_nodes(spec).items():
        try:
            found[name] = ast.literal_eval(node)
        except NO_LITERAL:
            raise stop(
                module, node, "unsupported-syntax", f"the default of `{name}` is no literal",
                "a number, a text, or a tuple or list of these, written out",
                f"{name}=1.0, or no default",
            ) from None  # fmt: skip
    return found


def plain_default(name: str, node: ast.expr, module: SourceFile) -> None:
    """Raises:
    Stop: the default of a helper's parameter calls something, or is a loop or a branch.
    """
    pending: list[ast.AST] = [node]
    while pending:
        part = pending.pop()
        if isinstance(part, ast.Lambda):
            continue  # its body runs where it is called
        if not isinstance(part, _PLAIN):
            raise stop(
                module, node, "unsupported-syntax",
                f"the default of `{name}` is evaluated once, where its function is defined",
                "a literal or a name as the default", "pass the value as an argument",
            )  # fmt: skip
        pending += ast.iter_child_nodes(part)
