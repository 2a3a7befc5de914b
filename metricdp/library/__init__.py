"""The primitives as constructors of concrete maps: a space and public numbers in, a map out.

>>> from metricdp.library import make
>>> from metricdp.spaces import Records
>>> clamped = make("clamp", Records[float], lower=0, upper=20)
>>> total = clamped >> make("sum", clamped.output_space)
>>> str(total.stability), total([1.0, 2.5, 30.0])
('20*d_in', 23.5)
>>> (total >> make("laplace", total.output_space, scale=40)).map(d_in=1)
Fraction(1, 2)
"""

from __future__ import annotations

from metricdp.library.apply import apply, make

__all__ = ["apply", "make"]
