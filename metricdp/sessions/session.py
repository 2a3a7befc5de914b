"""A session: tables, a unit of privacy and a budget; everything that is released is charged first.

The order of a call is: what it costs is computed from public facts, the spend is written to the
ledger or refused, then data are read, then the release is written.  A call that fails after its
spend was written has spent it; a call that is refused has spent nothing and read nothing.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import fields
from fractions import Fraction
from functools import partial
from secrets import token_hex
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.checked.function import CheckedFunction
from metricdp.checked.path import library_path, pinned_handler, the_path
from metricdp.errors import (
    ApprovalError,
    BudgetError,
    InternalError,
    LedgerError,
    MetricdpError,
    ParameterError,
    bare,
    sealed,
)
from metricdp.expr import decimal_down, decimal_up
from metricdp.maps import Measurement
from metricdp.run.emit import RunLog
from metricdp.run.release import Release
from metricdp.sessions.asking import Question, alone, fits, key_of
from metricdp.sessions.budget import Budget, amounts, left_of
from metricdp.sessions.chain import LedgerRow
from metricdp.sessions.costs import readings
from metricdp.sessions.data import HeldTable, tables_of
from metricdp.sessions.encoding import argument_text, canonical, tree_json
from metricdp.sessions.events import Hook, SessionEvent, hook_of, tell
from metricdp.sessions.filed import composition, placed, unplaced
from metricdp.sessions.fingerprints import fingerprint
from metricdp.sessions.functions import of_function, of_measurement
from metricdp.sessions.ledger import Ledger
from metricdp.sessions.mechanisms import of_mechanism
from metricdp.sessions.names import named, person
from metricdp.sessions.previews import CostPreview, looked_at, offer
from metricdp.sessions.shares import Asker
from metricdp.sessions.tracked import Tracked
from metricdp.sessions.unit import unit_of
from metricdp.sessions.workspace import Workspace

if TYPE_CHECKING:
    from metricdp.sessions.plans import SessionPlan
    from metricdp.sql import Options, QueryAnswer
    from metricdp.sql.chained import AskedChain

#: Name of a data set whose ledger is in memory.
ALONE = "data"


class Session:
    """Data, a unit and a budget.

    Args:
        data: table -> (annotation, values): `{"visits": (dp.Records[float], values)}`.  Values are
            copied, and brought into their spaces as in a checked function.
        unit: what one person moves: None (distance 1 in every table), a number, words, a mapping
            table -> distance, or a `Unit`.
        budget: a `Budget`.
        dataset: name of the data in the ledger; needed with a file.  Data of one name are the same
            data: an answer that was released under it is given again for nothing.
        ledger: a path, a `Ledger`, or None (in memory, for this process).
        analyst, purpose: who asks, and for what; rows name them, and limits may (`Limit`).
        data_key: 16 bytes or more, kept where the ledger is not: data that changed since they were
            opened under this name are refused.  Without it nobody looks.
        events: is called with a `SessionEvent` for every question, for logs and metrics: public
            facts, and no value.
        changed: the data changed, and go on under the same name: in the same budget, with answers
            of their own.

    Raises:
        SpaceError, SchemaError: data that do not fit their annotations; no message shows a value.
        ParameterError: a unit or a budget that means nothing, or a name that could be taken for
            another one.
        LedgerError: a ledger whose chain is broken, or that counts this data set otherwise.

    Examples:
        >>> import metricdp as dp
        >>> session = dp.Session(
        ...     {"age": (dp.Records[float], [31.0, 47.0, 62.0])}, budget=dp.Budget(epsilon=1)
        ... )
        >>> years = dp.clamp(session["age"], 0, 100)
        >>> release = dp.laplace(dp.sum(years), epsilon=0.25)
        >>> session.left()
        {'epsilon': Fraction(3, 4)}
    """

    def __init__(
        self,
        data: Mapping[str, tuple[Any, Any]],
        *,
        budget: Budget,
        unit: Any = None,
        dataset: str | None = None,
        ledger: Ledger | str | os.PathLike[str] | None = None,
        analyst: str | None = None,
        purpose: str | None = None,
        data_key: bytes | None = None,
        changed: bool = False,
        events: Hook | None = None,
    ) -> None:
        self._tables: dict[str, HeldTable] = {}
        self._asker, self._hook = asker_of(analyst, purpose), hook_of(events)
        #: Shared by all views of a session: whether it was closed, whether its ledger is its own.
        self._state = {"closed": False, "own": not isinstance(ledger, Ledger)}
        the_path()
        library_path()
        failed: BaseException | None = None
        try:
            self._open(data, budget, unit, dataset, ledger)
            self._note(data_key, changed)
        except BaseException as error:
            failed = error
        data = {}  # no frame of an error shows private data
        if failed is not None:
            raise bare(failed) from None

    def _open(
        self, data: Mapping[str, tuple[Any, Any]], budget: Budget, unit: Any,
        dataset: str | None, ledger: Ledger | str | os.PathLike[str] | None,
    ) -> None:  # fmt: skip
        if not isinstance(budget, Budget):
            raise ParameterError("a budget is a dp.Budget", place="budget",
                                 remedy="budget=dp.Budget(epsilon=1)")  # fmt: skip
        if ledger is not None and dataset is None:
            raise ParameterError(
                "data in a shared ledger need a name", place="dataset",
                remedy='dataset="visits-2026": change it when the data change',
            )  # fmt: skip
        self._tables = tables_of(data)
        spaces = {name: table.space for name, table in self._tables.items()}
        self.budget, self.unit = budget, unit_of(unit)
        self.dataset = ALONE if dataset is None else named(dataset)
        self._distances = self.unit.of(spaces)
        self._words = self.unit.describe(spaces)
        self._limits = budget.limits()
        self.ledger = ledger if isinstance(ledger, Ledger) else Ledger(ledger)
        tables = "; ".join(f"{name}: {space.describe()}" for name, space in spaces.items())
        facts = {"unit": self._words, "tables": tables, "counted": budget.describe()}
        self.ledger.open(self.dataset, budget, facts)
        self._units = f"{self._words}|{tables}"
        self._track()

    def _note(self, key: bytes | None, changed: bool) -> None:
        """Hold the data against their fingerprint; answers belong to the data that gave them."""
        found = None
        if key is not None:
            made = fingerprint(self._tables, self.dataset, key)
            found = {"of": made.of, "key": made.key}
        elif changed:
            raise ParameterError("what changed is not known", place="data_key",
                                 remedy="give the data_key that was given before")  # fmt: skip
        row = self.ledger.fingerprint(self.dataset, found, changed=changed)
        # Other data may lie under this name where nobody compares them.
        self._data = f"session {token_hex(8)}" if row is None else str(row)
        if row is not None:
            self._units += f"|data of row {row}"

    def _track(self) -> None:
        self._work = Workspace(self._mechanism, self)
        self._tracked = {}
        for name, table in self._tables.items():
            if type(table.space).__name__ != "Aligned":
                self._tracked[name] = self._work.table(name, table.space)

    def asked_by(self, analyst: str | None = None, purpose: str | None = None) -> Session:
        """The same session for another analyst or purpose: same data, same ledger, same budget.

        Tracked values belong to the session whose tables they are made of, so what is asked with
        `session.asked_by("ann")["visits"]` is asked by her.

        Raises:
            ParameterError: a name that could be taken for another one.
        """
        found = Session.__new__(Session)
        found.__dict__.update(self.__dict__)
        found._asker = msgspec.structs.replace(asker_of(analyst, purpose), part=self._asker.part)
        found._track()
        return found

    def partition(
        self, table: str, *, by: Any, keys: Any, max_parts: int | None = None
    ) -> dict[Any, Session]:
        """The parts of a table by public keys, each a session of its own: the same ledger and the
        same budget, which loses what the part costs that was asked most, and not their sum.

        Parts may be asked in any order, each question chosen from all earlier answers.  Rows that
        have none of the keys are in no part.  Beside its part such a session has the tables that no
        unit moves.

        Args:
            by: a column of texts, whole numbers or truth values, or several.
            keys: public keys, all different; of several columns, tuples.
            max_parts: of a table about persons, in how many parts one of them counts: of whoever is
                in more, so many are kept, and the budget loses the sum of so many parts.

        Returns:
            Key -> its session.

        Raises:
            ParameterError: a table that is not divided so, keys that its column has not, or persons
                without `max_parts`.
            EngineError: an engine failed.

        Examples:
            >>> from dataclasses import dataclass
            >>> import metricdp as dp
            >>> @dataclass
            ... class Visit:
            ...     town: str
            ...     hours: float
            >>> rows = [Visit("Rome", 2.0), Visit("Oslo", 1.0), Visit("Rome", 0.5)]
            >>> session = dp.Session({"visits": (dp.Records[Visit], rows)},
            ...                      budget=dp.Budget(epsilon=1))
            >>> towns = session.partition("visits", by="town", keys=["Rome", "Oslo"])
            >>> counts = {town: dp.laplace(dp.count(part["visits"]), epsilon=0.5)
            ...           for town, part in towns.items()}
            >>> session.left()
            {'epsilon': Fraction(1, 2)}
        """
        from metricdp.sessions.divided import divided

        tracked = self[table]
        if self._asker.part is not None:
            raise ParameterError(
                "a part is not divided once more", place="session.partition",
                remedy="by several columns at once: by=(...), keys=[(...), ...]",
            )  # fmt: skip
        given = self._tables[table], tracked, self._distances[table]
        found = {}
        for key, part in divided(*given, by, keys, max_parts, self._data).items():
            session = Session.__new__(Session)
            session.__dict__.update(self.__dict__)
            still = {n: t for n, t in self._tables.items() if not self._distances[n]}
            session._tables = {table: part.table, **still}
            session._distances = {**dict.fromkeys(still, Fraction(0)), table: part.distance}
            session._asker = msgspec.structs.replace(self._asker, part=part.name)
            session._units = f"{self._units}|{canonical(part.name.asked.as_json())}"
            session._track()
            found[key] = session
        return found

    def close(self) -> None:
        """Let go of the data, and of the ledger if the session opened it.

        A question that runs in another thread ends as it would; later ones are refused.  The
        sessions that `asked_by` gave are closed with it.
        """
        self._state["closed"] = True
        self._tables.clear()
        if self._state["own"]:
            self.ledger.close()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *failed: object) -> None:
        self.close()

    def _require_open(self) -> None:
        if self._state["closed"]:
            raise LedgerError("the session was closed", place="session",
                              remedy="open another one with the same data and ledger")  # fmt: skip

    @property
    def analyst(self) -> str | None:
        """Who asks, as rows name it."""
        return self._asker.analyst

    @property
    def purpose(self) -> str | None:
        """What for, as rows name it."""
        return self._asker.purpose

    def __getitem__(self, name: str) -> Tracked:
        """The tracked value of a table.

        Raises:
            ParameterError: no such table, or aligned tables, which are several values.
        """
        self._require_open()
        found = self._tracked.get(name)
        if found is None:
            known = name in self._tables
            raise ParameterError(
                "aligned tables are several values" if known else f"no table is called {name!r}",
                place="session",
                remedy="write a checked function, and session.run it"
                if known else f"tables: {', '.join(self._tables)}",
            )  # fmt: skip
        return found

    def __iter__(self) -> Any:
        return iter(self._tables)

    def left(self) -> dict[str, Fraction]:
        """Unit of the budget -> what is left, exact; spends of other processes are counted.

        Where limits hold for the analyst, the purpose or the present period, what they leave.
        """
        return self.ledger.left(self.dataset, self._limits, self._asker)

    def cost(self, asked: Any, /, *args: Any, **keywords: Any) -> CostPreview:
        """What a question would cost, without asking it: nothing is spent, read or written.

        Args:
            asked: a checked measurement, with the arguments that `run` takes; a `Measurement`, with
                the name of its table; or a function without parameters that releases a tracked
                value: `session.cost(lambda: dp.laplace(total, epsilon=0.1))`.

        Raises:
            NotProvedError, ParameterError, SpaceError, TrackedError: as the question itself would.
            BudgetError: it has no cost in the budget's measure.
        """
        self._require_open()
        given: tuple[Any, ...] = (self._tables, self._distances, self.budget, args, keywords)
        core = getattr(asked, "core", asked)
        if not isinstance(asked, CheckedFunction) and not isinstance(core, Measurement):
            session, question = looked_at(asked)
            found: CostPreview = session._preview(question)
            return found
        failed: BaseException
        try:
            if isinstance(asked, CheckedFunction):
                return sealed(
                    [lambda: self._preview(of_function(asked, *given))],
                    partial(_stopped, asked.__name__),
                )
            table = (*args, *keywords.values(), None)[0]
            return sealed(
                [lambda: self._preview(of_measurement(core, table, *given[:3]))],
                partial(_stopped, core.name),
            )
        except BaseException as error:
            failed = error
        given, args, keywords = (), (), {}
        failed.__traceback__ = None
        raise failed from None

    def _preview(self, question: Question) -> CostPreview:
        key = key_of(question, self._units)
        known = self.ledger.answer(self.dataset, key)
        asker = msgspec.structs.replace(self._asker, key=key)
        left = self.left()
        refused = ""
        if known is None:
            try:
                waits = self.ledger.afford(
                    self.dataset, self._limits, question.cost, question.name, asker
                )
                refused = "" if waits is None else waits.fact
            except BudgetError as error:
                advised = self._advised(error, question)
                refused = f"{advised.fact}; {advised.remedy}"
        return CostPreview(question.name, dict(question.cost), left, known is not None, refused)

    def run(
        self, function: CheckedFunction, /, *args: Any, fresh: bool = False, **keywords: Any
    ) -> Release:
        """A checked measurement on the tables: `session.run(mean_visits, eps=0.1)`.

        A private parameter is the table of its name, or the one that is given: `session["other"]`.

        Args:
            fresh: draw again, and pay again, although the answer was released already.

        Raises:
            BudgetError: more than what is left; says what would fit.
            NotProvedError, ParameterError, SpaceError: see `checked.CheckedFunction`.
            PostProcessingError: the code after a release failed; what it spent is spent.
        """
        self._require_open()
        if not isinstance(function, CheckedFunction):
            raise ParameterError(
                f"a {type(function).__name__} is no checked function", place="session.run",
                remedy="decorate it with @dp.measurement; session.release takes a Measurement",
            )  # fmt: skip
        if fresh and any(i.name == "fresh" for i in function.guarantee.data.inputs):
            keywords["fresh"], fresh = fresh, False
        given: tuple[Any, ...] = (self._tables, self._distances, self.budget, args, keywords)
        failed: BaseException
        try:
            return sealed(
                [lambda: self._ask(of_function(function, *given), fresh)],
                partial(_stopped, function.__name__),
            )
        except BaseException as error:
            failed = error
        # Whoever gives data in place of a table finds them in no frame of the refusal.
        given, args, keywords = (), (), {}
        failed.__traceback__ = None
        raise failed from None

    def sql(
        self, query: str, *, epsilon: Any = None, delta: Any = None, rho: Any = None,
        keys: Mapping[str, Any] | None = None, bounds: Mapping[str, Any] | None = None,
        max_groups: int | None = None, max_rows: int | None = None,
        shares: Mapping[str, Any] | None = None, dialect: str | None = None,
    ) -> QueryAnswer:  # fmt: skip
        """A query in SQL on a table: `session.sql("SELECT COUNT(*) FROM v", epsilon=0.1)`.

        The query becomes a checked program, which is run as `session.run` runs one; see
        docs/sql.md for what is understood.

        Args:
            epsilon, delta, rho: what the query may cost one unit of distance in the table: epsilon;
                epsilon with the delta that finds private keys; or rho, for Gaussian noise.
            keys: column of GROUP BY -> its public keys.
            bounds: column -> (low, high), for columns that are added up as they are.
            max_groups, max_rows: groups of one person, and rows of one person in each.
            shares: output -> its share of the budget; 1 each.
            dialect: "duckdb" or "bigquery"; None: what the query looks like.

        Returns:
            A table with intervals.

        Raises:
            MissingExtraError: sqlglot is not installed (`pip install 'metricdp[sql]'`).
            SqlError: a clause that is not understood; the error points at it.
            ParameterError, SpaceError: an option, or a table, that means nothing here.
            NotProvedError: the program that the query means is rejected.
            BudgetError: more than what is left.
        """
        self._require_open()
        from metricdp.sql import Options, ask

        options = Options(
            epsilon, delta, rho, dict(keys or {}), dict(bounds or {}), max_groups, max_rows,
            dict(shares or {}), dialect,
        )  # fmt: skip
        return ask(self._asked_query(), self._spaces(), query, options)

    def explain(self, asked: CheckedFunction | str, /, **given: Any) -> SessionPlan:
        """What a program or a query would do and cost: nothing is read, charged or written.

        Args:
            asked: a checked measurement, or a query in SQL.
            given: as `run`, or `sql`, takes them by name.

        Returns:
            What it would cost here, what is proved of it, its noise, and the SQL of every engine,
            from the declared columns alone.

        Raises:
            MissingExtraError, SqlError, ParameterError, SpaceError, NotProvedError: as the question
                itself would.
            BudgetError: it has no cost in the budget's measure.
        """
        self._require_open()
        from metricdp.sessions.plans import SessionPlan

        if isinstance(asked, CheckedFunction):
            cost = self.cost(asked, **given)
            private = {each.name for each in asked.guarantee.data.private()}
            public = {name: value for name, value in given.items() if name not in private}
            return SessionPlan((cost,), asked.explain(**public))
        if not isinstance(asked, str):
            raise ParameterError(
                f"a {type(asked).__name__} is neither a checked function nor a query",
                place="session.explain",
                remedy="explain a function decorated with @dp.measurement, or a text in SQL; "
                "session.cost says what a tracked value costs",
            )
        from metricdp.sql import Options
        from metricdp.sql.asking import prepared, previews
        from metricdp.sql.explained import explained

        named = {name: value for name, value in given.items() if value is not None}
        unknown = named.keys() - {each.name for each in fields(Options)}
        if unknown:
            raise ParameterError(
                f"no option {min(unknown)} of a query", place="session.explain",
                remedy="give what session.sql takes",
            )  # fmt: skip
        query = prepared(asked, self._spaces(), Options(**named))
        return SessionPlan(tuple(previews(self._asked_query(), query)), explained(query))

    def answer_chain(self, asked: AskedChain, options: Options) -> QueryAnswer:
        """What a chain of methods on a table asks; `chains.ChainQuestion.release` calls this."""
        self._require_open()
        from metricdp.sql.asking import answered, proved
        from metricdp.sql.chained import lowered_chain

        return answered(self._asked_query(), proved(lowered_chain(asked, options)), asked.text)

    def explain_chain(self, asked: AskedChain, options: Options) -> SessionPlan:
        """What such a chain would do and cost; `chains.ChainQuestion.explain` calls this."""
        self._require_open()
        from metricdp.sessions.plans import SessionPlan
        from metricdp.sql.asking import previews, proved
        from metricdp.sql.chained import lowered_chain
        from metricdp.sql.explained import explained

        query = proved(lowered_chain(asked, options))
        return SessionPlan(tuple(previews(self._asked_query(), query)), explained(query))

    def _asked_query(self) -> Any:
        from metricdp.sql.asking import AskedQuery

        return AskedQuery(self.run, self.cost)

    def _spaces(self) -> dict[str, Any]:
        return {name: table.space for name, table in self._tables.items()}

    def release(
        self, measurement: Any, table: str | None = None, *, fresh: bool = False
    ) -> Release:
        """A measurement of the library on one table: `session.release(clamp >> sum >> laplace)`.

        Args:
            measurement: a `Measurement`, or one that was built with `metricdp.opendp`.
            table: its name; may be left out where one table fits.
            fresh: draw again, and pay again, although the answer was released already.

        Raises:
            BudgetError: more than what is left.
            SpaceError: no table is an argument of it, or several are and none is named.
        """
        self._require_open()
        # An object of `metricdp.opendp` is a map of the library under other names.
        measurement = getattr(measurement, "core", measurement)
        if not isinstance(measurement, Measurement):
            raise ParameterError(
                f"a {type(measurement).__name__} is no measurement", place="session.release",
                remedy="chain a mechanism to it; session.run takes checked functions",
            )  # fmt: skip
        given = (table, self._tables, self._distances, self.budget)
        return sealed(
            [lambda: self._ask(of_measurement(measurement, *given), fresh)],
            partial(_stopped, measurement.name),
        )

    async def run_async(
        self, function: CheckedFunction, /, *args: Any, fresh: bool = False, **keywords: Any
    ) -> Release:
        """`run` in a thread of its own, while the event loop goes on.

        A task that is cancelled gives up the answer and not the spend: the run goes on in its
        thread, and its answer is in the ledger, where asking again finds it for nothing.
        """
        import asyncio

        return await asyncio.to_thread(self.run, function, *args, fresh=fresh, **keywords)

    async def release_async(
        self, measurement: Any, table: str | None = None, *, fresh: bool = False
    ) -> Release:
        """`release` in a thread of its own, while the event loop goes on; see `run_async`."""
        import asyncio

        return await asyncio.to_thread(self.release, measurement, table, fresh=fresh)

    def _mechanism(
        self, record: Any, hidden: Tracked, tree: Any, pending: Any, public: Mapping[str, Any]
    ) -> Release:
        self._require_open()
        what = (record, hidden, tree, pending, public)
        given = (self._tables, self._distances, self.budget)

        return sealed(
            [lambda: self._ask(of_mechanism(*what, *given), False)], partial(_stopped, record.name)
        )

    # -- paying -----------------------------------------------------------------------------

    def _ask(self, question: Question, fresh: bool) -> Release:
        offer(self, question)
        # A seeded or replayed answer is no release: it is charged, never kept, never given again.
        # A run that would refuse is refused here, before anything is spent.
        handler, _ = pinned_handler(library=True)
        kept = type(handler) is RunLog
        key = key_of(question, self._units) if kept else ""
        if fresh or not key:
            return self._answered(question, key, kept, fresh)
        where = self.ledger.path
        ledger = f"memory {id(self.ledger)}" if where is None else os.path.realpath(where)
        with alone(ledger, self.dataset, key):
            return self._answered(question, key, kept, fresh)

    def _answered(self, question: Question, key: str, kept: bool, fresh: bool) -> Release:
        known = self.ledger.answer(self.dataset, key) if not fresh else None
        if known is not None:
            release, spend = known
            again = f"row {spend.number} paid for it; nothing was spent"
            place = {**composition(self.ledger, spend), "asked again": again}
            self._tell("again", question, spend, dict.fromkeys(question.cost, Fraction(0)))
            return placed(release, spend, place)
        spend = self._spend(question, key)
        place, kind = composition(self.ledger, spend), "failed"
        try:
            release = question.run()
            if kept and not release.test_only:
                place |= self._recorded(spend, release)
            kind = "answered"
        finally:
            self._tell(kind, question, spend)
        return placed(release, spend, place)

    def _tell(
        self, kind: str, question: Question, spend: LedgerRow | None = None,
        cost: Mapping[str, Fraction] | None = None, left: Mapping[str, Fraction] | None = None,
        row: int = 0,
    ) -> None:  # fmt: skip
        if self._hook is None:
            return
        if spend is not None:
            left = left_of(self._limits, spend.numbers("total")) if cost is None else {}
            cost, row = spend.numbers("cost") if cost is None else cost, spend.number
        cost = dict(question.cost) if cost is None else cost
        asker = self._asker
        event = SessionEvent(kind, question.name, self.dataset, asker.analyst, asker.purpose, cost,
                      left or {}, row)  # fmt: skip
        tell(self._hook, event)

    def _recorded(self, spend: LedgerRow, release: Release) -> dict[str, str]:
        """Keep a release that was paid for; what the record says where that fails."""
        try:
            self.ledger.record(self.dataset, spend, unplaced(release))
        except Exception as error:  # whatever it is, the answer is handed out
            fact = error.fact if isinstance(error, MetricdpError) else type(error).__name__
            return {
                "not kept": f"{fact}; row {spend.number} paid for it, asked again it costs again"
            }
        return {}

    def _spend(self, question: Question, key: str) -> LedgerRow:
        facts: dict[str, Any] = {"name": question.name, "scope": list(question.scope)}
        facts["fingerprint"] = question.fingerprint
        facts["arguments"] = {n: argument_text(v) for n, v in question.public.items()}
        failed: BudgetError
        try:
            asker = msgspec.structs.replace(self._asker, key=key)
            self.ledger.afford(self.dataset, self._limits, question.cost, question.name, asker)
            asked = question.asked
            facts["tree"] = tree_json(asked.tree) if asked is not None else None
            facts["curve"] = readings(asked, question.numbers) if asked is not None else {}
            return self.ledger.spend(self.dataset, self._limits, question.cost, key, facts, asker)
        except ApprovalError as error:
            self._tell("waits", question, left=error.left, row=error.row)
            raise
        except BudgetError as error:
            failed = error
        failed = self._advised(failed, question)
        self._tell("refused", question, left=failed.left)
        raise failed

    def _advised(self, error: BudgetError, question: Question) -> BudgetError:
        """The refusal with what would fit."""
        found = fits(question, error.left) if error.left else None
        remedy = error.remedy
        if found is not None:
            name, value = found
            grows = value > question.numbers[name]
            shown = (decimal_up if grows else decimal_down)(value)
            remedy = f"{name}={shown} fits"
        advised = BudgetError(error.fact, place=question.name, remedy=remedy)
        advised.left = error.left
        advised.fits = {} if found is None else {found[0]: found[1]}
        return advised

    # -- views ------------------------------------------------------------------------------

    def __repr__(self) -> str:
        if not self._tables or not hasattr(self, "ledger"):
            return "<session that was not opened>"
        tables = ", ".join(self._tables)
        if self._asker.part is not None:
            tables = self._asker.part.describe()
        return (
            f"<session on {tables}; budget {self.budget.describe()}; left {amounts(self.left())}>"
        )

    def _repr_html_(self) -> str:
        return self.ledger._repr_html_()

    def __reduce__(self) -> Any:
        raise LedgerError(
            "a session is not copied: two copies would spend one budget twice",
            remedy='share a ledger file: Session(..., dataset="name", ledger="ledger.db")',
        )


def asker_of(analyst: str | None, purpose: str | None) -> Asker:
    """Who asks, by the names that were given.

    Raises:
        ParameterError: a name that could be taken for another one.
    """
    return Asker(
        None if analyst is None else person(analyst, "analyst"),
        None if purpose is None else person(purpose, "purpose"),
    )


def _stopped(place: str, kind: str) -> MetricdpError:
    return InternalError(
        f"the call stopped with {kind}; what it spent is in the ledger",
        place=place,
        remedy="functions of measurements made by hand must not fail",
    )
