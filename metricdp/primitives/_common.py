"""What several rules share: ranges of rows, intervals of arithmetic, shape of arguments."""

from __future__ import annotations

import msgspec

from metricdp.expr import INF, ZERO, D, Expr, absolute, maximum, minimum, num, power
from metricdp.record import Arg, Failure, refuse
from metricdp.spaces import (
    NEG_INF,
    Gradient,
    Matrix,
    Maybe,
    Moment,
    Records,
    Row,
    Scalar,
    Space,
    Vector,
)
from metricdp.spaces.norms import conversion, norm_of
from metricdp.spaces.vectors import Entries

Range = tuple[Expr, Expr]
EVERYTHING: Range = (NEG_INF, INF)
Container = Entries | Matrix

_KINDS = {"Real": "float", "Int": "int", "Bool": "bool", "Data": ""}


def row_range(space: Records, text: str, verb: str) -> tuple[Expr, Expr, str]:
    """Bounds (lo, hi) and element of single-column records; refuses rows of several fields."""
    if isinstance(space.row, Maybe):
        raise refuse(
            "unsupported-call",
            f"`{verb}` needs a number in every row, and rows of {text} may be missing",
            need="rows that are never missing",
            help=f"dp.{verb}(dp.impute({text}, 0), ...), or dp.drop_null({text})",
        )
    if isinstance(space.row, Moment):
        raise refuse(
            "unsupported-call",
            f"`{verb}` needs numbers, and the rows of {text} are dates or times",
            need="a numeric column",
            help=f"dp.{verb}([{of_moment('row', space.row.kind)} for row in {text}])",
        )
    if not isinstance(space.row, Scalar):
        raise refuse(
            "unsupported-call",
            f"`{verb}` needs one number per row, and the rows of {text} have several fields",
            need="a single numeric column",
            help=f"dp.{verb}([row.field for row in {text}])",
        )
    if space.row.element == "Data" and space.row.kind == "str":
        raise refuse(
            "unsupported-call",
            f"`{verb}` needs numbers, and the rows of {text} are text",
            need="a numeric column",
            help=f"dp.{verb}([f(row) for row in {text}])",
        )
    return space.row.lo, space.row.hi, space.row.element


def of_moment(text: str, kind: str) -> str:
    """A number of a date or time, as a program may write it."""
    name = {"timedelta": "total_seconds()", "date": "toordinal()"}.get(kind, "hour")
    return f"({text}).{name}" if " " in text else f"{text}.{name}"


# -- intervals
def add_ranges(a: Range, b: Range) -> Range:
    """Range of a sum; infinite ends stay infinite."""
    lo = NEG_INF if NEG_INF in (a[0], b[0]) else a[0] + b[0]
    hi = INF if INF in (a[1], b[1]) else a[1] + b[1]
    return lo, hi


def subtract_ranges(a: Range, b: Range) -> Range:
    """Range of a difference."""
    return add_ranges(a, (-b[1], -b[0]))


def scale_range(a: Range, factor: Expr) -> Range:
    """Range of a public multiple; (-oo, oo) when the sign of the factor is not known."""
    if factor.is_zero:
        return ZERO, ZERO
    if a == EVERYTHING:
        return a
    sign = factor.sign()
    if sign in ("+", ">=0"):
        return a[0] * factor, a[1] * factor
    if sign in ("-", "<=0"):
        return a[1] * factor, a[0] * factor
    if a[0].is_infinite or a[1].is_infinite:
        return EVERYTHING
    ends = (a[0] * factor, a[1] * factor)
    return minimum(*ends), maximum(*ends)


def multiply_ranges(a: Range, b: Range) -> Range:
    """Range of a product."""
    if nonnegative(a[0]) and nonnegative(b[0]):
        return a[0] * b[0], INF if INF in (a[1], b[1]) else a[1] * b[1]
    if any(end.is_infinite for end in (*a, *b)):
        return EVERYTHING
    products = [x * y for x in a for y in b]
    return minimum(*products), maximum(*products)


def nonnegative(value: Expr) -> bool:
    """Whether a value is certainly >= 0; False says only "not known"."""
    return value.sign() in ("0", "+", ">=0")


def positive(value: Expr) -> bool:
    """Whether a value is certainly > 0."""
    return value.sign() == "+"


def largest(a: Range) -> Expr:
    """The largest absolute value in a range; oo if it has no end."""
    if a[0].is_infinite or a[1].is_infinite:
        return INF
    if nonnegative(a[0]):
        return a[1]
    return -a[0] if nonnegative(-a[1]) else maximum(absolute(a[0]), absolute(a[1]))


def away_from_zero(a: Range) -> Expr | None:
    """The least absolute value in a range of one sign; None where 0 may belong to it."""
    if positive(a[0]):
        return a[0]
    return -a[1] if positive(-a[1]) else None


def times(factor: Expr, bound: Expr) -> Expr:
    """factor * bound for nonnegative factors, where infinity stays, although a size may be 0."""
    if factor.is_infinite or bound.is_infinite:
        return ZERO if factor.is_zero or bound.is_zero else INF
    return factor * bound


# -- arguments
def range_of(x: Arg) -> Range:
    """Range of an argument, or of its entries; a public number is its own range."""
    if not x.private:
        return EVERYTHING if x.value is None else (x.value, x.value)
    if isinstance(x.space, (Scalar, Entries, Matrix)):
        return x.space.lo, x.space.hi
    return EVERYTHING


def discrete(space: Space | None) -> bool:
    """Whether the metric of a scalar or of the entries is discrete."""
    return isinstance(space, (Scalar, Entries, Matrix)) and space.element == "Data"


def whole(x: Arg) -> bool:
    """Whether an argument, or every entry of it, is certainly an integer."""
    if not x.private:
        return x.value is not None and bool(x.value.is_integer())
    return kind_of(x) in ("int", "bool")


def kind_of(x: Arg) -> str:
    """Python type of an argument or of its entries: "float", "int", "bool", "str" or "" (any)."""
    if not x.private:
        if isinstance(x.literal, str) or getattr(x.space, "kind", "") == "str":
            return "str"
        return "int" if x.value is not None and x.value.is_integer() else "float"
    space = x.space
    if isinstance(space, Scalar):
        return "int" if space.in_float else space.kind or _KINDS[space.element]
    return _KINDS[space.element] if isinstance(space, (Entries, Matrix)) else ""


def in_floats(*xs: Arg) -> bool:
    """Whether arithmetic on these numbers, wherever it gives whole ones, gives them as floats."""
    return any(
        (isinstance(x.space, Scalar) and (kind_of(x) == "float" or x.space.in_float))
        if x.private
        else x.floating
        for x in xs
    )


def joint_kind(kinds: set[str]) -> str:
    """Python type of the result of arithmetic."""
    if len(kinds) == 1 and kinds & {"str", ""}:
        return kinds.pop()
    if "" in kinds:
        return ""
    return "float" if "float" in kinds else "int"


def given(x: Arg) -> bool:
    """Whether an optional argument was written, and not as None."""
    known = x.value is not None or x.literal is not None
    return known or x.private or x.released or x.space is not None or x.text not in ("_", "None")


def public_number(x: Arg, default: Expr, verb: str, name: str) -> Expr:
    """An optional public number, or its default.

    Raises:
        Refusal: an argument that is private, released, or of no known value: the default would
            stand for a number that the program does not use.
    """
    if not given(x):
        return default
    if x.private or x.value is None:
        raise refuse(
            "private-argument",
            f"`{name}` of `{verb}` is {x.text}, which is no public number",
            need=f"a public `{name}`",
            help=f"write a number, or a public parameter: {name}=1",
        )
    return x.value


def numbers_only(verb: str, *xs: Arg) -> None:
    """Refuses arguments that are neither numbers nor vectors or matrices of numbers."""
    for x in xs:
        if kind_of(x) == "str":
            raise refuse(
                "unsupported-call",
                f"`{verb}` works on numbers, and {x.text} is text",
                need="a number",
                help="dp.cast_default(rows, float) reads numbers from texts",
            )
        if isinstance(x.space, Moment):
            raise refuse(
                "unsupported-call",
                f"`{verb}` works on numbers, and {x.text} is a {x.space.kind}",
                need="a number",
                help=of_moment(x.text, x.space.kind),
            )
        if x.private and isinstance(x.space, Maybe):
            raise refuse(
                "unsupported-call",
                f"`{verb}` works on numbers, and {x.text} lies in {x.space}: it may be missing",
                need="values that are there",
                help=f"ask first whether it is there: if {x.text} is not None; "
                f"or fill it in: dp.fill_missing({x.text}, 0)",
            )
        if x.private and not isinstance(x.space, (Scalar, Entries, Matrix)):
            raise refuse(
                "unsupported-call",
                f"`{verb}` works on numbers, vectors and matrices, and {x.text} lies in {x.space}",
                need="a number, a vector or a matrix",
                help=f"apply `{verb}` to every row: {_by_row(verb, x)}",
            )


def _by_row(verb: str, x: Arg) -> str:
    """An operation on the rows of a table, or the number of rows that pass a comparison."""
    row = getattr(x.space, "row", None)
    one = f"row.{row.names[0]}" if isinstance(row, Row) and row.kind == "attributes" else "row"
    if verb in ("<", "<=", ">", ">=", "==", "!="):
        return f"sum(1 for row in {x.text} if {one} {verb} ...)"
    applied = f"{verb}({one}, ...)" if verb.isidentifier() else f"{one} {verb} ..."
    return f"[{applied} for row in {x.text}]"


def scalar_only(verb: str, *xs: Arg) -> None:
    """Refuses private arguments that are no single numbers."""
    numbers_only(verb, *xs)
    for x in xs:
        if x.private and not isinstance(x.space, Scalar):
            raise refuse(
                "unsupported-call",
                f"`{verb}` works on one number, and {x.text} lies in {x.space}",
                need="a single number",
                help=f"dp.map(lambda v: {verb}(v), {x.text})",
            )


def no_bound(code: str, message: str, need: str, help: str) -> Failure:
    """The reason why a bound is infinite."""
    return Failure(code, message, need, help)


# -- constants
def spread(space: Container, norm: str) -> Expr:
    """How far a container moves when every entry moves by 1; per row, summed, for a matrix."""
    if isinstance(space, Matrix):
        assert space.rows is not None and space.cols is not None
        return space.rows * _spread(space.cols, norm)
    assert space.size is not None
    return _spread(space.size, norm)


def _spread(n: Expr, norm: str) -> Expr:
    return norm_of(norm).of_ones(n)


def discrete_conversion(p: str, q: str, space: Container) -> Expr:
    """Map in d_in of the identity from L_p to L_q over discrete entries (exact at whole counts).

    A vector with k entries changed is at L_p distance k**(1/p), whatever p: L2 is sqrt(k), LInf is
    1.  Rows of a matrix are summed, so there the k changes may lie in k rows.
    """
    if p == q:
        return D
    matrix = isinstance(space, Matrix)
    n = space.cols if isinstance(space, Matrix) else space.size
    assert n is not None
    before, after = norm_of(p).inverse, norm_of(q).inverse
    if not before:  # one unit may change every entry
        return _spread(n, q) * D if matrix else _spread(n, q)
    if after > before:
        return minimum(power(D, num(after / before)), conversion(p, q, n) * D)
    return D if matrix else power(D, num(after / before))


def gradients_or_public(verb: str, *xs: Arg) -> tuple[Arg, ...]:
    """Private gradients, and public numbers or arrays as gradients of their entries.

    Raises:
        Refusal: a private argument that is no gradient, or an array of unknown size beside one.
    """
    for x in xs:
        if x.private:
            gradient_of(x, verb)
    if not any(x.private for x in xs):
        return xs
    return tuple(x if x.private else _entries_of(x, verb) for x in xs)


def _entries_of(x: Arg, verb: str) -> Arg:
    """A public array as the gradient of its entries; a number as it is."""
    if isinstance(x.space, Vector | Gradient):
        known = x.space
        space = Gradient(known.element, known.norm, known.size, known.lo, known.hi, known.radius)
        return msgspec.structs.replace(x, space=space)
    if isinstance(x.space, Scalar) or x.value is not None or isinstance(x.literal, int | float):
        return x
    raise refuse(
        "size-mismatch",
        f"nothing says how many numbers {x.text} holds, and `{verb}` adds them to a gradient",
        need="a number, or an array of a known size",
        help="start from 0.0, or from numpy.zeros(n)",
    )


def gradient_of(x: Arg, verb: str) -> Gradient:
    """The space of a private gradient.

    Raises:
        Refusal: the argument is none.
    """
    if not x.private or not isinstance(x.space, Gradient):
        raise refuse(
            "unsupported-call",
            f"`{verb}` works on gradients, and {x.text} is no private gradient",
            need="a Gradient argument",
            help="declare it as dp.Gradient[Real, L2], or use + - * on vectors",
        )
    return x.space
