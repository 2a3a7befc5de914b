"""What is asked of a group: parts, each one draw, and outputs that are made of them.

Two outputs that need one number share it: COUNT(*) and AVG(x) of a column that is never NULL draw
one count.  A mean is the middle of its bounds plus the mean of what lies apart from it, so that one
row moves the sum by half of the range and not by the larger bound.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from sqlglot import exp

from metricdp.sql.clause import NamedBounds
from metricdp.sql.functions import clamped
from metricdp.sql.parsed import Query
from metricdp.sql.parts import GroupNumber, Mean, Output, all_tests, mean_of, spread_of
from metricdp.sql.rows import INNER_QUERY, RowReader
from metricdp.sql.spelled import called
from metricdp.sql.terms import SqlValue, number

#: Number of a part -> what a formula says of it.
_PLAIN = "{0}"
_QUANTILES = (exp.Median, exp.Quantile, exp.ApproxQuantile, exp.PercentileCont, exp.PercentileDisc)
_SPREADS = {exp.Variance: (1, False), exp.VariancePop: (0, False), exp.Stddev: (1, True),
            exp.StddevSamp: (1, True), exp.StddevPop: (0, True)}  # fmt: skip


class AggregateReader:
    """Reads the list of SELECT.

    Args:
        bounds: column -> (low, high), for columns that are added up as they are.
        rows: rows of a person in a group; None: no bound was given.
    """

    def __init__(
        self, query: Query, reader: RowReader, bounds: Mapping[str, Any], rows: int | None,
        grouped: bool,
    ) -> None:  # fmt: skip
        self.query, self.reader, self.rows, self.grouped = query, reader, rows, grouped
        self.bounds = {name.lower(): pair for name, pair in bounds.items()}
        #: Named bounds that belong to an aggregate.
        self.used: set[NamedBounds] = set()
        #: Sums that are drawn anyway, so that means use them.
        self.sums: set[tuple[Any, ...]] = set()

    def output(self, node: Any, name: str) -> Output:
        """One output; see `Output`."""
        parts: list[GroupNumber] = []
        mean, form = self.formula(node, parts)
        return Output(name, form, tuple(parts), mean)

    def formula(self, node: Any, parts: list[GroupNumber]) -> tuple[Mean | None, str]:
        """An expression of released numbers, with the parts that it needs."""
        if isinstance(node, exp.Paren):
            return self.formula(node.this, parts)
        if isinstance(node, exp.Literal | exp.Neg | exp.Add | exp.Sub | exp.Mul | exp.Div):
            return None, self.arithmetic(node, parts)
        made, form, mean = self.aggregate(node, ())
        start = len(parts)
        parts.extend(made)
        shifted = form.format(*(f"{{{start + i}}}" for i in range(len(made))))
        return (mean if not start else None), shifted

    def arithmetic(self, node: Any, parts: list[GroupNumber]) -> str:
        """Sums, differences, products and quotients of released numbers."""
        self.query.only(node, "this", "expression", "is_string", "typed", "safe")
        if isinstance(node, exp.Literal):
            return self.reader.value(node).code
        if isinstance(node, exp.Neg):
            return f"(-{self.formula(node.this, parts)[1]})"
        left = self.formula(node.this, parts)[1]
        divisor = node.expression
        if isinstance(node, exp.Div) and isinstance(divisor, exp.Nullif):
            divisor = divisor.this
        right = self.formula(divisor, parts)[1]
        if isinstance(node, exp.Div):
            if node.expression.find(exp.AggFunc) is None:
                if not self.reader.value(node.expression).nonzero:
                    self.query.fail(node.expression, "this divisor may be 0", "x / 2")
                return f"({left} / {right})"
            parent = node.parent
            while isinstance(parent, exp.Paren):
                parent = parent.parent
            if not isinstance(parent, exp.Alias | exp.Select):
                self.query.fail(
                    node,
                    "a quotient of released numbers may be NULL, and here something is made of it",
                    "the quotient as an output of its own",
                )
            return f"({left} / {right} if {right} != 0 else None)"
        sign = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*"}[type(node)]
        return f"({left} {sign} {right})"

    def aggregate(
        self, node: Any, tests: tuple[str, ...]
    ) -> tuple[list[GroupNumber], str, Mean | None]:
        """The parts of one aggregate, its formula, and the middle of a mean."""
        if isinstance(node, exp.Filter):
            self.query.only(node, "this", "expression")
            test = self.reader.condition(node.expression.this).true
            return self.aggregate(node.this, (*tests, test))
        if isinstance(node, exp.Count):
            return [self.count(node, tests)], _PLAIN, None
        if isinstance(node, exp.CountIf):
            self.query.only(node, "this")
            test = self.reader.condition(node.this).true
            return (
                [GroupNumber("count", tests=(*tests, test), rows=self.rows, node=node)],
                _PLAIN,
                None,
            )
        if isinstance(node, exp.Sum):
            return [self.sum(node, tests)], _PLAIN, None
        if isinstance(node, exp.Avg):
            return self.average(node, tests)
        if type(node) in _SPREADS:
            return self.spread(node, tests)
        if isinstance(node, (exp.Bracket, exp.WithinGroup, *_QUANTILES)):
            return [self.quantile(node, tests)], _PLAIN, None
        if node.find(exp.AggFunc) is None:
            self.query.fail(node, "neither an aggregate nor in GROUP BY",
                            "an aggregate, or this expression in GROUP BY")  # fmt: skip
        if isinstance(node, exp.Subquery):
            self.query.fail(node, f"{called(node)} is not understood", INNER_QUERY)
        if isinstance(node, exp.Round):
            self.query.fail(node, "ROUND is not understood as an output", "round what you get")
        self.query.fail(
            node, f"{called(node)} is not understood as an output",
            "COUNT, COUNT(DISTINCT x), SUM, AVG, VARIANCE, STDDEV, MEDIAN, QUANTILE_CONT(x, 0.9), "
            "APPROX_QUANTILES(x, 100)[OFFSET(50)]; MIN and MAX are quantiles near 0 and 1",
        )  # fmt: skip

    # -- bounds ------------------------------------------------------------------------------

    def named_bounds(self, node: Any) -> NamedBounds | None:
        """The bounds that this aggregate was given by name."""
        start, _ = self.query.place(node.this if node.this is not None else node)
        inside = [b for b in self.query.clause.bounds if b.opened <= start <= b.closed]
        if not inside:
            return None
        found = max(inside, key=lambda each: each.opened)
        self.used.add(found)
        return found

    def numbers(self, found: NamedBounds) -> tuple[Any, Any]:
        ends = []
        for text in (found.low, found.high):
            literal = exp.Literal.number(text.lstrip("-"))
            number = self.reader.value(literal).constant
            ends.append(-number if text.startswith("-") else number)
        return ends[0], ends[1]

    def bounded(self, node: Any, bounds: tuple[Any, Any] | None = None) -> SqlValue:
        """A number of a row between public bounds."""
        if isinstance(node, exp.Distinct):
            self.query.fail(node, "DISTINCT in an aggregate other than COUNT", "COUNT(DISTINCT x)")
        found = self.reader.value(node)
        if not found.numeric:
            self.query.fail(node, f"a {found.kind} where a number is needed",
                            "CASE WHEN x THEN 1 ELSE 0 END")  # fmt: skip
        pair = bounds or (self.bounds.get(found.column.lower()) if found.column else None)
        if pair is not None:
            if not isinstance(pair, tuple | list) or len(pair) != 2:
                self.query.fail(node, "bounds are two numbers", 'bounds={"visits": (0, 20)}')
            return clamped(self.reader, node, found, *pair)
        if found.low is None or found.high is None:
            name = found.column or "x"
            self.query.fail(
                node, "one row may add any number to this",
                f"CLAMP({name}, 0, 20), with the bounds that you know without the data; or "
                f'bounds={{"{name}": (0, 20)}}, --bounds {name}=0:20',
            )  # fmt: skip
        return found

    # -- forms -------------------------------------------------------------------------------

    def count(self, node: Any, tests: tuple[str, ...]) -> GroupNumber:
        self.query.only(node, "this", "big_int", "expressions")
        inside, rows = node.this, self.rows
        if node.expressions:
            self.query.fail(node.expressions[0], "COUNT of several expressions", "COUNT(x)")
        named = self.named_bounds(node)
        if named is not None:
            low, high = self.numbers(named)
            if low != 0 or type(high) is not int or high < 1 or not self.reader.table.unit:
                self.query.fail(node, "bounds of a count are 0 and the rows of a person in a group",
                                "contribution_bounds_per_group => (0, 3)")  # fmt: skip
            if named.name != "contribution_bounds_per_group":
                self.query.fail(node, "a count has bounds per group",
                                "contribution_bounds_per_group => (0, 3)")  # fmt: skip
            rows = high
        if isinstance(inside, exp.Distinct):
            return self.distinct(node, inside, tests, named)
        if inside is None or isinstance(inside, exp.Star):
            return GroupNumber("count", tests=tests, rows=rows, node=node)
        present = self.reader.value(inside).present
        return GroupNumber("count", tests=all_tests(tests, present), rows=rows, node=node)

    def distinct(self, node: Any, inside: Any, tests: tuple[str, ...], named: Any) -> GroupNumber:
        self.query.only(inside, "expressions")
        if len(inside.expressions) != 1 or named is not None:
            self.query.fail(node, "COUNT(DISTINCT ...) of one expression", "COUNT(DISTINCT x)")
        found = self.reader.value(inside.expressions[0])
        unit = self.reader.table.unit
        if unit and found.column == unit:
            if tests and self.grouped:
                self.query.fail(node, "persons of a group are counted without a filter", "WHERE")
            return GroupNumber("persons", tests=tests, node=node)
        return GroupNumber(
            "distinct", found.code, all_tests(tests, found.present), self.rows, node=node
        )

    def sum(self, node: Any, tests: tuple[str, ...]) -> GroupNumber:
        self.query.only(node, "this")
        named = self.named_bounds(node)
        if named is not None and named.name == "contribution_bounds_per_group":
            if not self.reader.table.unit:
                self.query.fail(node, "bounds per group are of a person's rows", "CLAMP(x, 0, 20)")
            found = self.reader.value(node.this)
            low, high = self.numbers(named)
            clamped(self.reader, node, found, low, high)  # two numbers, in their order
            if not found.numeric:
                self.query.fail(node, "a sum of what is no number", "SUM(visits)")
            tests = all_tests(tests, found.present)
            return GroupNumber("person sum", found.code, tests, None, low, high, node=node)
        bounds = None if named is None else self.numbers(named)
        found = self.bounded(node.this, bounds)
        return GroupNumber("sum", found.code, all_tests(tests, found.present), self.rows, node=node)

    def average(
        self, node: Any, tests: tuple[str, ...]
    ) -> tuple[list[GroupNumber], str, Mean | None]:
        self.query.only(node, "this")
        named = self.named_bounds(node)
        if named is not None and named.name == "contribution_bounds_per_group" and self.rows != 1:
            self.query.fail(
                node, "AVG with bounds per group is the mean of persons' means",
                "AVG(CLAMP(x, 0, 20)), the mean of rows; or max_rows=1, where both are the same",
            )  # fmt: skip
        found = self.bounded(node.this, None if named is None else self.numbers(named))
        tests = all_tests(tests, found.present)
        return mean_of(found, tests, self.rows, node, self.sums)

    def spread(self, node: Any, tests: tuple[str, ...]) -> tuple[list[GroupNumber], str, None]:
        """Variances from a count, a sum and a sum of squares, all about the middle."""
        self.query.only(node, "this")
        freedom, root = _SPREADS[type(node)]
        found = self.bounded(node.this)
        tests = all_tests(tests, found.present)
        made, form = spread_of(found, tests, self.rows, node, freedom, root)
        return made, form, None

    def quantile(self, node: Any, tests: tuple[str, ...]) -> GroupNumber:
        """MEDIAN, QUANTILE_CONT, PERCENTILE_CONT, APPROX_QUANTILES(x, n)[OFFSET(k)]."""
        inside, share = self.shared(node)
        if share is None or not 0 <= share <= 1:
            self.query.fail(
                node,
                "the share of a quantile is a number from 0 to 1",
                "QUANTILE_CONT(x, 0.9), APPROX_QUANTILES(x, 100)[OFFSET(90)]",
            )
        named = self.named_bounds(exp.Sum(this=inside.copy()))
        found = self.bounded(inside, None if named is None else self.numbers(named))
        present = all_tests(tests, found.present)
        ends = found.low, found.high
        return GroupNumber("quantile", found.code, present, self.rows, *ends, share, node)

    def shared(self, node: Any) -> tuple[Any, Fraction | None]:
        """What a quantile is taken of, and which one."""
        if isinstance(node, exp.WithinGroup):
            order = node.expression.expressions
            known = (exp.PercentileCont, exp.PercentileDisc)
            if len(order) != 1 or not isinstance(node.this, known):
                self.query.fail(node, "WITHIN GROUP orders by one expression", "ORDER BY x")
            share = self.share(node.this.this)
            turned = share is not None and bool(order[0].args.get("desc"))
            return order[0].this, 1 - share if turned and share is not None else share
        if isinstance(node, exp.Bracket):
            of, places = node.this, node.expressions
            if not isinstance(of, exp.ApproxQuantiles) or len(places) != 1:
                self.query.fail(node, "a list of values", "APPROX_QUANTILES(x, 100)[OFFSET(50)]")
            first = node.args.get("offset")
            place, number = self.share(places[0]), self.share(of.expression)
            if place is None or not number or first not in (0, 1):
                return of.this, None
            return of.this, (place - first) / number
        if isinstance(node, exp.Median):
            return node.this, Fraction(1, 2)
        second = node.args.get("quantile") or node.args.get("expression")
        return node.this, None if second is None else self.share(second)

    def share(self, node: Any) -> Fraction | None:
        if not isinstance(node, exp.Literal) or node.is_string:
            return None
        found = number(str(node.this))
        return None if found is None else Fraction(str(found))
