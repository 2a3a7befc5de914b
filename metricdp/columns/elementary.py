"""Elementary functions of doubles that give the same bits for a float and in any array.

NumPy's vector loops for exp, log, ... may give one value other last bits at another place or in
another layout, so that a row's result would depend on its neighbours. These use + - * / and the
square root, which IEEE 754 rounds correctly, comparison, selection, tables and integer operations
on the bits; nothing is fused and libm is not asked. One definition serves both forms.

They are total. What a function has no value for gives 0.0, what is too large the largest double,
what is too small 0.0 or a subnormal; NaN counts as 0.0, an infinity as the largest double. Zeros
may come out with either sign, the same in both forms. Nothing is promised about monotony.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from metricdp.columns import circular, exponential, floats, logarithm, logistic, roots
from metricdp.columns.constants import BITS, LARGEST, PI, nearest

HALF_PI = nearest(PI // 2, BITS)


@dataclass(frozen=True)
class Elementary:
    """One function: called with floats it gives a float, `array` goes over arrays.

    `lowest` and `highest` enclose every result. No error above `ulps` units in the last place of
    the true value was found against certified enclosures: measured, not proved. Below the smallest
    normal double a place is that of the subnormals.

    >>> exp(1.0), log(-1.0), sigmoid(1e300), power(0.0, -1.0)
    (2.718281828459045, 0.0, 1.0, 0.0)
    """

    name: str
    definition: Callable[..., Any]
    lowest: float = -LARGEST
    highest: float = LARGEST
    ulps: float = 0.0

    def __call__(self, *args: float) -> float:
        """The value at floats."""
        return float(self.definition(floats, *map(floats.finite, args)))

    def array(self, *arrays: Any) -> Any:
        """The values at arrays of doubles of any layout, broadcast together; a new array."""
        # Plain values are computed without NumPy.
        from metricdp.columns import blocks

        return blocks.over(partial(self.definition, blocks), *arrays)


exp = Elementary("exp", exponential.exp, lowest=0.0, ulps=1.3)
exp2 = Elementary("exp2", exponential.exp2, lowest=0.0, ulps=1.3)
expm1 = Elementary("expm1", exponential.expm1, lowest=-1.0, ulps=1.1)
log = Elementary("log", logarithm.log, ulps=0.85)
log2 = Elementary("log2", logarithm.log2, ulps=0.8)
log10 = Elementary("log10", logarithm.log10, ulps=0.8)
log1p = Elementary("log1p", logarithm.log1p, ulps=0.85)
power = Elementary("power", roots.power, ulps=0.9)
cbrt = Elementary("cbrt", roots.cbrt, ulps=0.85)
sin = Elementary("sin", circular.sin, -1.0, 1.0, ulps=0.85)
cos = Elementary("cos", circular.cos, -1.0, 1.0, ulps=0.85)
tan = Elementary("tan", circular.tan, ulps=1.5)
asin = Elementary("asin", circular.asin, -HALF_PI, HALF_PI, ulps=0.85)
acos = Elementary("acos", circular.acos, 0.0, 2.0 * HALF_PI, ulps=0.85)
atan = Elementary("atan", circular.atan, -HALF_PI, HALF_PI, ulps=1.8)
sinh = Elementary("sinh", exponential.sinh, ulps=1.8)
cosh = Elementary("cosh", exponential.cosh, lowest=1.0, ulps=1.75)
tanh = Elementary("tanh", exponential.tanh, -1.0, 1.0, ulps=1.5)
sigmoid = Elementary("sigmoid", logistic.sigmoid, 0.0, 1.0, ulps=1.4)
softplus = Elementary("softplus", logarithm.softplus, lowest=0.0, ulps=1.8)

#: Every function by its name.
FUNCTIONS = {
    function.name: function
    for function in (
        exp,
        exp2,
        expm1,
        log,
        log2,
        log10,
        log1p,
        power,
        cbrt,
        sin,
        cos,
        tan,
        asin,
        acos,
        atan,
        sinh,
        cosh,
        tanh,
        sigmoid,
        softplus,
    )
}
