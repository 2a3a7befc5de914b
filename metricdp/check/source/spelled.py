"""Edits for calls that have no rule, made of what they are given; nothing here decides anything."""

from __future__ import annotations

import ast
from fractions import Fraction
from math import ceil

#: Most candidates of a quantile that a help proposes.
_CANDIDATES = 1000
_LOWEST, _HIGHEST = ("low", "lower", "min"), ("high", "upper", "max")


def call(dotted: str, node: ast.AST) -> str:
    """What to write in place of a call, from its own arguments; "" if nothing is known."""
    if not isinstance(node, ast.Call) or any(isinstance(a, ast.Starred) for a in node.args):
        return ""
    make = {
        "numpy.where": _where, "numpy.bincount": _counted, "functools.reduce": _added,
        "map": _mapped, "filter": _filtered, "round": _rounded, "itertools.groupby": _grouped,
        "metricdp.median": _quantile, "metricdp.quantile": _quantile,
    }.get(dotted)  # fmt: skip
    return make(node) if make is not None else ""


def _where(node: ast.Call) -> str:
    if len(node.args) != 3:
        return ""
    test, then, other = map(ast.unparse, node.args)
    return f"({then} if {test} else {other})"


def _counted(node: ast.Call) -> str:
    most = next((each.value for each in node.keywords if each.arg == "minlength"), None)
    if most is None or len(node.args) != 1:
        return ""
    rows = ast.unparse(node.args[0])
    return f"dp.histogram({rows}, categories=range({ast.unparse(most)}))"


def _added(node: ast.Call) -> str:
    """`reduce(lambda a, b: a + f(b), rows)` as a sum."""
    match node.args:
        case [
            ast.Lambda(
                ast.arguments(args=[ast.arg(total), ast.arg(row)]),
                ast.BinOp(ast.Name(same), ast.Add(), value),
            ),
            rows,
            *_,
        ] if total == same:
            if isinstance(value, ast.Name) and value.id == row:
                return f"sum({ast.unparse(rows)})"
            return f"sum({ast.unparse(value)} for {row} in {ast.unparse(rows)})"
    return ""


def _mapped(node: ast.Call) -> str:
    match node.args:
        case [ast.Lambda(ast.arguments(args=[ast.arg(row)]), value), rows]:
            return f"[{ast.unparse(value)} for {row} in {ast.unparse(rows)}]"
        case [function, rows]:
            return f"[{ast.unparse(function)}(row) for row in {ast.unparse(rows)}]"
    return ""


def _filtered(node: ast.Call) -> str:
    match node.args:
        case [ast.Lambda(ast.arguments(args=[ast.arg(row)]), test), rows]:
            return f"[{row} for {row} in {ast.unparse(rows)} if {ast.unparse(test)}]"
        case [function, rows]:
            return f"[row for row in {ast.unparse(rows)} if {ast.unparse(function)}(row)]"
    return ""


def _rounded(node: ast.Call) -> str:
    match node.args:
        case [value, ast.Constant(int(places))] if 0 < places < 16:
            text = ast.unparse(value)
            text = text if isinstance(value, ast.Name | ast.Attribute | ast.Call) else f"({text})"
            return f"round({text} * {10**places}) / {10**places}"
    return ""


def _grouped(node: ast.Call) -> str:
    key = next((each.value for each in node.keywords if each.arg == "key"), None)
    match node.args, key:
        case [rows], ast.Lambda(ast.arguments(args=[ast.arg(row)]), value):
            text = f"[{row} for {row} in {ast.unparse(rows)} if {ast.unparse(value)} == key]"
            return f"public keys: {{key: {text} for key in KEYS}}"
    return ""


def _quantile(node: ast.Call) -> str:
    """`dp.median(x, low=, high=, epsilon=)` as the mechanism that chooses among candidates."""
    if not node.args or not isinstance(node.func, ast.Attribute):
        return ""
    named = {each.arg: each.value for each in node.keywords}
    rows, asked = node.args[0], node.args[1:2]
    ends = [next((named[n] for n in names if n in named), None) for names in (_LOWEST, _HIGHEST)]
    match rows:
        case ast.Call(ast.Attribute(_, "clamp" | "clip"), [_, low, high], []):
            ends = [ends[0] or low, ends[1] or high]
    q = "0.5" if node.func.attr == "median" else ast.unparse(asked[0]) if asked else "q"
    noise = named.get("epsilon")
    epsilon = "eps" if noise is None else ast.unparse(noise)
    candidates = _candidates(ends[0], ends[1])
    return f"dp.private_quantile({ast.unparse(rows)}, {candidates}, {q}, epsilon={epsilon})"


def _candidates(low: ast.expr | None, high: ast.expr | None) -> str:
    if low is None or high is None:
        return "candidates"
    try:
        ends = [Fraction(ast.literal_eval(each)) for each in (low, high)]
    except (ValueError, TypeError, SyntaxError):
        return f"range({ast.unparse(low)}, {ast.unparse(high)} + 1)"
    if any(each.denominator != 1 for each in ends):
        return f"[{float(ends[0])}, {float(sum(ends) / 2)}, {float(ends[1])}]"
    first, last = map(int, ends)
    step = max(1, ceil(Fraction(last - first, _CANDIDATES)))
    return f"range({first}, {last + 1})" if step == 1 else f"range({first}, {last + 1}, {step})"
