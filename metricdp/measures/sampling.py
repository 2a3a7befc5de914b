"""Privacy of a mechanism that reads a secret, fresh random sample of the rows.

Let (e, d) be the base's cost for one row of its sample, under the adjacency named; then
- Poisson (every row with probability q on its own), one row added or removed:
  (ln(1 + q(e^e - 1)), q d).  Tight.
- Poisson, one row replaced, base known under add or remove: both directions add, through the data
  without the row: epsilon = ln(1 + q(e^e - 1)) - ln(1 - q(1 - e^-e)),
  delta = q d + (1 + q(e^e - 1)) q d / (q + (1 - q) e^e).
- m of n rows without replacement, one row replaced: the first formula with q = m / n.
- m draws from n rows with replacement, one row replaced: every draw is a sample of one row, so m
  steps of (ln(1 + (e^e - 1)/n), d/n) along a path: epsilon = m ln(1 + (e^e - 1)/n),
  delta = (d/n) sum_{i < m} (1 + (e^e - 1)/n)^i, which is what m steps cost on a path.  With the
  base's own delta at k replaced rows, `with_replacement_profile` is smaller.
Other combinations are refused: a sample of fixed size does not exist when n itself is private.

A sample of fixed size is a sequence in random order, each row at any place with the same chance.
Then a sample with row i goes over into one without it by another row in its place, so that vectors
and matrices, which show places, move by one row; in the order of the data the rows between would
move up by one, and a release of two entries of 2 of 4 rows breaks the formula (e = ln 10).

"2 q e" is false for e > 1.256 and is not used; (m / n) d is false with replacement.  rho-zCDP is
not amplified at all.  Rows are sampled afresh in every round and the sample is never released.

Proofs.  Mixtures: Balle, Barthe, Gaboardi (2018), Theorems 8 (Poisson), 9 (without) and 10 (with
replacement); advanced joint convexity, their Theorem 2.  Replacement under Poisson: with M the law
without the row, P = (1 - q) M + q P1 and Q = (1 - q) M + q Q1; M <= e^e Q1 + d gives
Q >= (1 - q + q e^-e) M - q e^-e d, and P <= (1 + q(e^e - 1)) M + q d.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import comb

import msgspec

from metricdp.accounting.costs import Approx, Number
from metricdp.accounting.rounded import exp_up, ln_up, short_up
from metricdp.errors import ParameterError, SpaceError
from metricdp.expr import ONE, ZERO, Expr, Relation, exp, log, num, sum_over, sym
from metricdp.spaces import Records, Space
from metricdp.spaces.metrics import Adjacency


def adjacency(space: Space | None) -> Adjacency:
    """What one unit of distance is in a container of rows: one of (LInf, Data) is replaced."""
    return space.row_metric.adjacency() if isinstance(space, Records) else "replace"


class Poisson(msgspec.Struct, frozen=True, tag="poisson"):
    """Every row is taken with probability `rate`, independently."""

    rate: Expr


class WithoutReplacement(msgspec.Struct, frozen=True, tag="without replacement"):
    """A uniform set of `size` of the `rows` rows; both public."""

    size: Expr
    rows: Expr


class WithReplacement(msgspec.Struct, frozen=True, tag="with replacement"):
    """`draws` independent uniform draws from the `rows` rows; both public."""

    draws: Expr
    rows: Expr


Scheme = Poisson | WithoutReplacement | WithReplacement


def at_numbers(scheme: Scheme, numbers: Mapping[str, int | Fraction | float]) -> Scheme:
    """The scheme with its public names replaced by their values.

    Raises:
        ExpressionError: a name without a value.
        ParameterError: a parameter of the scheme that is no rational number.
    """
    found: dict[str, Expr] = {}
    for name in scheme.__struct_fields__:
        value = getattr(scheme, name).exact(numbers)
        if value is None:
            raise ParameterError(f"{getattr(scheme, name)} is no rational number", place="sample")
        found[name] = num(value)
    return msgspec.structs.replace(scheme, **found)


def base_adjacency(scheme: Scheme) -> Adjacency:
    """The adjacency of samples under which the base's (epsilon, delta) must be stated."""
    return "add or remove" if isinstance(scheme, Poisson) else "replace"


def amplified(scheme: Scheme, adjacency: Adjacency, epsilon: Number, delta: Number) -> Approx:
    """(epsilon, delta) of the mechanism on the sample, for one unit of distance of the data.

    Args:
        scheme: how rows are sampled; the run-time sampler must be the same one.
        adjacency: what one unit of distance of the whole data is.
        epsilon: of the base, for one row of the sample under `base_adjacency(scheme)`.
        delta: likewise.

    Raises:
        SpaceError: the scheme has no theorem under this adjacency.
    """
    e, d = num(epsilon), num(delta)
    if adjacency == "add or remove":
        require_rate_of_each_row(scheme)
    if isinstance(scheme, WithReplacement):
        return _with_replacement(scheme, e, d)
    if isinstance(scheme, WithoutReplacement):
        q = scheme.size / scheme.rows
        fixed = (
            Relation(scheme.size, ">=", ZERO),
            Relation(scheme.size, "<=", scheme.rows),
            Relation(scheme.rows, ">=", ONE),
        )
        return _named(scheme, _mixed(e, q), q * d, fixed)
    q = scheme.rate
    need = (Relation(q, ">=", ZERO), Relation(q, "<=", ONE))
    if adjacency == "add or remove":
        return _named(scheme, _mixed(e, q), q * d, need)
    removal = log(1 - q * (1 - exp(-e))) if q != ONE else -e
    extra = (1 + q * (exp(e) - 1)) * q * d / (q + (1 - q) * exp(e))
    return _named(scheme, _mixed(e, q) - removal, q * d + extra, need)


def require_rate_of_each_row(scheme: Scheme) -> None:
    """Refuse a sample of fixed size where one row may be added or removed.  SpaceError."""
    if isinstance(scheme, Poisson):
        return
    raise SpaceError(
        f"sampling {_name(scheme)} needs a public number of rows, and here a row may be added"
        " or removed",
        place="sample",
        remedy="dp.sample(rows, q=rate) is a Poisson sample: each row on its own; or declare the"
        " records with ChangeOne, where one record is replaced",
    )


def _with_replacement(scheme: WithReplacement, e: Expr, d: Expr) -> Approx:
    m, n = scheme.draws, scheme.rows
    need = (Relation(m, ">=", ZERO), Relation(n, ">=", ONE))
    if e.is_infinite:
        return _named(scheme, e, d, need)
    step = 1 + (exp(e) - 1) / n
    draw = sym("_draw", nonneg=True, integer=True)
    # The geometric sum of the path of m steps; the quotient would be 0/0 at epsilon = 0.
    delta = d / n * sum_over(step**draw, "_draw", ZERO, m - 1)
    return _named(scheme, m * _mixed(e, 1 / n), delta, need)


def _mixed(e: Expr, q: Expr) -> Expr:
    """ln(1 + q(e^e - 1)), simplified at q = 0 and q = 1."""
    if q.is_zero or e.is_zero:
        return ZERO
    return e if q == ONE else log(1 + q * (exp(e) - 1))


def _named(scheme: Scheme, e: Expr, d: Expr, need: tuple[Relation, ...]) -> Approx:
    open_needs = tuple(relation for relation in need if relation.verdict is not True)
    return Approx(e, d, open_needs, f"sampling {_name(scheme)}")


def _name(scheme: Scheme) -> str:
    if isinstance(scheme, Poisson):
        return "by Poisson inclusion"
    return "without replacement" if isinstance(scheme, WithoutReplacement) else "with replacement"


def with_replacement_profile(
    epsilon: Fraction, profile: Callable[[int], Fraction], draws: int, rows: int
) -> tuple[Fraction, Fraction]:
    """(epsilon', delta') of m draws from n rows, from the group profile of the base; rounded up.

    epsilon' = ln(1 + g(e^epsilon - 1)) with g = 1 - (1 - 1/n)^m, and
    delta' = sum_{k = 1}^m C(m, k) n^-k (1 - 1/n)^(m - k) d_k.
    Source: Balle, Barthe, Gaboardi (2018), Theorem 10.

    Args:
        epsilon: the x at which the profile is stated, >= 0.
        profile: k -> d_k, at least the base's delta at this same epsilon when k rows of its sample
            are replaced, in [0, 1] and growing with k.  For the Gaussian with ratio u:
            `lambda k: profile_upper(epsilon, k * u)`.
        draws: m, up to a few thousand.
        rows: n.

    Raises:
        ParameterError: epsilon < 0, draws < 0 or rows < 1.
    """
    if epsilon < 0 or draws < 0 or rows < 1:
        raise ParameterError("needs epsilon >= 0, draws >= 0 and rows >= 1", place="sample")
    hit, miss = Fraction(1, rows), 1 - Fraction(1, rows)
    total, left = Fraction(0), 1 - miss**draws
    chance = left
    for k in range(1, draws + 1):
        weight = comb(draws, k) * hit**k * miss ** (draws - k)
        value = profile(k)
        total, left = total + weight * value, left - weight
        if left < total / 2**60:
            # d_k is at most 1, so the rest is at most its probability.
            total += left
            break
    grown = 1 + chance * (exp_up(Fraction(epsilon)) - 1)
    return ln_up(grown), min(Fraction(1), short_up(total))
