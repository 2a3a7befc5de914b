"""DP5xx: black boxes, whose bodies check does not interpret."""

from __future__ import annotations

from metricdp.diagnostics.code import Code

CODES = (
    Code(
        name="box-effect",
        id="DP516",
        title="a black box reads or changes something besides its arguments",
        means="""\
The body of a function decorated with `@dp.black_box`, or of a function of this project that
it calls, keeps state, changes its arguments, reads, writes, draws at random or looks at the
clock.
""",
        why="""\
Nothing is known of a black box but the space of its result, and the bound holds because its
result for one row depends on that row alone. A box that remembers an early row can change what
it says of every later one.
""",
        rejected="""\
from metricdp import Size

seen = []

@dp.black_box(returns=Annotated[Vector[Data, LInf], Size(2)])
def features(row):
    seen.append(row)
    return [len(seen), sum(row)]

@dp.measurement
def total(rows: Matrix[Data, LInf]):
    found = 0.0
    for row in rows:
        found += dp.undisc(dp.clip(features(row), L2))
    return dp.gaussian(found, scale=3)
""",
        mended="""\
from metricdp import Size

@dp.black_box(returns=Annotated[Vector[Data, LInf], Size(2)])
def features(row):
    return [max(row), sum(row)]

@dp.measurement
def total(rows: Matrix[Data, LInf]):
    found = 0.0
    for row in rows:
        found += dp.undisc(dp.clip(features(row), L2))
    return dp.gaussian(found, scale=3)
""",
    ),
    Code(
        name="box-shape",
        id="DP517",
        title="nothing public says how large the result of a black box is",
        means="""\
A black box returns a vector, a gradient or a matrix without a public size, or its space names
a number that the caller of the checked function does not supply.
""",
        why="""\
The length of its result could tell something about the data: it is public in every bound, and
it decides how many numbers are released. With a public size every result has that shape: one
that does not fit becomes the public default.
""",
        rejected="""\
@dp.black_box(returns=Vector[Data, LInf])
def features(row):
    return [max(row), sum(row)]

@dp.measurement
def total(rows: Matrix[Data, LInf]):
    found = 0.0
    for row in rows:
        found += dp.undisc(dp.clip(features(row), L2))
    return dp.gaussian(found, scale=3)
""",
        mended="""\
from metricdp import Size

@dp.black_box(returns=Annotated[Vector[Data, LInf], Size(2)])
def features(row):
    return [max(row), sum(row)]

@dp.measurement
def total(rows: Matrix[Data, LInf]):
    found = 0.0
    for row in rows:
        found += dp.undisc(dp.clip(features(row), L2))
    return dp.gaussian(found, scale=3)
""",
    ),
)
