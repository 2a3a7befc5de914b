"""DP1xx: the distance between outputs has no finite bound."""

from __future__ import annotations

from metricdp.diagnostics.code import Code

CODES = (
    Code(
        name="unbounded-sum",
        id="DP101",
        title="one person can move this sum by any amount",
        means="""\
The rows of the sum have no finite public bounds, so a single added, removed or replaced row
can change the sum without limit.
""",
        why="""\
Noise is sized by how far one person can move the result. No finite noise hides an unlimited
movement. Witness: [] and [v] are neighbours, and their sums differ by v.
""",
        rejected="""\
@dp.measurement
def total_pay(pay: dp.Records[float]):
    return dp.laplace(dp.sum(pay), scale=200)
""",
        mended="""\
@dp.measurement
def total_pay(pay: dp.Records[float]):
    return dp.laplace(dp.sum(dp.clamp(pay, 0, 200)), scale=200)
""",
    ),
    Code(
        name="unbounded-mean",
        id="DP102",
        title="one person can move this mean by any amount",
        means="""\
The rows of the mean have no finite public bounds.
""",
        why="""\
The mean of n rows moves by (upper - lower) / n when one row is replaced. Without bounds
that is not finite, however many rows there are.
""",
        rejected="""\
@dp.measurement
def mean_visits(visits: dp.Records[float]):
    return dp.laplace(dp.mean(visits), epsilon=1)
""",
        mended="""\
@dp.measurement
def mean_visits(visits: dp.Records[float]):
    return dp.laplace(dp.mean(dp.clamp(visits, 0, 20)), epsilon=1)
""",
    ),
    Code(
        name="infinite-stability",
        id="DP103",
        title="one person can move this value by any amount",
        means="""\
The argument of a mechanism, or the result of a transformation, has no finite bound on how
far one person moves it. The notes show where the bound became infinite. For a
transformation this is a warning: the infinite bound is true. A mechanism needs a finite
one.
""",
        why="""\
A mechanism divides the movement by its noise scale; an infinite movement costs an infinite
epsilon.
""",
        rejected="""\
@dp.measurement
def noisy_growth(x: Real):
    return dp.laplace(dp.exp(x), scale=1)
""",
        mended="""\
@dp.measurement
def noisy_growth(x: Real):
    return dp.laplace(dp.exp(dp.clamp(x, -1, 1)), scale=3)
""",
    ),
    Code(
        name="unbounded-branch",
        id="DP104",
        title="a private condition chooses between values that are any distance apart",
        means="""\
One person can flip the condition, and the results of the two branches have no finite bound
on their difference.
""",
        why="""\
When the condition flips, the result jumps from one branch to the other. The bound is the
largest such jump, so each branch needs bounds, or what both share must be the same.
""",
        rejected="""\
@dp.measurement
def paid(flag: dp.Bool, x: Real):
    return dp.laplace(x if flag else 0.0, scale=1)
""",
        mended="""\
@dp.measurement
def paid(flag: dp.Bool, x: Real):
    return dp.laplace(dp.clamp(x, 0, 20) if flag else 0.0, scale=20)
""",
    ),
    Code(
        name="unbounded-undisc",
        id="DP105",
        title="data without bounds cannot be read as real numbers",
        means="""\
`undisc` reads values of the discrete metric, where any change counts 1, as real numbers,
where a change counts its size. Without bounds that size is unlimited.
""",
        why="""\
A value in [lower, upper] that changes moves by at most upper - lower. A row of norm at most
c moves by at most 2c. Clip or clamp before `undisc`, not after.
""",
        rejected="""\
@dp.measurement
def read(x: Data):
    return dp.laplace(dp.undisc(x), scale=20)
""",
        mended="""\
@dp.measurement
def read(x: Data):
    return dp.laplace(dp.undisc(dp.clamp(x, 0, 20)), scale=20)
""",
    ),
    Code(
        name="unclipped-rows",
        id="DP106",
        title="the rows that are summed have no bound on their norm",
        means="""\
Rows of a matrix are summed or averaged, and no clip bounds the norm of a row.
""",
        why="""\
A replaced row moves the sum of rows by at most 2c when every row has norm at most c, and by
any amount otherwise.
""",
        rejected="""\
@dp.measurement
def totals(rows: Matrix[Data, LInf]):
    return dp.gaussian(dp.sum_rows(rows), scale=4)
""",
        mended="""\
@dp.measurement
def totals(rows: Matrix[Data, LInf]):
    clipped = dp.map_rows(lambda r: dp.undisc(dp.clip(r, L2)), rows)
    return dp.gaussian(dp.sum_rows(clipped), scale=4)
""",
    ),
    Code(
        name="real-comparison",
        id="DP107",
        title="comparing private real numbers has no finite bound",
        means="""\
The outcome of the comparison flips for arbitrarily close inputs, so it is not stable with
respect to the distance of real numbers.
""",
        why="""\
x = 18 and x = 18.000001 are almost equal, and `x > 18` differs. A branch whose two sides
agree at the boundary is stable; `clamp`, `min`, `max` and `abs` are such branches. The
comparison of integers or of discrete data is stable, since distinct values are at distance
1 or more.
""",
        rejected="""\
@dp.measurement
def late(hours: Real):
    return dp.laplace(1.0 if hours > 18 else 0.0, epsilon=1)
""",
        mended="""\
@dp.measurement
def late(hours: dp.Int):
    return dp.laplace(1.0 if hours > 18 else 0.0, epsilon=1)
""",
    ),
    Code(
        name="real-discretised",
        id="DP108",
        title="reading real numbers as discrete data has no finite bound",
        means="""\
A real number is given the discrete metric, in which any change, however small, counts 1. No
constant times the distance of the reals bounds that.
""",
        why="""\
The map is the constant 1 for every distance above 0, also when one person moves the number
by a millionth. Data that enter as discrete do not need the step.
""",
        rejected="""\
@dp.measurement
def flag(x: Real):
    return dp.laplace(dp.undisc(dp.discrete(x)), scale=1)
""",
        mended="""\
@dp.measurement
def flag(x: Real):
    return dp.laplace(x, scale=1)
""",
    ),
    Code(
        name="private-divisor",
        id="DP109",
        title="the divisor is private and may be near zero",
        means="""\
A value is divided by a private number that is not bounded away from zero.
""",
        why="""\
Near zero, 1/y moves by any amount when y moves a little. Release numerator and denominator,
each with its own noise, then divide what was released: that is free.
""",
        rejected="""\
@dp.measurement
def mean_visits(visits: dp.Records[float], eps: float):
    kept = dp.clamp(visits, 0, 20)
    return dp.laplace(dp.sum(kept) / dp.count(kept), epsilon=eps)
""",
        mended="""\
@dp.measurement
def mean_visits(visits: dp.Records[float], eps: float):
    kept = dp.clamp(visits, 0, 20)
    total = dp.laplace(dp.sum(kept), epsilon=eps / 2)
    return total / dp.laplace(dp.count(kept), epsilon=eps / 2)
""",
    ),
    Code(
        name="unbounded-product",
        id="DP110",
        title="a product of two private values has no finite bound",
        means="""\
Two private numbers are multiplied, and one that must be bounded is not.
""",
        why="""\
x * y moves by |y| for each unit that x moves. With |x| <= a and |y| <= b the bound is b in
x and a in y.
""",
        rejected="""\
@dp.measurement
def area(x: Real, y: Real):
    return dp.laplace(x * y, scale=100)
""",
        mended="""\
@dp.measurement
def area(x: Real, y: Real):
    return dp.laplace(dp.clamp(x, 0, 10) * dp.clamp(y, 0, 10), scale=100)
""",
    ),
    Code(
        name="loop-growth",
        id="DP111",
        title="a loop amplifies its own state in a way that has no closed bound",
        means="""\
Each round of the loop moves its state by more than a fixed factor times the last movement,
so no formula bounds the movement after all rounds.
""",
        why="""\
A round x -> c*x + b gives c**n after n rounds. A root, a quotient or another function without
such a factor has no formula for n rounds, and neither has a list that every round makes longer.
""",
        rejected="""\
@dp.measurement
def rooted(x: Real, rounds: int):
    a = x
    for _ in range(rounds):
        a = dp.sqrt(abs(a))
    return dp.laplace(a, scale=1)
""",
        mended="""\
@dp.measurement
def halved(x: Real, rounds: int):
    a = x
    for _ in range(rounds):
        a = abs(a) / 2
    return dp.laplace(a, scale=1)
""",
    ),
    Code(
        name="unordered-loop",
        id="DP112",
        title="the result depends on the order of unordered rows",
        means="""\
A loop over records under the symmetric distance computes something that another order of
the same rows would change.
""",
        why="""\
Records are a multiset: two orders of the same rows are the same data, at distance 0, so the
result has to be the same.
""",
        rejected="""\
@dp.measurement
def last(visits: dp.Records[float]):
    found = 0.0
    for v in visits:
        found = dp.clamp(v, 0, 20)
    return dp.laplace(found, scale=20)
""",
        mended="""\
@dp.measurement
def total(visits: dp.Records[float]):
    found = 0.0
    for v in visits:
        found += dp.clamp(v, 0, 20)
    return dp.laplace(found, scale=20)
""",
    ),
    Code(
        name="unbounded-contribution",
        id="DP113",
        title="one person may have any number of rows",
        means="""\
A table with a column of ids is counted, summed or gone through row by row, and nothing bounds
how many rows one id has.
""",
        why="""\
One unit of distance is everything that one id has. Rules of rows are about one row each:
without a bound on the rows of an id, one person moves a count by any number.

`dp.limit_rows` keeps a few rows of each id, chosen by a hash of the row. Where the question is
about persons and not about rows, no bound is needed: `dp.count_ids(visits, "0")` counts them,
also those of filtered rows, and `dp.sum_per_id(visits, "0", lambda v: v[1])` is a table of one
number for each, which is clamped and added up, or counted, as any other.
""",
        rejected="""\
@dp.measurement
def visits_in_all(visits: dp.Records[tuple[str, float], dp.Ids("0")]):
    return dp.laplace(dp.count(visits), scale=5)
""",
        mended="""\
@dp.measurement
def visits_in_all(visits: dp.Records[tuple[str, float], dp.Ids("0")]):
    visits = dp.limit_rows(visits, "0", 5)
    return dp.laplace(dp.count(visits), scale=5)
""",
    ),
)
