"""Queries in SQL as checked programs.

A query becomes the source text of an ordinary checked function, which is then checked and run as
any other: there is no second set of rules, and no second run time.  From the ground up: `parsed`
reads the text and `clause` the options of BigQuery's clause; `tables` are the columns that there
are; `terms`, `values`, `conditions` and `rows` say what an expression of a row is in Python, with
what SQL says of NULL; `scopes` and `joins` what stands behind FROM; `groups` and `aggregates` what
is asked of it, and `finishing` what is done to the answer; `program` writes the source, `lowering`
and `reading` go from a query to it (`plan`), `compiled` makes a function of it, `asking` runs it in
a session, `explained` says what it would do, and `answers` are the tables that come back.
`declared` reads CREATE TABLE.
"""

from metricdp.sql.answers import QueryAnswer
from metricdp.sql.asking import ask
from metricdp.sql.lowering import lowered
from metricdp.sql.plan import Options

__all__ = ["Options", "QueryAnswer", "ask", "lowered"]
