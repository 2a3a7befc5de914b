"""Privacy of a mechanism that reads a secret, fresh random sample of the rows.

Let (e, d) be the base's cost for one row of its sample, under the adjacency named; then
- Poisson (every row with probability q on its own), one row added or removed:
  (ln(1 + q(e^e - 1)), q d).  Tight.
- Poisson, one row replaced, base known under add or remove and, when a row of the sample is
  replaced, (r, f): epsilon = ln(1 + q(e^e - 1)) - ln(1 - q(1 - e^(e - r))),
  delta = q d + (1 + q(e^e - 1)) q g / (q + (1 - q) e^(r - e)) with g = (f - d) e^-e.
  With r = e and f = d, as for a sum of numbers in [0, 1], it is the formula of one row added or
  removed.  Where nothing is known of (r, f) it is two steps, r = 2 e and f = (1 + e^e) d, so g = d.
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
replacement); advanced joint convexity, their Theorem 2.  Replacement under Poisson: fix the
other rows of the sample, and let M be the law without the row, P1 and Q1 those with the one and the
other, P = (1 - q) M + q P1 and Q = (1 - q) M + q Q1.  For any s in [0, 1], P1 <= e^e M + d and
P1 <= e^r Q1 + f give
    P <= (1 - q + q s e^e) M + q (1 - s) e^r Q1 + q s d + q (1 - s) f.
With 1 - s = X e^-r both factors are those of X Q for X = (1 - q + q e^e) / (1 - q + q e^(e - r)),
which is at most e^r as r >= 0; and q s d + q (1 - s) f is the delta above.  It is attained where
e <= r <= 2 e: by three laws on two outcomes, of which the first has chances in proportion e^e, 1
and e^(e - r) under P1, M and Q1, in the limit of a small chance; by Laplace noise on a sum of
numbers of which some row has either end of [0, 1].
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import comb
from typing import TYPE_CHECKING, Any, ClassVar

from metricdp.accounting.costs import Approx, Number
from metricdp.accounting.rounded import exp_up, ln_up, root_up, short_up
from metricdp.errors import ParameterError, SpaceError
from metricdp.expr import ONE, ZERO, Expr, Relation, exp, log, num, sum_over, sym
from metricdp.measures.accounted import FREE, AccountedEvent, Case, Pieces, Scheme, refuse
from metricdp.spaces.metrics import Adjacency

if TYPE_CHECKING:
    from metricdp.accounting.renyi import Curve


class PoissonSampling(Scheme, frozen=True, tag="poisson"):
    """Every row is taken with probability `rate`, independently."""

    name: ClassVar[str] = "Poisson"
    words: ClassVar[str] = "by Poisson inclusion"
    base: ClassVar[Adjacency] = "add or remove"

    rate: Expr

    def require(self, adjacency: Adjacency) -> None:
        """Each row has its rate, whatever the number of rows is."""

    def amplified(
        self,
        adjacency: Adjacency,
        epsilon: Number,
        delta: Number,
        replaced: tuple[Number, Number] | None = None,
    ) -> Approx:
        """Tight where a row is added or removed; see the module."""
        e, d, q = num(epsilon), num(delta), self.rate
        need = (Relation(q, ">=", ZERO), Relation(q, "<=", ONE))
        if adjacency == "add or remove":
            return _named(self, _mixed(e, q), q * d, need)
        further, rest = e, d
        if replaced is not None:
            far, lost = map(num, replaced)
            further, rest = far - e, (lost - d) * exp(-e)
        removal = log(1 - q * (1 - exp(-further))) if q != ONE else -further
        extra = (1 + q * (exp(e) - 1)) * q * rest / (q + (1 - q) * exp(further))
        return _named(self, _mixed(e, q) - removal, q * d + extra, need)

    def moved_rows(self, adjacency: Adjacency) -> Expr:
        """A replaced row may leave while another one enters."""
        return num(2) if adjacency == "replace" else ONE

    def share(self) -> Fraction:
        """The rate."""
        return _drawn(_number(self.rate))

    def takes_all(self, adjacency: Adjacency) -> bool:
        """Under replacement the sample's row is replaced: two steps of what reads it."""
        return adjacency == "add or remove"

    def curve(
        self,
        base: Curve,
        adjacency: Adjacency,
        allowed: Fraction,
        units: int,
        replaced: Curve | None = None,
    ) -> tuple[Curve, Fraction] | None:
        """Gaussian noise and pure mechanisms have curves, and the latter a smaller epsilon."""
        from metricdp.accounting.renyi import GaussianCurve, LaplaceCurve, LeastCurve
        from metricdp.accounting.renyi_sampled import (
            PoissonGaussian,
            PoissonLaplace,
            PoissonResponse,
            WithoutReplacementCurve,
        )

        found: list[Curve] = []
        one_way: list[Curve] = []
        rate, epsilon = self.share(), base.pure_epsilon
        if epsilon is not None:
            found.append(_pure(self, epsilon, adjacency, units, replaced))
            one_way.append(PoissonResponse(rate, epsilon))
        if isinstance(base, LaplaceCurve):
            one_way.append(PoissonLaplace(rate, base))
        elif isinstance(base, GaussianCurve):
            one_way.append(PoissonGaussian(rate, root_up(2 * base.rho)))
        # Under replacement: twice, once each way, through the data without the row.
        steps = units if adjacency == "add or remove" else 2 * units
        found += [_path(curve, steps) for curve in one_way]
        if replaced is not None and replaced == base:
            # The laws without the row, with it and with another one are equally far from each
            # other, which is all that the proof for samples without replacement uses.
            found.append(_path(WithoutReplacementCurve(rate, base, epsilon), units))
        if not found:
            return None
        return (found[0] if len(found) == 1 else LeastCurve(tuple(found))), Fraction(0)

    def pieces(self, reads: AccountedEvent, case: Case) -> Pieces:
        """The mixture pair; of replaced and of several rows, `sampled_groups`."""
        rate = self.share()
        if not rate:
            return FREE
        if rate == 1:
            return reads.pieces(case)
        if case.kind == "replace" or case.units > 1:
            from metricdp.measures.sampled_groups import group_pieces

            return group_pieces(reads, self, rate, case)
        from metricdp.measures.sampled_losses import base_pieces, poisson, through

        base = base_pieces(reads, self, case.kind)
        return through(base, lambda loss: poisson(loss, rate, case.forward))


#: Most rows that are drawn with replacement.
MOST_DRAWS = 10**8


class _FixedSize(Scheme, frozen=True):
    """A sample of a public number of rows, out of a public number of them."""

    base: ClassVar[Adjacency] = "replace"

    def require(self, adjacency: Adjacency) -> None:
        """Refuse a sample of fixed size where one row may be added or removed.  SpaceError."""
        if adjacency == "add or remove":
            raise SpaceError(
                f"sampling {self.words} needs a public number of rows, and here a row may be added"
                " or removed",
                place="sample",
                remedy="dp.sample(rows, q=rate) is a Poisson sample: each row on its own; or"
                " declare the records with ChangeOne, where one record is replaced",
            )

    def fixed(self, case: Case) -> Case:
        """The case, if the number of rows is public in it.  RelationError otherwise."""
        if case.kind == "add or remove":
            raise refuse(
                self, case, "a sample of fixed size needs a public number of rows",
                'ask for relation="replace", or use Poisson(rate, event)',
            )  # fmt: skip
        return case


class SamplingWithoutReplacement(_FixedSize, frozen=True, tag="without replacement"):
    """A uniform set of `size` of the `rows` rows; both public."""

    name: ClassVar[str] = "WithoutReplacement"
    words: ClassVar[str] = "without replacement"

    size: Expr
    rows: Expr

    @property
    def drawn(self) -> Expr:
        """The size."""
        return self.size

    def amplified(
        self,
        adjacency: Adjacency,
        epsilon: Number,
        delta: Number,
        replaced: tuple[Number, Number] | None = None,
    ) -> Approx:
        """The first formula of the module with q = m / n."""
        self.require(adjacency)
        e, d, q = num(epsilon), num(delta), self.size / self.rows
        need = (
            Relation(self.size, ">=", ZERO),
            Relation(self.size, "<=", self.rows),
            Relation(self.rows, ">=", ONE),
        )
        return _named(self, _mixed(e, q), q * d, need)

    def moved_rows(self, adjacency: Adjacency) -> Expr:
        """The replaced row, or the one that takes its place."""
        return ONE

    def share(self) -> Fraction:
        """m / n."""
        return _drawn(_number(self.size / self.rows))

    def takes_all(self, adjacency: Adjacency) -> bool:
        """A sample of all rows is the data in another order."""
        return True

    def curve(
        self,
        base: Curve,
        adjacency: Adjacency,
        allowed: Fraction,
        units: int,
        replaced: Curve | None = None,
    ) -> tuple[Curve, Fraction] | None:
        """Any mechanism has a curve; a pure one a smaller epsilon as well."""
        from metricdp.accounting.renyi import LeastCurve
        from metricdp.accounting.renyi_sampled import WithoutReplacementCurve

        pure = base.pure_epsilon
        path = _path(WithoutReplacementCurve(self.share(), base, pure), units)
        if pure is None:
            return path, Fraction(0)
        return LeastCurve((_pure(self, pure, adjacency, units), path)), Fraction(0)

    def pieces(self, reads: AccountedEvent, case: Case) -> Pieces:
        """The symmetric pair of one replaced row; of several, that of Gaussian noise."""
        from metricdp.measures.sampled_losses import (
            base_pieces,
            either_way,
            gaussian_pieces,
            poisson,
            through,
            without_replacement,
        )

        self.fixed(case)
        m, n, k = _count(self.size), _count(self.rows), case.units
        if m > n or not n:
            raise ParameterError(f"{m} of {n} rows", place=self.place)
        if not m:
            return FREE
        if m == n:
            return reads.pieces(case)
        if k == 1:
            # Zeroing a row out is one way of replacing it; a row that another one takes the place
            # of in the sample is always replaced.
            rate = Fraction(m, n)
            base, near = either_way(reads, self, case), base_pieces(reads, self, case.kind)
            upper = through(base, lambda loss: without_replacement(loss, rate))
            lower = through(near, lambda loss: poisson(loss, rate, case.forward))
            return Pieces(upper.upper, lower.lower)
        others = n - k
        if others < m:
            raise refuse(
                self, case, f"the {others} other rows do not fill a sample of {m}",
                "ask for fewer rows, or use group privacy on the answer",
            )  # fmt: skip
        none = Fraction(comb(n - m, k), comb(n, k))
        odds = (
            Fraction((k - j) * (m - j), (j + 1) * (others - m + j + 1)) for j in range(min(k, m))
        )
        return gaussian_pieces(reads, self, case, none, odds)


class SamplingWithReplacement(_FixedSize, frozen=True, tag="with replacement"):
    """`draws` independent uniform draws from the `rows` rows; both public."""

    name: ClassVar[str] = "WithReplacement"
    words: ClassVar[str] = "with replacement"
    coupled: ClassVar[bool] = False

    draws: Expr
    rows: Expr

    @property
    def drawn(self) -> Expr:
        """One row per draw, with copies."""
        return self.draws

    def amplified(
        self,
        adjacency: Adjacency,
        epsilon: Number,
        delta: Number,
        replaced: tuple[Number, Number] | None = None,
    ) -> Approx:
        """A path of `draws` samples of one row; see the module."""
        self.require(adjacency)
        e, d, m, n = num(epsilon), num(delta), self.draws, self.rows
        need = (Relation(m, ">=", ZERO), Relation(n, ">=", ONE))
        if e.is_infinite:
            return _named(self, e, d, need)
        step = 1 + (exp(e) - 1) / n
        draw = sym("_draw", nonneg=True, integer=True)
        # The geometric sum of the path of m steps; the quotient would be 0/0 at epsilon = 0.
        total = d / n * sum_over(step**draw, "_draw", ZERO, m - 1)
        return _named(self, m * _mixed(e, 1 / n), total, need)

    def moved_rows(self, adjacency: Adjacency) -> Expr:
        """Every draw may be the row."""
        return self.draws

    def share(self) -> Fraction:
        """m / n, which may be above 1."""
        return _number(self.draws / self.rows)

    def takes_all(self, adjacency: Adjacency) -> bool:
        """As many draws as rows are not the rows."""
        return False

    def curve(
        self,
        base: Curve,
        adjacency: Adjacency,
        allowed: Fraction,
        units: int,
        replaced: Curve | None = None,
    ) -> tuple[Curve, Fraction] | None:
        """The curve given few copies of the rows that differ; more copies are an open failure."""
        from metricdp.accounting.renyi_sampled import WithReplacementCurve

        if base.pure_epsilon is not None:
            return _pure(self, base.pure_epsilon, adjacency, units), Fraction(0)
        rho = base.zcdp_rho
        if rho is None:
            return None
        draws, rows = int(_number(self.draws)), _number(self.rows)
        for most in range(draws + 1) if allowed else (draws,):
            sampled = WithReplacementCurve(rho, draws, max(rows / units, Fraction(1)), most)
            if sampled.missed <= allowed:
                return sampled, sampled.missed
        return sampled, Fraction(0)

    def pieces(self, reads: AccountedEvent, case: Case) -> Pieces:
        """Copies of one replaced row; under Gaussian noise also of several."""
        from metricdp.measures.sampled_losses import (
            base_pieces,
            either_way,
            poisson,
            ratio_of,
            through,
            with_replacement,
        )

        self.fixed(case)
        m, n = _count(self.draws), _count(self.rows)
        if not n:
            raise ParameterError("there is no row to draw", place=self.place)
        if not m:
            return FREE
        first = either_way(reads, self, case)
        if case.units > 1 or ratio_of(first.upper) is not None:
            return self._several(reads, case, m, n)
        lower = base_pieces(reads, self, case.kind)
        chance = 1 - (1 - Fraction(1, n)) ** m
        if chance < 1:
            lower = through(lower, lambda loss: poisson(loss, chance, case.forward))
        if not first.upper:
            return Pieces(first.upper, lower.lower)
        law = with_replacement(lambda copies: self._copies(reads, copies), m, n)
        return Pieces(((law, 1),), lower.lower)

    def _several(self, reads: AccountedEvent, case: Case, m: int, n: int) -> Pieces:
        from metricdp.measures.sampled_losses import gaussian_pieces, power_down

        k, rest = case.units, n - case.units
        if rest <= 0:
            raise refuse(
                self, case, "every row may be another one",
                "ask for fewer rows, or use group privacy on the answer",
            )  # fmt: skip
        none = power_down(Fraction(rest, n), m)
        odds = (Fraction((m - j) * k, (j + 1) * rest) for j in range(m))
        return gaussian_pieces(reads, self, case, none, odds)

    def _copies(self, reads: AccountedEvent, copies: int) -> Any:
        """The law of what reads the sample when so many of its rows are replaced."""
        from metricdp.measures.sampled_losses import merged

        case = Case("replace", units=copies)
        pieces = reads.pieces(case)
        if not pieces.upper:
            raise refuse(
                self, case, f"{reads.place} has no known law where several rows differ",
                "sample without replacement, or describe what reads the sample by an epsilon",
            )  # fmt: skip
        ((law, _),) = merged(pieces.upper, upper=True)
        return law


def _mixed(e: Expr, q: Expr) -> Expr:
    """ln(1 + q(e^e - 1)), simplified at q = 0 and q = 1."""
    if q.is_zero or e.is_zero:
        return ZERO
    return e if q == ONE else log(1 + q * (exp(e) - 1))


def _named(scheme: Scheme, e: Expr, d: Expr, need: tuple[Relation, ...]) -> Approx:
    open_needs = tuple(relation for relation in need if relation.verdict is not True)
    return Approx(e, d, open_needs, f"sampling {scheme.words}")


def amplified_numbers(
    scheme: Scheme,
    adjacency: Adjacency,
    epsilon: Fraction,
    delta: Fraction,
    replaced: tuple[Fraction, Fraction] | None = None,
) -> tuple[Fraction, Fraction]:
    """`Scheme.amplified` at numbers, rounded up.

    Raises:
        ParameterError: a requirement that does not hold, or an infinite cost.
    """
    found = scheme.amplified(adjacency, epsilon, delta, replaced)
    for relation in found.requires:
        if relation.verdict is False:
            raise ParameterError(f"{relation} does not hold", place="sample")
    return short_up(_finite(found.epsilon.upper({}))), short_up(_finite(found.delta.upper({})))


def _pure(
    scheme: Scheme,
    pure: Fraction,
    adjacency: Adjacency,
    units: int,
    replaced: Curve | None = None,
) -> Curve:
    """A pure base stays pure with a smaller epsilon, on every unit of a path."""
    from metricdp.accounting.renyi import PureCurve

    far = None if replaced is None else replaced.pure_epsilon
    other = None if far is None or far > 2 * pure else (far, Fraction(0))
    epsilon, _ = amplified_numbers(scheme, adjacency, pure, Fraction(0), other)
    return PureCurve(short_up(units * epsilon))


def _path(curve: Curve, units: int) -> Curve:
    from metricdp.accounting.renyi import Grouped

    return curve if units == 1 else Grouped(curve, units)


def _drawn(share: Fraction) -> Fraction:
    if not 0 <= share <= 1:
        raise ParameterError(f"{share} of the rows cannot be drawn", place="sample")
    return share


def _number(value: Expr) -> Fraction:
    exact = value.as_fraction()
    if exact is None:
        raise ParameterError(f"{value} is no number", place="sample", remedy="give it a value")
    return exact


def _count(value: Expr) -> int:
    exact = _number(value)
    if exact.denominator != 1 or exact < 0:
        raise ParameterError(f"{exact} is no number of rows", place="sample")
    return int(exact)


def _finite(value: Fraction | float) -> Fraction:
    if isinstance(value, float):
        raise ParameterError("the cost of the base is infinite", place="sample")
    return value


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
