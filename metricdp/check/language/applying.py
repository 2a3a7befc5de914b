"""Records of the registry, applied to arguments as they are written."""

from __future__ import annotations

import ast

from metricdp.check.language.binding import bind_rule
from metricdp.check.language.interpreter import Interpreter, Nodes
from metricdp.check.language.rules_as_loops import FOLD_ROWS, REDUCE_COLS, fold_rows, over_columns
from metricdp.check.language.selection import chooses, chosen, with_scores
from metricdp.check.language.several import joined, released, several
from metricdp.check.values.objects import (
    AlignedParts,
    BlackBox,
    Builtin,
    Closure,
    Constant,
    External,
    Library,
    Obj,
    Primitive,
    Range,
    TupleValue,
    Value,
)
from metricdp.record import Record
from metricdp.spaces.norms import NORM_NAMES

_NORMS = frozenset(f"metricdp.{name}" for name in NORM_NAMES)
_TYPES = ("float", "int", "bool", "str")


def apply(
    interpreter: Interpreter, record: Record, arguments: list[Obj], keywords: dict[str, Obj],
    node: ast.AST, nodes: Nodes, keyword_nodes: dict[str, ast.expr],
) -> Obj:  # fmt: skip
    """Apply a record to positional and keyword arguments."""
    if record.kind == "mechanism":
        interpreter.handed_on([*arguments, *keywords.values()], node)
    arguments = [interpreter.seen(a) for a in arguments]
    keywords = {name: interpreter.seen(a) for name, a in keywords.items()}
    given, order, texts, permutation = bind_rule(
        interpreter, record, arguments, keywords, node, nodes, keyword_nodes
    )
    if record.name == FOLD_ROWS:
        return fold_rows(interpreter, given, node)
    if record.name == REDUCE_COLS and (noisy := over_columns(interpreter, given, node)) is not None:
        return noisy
    _act(interpreter, record, node, permutation, nodes)
    if chooses(record):
        return _selected(interpreter, record, given, node, texts)
    if (values := several(interpreter, record, given)) is not None:
        given = {**given, "x": joined(interpreter, record, values, node)}
        state, mark = interpreter.domain.state, len(interpreter.domain.state.trace)
        result = interpreter.domain.apply(record, given, interpreter.module, node, texts, order)
        return released(state, values, result, mark)
    for name, value in given.items():
        _plain_argument(interpreter, record, name, value, node)
    return interpreter.domain.apply(record, given, interpreter.module, node, texts, order)


def _selected(
    interpreter: Interpreter,
    record: Record,
    given: dict[str, Obj],
    node: ast.AST,
    texts: dict[str, str],
) -> Obj:
    """A mechanism that chooses among public candidates, by scores."""
    scored = with_scores(interpreter, record, given, node)
    for name, value in scored.items():
        _plain_argument(interpreter, record, name, value, node)
    result = interpreter.domain.apply(record, scored, interpreter.module, node, texts)
    return chosen(interpreter, record, given.get("candidates", result), result, "reports" in given)


def _act(
    interpreter: Interpreter,
    record: Record,
    node: ast.AST,
    permutation: tuple[int, ...] | None,
    nodes: Nodes,
) -> None:
    """Note the record that a node applies; a node that stands for no call of its own has none."""
    if None in nodes or node in nodes:
        return
    if isinstance(node, ast.ListComp | ast.GeneratorExp):
        interpreter.act(node, "rows", "")
    elif isinstance(node, ast.Compare):
        # `a < b <= c` applies two records at one node; its own operators say which.
        interpreter.act(node, "compare", "")
    else:
        kind = "mechanism" if record.kind == "mechanism" else "primitive"
        interpreter.act(node, kind, record.name, permutation)


def _plain_argument(
    interpreter: Interpreter, record: Record, name: str, value: Obj, node: ast.AST
) -> None:
    """Rules see numbers and containers; nothing private may hide in anything else."""
    if isinstance(value, External):
        raise interpreter.stop(node, value.code, value.reason, "a known value", "name it")
    if isinstance(value, Value | Constant) or _is_word(name, value):
        return
    if isinstance(value, Closure | Primitive | BlackBox) and name in record.formals:
        return
    if isinstance(value, TupleValue) and not interpreter.has_private(value):
        return
    if isinstance(value, Range):
        raise interpreter.stop(
            node, "unsupported-call", f"`{record.name}` is given a range",
            "numbers that are written out", f"[i for i in range(...)] as `{name}`",
        )  # fmt: skip
    kind = (
        "several values at once" if isinstance(value, TupleValue | AlignedParts) else "a function"
    )
    if isinstance(value, Library | Builtin):
        kind = "a function or a type"
    raise interpreter.stop(
        node, "unsupported-call", f"`{record.name}` is given {kind}",
        "one number or one container per argument",
        _one_value(record, name, node),
    )  # fmt: skip


def _one_value(record: Record, name: str, node: ast.AST) -> str:
    """What to write where a list, a function or a type stands for one value."""
    first = node.args[0] if isinstance(node, ast.Call) and node.args else None
    if record.kind != "mechanism" or not isinstance(first, ast.Tuple | ast.List):
        return f"write one number, or a private value, as `{name}`"
    assert isinstance(node, ast.Call)
    rest = "".join(f", {ast.unparse(each)}" for each in (*node.args[1:], *node.keywords))
    each = [f"dp.{record.name}({ast.unparse(item)}{rest})" for item in first.elts]
    return f"({', '.join(each)},)"


def _is_word(parameter: str, value: Obj) -> bool:
    """A norm or a type where one is asked for; anywhere else a rule would take it for a text."""
    if isinstance(value, Library):
        return parameter == "norm" and value.dotted in _NORMS
    return isinstance(value, Builtin) and parameter == "to" and value.name in _TYPES
