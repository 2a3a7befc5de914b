"""What is read of one row: columns by their names, values and conditions by their forms."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NoReturn

from sqlglot import exp

from metricdp.sql import conditions, values
from metricdp.sql.parsed import Query
from metricdp.sql.spelled import called
from metricdp.sql.tables import SqlColumn, SqlTable, names
from metricdp.sql.terms import SqlCondition, SqlValue, of_condition

#: What to do where a query stands in place of a number.
INNER_QUERY = (
    "ask the inner query first, and write the number that it releases: what is computed of "
    "released numbers costs nothing"
)
#: What is not understood -> what to write.
_HELPS: dict[type, str] = {
    exp.Subquery: INNER_QUERY,
    exp.Exists: "EXISTS (SELECT 1 FROM w WHERE w.person = v.person), joined by AND in WHERE",
    exp.Window: "GROUP BY",
    exp.ILike: "LOWER(name) LIKE 'a%'",
    exp.RegexpLike: "LIKE 'a%'",
    exp.Mod: "x - 10 * FLOOR(x / 10): the sign of a remainder is not the same on all engines",
    exp.IntDiv: "FLOOR(x / 2): engines round to different sides",
    exp.Round: "FLOOR(x + 0.5), or round what you get",
    exp.TryCast: "CAST(x AS DOUBLE)",
    exp.Placeholder: "the value itself: values of a query are literals",
    exp.Parameter: "the value itself: values of a query are literals",
    exp.NullSafeNEQ: "x <> 3 OR x IS NULL",
    exp.NullSafeEQ: "x = 3 AND x IS NOT NULL",
    exp.Rand: "dp.sample in a program",
    exp.CurrentDate: "the date itself: DATE '2024-01-31'",
    exp.Star: "COUNT(*)",
}


class RowReader:
    """Reads expressions of one row of one table; see `terms.Reader`.

    Args:
        known: names of tables, in small letters, that may stand before a column.
    """

    def __init__(self, query: Query, table: SqlTable, known: Collection[str]) -> None:
        self.query, self.table, self.known = query, table, known

    def value(self, node: Any) -> SqlValue:
        form = values.FORMS.get(type(node))
        if form is not None:
            return form(self, node)
        if type(node) in conditions.FORMS:
            return of_condition(conditions.FORMS[type(node)](self, node))
        self.refuse(node)

    def condition(self, node: Any) -> SqlCondition:
        form = conditions.FORMS.get(type(node))
        if form is not None:
            return form(self, node)
        return conditions.of_value(self, node, self.value(node))

    def column(self, node: Any) -> SqlColumn:
        self.query.only(node, "this", "table")
        if not isinstance(node.this, exp.Identifier):
            self.refuse(node.this)
        owner = node.args.get("table")
        if owner is not None and owner.name.lower() not in self.known:
            self.query.fail(node, f"there is no table {owner.name} here", self.table.name)
        said = "" if owner is None else owner.name
        found = self.table.named(node.name, bool(node.this.args.get("quoted")), said)
        if found is None:
            same = [c for c in self.table.columns if c.called.lower() == node.name.lower()]
            if not said and len(same) > 1:
                whose = ", ".join(f"{c.owners[0]}.{c.called}" for c in same)
                self.query.fail(node, f"{node.name} is in several tables", whose)
            self.query.fail(node, f"{said or self.table.name} has no column {node.name}",
                            f"its columns: {names(self.table.columns)}")  # fmt: skip
        return found

    def refuse(self, node: Any) -> NoReturn:
        """
        Raises:
            SqlError: always.
        """
        what = called(node)
        if isinstance(node, exp.AggFunc):
            self.query.fail(node, f"{what} is not understood here",
                            "COUNT, SUM, AVG, MEDIAN, ... stand in the list of SELECT")  # fmt: skip
        remedy = _HELPS.get(type(node), "the forms that there are: docs/sql.md")
        self.query.fail(node, f"{what} is not understood", remedy)
