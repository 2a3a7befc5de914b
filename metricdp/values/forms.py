"""What rules do to numbers in arrays, exactly: each form equals the reference function of its
record, or gives None where these arguments have no form, and the reference is asked.

Sums, differences, products with a number, sizes and bounds are computed on integers whose widths
were looked at before, or on the doubles where no operation rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import lcm
from typing import Any

from metricdp.expr.roots import BITS, root_above, root_below
from metricdp.values.balls import clip_discrete
from metricdp.values.exact import Exact
from metricdp.values.numbers import LIMIT, NumberMatrix, Numbers, alike
from metricdp.values.vectors import position

_ENTRY = frozenset({int, Fraction, Exact})
_NUMBER = _ENTRY | {bool}


def _number(x: Any) -> Fraction | None:
    """A number that is exact as it is."""
    return Fraction(x) if type(x) in _NUMBER else None


def numbers_of(x: Any) -> Numbers | None:
    """A vector as an array; None where it holds anything but numbers."""
    import numpy as np

    if isinstance(x, Numbers):
        return x
    if not isinstance(x, list | tuple) or not _ENTRY.issuperset(map(type, x)):
        return None
    bottom = lcm(*(v.denominator for v in x))
    array = np.empty(len(x), object)
    array[:] = [v.numerator * (bottom // v.denominator) for v in x]
    return Numbers(array, Fraction(1, bottom))


def _operand(x: Any, size: int) -> Numbers | None:
    """A number for every entry, or a vector of so many."""
    import numpy as np

    number = _number(x)
    if number is not None:
        array = np.empty(1, object)
        array[0] = number.numerator
        return Numbers(array, Fraction(1, number.denominator))
    found = numbers_of(x)
    return None if found is None or len(found) != size else found


def _pair(x: Any, y: Any) -> tuple[Numbers, Numbers] | None:
    """Both as integers of one unit."""
    size = len(x if isinstance(x, Numbers) else y)
    left, right = _operand(x, size), _operand(y, size)
    return None if left is None or right is None else alike(left, right)


def _both(x: Any, y: Any) -> bool:
    return all(isinstance(v, Numbers) and v.discrete for v in (x, y))


def _summed(x: Any, y: Any, sign: int) -> Numbers | None:
    import numpy as np

    found = _pair(x, y)
    if found is None:
        return None
    left, right = found
    most = left.most + right.most
    wide = most >= 2 * LIMIT
    a, b = (v.array.astype(object) if wide else _short(v) for v in found)
    total = np.add(a, b) if sign > 0 else np.subtract(a, b)
    return Numbers(total, left.unit, most=most, discrete=_both(x, y))


def _short(x: Numbers) -> Any:
    """Integers in 64 bits where they fit."""
    import numpy as np

    fits = x.array.dtype == object and x.most < 2 * LIMIT
    return x.array.astype(np.int64) if fits else x.array


def _add(x: Any, y: Any) -> Any:
    for number, other in ((x, y), (y, x)):
        if _number(number) == 0 and isinstance(other, Numbers):
            return other
    return _summed(x, y, 1)


def _sub(x: Any, y: Any) -> Any:
    return _summed(x, y, -1)


def _sum_gradients(*xs: Any) -> Any:
    parts = sorted(xs, key=lambda x: not isinstance(x, Numbers))  # an array first
    total = parts[0]
    for part in parts[1:]:
        total = None if total is None else _add(total, part)
    return total


def _zeros(x: Numbers) -> Numbers:
    import numpy as np

    return Numbers(np.zeros(len(x), np.int64))


def _mul(x: Any, y: Any) -> Any:
    for number, other in ((x, y), (y, x)):
        factor = _number(number)
        if factor is not None and isinstance(other, Numbers):
            return other.times(factor)
    return None


def _div(x: Any, y: Any) -> Any:
    divisor = _number(y)
    if divisor is None or not isinstance(x, Numbers):
        return None
    return x.times(1 / divisor if divisor else divisor)


def _neg(x: Any) -> Numbers:
    found: Numbers = x.times(Fraction(-1))
    return found


def _abs(x: Any) -> Numbers:
    import numpy as np

    return Numbers(np.abs(x.signed()), x.unit, most=x._most)


def _clamp(x: Any, lower: Any, upper: Any) -> Numbers | None:
    import numpy as np

    low, high = _number(lower), _number(upper)
    if low is None or high is None or not isinstance(x, Numbers):
        return None
    doubles = x.doubles
    if doubles is not None and all(_is_double(bound) for bound in (low, high)):
        return Numbers(np.maximum(float(low), np.minimum(doubles, float(high))))
    x, low_end = alike(x, _single(low))
    x, high_end = alike(x, _single(high))
    low_end, x = alike(low_end, x)
    bottom, top = int(low_end.array[0]), int(high_end.array[0])
    array = x.array
    if array.dtype == object or max(abs(bottom), abs(top)) >= LIMIT:
        array = array.astype(object)
    return Numbers(np.maximum(bottom, np.minimum(array, top)), x.unit)


def _single(number: Fraction) -> Numbers:
    found = _operand(number, 1)
    assert found is not None
    return found


def _is_double(x: Fraction) -> bool:
    try:
        return Fraction(float(x)) == x
    except OverflowError:
        return False


def _sum(x: Any) -> Exact:
    return Exact(x.total())


def _largest(x: Numbers) -> Exact:
    return x._number(x.array.max()) if len(x) else Exact(0)


def _max(*xs: Any) -> Exact | None:
    return _largest(xs[0]) if len(xs) == 1 else None


def _min(*xs: Any) -> Exact | None:
    if len(xs) != 1:
        return None
    return xs[0]._number(xs[0].array.min()) if len(xs[0]) else Exact(0)


def _concat(*xs: Any) -> Numbers | None:
    import numpy as np

    parts = [numbers_of(x) for x in xs]
    if len(parts) < 2 or any(part is None for part in parts):
        return None
    joined = parts[0]
    for part in parts[1:]:
        assert joined is not None and part is not None
        if joined.doubles is None or part.doubles is None:
            joined, part = alike(joined, part)
        joined = Numbers(np.concatenate([joined.array, part.array]), joined.unit)
    return joined


def _index(x: Any, i: Any) -> Any:
    return x[position(int(i), len(x))] if isinstance(x, Numbers) and len(x) else None


def _clip(x: Any, norm: Any, radius: Any = 1) -> Any:
    from metricdp.spaces import norm_name

    if not isinstance(x, Numbers):
        return None
    c, p = Fraction(radius), norm_name(norm)
    if x.discrete and p == "L2" and (found := clip_discrete(x, c)) is not None:
        return found
    bits = BITS + max(0, c.denominator.bit_length() - c.numerator.bit_length())
    if p == "L2" and x.square() <= c * c:
        return x
    size = _norm_of(x, p, lambda square: root_above(square, bits))
    if size is None:
        return None
    return x if size <= c else x.times(c / size)


def _norm(x: Any, norm: Any = "L2") -> Exact | None:
    from metricdp.spaces import norm_name

    if not isinstance(x, Numbers) or isinstance(norm, int | float) or norm == "fro":
        return None
    found = _norm_of(x, norm_name(norm), root_below)
    return None if found is None else Exact(found)


def _norm_of(x: Numbers, p: str, root: Callable[[Fraction], Fraction]) -> Fraction | None:
    if p == "L2":
        return root(x.square())
    return {"L1": x.size, "LInf": x.largest}[p]() if p in ("L1", "LInf") else None


def _undisc(x: Any) -> Any:
    # Doubles of rows as real numbers would meet rules that are not for any function of a row.
    return None if x.discrete and x.array.dtype.kind == "f" else x


def _sum_rows(m: NumberMatrix) -> Numbers:
    import numpy as np

    flat = m.flat.whole()
    wide = flat.most * m.rows >= LIMIT
    table = (flat.array.astype(object) if wide else flat.array).reshape(m.rows, m.cols)
    totals = table.sum(axis=0) if m.rows else np.zeros(m.cols, np.int64)
    return Numbers(totals, flat.unit)


#: Record -> its form on vectors.
_VECTORS: dict[str, Callable[..., Any]] = {
    "abs": _abs,
    "add": _add,
    "clamp": _clamp,
    "clip": _clip,
    "concat": _concat,
    "discrete": lambda x: x,
    "div": _div,
    "index": _index,
    "max": _max,
    "min": _min,
    "mul": _mul,
    "neg": _neg,
    "norm": _norm,
    "norm_convert": lambda x, norm: x,
    "scale_gradient": _mul,
    "sub": _sub,
    "subtract_gradient": _sub,
    "sum": _sum,
    "sum_gradients": _sum_gradients,
    "undisc": _undisc,
    "zero_gradient": _zeros,
}

#: Records that do to every entry of a matrix what they do to one of a vector.
_ENTRYWISE = frozenset({"abs", "add", "clamp", "discrete", "div", "mul", "neg", "sub", "undisc"})
#: Record -> its form on one matrix.
_MATRICES: dict[str, Callable[..., Any]] = {
    "flatten": lambda m: m.flat,
    "norm_convert": lambda x, norm: x,
    "row": lambda m, i: m[int(i)],
    "sum_rows": _sum_rows,
}


def in_arrays(name: str, args: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
    """What a record makes of arguments among which there are arrays; None: it has no form."""
    given = (*args, *keywords.values())
    matrices = [x for x in given if isinstance(x, NumberMatrix)]
    if not matrices:
        form = _VECTORS.get(name)
        return None if form is None else form(*args, **keywords)
    if name in _MATRICES:
        return _MATRICES[name](*args, **keywords)
    first = matrices[0]
    shapes = {(m.rows, m.cols) for m in matrices}
    alone = not any(isinstance(x, Numbers | list | tuple) for x in given)
    if name not in _ENTRYWISE or len(shapes) > 1 or not alone:
        return None
    flat = [x.flat if isinstance(x, NumberMatrix) else x for x in args]
    named = {k: x.flat if isinstance(x, NumberMatrix) else x for k, x in keywords.items()}
    found = _VECTORS[name](*flat, **named)
    return None if found is None else NumberMatrix(found, first.rows, first.cols)
