"""`numpy.histogram` of private rows: the record `histogram` by edges, and the edges themselves."""

from __future__ import annotations

import ast

from metricdp.check.language.applying import apply
from metricdp.check.language.interpreter import Interpreter
from metricdp.check.values import public
from metricdp.check.values.findings import Stop
from metricdp.check.values.objects import Obj, TupleValue, Value
from metricdp.expr import ONE, num
from metricdp.record import Requirement
from metricdp.spaces import Vector

_NAMES = ("a", "bins", "range", "density", "weights")
#: Why a keyword of `numpy.histogram` has no rule.
_WITHOUT = {
    "density": "`density=True` divides by the number of rows, which is private: release the "
    "counts, and divide what is released",
    "weights": "`weights=` adds up other private numbers in place of counting: one sum per bin",
}
_OFF = (None, False)
_EDGES = "np.histogram({}, bins=10, range=(0, 100))"


def counted(
    interpreter: Interpreter, arguments: list[Obj], keywords: dict[str, Obj], node: ast.AST
) -> Obj:
    """`numpy.histogram(rows, bins, range)`: the pair of counts and edges."""
    given = dict(zip(_NAMES, arguments, strict=False)) | keywords
    wrong = len(arguments) > len(_NAMES) or "a" not in given or given.keys() - set(_NAMES)
    if wrong or len(given) < len(arguments) + len(keywords):
        raise interpreter.stop(
            node, "wrong-arguments", "`numpy.histogram` takes rows, bins and a range",
            "np.histogram(rows, bins=edges)", "np.histogram(rows, bins=edges)",
        )  # fmt: skip
    for name, why in _WITHOUT.items():
        value = given.get(name)
        if value is not None and not (isinstance(value, Value) and value.literal in _OFF):
            raise interpreter.stop(
                node, "unsupported-keyword", why, f"`numpy.histogram` without `{name}=`",
                f"remove `{name}=`",
            )  # fmt: skip
    rows = interpreter.seen(given["a"])
    edges = _edges(interpreter, given, node)
    interpreter.handed_on([edges], node)
    record = interpreter.named("histogram", node)
    counts = apply(interpreter, record, [rows], {"edges": edges}, node, [_first(node), None], {})
    interpreter.act(node, "bins", "histogram")
    return TupleValue((counts, _array(edges)))


def _first(node: ast.AST) -> ast.expr | None:
    return node.args[0] if isinstance(node, ast.Call) and node.args else None


def _edges(interpreter: Interpreter, given: dict[str, Obj], node: ast.AST) -> Obj:
    """The public edges of the bins.

    Raises:
        Stop: private data would decide where they lie.
    """
    bins = interpreter.seen(given.get("bins", public.literal(10)))
    ends = interpreter.seen(given.get("range", public.literal(None)))
    if interpreter.has_private(bins) or interpreter.has_private(ends):
        raise _private(interpreter, node)
    if isinstance(bins, TupleValue) or public.public_length(bins) is not None:
        return bins
    if not isinstance(bins, Value) or bins.expr is None or not bins.expr.is_integer():
        text = public.kind(bins) == "text"
        raise _private(interpreter, node) if text else interpreter.stop(
            node, "size-mismatch", "nothing says how many bins this histogram has",
            "a whole number of bins, or edges whose number is known",
            _EDGES.format(_text(interpreter, node)),
        )  # fmt: skip
    if not isinstance(ends, TupleValue) or len(ends.items) != 2:
        raise _private(interpreter, node)
    some = Requirement(bins.expr, ">=", ONE, remedy="ask for at least one bin")
    interpreter.domain.require((some,), interpreter.module, node)
    size = bins.expr + num(1)
    origin = public.origin(bins, ends)
    return Value(origin, Vector("Real", "LInf", size), source="computed", size=size)


def _array(edges: Obj) -> Value:
    """The edges as the array that NumPy returns."""
    size = num(len(edges.items)) if isinstance(edges, TupleValue) else public.public_length(edges)
    space = Vector("Real", "LInf", size)
    return Value(public.origin(edges), space, source="computed", size=size)


def _text(interpreter: Interpreter, node: ast.AST) -> str:
    first = _first(node)
    return interpreter.text(first) if first is not None else "rows"


def _private(interpreter: Interpreter, node: ast.AST) -> Stop:
    return interpreter.stop(
        node, "private-argument",
        "the data would decide where these bins lie: their ends are the smallest and the largest "
        "value, which are the exact values of two persons",
        "public edges, or a number of bins and a public range",
        _EDGES.format(_text(interpreter, node)),
    )  # fmt: skip
