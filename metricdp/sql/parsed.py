"""The text of a query as a syntax tree, and where each part of it stands."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from metricdp.errors import MissingExtraError, ParameterError, SqlError
from metricdp.sql.clause import Clause, taken_out

if TYPE_CHECKING:
    from sqlglot import exp

#: Dialects whose meaning of every form that is taken is known here.
DIALECTS = ("duckdb", "bigquery")
#: Characters of a query.
LONGEST = 20_000


@dataclass(frozen=True)
class Query:
    """One SELECT.

    Attributes:
        text: as it was written.
        tree: of `sqlglot`.
        clause: what BigQuery's clause says.
        tokens: of the text.
    """

    text: str
    tree: exp.Select
    clause: Clause
    tokens: tuple[Any, ...]
    dialect: str

    def place(self, node: Any) -> tuple[int, int]:
        """Where a node begins and ends, as far as its tokens are known; or what it stands in."""
        while node is not None:
            spans = [
                (each.meta["start"], each.meta["end"] + 1)
                for each in node.walk()
                if "start" in each.meta
            ]
            if spans:
                return min(start for start, _ in spans), max(end for _, end in spans)
            node = node.parent
        return 0, 0

    @property
    def grouping(self) -> Any:
        """GROUP BY."""
        return self.tree.args["group"]

    def fail(self, node: Any, fact: str, remedy: str, *in_sql: str) -> NoReturn:
        """
        Raises:
            SqlError: always.
        """
        start, end = self.place(node)
        raise SqlError(fact, self.text, start, end, remedy=", ".join([remedy, *in_sql]))

    def fail_at_word(self, words: str, fact: str, remedy: str) -> NoReturn:
        """Point at the first of these words that stands in the query.

        Raises:
            SqlError: always.
        """
        wanted = words.split()
        for token in self.tokens:
            first = token.text.upper().partition(" ")[0]
            if first in wanted and token.token_type.name not in ("STRING", "VAR"):
                raise SqlError(fact, self.text, token.start, token.end + 1, remedy=remedy)
        raise SqlError(fact, self.text, 0, 0, remedy=remedy)

    def only(self, node: Any, *names: str) -> None:
        """Refuse a node with a part that nothing here reads.

        Raises:
            SqlError: it has one.
        """
        for name, part in node.args.items():
            if name in names or part is None or part is False or part == []:
                continue
            at = part[0] if isinstance(part, list) else part
            what = name.rstrip("_").replace("_", " ")
            from metricdp.sql.spelled import called

            self.fail(at if hasattr(at, "walk") else node,
                      f"{called(node)} with {what} is not understood",
                      "leave this part out")  # fmt: skip


def parsed(text: str, dialect: str | None = None) -> Query:
    """The one SELECT of a text.

    Args:
        dialect: "duckdb" or "bigquery"; None: that of BigQuery where its clause stands in the text.

    Raises:
        MissingExtraError: sqlglot is not installed.
        SqlError: no SQL, or something else than one SELECT.
        ParameterError: a dialect that is none of them.
    """
    try:
        import sqlglot
        from sqlglot import errors, exp
    except ImportError:
        raise MissingExtraError(
            "queries in SQL are read by sqlglot", remedy="pip install 'metricdp[sql]'"
        ) from None
    if not isinstance(text, str):
        raise ParameterError("a query is a text", place="sql")
    if dialect not in (None, *DIALECTS):
        raise ParameterError(f"no dialect {dialect!r}", place="dialect",
                             remedy=f"one of {', '.join(DIALECTS)}")  # fmt: skip
    if len(text) > LONGEST:
        raise SqlError(f"a query of more than {LONGEST} characters", remedy="write a program")
    chosen = dialect or ("bigquery" if "DIFFERENTIAL_PRIVACY" in text.upper() else "duckdb")
    log = logging.getLogger("sqlglot")
    level = log.level
    log.setLevel(logging.CRITICAL)
    try:
        tokens = list(sqlglot.tokenize(text, read=chosen))
        clause, rest = taken_out(text, tokens)
        found = [each for each in sqlglot.parse(rest, read=chosen) if each is not None]
    except errors.ParseError as error:
        raise _unparsed(text, error) from None
    except errors.SqlglotError:
        raise SqlError("a text or a name that does not end", text, 0, len(text)) from None
    except RecursionError:
        raise SqlError("parts that are nested too deeply", text, remedy="a program") from None
    finally:
        log.setLevel(level)
    if len(found) != 1 or not isinstance(found[0], exp.Select):
        raise SqlError(
            "one SELECT is a query here", text, 0, len(text.strip().split(" ")[0]),
            remedy="SELECT COUNT(*) FROM v: other statements, UNION and several queries are not "
            "understood",
        )  # fmt: skip
    return Query(text, found[0], clause, tuple(tokens), chosen)


def _unparsed(text: str, error: Any) -> SqlError:
    """Where the parser stopped; what it says is about the text, and is not repeated."""
    first = error.errors[0] if error.errors else {}
    lines = text.split("\n")
    line = min(max(int(first.get("line") or 1), 1), len(lines))
    length = len(first.get("highlight") or "x")
    # The parser counts to the end of a token.
    column = max(int(first.get("col") or 1) - length, 0)
    start = sum(len(each) + 1 for each in lines[: line - 1]) + min(column, len(lines[line - 1]))
    return SqlError("this is no SQL that can be read", text, start, start + length,
                    remedy="SELECT plan, COUNT(*) FROM v GROUP BY plan")  # fmt: skip
