"""Text to expression: the syntax that `str` prints, which is also sympy's and Python's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from metricdp.errors import ExpressionError
from metricdp.expr import functions
from metricdp.expr.core import INF, D, Expr, num, sym
from metricdp.expr.powers import power, root
from metricdp.expr.sums import sum_over

if TYPE_CHECKING:
    import ast

_FUNCTIONS: dict[str, tuple[Callable[..., Expr], int | None]] = {
    "Max": (functions.maximum, None),
    "max": (functions.maximum, None),
    "Min": (functions.minimum, None),
    "min": (functions.minimum, None),
    "Abs": (functions.absolute, 1),
    "abs": (functions.absolute, 1),
    "sqrt": (root, 1),
    "floor": (functions.floor, 1),
    "ceiling": (functions.ceil, 1),
    "ceil": (functions.ceil, 1),
    "exp": (functions.exp, 1),
    "log": (functions.log, 1),
    "tanh": (functions.tanh, 1),
    "erfc": (functions.erfc, 1),
}
_LONGEST = 20_000


def parse(text: str, symbols: Mapping[str, Expr] | None = None) -> Expr:
    """The expression that a text denotes.

    Args:
        text: e.g. "2*d_in", "Min(1, d_in)", "sqrt(2)*eps/2"; decimals are exact: 0.1 is 1/10.
        symbols: meaning of names; a name that is missing is a symbol without facts.  `d_in` and
            `oo` are known.
    Raises ExpressionError, with the column, for anything else.
    """
    import ast

    if len(text) > _LONGEST:
        raise ExpressionError("the expression is too long")
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError) as error:
        column = getattr(error, "offset", None) or 1
        raise ExpressionError(f"{text!r} is no expression", place=f"column {column}") from None
    except (RecursionError, MemoryError):
        raise ExpressionError("the expression is nested too deeply") from None
    try:
        return _Reader(text.strip(), symbols or {}).read(tree.body)
    except RecursionError:
        raise ExpressionError("the expression is nested too deeply") from None


class _Reader:
    def __init__(self, text: str, symbols: Mapping[str, Expr]) -> None:
        self.text = text
        self.symbols = dict(symbols)

    def fail(self, node: ast.AST, fact: str, remedy: str = "") -> ExpressionError:
        column = getattr(node, "col_offset", 0) + 1
        return ExpressionError(fact, place=f"column {column}", remedy=remedy)

    def read(self, node: ast.expr) -> Expr:
        import ast

        if isinstance(node, ast.Constant):
            return self.number(node)
        if isinstance(node, ast.Name):
            return self.name(node.id)
        if isinstance(node, ast.UnaryOp):
            if isinstance(node.op, ast.USub):
                return -self.read(node.operand)
            if isinstance(node.op, ast.UAdd):
                return self.read(node.operand)
            raise self.fail(node, "this operator is not part of expressions")
        if isinstance(node, ast.BinOp):
            return self.binary(node)
        if isinstance(node, ast.Call):
            return self.call(node)
        raise self.fail(node, "only numbers, names, + - * / ** and functions form expressions")

    def number(self, node: ast.Constant) -> Expr:
        import ast

        if isinstance(node.value, bool) or not isinstance(node.value, (int, float)):
            raise self.fail(node, f"{node.value!r} is no number")
        if isinstance(node.value, int):
            return num(node.value)
        typed = ast.get_source_segment(self.text, node) or repr(node.value)
        mantissa, _, exponent = typed.replace("_", "").lower().partition("e")
        if len(exponent.lstrip("+-")) > 4:
            raise self.fail(node, "the exponent of this number is too large")
        return num(Fraction(f"{mantissa}e{exponent or 0}"))

    def name(self, name: str) -> Expr:
        if name in self.symbols:
            return self.symbols[name]
        if name == "d_in":
            return D
        return INF if name in ("oo", "inf") else sym(name)

    def binary(self, node: ast.BinOp) -> Expr:
        import ast

        left = self.read(node.left)
        if isinstance(node.op, ast.Div):
            return self.divided(left, node.right)
        right = self.read(node.right)
        try:
            if isinstance(node.op, ast.Add):
                return left + right
            if isinstance(node.op, ast.Sub):
                return left - right
            if isinstance(node.op, ast.Mult):
                return left * right
            if isinstance(node.op, ast.Pow):
                return power(left, right)
        except ExpressionError as error:
            raise self.fail(node, error.fact) from None
        remedy = "write ** for a power" if isinstance(node.op, ast.BitXor) else ""
        raise self.fail(node, "this operator is not part of expressions", remedy)

    def divided(self, left: Expr, node: ast.expr) -> Expr:
        """left / node factor by factor, so that 1/(a + b)**2 keeps its square."""
        import ast

        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            return self.divided(self.divided(left, node.left), node.right)
        try:
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
                base, exponent = self.read(node.left), self.read(node.right)
                if base.is_zero:
                    return left / power(base, exponent)
                return left * power(base, -exponent)
            return left / self.read(node)
        except ExpressionError as error:
            raise self.fail(node, error.fact) from None

    def call(self, node: ast.Call) -> Expr:
        import ast

        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if node.keywords or any(isinstance(arg, ast.Starred) for arg in node.args):
            raise self.fail(node, "functions of expressions take plain arguments")
        if name == "Sum":
            return self.sum(node)
        if name not in _FUNCTIONS:
            known = ", ".join([*_FUNCTIONS, "Sum"])
            raise self.fail(node, f"{name or 'this'} is no function here", f"use one of {known}")
        function, arity = _FUNCTIONS[name]
        if not node.args or (arity is not None and len(node.args) != arity):
            raise self.fail(node, f"{name} takes {arity or 'one or more'} argument(s)")
        arguments = [self.read(arg) for arg in node.args]
        try:
            return function(*arguments)
        except ExpressionError as error:
            raise self.fail(node, error.fact) from None

    def sum(self, node: ast.Call) -> Expr:
        import ast

        if len(node.args) == 2:
            body, limits = node.args
            if isinstance(limits, ast.Tuple) and len(limits.elts) == 3:
                variable, lo, hi = limits.elts
                if isinstance(variable, ast.Name):
                    first, last = self.read(lo), self.read(hi)
                    outer = self.symbols.get(variable.id)
                    self.symbols[variable.id] = sym(variable.id, nonneg=True, integer=True)
                    inner = self.read(body)
                    if outer is None:
                        del self.symbols[variable.id]
                    else:
                        self.symbols[variable.id] = outer
                    return sum_over(inner, variable.id, first, last)
        raise self.fail(node, "Sum takes a body and (variable, first, last)")
