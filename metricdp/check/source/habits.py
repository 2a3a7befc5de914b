"""What to write in place of methods of data frames, which tables of rows do not have."""

from __future__ import annotations

import ast

_COUNTS = "{n: dp.laplace(sum(1 for row in ROWS if row == n), epsilon=eps) for n in (1, 2, 3)}"
_KNOWN = "write the values down: " + _COUNTS
_FOUND = "dp.stable_histogram(ROWS, epsilon=eps, delta=delta) finds what many rows have"
_QUANTILE = "dp.private_quantile(ROWS, range(0, 101), 0.5, epsilon=eps)"
_EXTREME = "min([...], default=0) or max([...], default=0) of clamped rows"
_ONE_BY_ONE = "[f(row) for row in ROWS], with f written out"
_ORDER = "nothing: which place a row has tells of other rows; compare rows with public numbers"
#: By the name of a method or attribute; ROWS is the table.
_HABITS = {
    "group_by": 'name the public keys: ROWS.group_by("plan", keys=("a", "b")).aggregate(n=...)',
    "aggregate": "n=dp.laplace(ROWS.count(), epsilon=eps), by name and with noise",
    "filter": "conditions on columns of the same table: ROWS.filter(ROWS.age >= 18)",
    "mutate": "columns made of those of the same table: ROWS.mutate(v=ROWS.age.clip(0, 99))",
    "select": 'names of columns: ROWS.select("age", "plan")',
    "order_by": _ORDER,
    "limit": 'dp.limit_rows(ROWS, "person", 5), or a sample of rows: dp.sample(ROWS, q=0.1)',
    "groupby": "write the keys down: {k: [row for row in ROWS if row.key == k] for k in (1, 2)}",
    "value_counts": f"{_KNOWN}; or {_FOUND}",
    "unique": f"{_KNOWN}; or {_FOUND}",
    "nunique": "dp.laplace(dp.count_distinct(ROWS), epsilon=eps)",
    "isin": "[row for row in ROWS if row in (1, 2)]",
    "between": "[row for row in ROWS if 1 <= row <= 2]",
    "query": "[row for row in ROWS if row.age >= 18]",
    "where": "[row if row > 0 else 0 for row in ROWS]",
    "mask": "[0 if row > 0 else row for row in ROWS]",
    "loc": "[row for row in ROWS if row.age >= 18]",
    "iloc": _ORDER,
    "head": _ORDER,
    "tail": _ORDER,
    "rank": _ORDER,
    "sort_values": _ORDER,
    "nlargest": _ORDER,
    "nsmallest": _ORDER,
    "shift": _ORDER,
    "diff": _ORDER,
    "cumsum": _ORDER,
    "rolling": _ORDER,
    "apply": _ONE_BY_ONE,
    "map": _ONE_BY_ONE,
    "transform": _ONE_BY_ONE,
    "assign": _ONE_BY_ONE,
    "iterrows": "for row in ROWS: ...",
    "itertuples": "for row in ROWS: ...",
    "fillna": "dp.impute(ROWS, 0)",
    "dropna": "dp.drop_null(ROWS)",
    "isna": "[row for row in ROWS if row is None]",
    "isnull": "[row for row in ROWS if row is None]",
    "notna": "dp.drop_null(ROWS)",
    "notnull": "dp.drop_null(ROWS)",
    "median": _QUANTILE,
    "quantile": _QUANTILE,
    "min": _EXTREME,
    "max": _EXTREME,
    "mode": "dp.report_noisy_max([...], epsilon=eps), with a count for every answer",
    "describe": "one question after the other: len(ROWS), the sum of clamped rows, a quantile",
    "size": "len(ROWS)",
    "shape": "len(ROWS)",
    "empty": "dp.laplace(len(ROWS), epsilon=eps), and compare what is released",
    "columns": "the names that the row's class has",
    "values": "ROWS itself",
    "to_numpy": "ROWS itself",
    "tolist": "ROWS itself",
    "to_list": "ROWS itself",
    "str": "the method itself, on each row: [row.strip() for row in ROWS]",
    "dt": "the part itself, of each row: [row.year for row in ROWS]",
    "corr": "dp.covariance([(row.x, row.y) for row in ROWS])",
    "cov": "dp.covariance([(row.x, row.y) for row in ROWS])",
    "merge": "dp.join(left, right, ...), or count in each table",
}
#: Longest text of a table that stands in a help.
_LONGEST = 20


def instead(name: str, table: ast.expr) -> str:
    """What to write for a method or attribute of a table, in its words; "" if nothing is known."""
    return _HABITS.get(name, "").replace("ROWS", _named(table))


def column(name: str, table: ast.expr) -> str:
    """What to write for a column of a table of rows."""
    return f"[row.{name} for row in {_named(table)}]"


def _named(table: ast.expr) -> str:
    text = ast.unparse(table)
    return text if len(text) <= _LONGEST and "\n" not in text else "rows"
