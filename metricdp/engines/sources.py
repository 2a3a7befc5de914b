"""Where rows lie: files and relations that DuckDB reads, inside of this process."""

from __future__ import annotations

import glob
import os
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from copy import copy as shallow_copy
from functools import partial
from itertools import count
from typing import Any, Final, Protocol

from metricdp.engines.dialect import Dialect
from metricdp.engines.duckdb_sql import DuckDB
from metricdp.engines.text_files import options, told_apart
from metricdp.errors import EngineError, MissingExtraError

#: Ending of a file -> the function that reads it.
_READERS: Final = {".parquet": "read_parquet", ".pq": "read_parquet", ".csv": "read_csv",
                   ".csv.gz": "read_csv", ".tsv": "read_csv"}  # fmt: skip
#: How a Parquet file begins; the second is of encrypted ones.
_PARQUET: Final = (b"PAR1", b"PARE")


class EngineSource(Protocol):
    """Rows on an engine.

    Attributes:
        name: what a message calls it.
        engine: the engine's name.
        dialect: how it writes.
        rows: what stands behind FROM in a query.
        schema: name of a column -> its type, as the engine names it.
        passed: queries that looked at every value of the rows, and found nothing wrong.
    """

    name: str
    engine: str
    dialect: Dialect
    rows: str
    schema: dict[str, str]
    passed: set[str]

    def ask(self, text: str) -> list[tuple[Any, ...]]:
        """The lines of a query.

        Raises:
            EngineError: the engine failed, or what is behind the source changed.
        """

    def arrays(self, text: str, count: int) -> list[Any]:
        """The columns c0, c1, ... of a query as NumPy arrays without gaps.

        Raises:
            EngineError: the engine failed, or what is behind the source changed.
        """

    def plan(self, text: str) -> None:
        """Have the engine plan a query, which reads no row.

        Raises:
            EngineError: it cannot.
        """

    def settled(self, columns: Sequence[str]) -> EngineSource:
        """The rows with at least these columns, the same whenever they are asked, or an error.

        Raises:
            EngineError: the engine failed, or other columns were copied before.
        """

    def kept(self, text: str, columns: Sequence[str], once: bool = False) -> EngineSource:
        """The lines of a query with these columns, as rows that may be asked again.

        Args:
            once: whether they will be asked one query at most, so that no copy is needed.

        Raises:
            EngineError: the engine failed, or what is behind the source changed.
        """

    def known_full(self, columns: Sequence[str]) -> set[str]:
        """The columns of which the source itself says that no value is missing."""


#: Whether queries are planned only, and answered as if there were no rows.
_REHEARSED: ContextVar[bool] = ContextVar("metricdp_rehearsed", default=False)


@contextmanager
def rehearsing() -> Iterator[None]:
    """Have engines plan what they are asked inside the block, and read no row."""
    token = _REHEARSED.set(True)
    try:
        yield
    finally:
        _REHEARSED.reset(token)


def rehearsed() -> bool:
    """Whether queries are planned only."""
    return _REHEARSED.get()


def answered(
    source: EngineSource, text: str, nothing: list[tuple[Any, ...]]
) -> list[tuple[Any, ...]]:
    """The lines of a query; in a rehearsal, those of a table without rows.

    Raises:
        EngineError: see `EngineSource.ask`.
    """
    if not rehearsed():
        return source.ask(text)
    source.plan(text)
    return nothing


class Files:
    """Parquet or CSV files, read by a DuckDB of our own.

    Args:
        path: a file, or a pattern of files (`part-*.parquet`).

    Raises:
        EngineError: no such file, or none that can be read.
        MissingExtraError: DuckDB is not installed.
    """

    engine = "DuckDB"
    dialect: Dialect = DuckDB()

    def __init__(self, *paths: str | os.PathLike[str]) -> None:
        first, *others = names = [os.fspath(path) for path in paths]
        self.name = f"{first} and {len(others)} more" if others else first
        self.passed: set[str] = set()
        self._paths = sorted(each for name in names for each in glob.glob(name) or [name])
        self._stamp = self._stamped()
        _named_themselves(self._paths)
        reader = _reader(first)
        for path in self._paths:
            if _reader(path) != reader:
                raise EngineError("a file of another kind than the first one", place=path,
                                  remedy="pass files of one kind")  # fmt: skip
            _refuse_unreadable(path, reader)
        listed = ", ".join(self.dialect.quoted(os.path.abspath(each)) for each in self._paths)
        # What a cell is may not hang on a sample of others: cells of text files are texts.
        self.texts = reader == "read_csv"
        self._connection = connected()
        self._parquet = reader == "read_parquet"
        told = options(self._paths) if self.texts else "hive_partitioning = false"
        self.rows = f"{reader}([{listed}], {told})"
        self._listed = listed
        self.schema = self._described(self.rows)
        for path in self._paths if self._parquet and len(self._paths) > 1 else ():
            named = self.dialect.quoted(os.path.abspath(path))
            one = f"read_parquet({named}, hive_partitioning = false)"
            if self._described(one) != self.schema:
                raise EngineError(
                    "columns or types that are not those of the first file",
                    place=path,
                    remedy="write all files with the same columns and types",
                )

    def _described(self, rows: str) -> dict[str, str]:
        """Name of a column -> its type."""
        found = _asked(self._connection.execute, f"DESCRIBE SELECT * FROM {rows}", self.name)
        return {str(line[0]): _told(str(line[1])) for line in found}

    def ask(self, text: str) -> list[tuple[Any, ...]]:
        """The lines of a query."""
        self._unchanged()
        found: list[tuple[Any, ...]] = _asked(self._connection.execute, text, self.name)
        self._unchanged()
        return found

    def arrays(self, text: str, count: int) -> list[Any]:
        """The columns of a query as arrays."""
        self._unchanged()
        found = _asked(self._connection.execute, text, self.name, "fetchnumpy")
        self._unchanged()
        return [found[f"c{at}"] for at in range(count)]

    def plan(self, text: str) -> None:
        """Plan a query."""
        self._unchanged()
        _asked(self._connection.execute, f"EXPLAIN {text}", self.name)

    def kept(self, text: str, columns: Sequence[str], once: bool = False) -> EngineSource:
        """The lines of a query, in a table that lives as long as it is used."""
        return _kept(self, text, columns)

    def settled(self, columns: Sequence[str]) -> EngineSource:
        """The files themselves: one that changes is noticed."""
        return self

    def known_full(self, columns: Sequence[str]) -> set[str]:
        """The columns of which the statistics of Parquet say that no value is missing.

        Texts are read all the same: some may be none, which shows only where they are read.
        """
        if not self._parquet:
            return set()
        self._unchanged()
        found = _asked(
            self._connection.execute,
            "SELECT path_in_schema FROM parquet_metadata"
            f"([{self._listed}]) GROUP BY path_in_schema "
            "HAVING bool_and(coalesce(stats_null_count, 1) = 0)",
            self.name,
        )
        full = {str(line[0]) for line in found}
        return {each for each in columns if each in full and self.schema[each] != "VARCHAR"}

    def _stamped(self) -> list[tuple[int, int, int]]:
        found = []
        for path in self._paths:
            try:
                told = os.stat(path)
            except OSError as error:
                raise EngineError(
                    f"{_why(error)}", place=str(path), remedy="pass a path to Parquet or CSV files"
                ) from None
            found.append((told.st_mtime_ns, told.st_size, told.st_ino))
        return found

    def _unchanged(self) -> None:
        if self._stamped() != self._stamp:
            raise EngineError(
                "the file changed since it was opened",
                place=self.name,
                remedy="open it again with dp.table, once nobody writes to it any more",
            )


class DuckRelation:
    """A relation of DuckDB, asked through its own connection.

    What it says is copied once, into a temporary table of that connection: a query that is asked
    again may find other rows, and parts of them could then share somebody.

    Args:
        relation: what `duckdb.sql`, `duckdb.read_parquet` or a connection's methods give.
    """

    engine = "DuckDB"
    dialect: Dialect = DuckDB()
    name: str = "a relation of DuckDB"
    texts = False
    rows = "metricdp_rows"

    def __init__(self, relation: Any) -> None:
        self.passed: set[str] = set()
        self._query = partial(relation.query, self.rows)
        self._copy: Made | None = None
        told_apart(self.name, relation.columns)
        types = map(_told, map(str, relation.types))
        self.schema = dict(zip(relation.columns, types, strict=True))

    def ask(self, text: str) -> list[tuple[Any, ...]]:
        """The lines of a query."""
        found: list[tuple[Any, ...]] = _asked(self._query, text, self.name)
        return found

    def arrays(self, text: str, count: int) -> list[Any]:
        """The columns of a query as arrays."""
        found = _asked(self._query, text, self.name, "fetchnumpy")
        return [found[f"c{at}"] for at in range(count)]

    def plan(self, text: str) -> None:
        """Plan a query."""
        self.ask(f"EXPLAIN {text}")

    def settled(self, columns: Sequence[str]) -> EngineSource:
        """Some columns of the rows, copied the first time."""
        if self._copy is None:
            self._copy = self.copied(columns)
        return with_columns(self._copy, columns, "relation")

    def copied(self, columns: Sequence[str]) -> Made:
        """Some columns of the rows, in a table that is dropped when nobody holds it any more."""
        copy = f"SELECT {', '.join(map(self.dialect.name, columns))} FROM {self.rows}"
        schema = {each: self.schema[each] for each in columns}
        # A twin asks for it, so that the table does not hold the relation that holds it.
        return _table_of(shallow_copy(self), copy, schema)

    def kept(self, text: str, columns: Sequence[str], once: bool = False) -> EngineSource:
        """The lines of a query, in a table that lives as long as it is used."""
        return _kept(self, text, columns)

    def known_full(self, columns: Sequence[str]) -> set[str]:
        """None: a relation says nothing of that."""
        return set()


class Made:
    """Rows that a query made of those of another source.

    Args:
        of: who is asked.
        rows: what stands behind FROM.
        schema: name of a column -> its type.
        below: what the rows are made of, which lives as long.
    """

    texts = False

    def __init__(
        self,
        of: EngineSource,
        rows: str,
        schema: dict[str, str],
        below: Sequence[EngineSource] = (),
    ) -> None:
        self.of, self.rows, self._below = of, rows, below
        self.passed = of.passed
        self.name, self.engine, self.dialect = of.name, of.engine, of.dialect
        self.schema = schema

    def ask(self, text: str) -> list[tuple[Any, ...]]:
        """The lines of a query."""
        return self.of.ask(text)

    def arrays(self, text: str, count: int) -> list[Any]:
        """The columns of a query as arrays."""
        return self.of.arrays(text, count)

    def plan(self, text: str) -> None:
        """Plan a query."""
        self.of.plan(text)

    def settled(self, columns: Sequence[str]) -> EngineSource:
        """These rows: they were made of such as are the same whenever they are asked."""
        return self

    def kept(self, text: str, columns: Sequence[str], once: bool = False) -> EngineSource:
        """The lines of a query; where they are no table yet, these rows live as long."""
        made = self.of.kept(text, columns, once)
        if isinstance(made, Made) and made.rows.startswith("("):
            made._below = (*made._below, self)
        return made

    def known_full(self, columns: Sequence[str]) -> set[str]:
        """None: what was made says nothing of that."""
        return set()


class Widened(Made):
    """The rows of another source, with columns more: they lie where those lie.

    Args:
        of: the source.
        columns: name of a column -> its expression.
    """

    def __init__(self, of: EngineSource, columns: dict[str, str]) -> None:
        told = ", ".join(f"{text} AS {name}" for name, text in columns.items())
        schema = {**of.schema, **dict.fromkeys(columns, "made")}
        super().__init__(of, f"(SELECT *, {told} FROM {of.rows})", schema, (of,))


def lying(source: EngineSource) -> EngineSource:
    """The source whose rows these are."""
    return lying(source.of) if isinstance(source, Widened) else source


def with_columns(copy: Made, columns: Sequence[str], what: str) -> Made:
    """A copy that holds some columns.

    Raises:
        EngineError: others were copied when it was first asked.
    """
    missing = [each for each in columns if each not in copy.schema]
    if missing:
        raise EngineError(
            f"no column {missing[0]} among those that were copied when it was first asked",
            place=copy.name,
            remedy=f"open the {what} again for a program that reads other columns",
        )
    return copy


def _kept(source: EngineSource, text: str, columns: Sequence[str]) -> Made:
    """The lines of a query in a table; in a rehearsal the query, which is planned."""
    schema = dict.fromkeys(columns, "made")
    if not rehearsed():
        return _table_of(source, text, schema)
    source.plan(text)
    return Made(source, f"({text})", schema)


def _table_of(source: EngineSource, text: str, schema: dict[str, str]) -> Made:
    """The lines of a query in a temporary table, which is dropped after its last use."""
    name = f"metricdp_kept_{next(_NUMBERS)}"
    source.ask(f"CREATE TEMP TABLE {name} AS {text}")
    made = Made(source, name, schema)
    weakref.finalize(made, _dropped, source.ask, name)
    return made


#: Numbers of tables that are made.
_NUMBERS: Final = count()


def _told(kind: str) -> str:
    """The name of a type; of an enumeration without its values, which libraries take from rows."""
    return "ENUM" if kind.startswith("ENUM(") else kind


def _dropped(ask: Callable[[str], Any], name: str) -> None:
    with suppress(Exception):  # it may be closed, and the table with it
        ask(f"DROP TABLE IF EXISTS {name}")


def connected() -> Any:
    """A connection to a DuckDB of our own, of which a process has one: starting it takes longer
    than many a question does, and its limit of memory holds for all that run together.

    It writes nothing but what does not fit into memory: into a folder that nobody else may read,
    which goes with the process.  No file is kept in memory for another connection to read.
    """
    process, database, folder = _known.get("now", (0, None, ""))
    if process != os.getpid() or not os.path.isdir(folder):
        # Threads of a process that was forked are not there any more.
        database, folder = _database()
        _known["now"] = os.getpid(), database, folder
    made: Any = database.cursor()
    made.execute("SET enable_progress_bar = false")
    return made


#: The number of the process, its DuckDB and the folder of that.
_known: Final[dict[str, tuple[int, Any, str]]] = {}
#: Errors after which DuckDB answers nothing any more.
_FATAL: Final = ("FatalException", "InternalException")


def _database() -> tuple[Any, str]:
    """A DuckDB of our own, and the folder for what does not fit into memory."""
    try:
        import duckdb
    except ImportError:
        raise MissingExtraError(
            "DuckDB is not installed", remedy="pip install 'metricdp[tables]'"
        ) from None
    made, folder = duckdb.connect(":memory:"), tempfile.mkdtemp(prefix="metricdp_")
    weakref.finalize(made, shutil.rmtree, folder, ignore_errors=True)
    made.execute("SET preserve_insertion_order = false")
    made.execute("SET enable_external_file_cache = false")
    made.execute(f"SET temp_directory = {DuckDB().quoted(folder)}")
    return made, folder


def _asked(query: Callable[[str], Any], text: str, name: str, fetch: str = "fetchall") -> Any:
    try:
        answer = query(text)
        # DuckDB before 2 gives nothing for what has no lines.
        found = [] if answer is None else getattr(answer, fetch)()
    except Exception as error:
        if type(error).__name__ in _FATAL:
            _known.clear()
        failed = _failed(error, name)
    else:
        return found
    raise failed


def _failed(error: Exception, name: str) -> EngineError:
    """What DuckDB says may hold values of rows: its kind of error is told, and no more."""
    return EngineError(
        f"DuckDB failed ({type(error).__name__})",
        place=name,
        remedy="look at the table with DuckDB itself; what it says may hold private values",
    )


def _named_themselves(paths: Sequence[str]) -> None:
    """Raises:
    EngineError: a file whose name the engine reads as a pattern, so that it reads others; a file
        that has two names, whose rows would count twice.
    """
    known = set()
    for path in paths:
        if any(each in os.path.abspath(path) for each in "*?["):
            raise EngineError(
                "a name that is a pattern of names", place=path,
                remedy="give the file, and its folders, names without *, ? and [",
            )  # fmt: skip
        told = os.stat(path)
        same = told.st_dev, told.st_ino
        if same in known:
            raise EngineError(
                "a second name of a file that is there already", place=path,
                remedy="pass every file once: a pattern may find a link, or a file that is named",
            )  # fmt: skip
        known.add(same)


def names_a_file(text: str) -> bool:
    """Whether a text ends like the name of a file that is read."""
    return text.lower().endswith(tuple(_READERS))


def _reader(path: str) -> str:
    low = path.lower()
    for ending, reader in _READERS.items():
        if low.endswith(ending):
            return reader
    raise EngineError(
        "no ending that says what the file holds",
        place=path,
        remedy=f"pass a file that ends in one of {', '.join(_READERS)}",
    )


def _refuse_unreadable(path: str, reader: str) -> None:
    """
    Raises:
        EngineError: a folder, a file that may not be read, or one that is no Parquet file.
    """
    try:
        with open(path, "rb") as file:
            begins = file.read(4)
    except OSError as error:
        raise EngineError(
            _why(error), place=path, remedy="pass a path to Parquet or CSV files"
        ) from None
    if reader == "read_parquet" and begins not in _PARQUET:
        raise EngineError(
            "no Parquet file, whatever its name says",
            place=path,
            remedy="write it anew as one; CSV files end in .csv",
        )


def _why(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return "no such file"
    if isinstance(error, PermissionError):
        return "no permission to read the file"
    if isinstance(error, IsADirectoryError):
        return "a folder, and no file: a pattern (folder/*.parquet) is of all files in it"
    return f"a file that cannot be read ({type(error).__name__})"
