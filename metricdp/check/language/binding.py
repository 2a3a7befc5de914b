"""Arguments of rules: bound to the names of their parameters, whoever applies a rule."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Protocol

from metricdp.check.domain.privacy import PrivacyDomain
from metricdp.check.source.advice import by_another, renamed
from metricdp.check.values.findings import Stop, stop
from metricdp.check.values.frames import Frame
from metricdp.check.values.objects import (
    BlackBox,
    Builtin,
    Closure,
    Library,
    Obj,
    Primitive,
    Value,
)
from metricdp.record import REGISTRY, Record, Rule, by_operator

#: Rules that are read as one loop (`rules_as_loops`).
FOLD_ROWS, REDUCE_COLS = "parallel_private_fold_rows", "reduce_cols"


class Caller(Protocol):
    """Who applies a rule: an interpreter, or a session that tracks values."""

    module: Any
    domain: PrivacyDomain

    def text(self, node: ast.expr | None) -> str:
        """What messages call an argument."""


@lru_cache(maxsize=1024)
def _parameters(rule: Rule) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...], bool]:
    """Parameters by position, by name only, without a default; and whether it takes any more."""
    code = rule.__code__
    names = code.co_varnames[: code.co_argcount]
    keyword_only = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    required = names[: len(names) - len(rule.__defaults__ or ())]
    required += tuple(name for name in keyword_only if name not in (rule.__kwdefaults__ or {}))
    return names, keyword_only, required, bool(code.co_flags & 4)


def bind_rule(
    caller: Caller,
    record: Record,
    arguments: list[Obj],
    keywords: dict[str, Obj],
    node: ast.AST,
    nodes: Sequence[ast.expr | None],
    keyword_nodes: dict[str, ast.expr],
) -> tuple[dict[str, Obj], tuple[str, ...], dict[str, str], tuple[int, ...] | None]:
    """Arguments by name of the rule's parameters; variadic ones are named "0", "1", ... in order.

    Returns:
        Arguments, names of variadic ones, source texts, and the permutation of the positional
        arguments where an accepted other order was used.
    """
    names, keyword_only, required, variadic = _parameters(record.rule)
    given: dict[str, Obj] = {}
    texts: dict[str, str] = {}
    permutation: tuple[int, ...] | None = None
    if variadic and not names:
        order = tuple(str(i) for i in range(len(arguments)))
        for name, value, value_node in zip(order, arguments, nodes, strict=False):
            given[name], texts[name] = value, caller.text(value_node)
        names = (*names, *keyword_only)
    else:
        order = ()
        if record.reorder is not None and not keywords:
            abstract = tuple(caller.domain.argument(value, "") for value in arguments)
            permutation = record.reorder(abstract)
            if permutation is not None:
                arguments = [arguments[i] for i in permutation]
                nodes = [nodes[i] for i in permutation]
        if len(arguments) > len(names) and keyword_only:
            raise _by_name(caller, record, names, keyword_only, keywords, node)
        if len(arguments) > len(names):
            raise _wrong(
                caller, record, node, f"takes {len(names)} arguments, not {len(arguments)}",
                _written(node, len(names)),
            )  # fmt: skip
        for name, value, value_node in zip(names, arguments, nodes, strict=False):
            given[name], texts[name] = value, caller.text(value_node)
    for name, value in keywords.items():
        if name not in names and name not in keyword_only:
            raise stop(
                caller.module, node, "unsupported-keyword",
                f"`{record.name}` has no keyword `{name}`",
                f"one of {', '.join((*names, *keyword_only))}",
                by_another(record.name, name, caller.text(nodes[0]) if nodes else "x",
                           caller.text(keyword_nodes.get(name)))
                or renamed(name, [n for n in (*names, *keyword_only)
                                  if n not in given and n not in keywords]),
            )  # fmt: skip
        if name in given:
            raise _wrong(caller, record, node, f"gets `{name}` twice")
        given[name], texts[name] = value, caller.text(keyword_nodes.get(name))
    if not order:
        missing = [name for name in required if name not in given]
        if missing:
            if (column := _ids_of(given)) and missing == ["most"] and len(arguments) == 2:
                rows, most = map(caller.text, nodes[:2])
                raise _wrong(
                    caller, record, node, "needs the column of ids, and a number",
                    f'{rows}, "{column}", {most}',
                )  # fmt: skip
            raise _wrong(
                caller,
                record,
                node,
                f"needs `{missing[0]}`",
                _written(node, len(names), missing, keyword_only),
            )
    for name in record.formals:
        if name in given and not isinstance(given[name], Closure):
            given[name] = as_closure(caller, given[name], node, record, name)
    return given, order, texts, permutation


def _ids_of(given: Mapping[str, Obj]) -> str:
    """The column of ids of the table that a rule is given first; "" if there is none."""
    space = getattr(next(iter(given.values()), None), "space", None)
    return str(getattr(space, "column", "") or "")


def as_closure(caller: Caller, value: Obj, node: ast.AST, record: Record, name: str) -> Obj:
    """A primitive, builtin or library function as a function of one argument."""
    *_, required, _ = _parameters(record.rule)
    if name not in required and isinstance(value, Value) and value.literal is None:
        return value
    callee: Any = None
    if isinstance(value, Primitive):
        callee = value.record
    elif isinstance(value, Builtin):
        callee = by_operator(value.name)
    elif isinstance(value, Library):
        callee = REGISTRY.get(value.dotted.rsplit(".", 1)[-1])
    if callee is None:
        raise stop(
            caller.module, node, "unsupported-call",
            f"`{record.name}` needs a function as `{name}`",
            "a lambda or a function of the project",
            f"lambda row: {value.name}(row)" if isinstance(value, BlackBox) else "lambda row: ...",
        )  # fmt: skip
    body = ast.Call(ast.Name("_callee", ast.Load()), [ast.Name("_value", ast.Load())], [])
    arguments = ast.arguments([], [ast.arg("_value")], None, [], [], None, [])
    function = ast.Lambda(arguments, body)
    for part in ast.walk(function):
        ast.copy_location(part, node)
    return Closure(function, caller.module, Frame({"_callee": Primitive(callee)}), callee.name)


def numpy_keywords(
    module: Any, dotted: str, record: Record, keywords: dict[str, Obj], node: ast.AST
) -> None:
    """NumPy functions take the keywords that their record has; every other one is named."""
    code = record.rule.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    for keyword in keywords:
        if keyword not in names:
            raise stop(
                module, node, "unsupported-keyword", f"`{dotted}` has no rule for `{keyword}=`",
                f"`{dotted}` without `{keyword}=`", f"remove `{keyword}=`",
            )  # fmt: skip


def _written(
    node: ast.AST, most: int, missing: Sequence[str] = (), by_name: Sequence[str] = ()
) -> str:
    """The arguments of a call as they are, at most so many, and then those that it lacks."""
    if not isinstance(node, ast.Call):
        return ""
    given = [ast.unparse(each) for each in node.args[:most]]
    named = [ast.unparse(each) for each in node.keywords]
    lacking = [f"{name}={name}" if named or name in by_name else name for name in missing]
    return ", ".join([*given, *named, *lacking])


def _wrong(caller: Caller, record: Record, node: ast.AST, fault: str, written: str = "") -> Any:
    return stop(
        caller.module, node, "wrong-arguments", f"`{record.name}` {fault}",
        f"the arguments of {record.name}", f"dp.{record.name}({written or _signature(record)})",
    )  # fmt: skip


def _by_name(
    caller: Caller, record: Record, names: Sequence[str], free: Sequence[str],
    keywords: Mapping[str, Obj], node: ast.AST,
) -> Stop:  # fmt: skip
    """Too many arguments by position: what the others are has to be said."""
    free = [name for name in free if name not in keywords]
    written = node.args if isinstance(node, ast.Call) else []
    kept, rest = [ast.unparse(each) for each in written[: len(names)]], written[len(names) :]
    named = [ast.unparse(each) for each in getattr(node, "keywords", ())]
    ways = [f"dp.{record.name}({', '.join([*kept, f'{name}={ast.unparse(rest[0])}', *named])})"
            for name in free[:2]] if len(rest) == 1 else []  # fmt: skip
    return stop(
        caller.module, node, "wrong-arguments",
        f"`{record.name}` takes {', '.join(f'`{name}=`' for name in free)} by name only, so that "
        "nobody has to guess what a number means",
        f"the arguments after `{names[-1]}` by name",
        "   or   ".join(ways) or f"dp.{record.name}({_signature(record)})",
    )  # fmt: skip


def _signature(record: Record) -> str:
    """The arguments as they are written in a call: those that may be left out as keywords."""
    code, optional = record.rule.__code__, len(record.rule.__defaults__ or ())
    names, last = code.co_varnames[: code.co_argcount], code.co_argcount + code.co_kwonlyargcount
    needed = names[: len(names) - optional]
    free = (*names[len(needed) :], *code.co_varnames[code.co_argcount : last])
    return ", ".join([*needed, *(f"{name}=..." for name in free)])
