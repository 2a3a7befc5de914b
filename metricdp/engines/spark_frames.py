"""Data frames of Spark: rows on a cluster, which answers for them."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from contextlib import suppress
from copy import copy as shallow_copy
from decimal import Decimal
from typing import Any, Final
from uuid import uuid4

from metricdp.engines import spark_connect
from metricdp.engines.dialect import Dialect
from metricdp.engines.sources import EngineSource, Made, rehearsed, with_columns
from metricdp.engines.spark_sql import Held, Spark
from metricdp.engines.text_files import told_apart
from metricdp.errors import EngineError

_NAME: Final = "a data frame of Spark"
#: What queries mean: of a session of our own, whatever the caller's says.
_SETTINGS: Final = {
    "spark.sql.analyzer.maxIterations": "10000",  # a row of many columns is hashed in many steps
    "spark.sql.ansi.enabled": "true",  # what overflows is an error, and no other number
    "spark.sql.ansi.doubleQuotedIdentifiers": "false",
    "spark.sql.ansi.enforceReservedKeywords": "false",
    "spark.sql.caseSensitive": "false",
    "spark.sql.decimalOperations.allowPrecisionLoss": "true",
    "spark.sql.groupByOrdinal": "true",
    "spark.sql.orderByOrdinal": "true",
    "spark.sql.parser.quotedRegexColumnNames": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.variable.substitute": "false",  # a column may be called ${env:HOME}
    "spark.sql.execution.arrow.pyspark.enabled": "false",
}
#: How many parts rows are divided into between workers.
_PARTS: Final = "spark.sql.shuffle.partitions"
#: Says in a session of ours that it was set.
_OWN: Final = "spark.metricdp.divided"
#: Settings of the cluster that say how queries are computed, and not what they mean.
_KEPT: Final = ("spark.sql.adaptive.", "spark.sql.autoBroadcastJoinThreshold", "spark.sql.files.",
                _PARTS)  # fmt: skip
#: Extensions that add ways to store tables, and leave arithmetic as it is.
_STORES: Final = frozenset((
    "io.delta.sql.DeltaSparkSessionExtension",
    "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
))  # fmt: skip
#: Base -> what a value of a small table is made of.
_READ: Final = {"integer": "CAST({} AS DECIMAL(38,0))", "double": "CAST({} AS DOUBLE)",
                "boolean": "CAST({} AS BOOLEAN)",
                "text": "CAST(unhex(substring({}, 2)) AS STRING)"}  # fmt: skip


def comes_from_spark(kind: type) -> bool:
    """Whether this is a class of data frames of Spark, of whatever kind; Spark is not imported."""
    return any(
        each.__name__ == "DataFrame" and each.__module__.startswith("pyspark.sql.")
        for each in kind.__mro__
    )


class SparkFrame:
    """A data frame of Spark, asked through a session of our own of the same cluster.

    Its rows are copied once, to the disks and the memory of the cluster's workers, twice each: a
    frame that is computed again may have other rows (`rand()`, a file that was written anew), and
    parts of them could then share somebody.  Of a copy that is lost an error tells.

    Args:
        frame: a `pyspark.sql.DataFrame` of Spark 4.

    Raises:
        EngineError: a frame that cannot be copied once, or a Spark whose arithmetic is not its own.
        SchemaError: names of columns that Spark holds to be the same.
    """

    engine = "Spark"
    name = _NAME
    texts = False
    rows = "metricdp_rows"

    def __init__(self, frame: Any) -> None:
        self._connect: bool = _tried(lambda: _of_a_known_kind(frame))
        self._own: Any = _tried(lambda: _session_of(frame.sparkSession, self._connect))
        _tried(lambda: _fit(frame, self._own, self._connect))
        schema = _tried(lambda: frame.schema)
        told_apart(_NAME, [each.name for each in schema])
        self.passed: set[str] = set()
        self.schema = {each.name: each.dataType.simpleString() for each in schema}
        self._frame = frame
        self._copy: Made | None = None
        # Small tables hold values of rows: they go when nobody asks of this frame any more.
        small: list[str] = []
        self.dialect: Dialect = Spark(_small_tables(self._own, small, self._connect))
        weakref.finalize(self.dialect, _all_dropped, self._drop(), small)

    def ask(self, text: str) -> list[tuple[Any, ...]]:
        """The lines of a query."""
        lines = _tried(lambda: self._own.sql(text).collect())
        return [tuple(map(_plain, line)) for line in lines]

    def arrays(self, text: str, count: int) -> list[Any]:
        """The columns of a query as arrays."""
        import numpy as np

        kinds = {"double": np.float64, "bigint": np.int64, "boolean": np.bool_}
        frame = _tried(lambda: self._own.sql(text))
        lines = _tried(frame.collect)
        columns = list(zip(*lines, strict=True)) if lines else [()] * count
        return [
            np.array(column, kinds.get(told, object))
            for column, (_, told) in zip(columns, frame.dtypes, strict=True)
        ]

    def plan(self, text: str) -> None:
        """Have Spark plan a query."""
        if self._connect:
            _tried(lambda: spark_connect.planned(self._own, text))
        else:
            _tried(lambda: self._own.sql(text)._jdf.queryExecution().executedPlan())

    def settled(self, columns: Sequence[str]) -> EngineSource:
        """Some columns of the rows, copied the first time."""
        if self._copy is None:
            names = [self.dialect.name(each) for each in columns]
            schema = {each: self.schema[each] for each in columns}
            frame = _tried(lambda: _copied(self._frame.select(*names)))
            name, catalog = f"metricdp_{uuid4().hex}", self._own.catalog
            if self._connect:
                _tried(lambda: spark_connect.handed_over(self._own, frame, name))
                parts, said = _tried(lambda: spark_connect.parts(self._own, name, _PARTS))
                rows, drop = name, spark_connect.dropping(self._own)
            else:
                _tried(lambda: frame.createGlobalTempView(name))
                context = self._own.sparkContext
                parts = _tried(lambda: frame._jdf.rdd().getNumPartitions())
                parts = max(parts, context.defaultParallelism)
                said = context.getConf().contains(_PARTS)
                base = self._own.conf.get("spark.sql.globalTempDatabase")
                rows, drop = f"{base}.{name}", catalog.dropGlobalTempView
            _tried(lambda: _divided(self._own, parts, said))
            # A twin asks for it: the copy is given up as soon as nobody holds this frame.
            self._copy = Made(shallow_copy(self), rows, schema)
            weakref.finalize(self._copy, _dropped, drop, name)
        return with_columns(self._copy, columns, "data frame")

    def kept(self, text: str, columns: Sequence[str], once: bool = False) -> EngineSource:
        """The lines of a query, which stay in memory or on disks while there is room.

        What is computed again is the same: it is a function of rows that were copied once, and of
        nothing else.  In a rehearsal the query is planned.
        """
        schema = dict.fromkeys(columns, "made")
        if once or rehearsed():
            if rehearsed():
                self.plan(text)
            return Made(self, f"({text})", schema)
        name = f"metricdp_{uuid4().hex}"
        made = Made(self, name, schema)
        frame = _tried(lambda: _remembered(self._own.sql(text), name))
        # What a server remembers goes with the view: nobody else has it.
        kept = None if self._connect else frame
        weakref.finalize(made, _forgotten, self._drop(), name, kept)
        return made

    def _drop(self) -> Any:
        """What drops a view of our session."""
        own = self._own
        return spark_connect.dropping(own) if self._connect else own.catalog.dropTempView

    def asked_with(self, other: SparkFrame) -> bool:
        """Whether one query reaches the rows of another data frame, too."""
        return self._own is other._own

    def known_full(self, columns: Sequence[str]) -> set[str]:
        """None: what a schema says of missing values is what somebody declared."""
        return set()


def _of_a_known_kind(frame: Any) -> bool:
    """Whether a frame is one of Spark Connect.

    Raises:
        EngineError: a frame of another kind, or a stream.
    """
    module = type(frame).__module__
    if module not in ("pyspark.sql.classic.dataframe", spark_connect.MODULE):
        raise EngineError(
            "a data frame of a Spark before 4, which has not been tried",
            place=_NAME,
            remedy="pass a pyspark.sql.DataFrame of Spark 4",
        )
    if frame.isStreaming:
        raise EngineError(
            "a stream, whose rows come for ever", place=_NAME,
            remedy="write it to a table, and pass spark.read.table(...)",
        )  # fmt: skip
    return module == spark_connect.MODULE


def _fit(frame: Any, own: Any, connect: bool) -> None:
    """Raises:
    EngineError: a Spark of which other rows or numbers might come than were proved.
    """
    if connect:
        told = spark_connect.settings(own)
        spark_connect.reads_plainly(own)
    else:
        session = frame.sparkSession
        core = session.sparkContext.getConf()

        def told(key: str) -> str:
            of_sql = key.startswith("spark.sql.")
            return str((session.conf if of_sql else core).get(key, "") or "")

    if told("spark.plugins"):
        raise EngineError(
            "a Spark with plugins, which may compute in other ways", place=_NAME,
            remedy="start it without spark.plugins",
        )  # fmt: skip
    extensions = told("spark.sql.extensions").split(",")
    if {each.strip() for each in extensions} - _STORES - {""}:
        raise EngineError(
            "a Spark with extensions of SQL, which may compute in other ways", place=_NAME,
            remedy=f"start it without spark.sql.extensions, or with {', '.join(sorted(_STORES))}",
        )  # fmt: skip
    if told("spark.speculation").lower() not in ("", "false"):
        # Two attempts at one part of a copy may hold other rows.
        raise EngineError(
            "a Spark that computes rows several times (spark.speculation)", place=_NAME,
            remedy="start it with spark.speculation set to false",
        )  # fmt: skip


#: The Spark of this process, or the caller's session on a server, and the session of our own in
#: which the tables of all frames are: of one of them at a time.
_known: Final[dict[Any, Any]] = {}


def _session_of(callers: Any, connect: bool) -> Any:
    """The session of our own beside that of a caller."""
    place = callers.client if connect else callers.sparkContext
    found = _known.get(place)
    if found is None or (connect and not spark_connect.answers(found)):
        _known.clear()
        made = spark_connect.new_session(callers) if connect else callers.newSession()
        found = _known[place] = _session(made)
    return found


def _session(made: Any) -> Any:
    """A new session with settings of our own."""
    for key in [line[0] for line in made.sql("SET").collect()]:
        # What nobody here has heard of may mean anything.
        ours = key.startswith("spark.sql.") and not key.startswith(_KEPT)
        if ours and made.conf.isModifiable(key):
            made.conf.unset(key)
    for key, value in _SETTINGS.items():
        made.conf.set(key, value)
    return made


def _copied(frame: Any) -> Any:
    from pyspark import StorageLevel

    return frame.localCheckpoint(True, StorageLevel.MEMORY_AND_DISK_2)


def _divided(session: Any, parts: int, said: bool) -> None:
    """Divide rows into as many parts as copies have.

    Args:
        said: whether the cluster's owner says into how many.
    """
    own = bool(session.conf.get(_OWN, ""))
    if own or not said:
        known = int(session.conf.get(_PARTS)) if own else 0
        session.conf.set(_PARTS, str(max(parts, known)))
        session.conf.set(_OWN, "true")


def _remembered(frame: Any, name: str) -> Any:
    from pyspark import StorageLevel

    frame.createTempView(name)
    return frame.persist(StorageLevel.MEMORY_AND_DISK)


def _all_dropped(drop: Any, names: list[str]) -> None:
    for name in names:
        _dropped(drop, name)


def _forgotten(drop: Any, name: str, frame: Any) -> None:
    _dropped(drop, name)
    with suppress(Exception):
        frame.unpersist()


def _small_tables(session: Any, named: list[str], connect: bool = False) -> Held:
    """Makes tables of values that are here, and puts their names into a list; see `spark_sql.Held`.

    Lines are given to the driver's Java as one text, from which it makes a local table: no Python
    of a worker is asked, and a plan shows no value of such a table.
    """

    def held(columns: Sequence[tuple[str, str]], rows: Sequence[tuple[Any, ...]]) -> str:
        bases = [base for _, base in columns]
        lines = (",".join(map(_written, line, bases)) for line in rows)
        texts, name = list(lines), f"metricdp_{uuid4().hex}"
        named.extend((name, f"{name}_lines"))

        def made() -> None:
            (spark_connect.lines if connect else _lines)(session, texts, f"{name}_lines")
            parts = ", ".join(
                f"{_READ[base].format(f'get(line, {at})')} AS {label}"
                for at, (label, base) in enumerate(columns)
            )
            split = f"(SELECT split(value, ',') AS line FROM {name}_lines)"
            session.sql(f"SELECT {parts} FROM {split}").createTempView(name)

        _tried(made)
        return name

    return held


def _lines(session: Any, texts: Sequence[str], name: str) -> None:
    """A view with one text in each row, in the column `value`."""
    java = session._jvm
    kind = java.org.apache.spark.sql.Encoders.STRING()
    tokens = java.java.util.StringTokenizer("\n".join(texts), "\n")
    listed = java.java.util.Collections.list(tokens)
    session._jsparkSession.createDataset(listed, kind).createTempView(name)


def _written(value: Any, base: str) -> str:
    """A value, as `_READ` reads it: a text by its bytes, and no line is empty."""
    if base == "text":
        return "x" + str(value).encode(errors="replace").hex()
    return str(value).lower() if base == "boolean" else repr(value)


def _plain(value: Any) -> Any:
    """Whole numbers of Spark's decimals are those of Python."""
    return int(value) if isinstance(value, Decimal) else value


def _dropped(drop: Any, name: str) -> None:
    with suppress(Exception):  # the cluster may be gone, and the table with it
        drop(name)


def _tried(ask: Any) -> Any:
    try:
        found = ask()
    except EngineError:
        raise
    except Exception as error:
        # What Spark says may hold values of rows: its kind of error is told, and no more.
        failed = EngineError(
            f"Spark failed ({type(error).__name__})",
            place=_NAME,
            remedy="look at the table with Spark itself; what it says may hold private values",
        )
    else:
        return found
    raise failed
