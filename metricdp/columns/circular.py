"""sin, cos, tan, atan, asin and acos from correctly rounded operations.

Arguments are taken to within pi / 4 of a multiple of pi / 2, in two parts: by heads of pi / 2
(W. J. Cody and W. Waite, 1980) up to 1.6e6 and not close to a multiple, else by the bits of 2 / pi
that matter for the exponent (M. Payne and R. Hanek, 1983), so that every double is answered. The
sums are Chebyshev fits, below 2**-53 of the result.
"""

from __future__ import annotations

from typing import Any

from metricdp.columns.constants import BITS, PI, TWO_OVER_PI, Lookup, nearest, parts
from metricdp.columns.pieces import ROUND, quotient, signed

_PER_QUARTER = nearest(TWO_OVER_PI, BITS)
_FIRST, _SECOND, _THIRD = parts(PI // 2, BITS, 33, 33)
#: Below it the number of quarters has 20 bits, and times 33 bits of pi / 2 it is exact.
_NEAR = 1.6e6
_HALF_PI = nearest(PI // 2, BITS)
_HALF_PI_HEAD, _HALF_PI_REST = parts(PI // 2, BITS, 26)
_HALF_PI_LOW = parts(PI // 2, BITS, 53)[1]
_QUARTER_PI = nearest(PI // 4, BITS)
_LIMB = 27
_LIMBS = 7
_MASK = (1 << _LIMB) - 1
#: The exponent field of 0.5.
_FIELD = 1022

_SIN = (
    -0.16666666666666666,
    0.008333333333330936,
    -0.00019841269836740532,
    2.7557316093198404e-06,
    -2.5051129896450185e-08,
    1.5917988979397435e-10,
)
_COS = (
    0.041666666666666664,
    -0.0013888888888887389,
    2.48015872987544e-05,
    -2.755731726587808e-07,
    2.087614504941318e-09,
    -1.138254464534925e-11,
)
_ATAN = (
    -0.3333333333333333,
    0.1999999999999548,
    -0.14285714284657894,
    0.11111111014561013,
    -0.09090904549884611,
    0.07692182535116648,
    -0.06664502215671447,
    0.058580687568615106,
    -0.05085030492810941,
    0.03921955253255129,
    -0.019162068915902573,
)
_ASIN = (
    0.16666666666666666,
    0.07500000000000119,
    0.04464285714255019,
    0.030381944475693704,
    0.022372157435623815,
    0.017352816768546473,
    0.013963775787848137,
    0.011566511821890942,
    0.00962140274734483,
    0.009322101501082774,
    0.0030350071727267623,
    0.019579201619744684,
    -0.019277545928584557,
    0.02963502626354855,
)


def _limbs() -> list[Lookup]:
    """Limbs, lowest first, of (2**(field - 1075) * 2 / pi mod 4) * 2**187 for each exponent."""
    rows = []
    for field in range(_FIELD, 2047):
        shifted = TWO_OVER_PI << field - _FIELD
        head = shifted >> BITS - 187 + 1075 - _FIELD
        rows.append(head & ((1 << _LIMB * _LIMBS) - 1))
    return [Lookup([row >> _LIMB * i & _MASK for row in rows]) for i in range(_LIMBS)]


_BITS_OF_QUARTERS = _limbs()


def _sum(coefficients: tuple[float, ...], z: Any) -> Any:
    total = z * coefficients[-1]
    for coefficient in coefficients[-2:0:-1]:
        total += coefficient
        total *= z
    total += coefficients[0]
    return total


def _sine(r: Any, low: Any, z: Any) -> tuple[Any, Any]:
    """sin(r + low) for |r| <= pi / 4 and z = r**2, in two parts."""
    p = _sum(_SIN[1:], z)
    cube = z * r
    p *= cube
    p = low * 0.5 - p
    p *= z
    p -= low
    p -= cube * _SIN[0]
    found = r - p
    return found, (r - found) - p


def _cosine(r: Any, low: Any, z: Any) -> tuple[Any, Any]:
    """cos(r + low) for |r| <= pi / 4 and z = r**2, in two parts."""
    p = _sum(_COS, z)
    p *= z
    p *= z
    p -= r * low
    half = z * 0.5
    w = 1.0 - half
    rest = 1.0 - w
    rest -= half
    p += rest
    found = w + p
    return found, (w - found) + p


def _quarters(ops: Any, x: Any, finish: Any) -> Any:
    """finish(n, r, low) where x = n pi / 2 + r + low."""

    def plain(x: Any, t: Any, a: Any) -> Any:
        w = t - ROUND
        b = w * _SECOND
        r = a - b
        low = a - r
        low -= b
        w *= _THIRD
        low -= w
        # Many quarters make the rest larger than a last place of r: it is taken in.
        found = r + low
        r -= found
        low += r
        return finish(ops.bits(t), found, low)

    def near(x: Any) -> Any:
        t = x * _PER_QUARTER
        t += ROUND
        w = t - ROUND
        a = x - w * _FIRST
        # Close to a multiple of pi / 2 too many bits cancel.
        clear = (abs(a) >= 2.0**-12) | (w == 0.0)
        return ops.apart(clear, plain, lambda x, t, a: far(x), x, t, a)

    def far(x: Any) -> Any:
        word = ops.bits(abs(x))
        field = (word >> 52) - _FIELD
        m = word & ((1 << 52) - 1)
        m |= 1 << 52
        m_high = m >> _LIMB
        m &= _MASK
        limbs: list[Any] = []
        carry: Any = 0
        before: Any = 0
        for table in _BITS_OF_QUARTERS:
            limb = ops.look(table, field)
            column = m * limb + m_high * before + carry
            limbs.append(column & _MASK)
            carry = column >> _LIMB
            before = limb
        top = limbs[6]
        n = (top + (1 << 24)) >> 25
        top = top - (n << 25)
        # A negative fraction is made positive, or its leading ones would hide what counts.
        sign = top >> 63
        a = ops.whole(top ^ sign) * 2.0**-25
        turn = sign & _MASK
        b, c, d, e = (ops.whole(limbs[i] ^ turn) * 2.0 ** (_LIMB * i - 187) for i in (5, 4, 3, 2))
        c += d + e
        both = b + c
        tail = (b - both) + c
        high = a + both
        low = ((a - high) + both) + tail
        head = ops.double(ops.bits(high) & -(1 << 27))
        rest = head * _HALF_PI_REST
        rest += (high - head) * _HALF_PI
        rest += low * _HALF_PI
        head = head * _HALF_PI_HEAD
        r = head + rest
        low = (head - r) + rest
        flip = ops.where((sign != 0) != (x < 0.0), -1.0, 1.0)
        return finish(ops.where(x < 0.0, -n, n), r * flip, low * flip)

    return ops.apart(ops.up_to(x, _NEAR), near, far, x)


def _wave(ops: Any, x: Any, ahead: int) -> Any:
    """sin(x + ahead * pi / 2)."""

    def finish(n: Any, r: Any, low: Any) -> Any:
        n = n + ahead
        z = r * r
        found = ops.where((n & 1) == 0, _sine(r, low, z)[0], _cosine(r, low, z)[0])
        return ops.double(ops.bits(found) ^ ((n & 2) << 62))

    return _quarters(ops, x, finish)


def sin(ops: Any, x: Any) -> Any:
    """The sine of an angle in radians."""
    return _wave(ops, x, 0)


def cos(ops: Any, x: Any) -> Any:
    """The cosine of an angle in radians."""
    return _wave(ops, x, 1)


def tan(ops: Any, x: Any) -> Any:
    """The tangent of an angle in radians."""

    def finish(n: Any, r: Any, low: Any) -> Any:
        z = r * r
        s, s_low = _sine(r, low, z)
        c, c_low = _cosine(r, low, z)
        even = (n & 1) == 0
        return quotient(
            ops.where(even, s, -c),
            ops.where(even, s_low, -c_low),
            ops.where(even, c, s),
            ops.where(even, c_low, s_low),
        )

    return _quarters(ops, x, finish)


def atan(ops: Any, x: Any) -> Any:
    """The angle whose tangent is x, in radians."""
    a = abs(x)
    big = a > 2.414213562373095
    middle = a > 0.41421356237309503
    u = ops.where(big, -1.0, ops.where(middle, a - 1.0, a))
    u /= ops.where(big, a, ops.where(middle, a + 1.0, 1.0))
    z = u * u
    p = _sum(_ATAN, z)
    p *= z
    p *= u
    p += ops.where(big, _HALF_PI_LOW, ops.where(middle, 0.5 * _HALF_PI_LOW, 0.0))
    p += u
    p += ops.where(big, _HALF_PI, ops.where(middle, _QUARTER_PI, 0.0))
    return signed(ops, p, x)


def _arc(ops: Any, a: Any) -> tuple[Any, Any, Any, Any]:
    """For 0 <= a <= 1: whether a > 1/2, the root of (1 - a) / 2 in two parts, asin less that."""
    steep = a > 0.5
    w = (1.0 - a) * 0.5
    s = ops.where(steep, ops.root(w), a)
    z = ops.where(steep, w, a * a)
    p = _sum(_ASIN, z)
    p *= z
    p *= s
    head = ops.where(steep, ops.double(ops.bits(s) & -(1 << 27)), s)
    total = s + head
    low = ops.where(steep, (w - head * head) / ops.where(total > 0.0, total, 1.0), 0.0)
    return steep, head, low, p


def _within_one(ops: Any, x: Any, main: Any) -> Any:
    return ops.apart(ops.up_to(x, 1.0), main, lambda x: x * 0.0, x)


def asin(ops: Any, x: Any) -> Any:
    """The angle whose sine is x, in radians; 0.0 where |x| > 1."""

    def main(x: Any) -> Any:
        steep, head, low, p = _arc(ops, abs(x))
        # pi/2 - 2 (head + low + p), with pi/2 in two equal parts and a rest.
        p = ops.where(steep, _HALF_PI_LOW - 2.0 * (p + low), p)
        found = ops.where(steep, _QUARTER_PI + (p + (_QUARTER_PI - 2.0 * head)), head + p)
        found = ops.where(found < _HALF_PI, found, _HALF_PI)
        return signed(ops, found, x)

    return _within_one(ops, x, main)


def acos(ops: Any, x: Any) -> Any:
    """The angle whose cosine is x, in radians; 0.0 where |x| > 1."""

    def main(x: Any) -> Any:
        steep, head, low, p = _arc(ops, abs(x))
        down = x < 0.0
        rest = p + low
        small = 2.0 * (head + rest)
        large = 2.0 * (_HALF_PI - (head + (rest - _HALF_PI_LOW)))
        sign = ops.where(down, -1.0, 1.0)
        middle = _HALF_PI - (sign * head - (_HALF_PI_LOW - sign * p))
        return ops.where(steep, ops.where(down, large, small), middle)

    return _within_one(ops, x, main)
