"""What a message calls a part of a query."""

from __future__ import annotations

from typing import Any, Final

from sqlglot import exp

#: What a query writes for parts that are no functions.
_WRITTEN: Final[dict[type, str]] = {
    exp.Subquery: "a query in place of a number", exp.Window: "OVER", exp.Mod: "%",
    exp.IntDiv: "//", exp.DPipe: "||", exp.SimilarTo: "SIMILAR TO", exp.RegexpLike: "~",
    exp.TimestampTrunc: "DATE_TRUNC", exp.GroupingSets: "GROUPING SETS", exp.Placeholder: "?",
    exp.GroupConcat: "STRING_AGG", exp.Rand: "RANDOM",
}  # fmt: skip


def called(node: Any) -> str:
    """What a message calls a part of a query: as queries write it."""
    if isinstance(node, exp.IgnoreNulls | exp.RespectNulls):
        return called(node.this)
    written = _WRITTEN.get(type(node))
    if written is not None:
        return written
    name = node.sql_name() if isinstance(node, exp.Func) else node.key
    return str(name).upper()
