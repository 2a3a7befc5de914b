"""Spark Connect: a Spark behind a server, asked through one more session of ours on that server.

What differs from a Spark in this process (`spark_frames`): settings of the server are read in our
session, where no caller has set any; a copy is handed over by a view that all sessions see, which
is there for as long as it takes to make one of ours from it; and small tables are sent with a plan.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Thread
from typing import Any, Final

from metricdp.errors import EngineError

MODULE: Final = "pyspark.sql.connect.dataframe"
_NAME: Final = "a data frame of Spark"
#: What every server has among `spark.plugins`.
_SERVER: Final = "org.apache.spark.sql.connect.SparkConnectPlugin"
#: What begins so, and is set, has the server read plans in other ways.
_READERS: Final = ("spark.connect.extensions.", "spark.connect.grpc.interceptor.",
                   "spark.connect.ml.backend.")  # fmt: skip


def new_session(callers: Any) -> Any:
    """A session on the server of a caller's, with the settings of the server.

    Raises:
        EngineError: a Spark, or a client, that has none.
    """
    try:
        made = callers.newSession()
        version = int(str(made.version).partition(".")[0])
    except Exception as error:
        kind = type(error).__name__
    else:
        if version >= 4:
            return made
        kind = "a server before Spark 4"
    raise EngineError(
        f"Spark Connect without a session of ours beside the caller's ({kind})",
        place=_NAME,
        remedy="use PySpark 4.3 or later and a server of Spark 4, or a session in this process",
    )


def answers(session: Any) -> bool:
    """Whether a session of ours is there yet: servers end those that nobody asks for an hour."""
    try:
        session.conf.get("spark.sql.session.timeZone")
    except Exception:
        return False
    return True


def settings(session: Any) -> Callable[[str], str]:
    """Name of a setting of the server -> its value; "" of one that is not set."""

    def told(key: str) -> str:
        found = str(session.conf.get(key, "") or "")
        if key != "spark.plugins":
            return found
        others = [each for each in found.split(",") if each.strip() not in (_SERVER, "")]
        return ",".join(others)

    return told


def reads_plainly(session: Any) -> None:
    """Raises:
    EngineError: a server with code of others between a query and its plan.
    """
    for key, value in session.sql("SET").collect():
        if str(key).startswith(_READERS) and value:
            raise EngineError(
                "a server with extensions, which may compute in other ways", place=_NAME,
                remedy=f"start it without {key}",
            )  # fmt: skip


def handed_over(session: Any, copy: Any, name: str) -> None:
    """A copy of the caller's session as a view of ours, which nobody else on the server sees."""
    base = session.conf.get("spark.sql.globalTempDatabase")
    copy.createGlobalTempView(name)
    try:
        session.sql(f"SELECT * FROM {base}.{name}").createTempView(name)
    finally:
        session.catalog.dropGlobalTempView(name)


def dropping(session: Any) -> Callable[[str], None]:
    """What drops a view of a session of ours, and waits for nothing.

    Whoever collects garbage, or ends a process, would wait for minutes for a server that is gone;
    the server drops the views of a session that is over.
    """

    def drop(name: str) -> None:
        def ask() -> None:
            with suppress(Exception):
                session.catalog.dropTempView(name)

        Thread(target=ask, daemon=True).start()

    return drop


def planned(session: Any, text: str) -> None:
    """Have the server plan a query."""
    session.sql(text)._explain_string()


def parts(session: Any, name: str, setting: str) -> tuple[int, bool]:
    """In how many parts rows lie, of those that have some; and whether a setting is set."""
    places = f"(SELECT DISTINCT spark_partition_id() FROM {name})"
    ((found,),) = session.sql(f"SELECT count(*) FROM {places}").collect()
    said = any(key == setting for key, _ in session.sql("SET").collect())
    return int(found), said


def lines(session: Any, texts: Sequence[str], name: str) -> None:
    """A view with one text in each row, in the column `value`."""
    session.createDataFrame([(text,) for text in texts], "value string").createTempView(name)
