"""Columns of a table of a session, and numbers of it: syntax, and no value.

`t.visits.clip(0, 20)` is kept as it is written, with `_` for the table, in the names of Ibis.  A
column is a name: it means what the table that it is given to has under this name.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from copy import deepcopy
from typing import Any, NoReturn

from metricdp.errors import TrackedError
from metricdp.sessions.tracked import refused
from metricdp.sql.chain_syntax import TABLE, ChainPart, literal, shown
from metricdp.sql.tables import is_plain_name

_ASK = "aggregate it and release: t.aggregate(n=t.count()).release(epsilon=0.1)"
_LOGIC = "conditions of columns join with &, | and ~: (t.age > 18) & ~t.late"


def _no(what: str, remedy: str) -> Callable[..., NoReturn]:
    def method(self: Any, *args: Any, **keywords: Any) -> NoReturn:
        raise TrackedError(f"{what} has no rule on what a table will be asked", remedy=remedy)

    return method


class _Syntax:
    """What columns and numbers have in common: nothing can be read from them."""

    __slots__ = ()
    __bool__ = _no("a test (if, and, or, not, a < b < c)", _LOGIC)
    __float__, __int__, __index__ = (_no(each, _ASK) for each in ("float()", "int()", "a place"))
    __iter__, __len__ = _no("iteration", _ASK), _no("len()", "t.count()")
    __contains__ = _no("in", "t.plan.isin(keys), t.name.contains(part)")
    __array__ = _no("conversion to an array", _ASK)
    __array_ufunc__ = None

    def __metricdp_apply__(self, record: Any, args: Any, keywords: Any) -> NoReturn:
        raise refused(
            f"`{record.name}` on a column or a number of a chain",
            f"{_ASK}; or write a checked function, and session.run it",
        )


def _binary(operator: type[ast.operator], turned: bool = False) -> Callable[[Any, Any], Any]:
    def method(self: Any, other: Any) -> Any:
        return self._joined(operator, other, turned)

    return method


def _compared(operator: type[ast.cmpop]) -> Callable[[Any, Any], Any]:
    def method(self: ChainColumn, other: Any) -> ChainColumn:
        chain, node = self._with(other)
        return ChainColumn(chain, ast.Compare(self._node, [operator()], [node]))

    return method


class ChainColumn(_Syntax):
    """A value of every row: a column of a table of a session, or what is computed of some."""

    __slots__ = ("_chain", "_node")

    def __init__(self, chain: Any, node: ast.expr) -> None:
        self._chain, self._node = chain, node

    def __repr__(self) -> str:
        return f"<column {shown(self._node)}>"

    def __call__(self, *args: Any, **keywords: Any) -> NoReturn:
        raise TrackedError(
            f"`{shown(self._node)}()` has no rule on what a table will be asked",
            remedy="filter, mutate, select, group_by, count and aggregate of a table, "
            "and of its columns such as t.age.mean()",
        )

    def _with(self, *others: Any) -> Any:
        """The later of the chains of this column and of other ones, and the syntax of the last."""
        chain, node = self._chain, self._node
        for each in others:
            if isinstance(each, ChainColumn):
                node = each._node
                chain = chain.later(each._chain)
            elif isinstance(each, _Syntax):
                raise refused("a number of a whole table beside one of its columns", _ASK)
            else:
                node = literal(each)
        return chain, node

    def _joined(self, operator: type[ast.operator], other: Any, turned: bool) -> ChainColumn:
        chain, node = self._with(other)
        left, right = (node, self._node) if turned else (self._node, node)
        return ChainColumn(chain, ast.BinOp(left, operator(), right))

    __add__, __radd__ = _binary(ast.Add), _binary(ast.Add, True)
    __sub__, __rsub__ = _binary(ast.Sub), _binary(ast.Sub, True)
    __mul__, __rmul__ = _binary(ast.Mult), _binary(ast.Mult, True)
    __truediv__, __rtruediv__ = _binary(ast.Div), _binary(ast.Div, True)
    __floordiv__, __rfloordiv__ = _binary(ast.FloorDiv), _binary(ast.FloorDiv, True)
    __mod__, __rmod__ = _binary(ast.Mod), _binary(ast.Mod, True)
    __pow__, __rpow__ = _binary(ast.Pow), _binary(ast.Pow, True)
    __and__, __rand__ = _binary(ast.BitAnd), _binary(ast.BitAnd, True)
    __or__, __ror__ = _binary(ast.BitOr), _binary(ast.BitOr, True)
    __lt__, __le__ = _compared(ast.Lt), _compared(ast.LtE)
    __gt__, __ge__ = _compared(ast.Gt), _compared(ast.GtE)
    __eq__, __ne__ = _compared(ast.Eq), _compared(ast.NotEq)
    __hash__ = _no("hash()", "the name of the column")

    def __neg__(self) -> ChainColumn:
        return ChainColumn(self._chain, ast.UnaryOp(ast.USub(), self._node))

    def __invert__(self) -> ChainColumn:
        return ChainColumn(self._chain, ast.UnaryOp(ast.Invert(), self._node))

    def __abs__(self) -> ChainColumn:
        return self._method("abs")()

    def __getattr__(self, name: str) -> Callable[..., ChainColumn]:
        if name.startswith("_"):
            raise AttributeError(name)
        return self._method(name)

    def _method(self, name: str) -> Callable[..., ChainColumn]:
        if not is_plain_name(name):
            raise refused(f"the method {name!a} of a column", "methods that Ibis names")

        def method(*args: Any, **keywords: Any) -> ChainColumn:
            chain, nodes = self._chain, []
            for each in (*args, *keywords.values()):
                after, node = self._with(each)
                chain = chain.later(after)
                nodes.append(node)
            named = [ast.keyword(k, v) for k, v in zip(keywords, nodes[len(args) :], strict=True)]
            of = ast.Attribute(self._node, name, ast.Load())
            return ChainColumn(chain, ast.Call(of, nodes[: len(args)], named))

        return method

    def _number(self, kind: str, where: Any, share: Any = None) -> ChainNumber:
        chain, test = self._chain, None
        if where is not None:
            if not isinstance(where, ChainColumn):
                raise refused("a condition that is no column", "where=t.age > 18")
            chain, test = self._with(where)
        part = ChainPart(kind, self._node, test, share)
        return ChainNumber(chain, ast.Name("p0", ast.Load()), (part,))

    def sum(self, where: Any = None) -> ChainNumber:
        """The sum; of a condition, how many rows meet it."""
        return self._number("sum", where)

    def mean(self, where: Any = None) -> ChainNumber:
        """The mean of a column that was clipped."""
        return self._number("mean", where)

    def var(self, where: Any = None) -> ChainNumber:
        """The variance of the sample, of a column that was clipped."""
        return self._number("var", where)

    def std(self, where: Any = None) -> ChainNumber:
        """The root of the variance."""
        return self._number("std", where)

    def median(self, where: Any = None) -> ChainNumber:
        """The median of a column that was clipped."""
        return self._number("quantile", where, 0.5)

    def quantile(self, quantile: float, where: Any = None) -> ChainNumber:
        """A quantile of a column that was clipped."""
        return self._number("quantile", where, quantile)

    def nunique(self, where: Any = None) -> ChainNumber:
        """How many values are different; of the column of ids, how many persons there are."""
        return self._number("nunique", where)


class ChainNumber(_Syntax):
    """A number that a table will be asked for, or what is computed of some.

    Args:
        node: in which `p0`, `p1`, ... stand for the parts.
        parts: what is drawn.
    """

    __slots__ = ("_chain", "_node", "_parts")

    def __init__(self, chain: Any, node: ast.expr, parts: tuple[ChainPart, ...]) -> None:
        self._chain, self._node, self._parts = chain, node, parts

    def __repr__(self) -> str:
        return f"<number {self.words()}>"

    def words(self) -> str:
        """As it was written."""
        return shown(_replaced(self._node, lambda at: _written(self._parts[at])))

    def _joined(self, operator: type[ast.operator], other: Any, turned: bool) -> ChainNumber:
        chain, parts = self._chain, self._parts
        if isinstance(other, ChainNumber):
            chain = chain.later(other._chain)
            moved = _replaced(
                other._node, lambda at: ast.Name(f"p{at + len(self._parts)}", ast.Load())
            )
            parts = (*parts, *other._parts)
        elif isinstance(other, _Syntax):
            raise refused("a number of a whole table beside one of its columns", _ASK)
        else:
            moved = literal(other)
        left, right = (moved, self._node) if turned else (self._node, moved)
        return ChainNumber(chain, ast.BinOp(left, operator(), right), parts)

    __add__, __radd__ = _binary(ast.Add), _binary(ast.Add, True)
    __sub__, __rsub__ = _binary(ast.Sub), _binary(ast.Sub, True)
    __mul__, __rmul__ = _binary(ast.Mult), _binary(ast.Mult, True)
    __truediv__, __rtruediv__ = _binary(ast.Div), _binary(ast.Div, True)
    __hash__ = _no("hash()", "the name of the column")
    __eq__ = _no("a comparison", _ASK)
    __lt__ = __le__ = __gt__ = __ge__ = __ne__ = _no("a comparison", _ASK)

    def __neg__(self) -> ChainNumber:
        return ChainNumber(self._chain, ast.UnaryOp(ast.USub(), self._node), self._parts)


def _written(part: ChainPart) -> ast.expr:
    """The call that a part was."""
    args: list[ast.expr] = [] if part.share is None else [literal(part.share)]
    named = [] if part.where is None else [ast.keyword("where", part.where)]
    of = part.value or ast.Name(TABLE, ast.Load())
    return ast.Call(ast.Attribute(of, part.kind, ast.Load()), args, named)


def _replaced(node: ast.expr, make: Callable[[int], ast.expr]) -> ast.expr:
    """A formula with something else in place of its parts."""

    class Replacing(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.AST:
            return make(int(node.id[1:]))

    found: ast.expr = Replacing().visit(deepcopy(node))
    return found
