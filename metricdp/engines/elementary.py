"""Elementary functions on an engine: the definitions of `columns.elementary`, made into nodes.

They use operations that IEEE 754 rounds correctly, tables, and integer operations on the bits of a
double, which wrap at 64 bits; each has a form.  Both sides of a choice are computed for every row,
so none of these operations raises, whatever it is given; what is not chosen may be NULL.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from metricdp.columns.constants import Lookup
from metricdp.columns.elementary import FUNCTIONS
from metricdp.columns.graphs import in_order
from metricdp.columns.language import Node
from metricdp.engines.dialect import Dialect, NoForm

#: Functions that the language has, and those that an engine computes fast enough to be of use: of
#: a million rows in a second or two.
NAMES: Final = frozenset("exp log sin cos tanh sigmoid softplus power".split())
QUICK: Final = frozenset({"exp", "log"})


def made(node: Node, *given: Node) -> Node:
    """An elementary function of doubles, in operations of this module.

    Raises:
        NoForm: one that takes long, or one inside of another, for which DuckDB's plans take long.
    """
    if node.operator not in QUICK:
        raise NoForm(f"the function {node.operator}")
    if any(each.operator == "as_it_is" for each in in_order(given)[0]):
        raise NoForm("elementary functions of elementary functions")
    found: ElementaryValue = FUNCTIONS[node.operator].definition(
        _Operations, *map(ElementaryValue, given)
    )
    result = Node("as_it_is", (found.node,), "double", None, None, node.most)
    return result


class ElementaryValue:
    """A double, an integer of 64 bits or a Boolean, as the definitions see one."""

    __slots__ = ("node",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, node: Node) -> None:
        self.node = node

    def __bool__(self) -> bool:
        raise NoForm("a branch of an elementary function")

    def _with(
        self, operator: str, other: Any, flipped: bool = False, base: str = ""
    ) -> ElementaryValue:
        if self.node.base == "double" and type(other) is int:
            other = float(other)
        a, b = self.node, _node(other)
        bases = {a.base, b.base}
        if len(bases) > 1:
            raise NoForm("an elementary function of two kinds of numbers")
        name = f"{operator}_{a.base}"
        return ElementaryValue(Node(name, (b, a) if flipped else (a, b), base or a.base))

    def __add__(self, other: Any) -> ElementaryValue:
        return self._with("plain_add", other)

    def __sub__(self, other: Any) -> ElementaryValue:
        return self._with("plain_sub", other)

    def __mul__(self, other: Any) -> ElementaryValue:
        return self._with("plain_mul", other)

    def __truediv__(self, other: Any) -> ElementaryValue:
        return self._with("plain_div", other)

    def __and__(self, other: Any) -> ElementaryValue:
        return self._with("bits_and", other)

    def __or__(self, other: Any) -> ElementaryValue:
        return self._with("bits_or", other)

    def __xor__(self, other: Any) -> ElementaryValue:
        return self._with("bits_xor", other)

    def __lshift__(self, places: int) -> ElementaryValue:
        return self._with("plain_mul", 1 << places)

    def __rshift__(self, places: int) -> ElementaryValue:
        return self._with("bits_down", places)

    def __radd__(self, other: Any) -> ElementaryValue:
        return self._with("plain_add", other, True)

    def __rsub__(self, other: Any) -> ElementaryValue:
        return self._with("plain_sub", other, True)

    def __rmul__(self, other: Any) -> ElementaryValue:
        return self._with("plain_mul", other, True)

    def __rtruediv__(self, other: Any) -> ElementaryValue:
        return self._with("plain_div", other, True)

    def __neg__(self) -> ElementaryValue:
        return ElementaryValue(Node(f"plain_neg_{self.node.base}", (self.node,), self.node.base))

    def __abs__(self) -> ElementaryValue:
        return ElementaryValue(Node("plain_abs", (self.node,), self.node.base))

    def __lt__(self, other: Any) -> ElementaryValue:
        return self._with("is_below", other, base="boolean")

    def __le__(self, other: Any) -> ElementaryValue:
        return self._with("is_at_most", other, base="boolean")

    def __gt__(self, other: Any) -> ElementaryValue:
        return self._with("is_below", other, True, "boolean")

    def __ge__(self, other: Any) -> ElementaryValue:
        return self._with("is_at_most", other, True, "boolean")

    def __eq__(self, other: object) -> ElementaryValue:  # type: ignore[override]
        return self._with("is_equal", other, base="boolean")

    def __ne__(self, other: object) -> ElementaryValue:  # type: ignore[override]
        return self._with("is_other", other, base="boolean")


def _node(value: Any) -> Node:
    if isinstance(value, ElementaryValue):
        return value.node
    base = {bool: "boolean", int: "integer", float: "double"}[type(value)]
    return Node("literal", (), base, None, value)


class _Operations:
    """What definitions ask of `ops`: see `columns.floats`."""

    @staticmethod
    def bits(x: ElementaryValue) -> ElementaryValue:
        return ElementaryValue(Node("bits", (x.node,), "integer"))

    @staticmethod
    def double(x: ElementaryValue) -> ElementaryValue:
        return ElementaryValue(Node("of_bits", (x.node,), "double"))

    @staticmethod
    def whole(n: ElementaryValue) -> ElementaryValue:
        return ElementaryValue(Node("of_whole", (n.node,), "double"))

    @staticmethod
    def floor(x: ElementaryValue) -> ElementaryValue:
        return ElementaryValue(Node("plain_floor", (x.node,), "double"))

    @staticmethod
    def up_to(x: ElementaryValue, most: float) -> ElementaryValue:
        return abs(x) <= most

    @staticmethod
    def where(condition: ElementaryValue, yes: Any, no: Any) -> ElementaryValue:
        a, b = _node(yes), _node(no)
        return ElementaryValue(Node("choice", (condition.node, a, b), a.base))

    @staticmethod
    def look(table: Lookup, position: ElementaryValue) -> ElementaryValue:
        base = "integer" if isinstance(table.values[0], int) else "double"
        return ElementaryValue(Node("look", (position.node,), base, None, table))

    @staticmethod
    def apart(
        ordinary: ElementaryValue, main: Callable[..., Any], rest: Callable[..., Any], *args: Any
    ) -> Any:
        return _Operations.where(ordinary, main(*args), rest(*args))


def _wrapped(sql: Dialect, text: str) -> str:
    """An integer of 128 bits modulo 2**64, as one of 64 bits with a sign."""
    word, half, more = (sql.whole(size) for size in (1 << 64, 1 << 63, 3 << 63))
    return f"CAST(((({text}) % {word} + {more}) % {word}) - {half} AS BIGINT)"


def _of_words(sign: str) -> Callable[..., str]:
    return lambda sql, node, x, y: _wrapped(sql, f"CAST({x} AS {sql.huge}) {sign} {y}")


def _plainly(sign: str) -> Callable[..., str]:
    return lambda sql, node, x, y: f"({x} {sign} {y})"


def _literal(sql: Dialect, node: Node) -> str:
    text = sql.literal(node.public, node)
    return f"CAST({text} AS BIGINT)" if node.base == "integer" else text


def _looked(sql: Dialect, node: Node, x: str) -> str:
    return sql.entry([sql.literal(value, node) for value in node.public.values], x, node.base)


FORMS: Final[dict[str, Callable[..., str]]] = {
    "as_it_is": lambda sql, node, x: x,
    "literal": _literal,
    **{f"plain_{name}_double": _plainly(sign) for name, sign in
       (("add", "+"), ("sub", "-"), ("mul", "*"))},
    "plain_div_double": lambda sql, node, x, y: sql.divided(x, y),
    **{f"plain_{name}_integer": _of_words(sign) for name, sign in
       (("add", "+"), ("sub", "-"), ("mul", "*"))},
    "plain_neg_double": lambda sql, node, x: f"(-{x})",
    "plain_neg_integer": lambda sql, node, x: _wrapped(sql, f"-CAST({x} AS {sql.huge})"),
    "plain_abs": lambda sql, node, x: f"abs({x})",
    "plain_floor": lambda sql, node, x: sql.rounded("floor", x),
    "bits_and_integer": _plainly("&"),
    "bits_or_integer": _plainly("|"),
    "bits_xor_integer": lambda sql, node, x, y: sql.exclusive(x, y),
    "bits_down_integer": lambda sql, node, x, y: sql.down(x, y),
    "bits_and_boolean": _plainly("AND"),
    "bits_or_boolean": _plainly("OR"),
    **{f"{name}_{base}": _plainly(sign) for name, sign in
       (("is_below", "<"), ("is_at_most", "<="), ("is_equal", "="), ("is_other", "<>"))
       for base in ("double", "integer", "boolean")},
    "bits": lambda sql, node, x: sql.bits(x),
    "of_bits": lambda sql, node, x: sql.of_bits(x),
    "of_whole": lambda sql, node, x: f"CAST({x} AS DOUBLE)",
    "choice": lambda sql, node, test, x, y: f"CASE WHEN {test} THEN {x} ELSE {y} END",
    "look": _looked,
}  # fmt: skip
