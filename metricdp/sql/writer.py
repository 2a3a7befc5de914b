"""Writes the checked function of one query."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from metricdp.sql.parts import GroupKey, GroupNumber, Output
from metricdp.sql.program import (
    CLAIMS,
    Names,
    ProgramText,
    annotation,
    bare,
    enclosed,
    file_of,
    share,
)
from metricdp.sql.tables import SqlTable
from metricdp.sql.terms import every, written

#: Kinds of keys that a parameter holds.
_BY_PARAMETER = ("int", "str")


class Writer:
    """Writes the function of one query.

    Args:
        names: of its tables, and how the rows that are asked are made of them.
        where: what rows are asked for.
        groups: of GROUP BY; no groups: one answer.
        most: groups of a person; None where rows are not limited by groups.
        gaussian: noise by rho instead of epsilon.
    """

    def __init__(
        self, table: SqlTable, names: Names, text: str, where: str, groups: Sequence[GroupKey],
        most: int | None, gaussian: bool,
    ) -> None:  # fmt: skip
        self.table, self.text, self.where = table, text, where
        self.groups, self.most, self.gaussian = groups, most, gaussian
        self.names = names.copy()
        self.loops = [self.names.new(g.name, f"key_{n + 1}") for n, g in enumerate(groups)]
        # A bound on the groups of a person by several columns is known for written keys alone.
        one = most is None or len(groups) == 1
        self.parameters = [
            self.names.new(f"{loop}_keys", "keys") if one and g.value.kind in _BY_PARAMETER else ""
            for loop, g in zip(self.loops, groups, strict=True)
        ]
        self.unit = "rho" if gaussian else "eps"
        self.body: list[str] = [*names.lines]
        self.tables: dict[Any, str] = {}

    # -- tables ------------------------------------------------------------------------------

    def asked(self) -> str:
        """The rows that WHERE lets through, and that are in some group."""
        if "asked" not in self.tables:
            tests = [self.where]
            if self.table.unit:  # rows that are asked for in no group use up nothing
                tests += [
                    f"{g.value.code} in {parameter or self.listed(g)}"
                    for g, parameter in zip(self.groups, self.parameters, strict=True)
                    if g.value.column
                ]
            self.tables["asked"] = self.names.table
            if every(tests) != "True":
                self.tables["asked"] = "asked"
                self.body.append(self.kept_rows("asked", tests))
        return self.tables["asked"]

    def kept_rows(self, name: str, tests: Iterable[str]) -> str:
        """The line that filters the table."""
        return f"    {name} = [row for row in {self.names.table} if {bare(tests)}]"

    @staticmethod
    def listed(group: GroupKey) -> str:
        """Keys as they are written into the program."""
        keys = ", ".join(map(written, group.keys or ()))
        return f"({keys},)" if len(group.keys or ()) == 1 else f"({keys})"

    def limited(self, rows: int | None) -> str:
        """The rows of which one person has few."""
        if not self.table.unit:
            return self.asked()
        assert rows is not None
        if rows not in self.tables:
            asked, unit = self.asked(), self.table.unit
            first = not self.tables.keys() - {"asked"}
            name = "kept" if first else self.names.new(f"kept_{rows}", "kept_more")
            if self.most is None:
                made = f'dp.limit_rows({asked}, "{unit}", {rows})'
            else:
                made = (
                    f'dp.limit_groups({asked}, "{unit}", by={self.by()}, groups={self.most}, '
                    f"rows={rows})"
                )
            self.body.append(f"    {name} = {made}")
            self.tables[rows] = name
        return self.tables[rows]

    def by(self) -> str:
        columns = [written(group.value.column) for group in self.groups]
        return columns[0] if len(columns) == 1 else f"({', '.join(columns)})"

    # -- draws -------------------------------------------------------------------------------

    def part(self, part: GroupNumber, name: str, budget: str) -> None:
        """One part, drawn for every group."""
        exact = part.kind in ("count", "distinct", "persons")
        target = f"{CLAIMS[self.unit]}={budget}"
        if part.kind == "quantile":
            rows = self.listing(part)
            bounds = ", ".join(_bound(each) for each in (part.low, part.high))
            drawn = f"dp.interval_quantile({rows}, {bounds}, {_share(part)}, {target})"
        else:
            family = "gaussian" if self.gaussian else "laplace"
            drawn = f"dp.{'discrete_' if exact else ''}{family}({self.counted(part)}, {target})"
        self.body += self.over_groups(name, drawn)

    def over_groups(self, name: str, code: str) -> list[str]:
        """One variable: a number, or a dictionary with one for each group."""
        if not self.groups:
            return [f"    {name} = {code}"]
        loops = [
            f"for {loop} in {parameter or self.listed(group)}"
            for loop, parameter, group in zip(self.loops, self.parameters, self.groups, strict=True)
        ]
        inside = [f"        {self.key()}: {code}", *(f"        {each}" for each in loops)]
        return [f"    {name} = {{", *inside, "    }"]

    def key(self) -> str:
        return self.loops[0] if len(self.loops) == 1 else f"({', '.join(self.loops)})"

    def tests(self, part: GroupNumber, of: str = "") -> str:
        """Which rows of a table count for a part."""
        tests = []
        for at, (group, loop) in enumerate(zip(self.groups, self.loops, strict=True)):
            if of:  # a row of sums: its columns are those of the groups
                tests.append(f"{of}[{at}] == {loop}")
                continue
            there = () if group.value.column else group.value.present
            tests += [*there, f"{group.value.code} == {loop}"]
        return bare([*tests, *(() if of else part.tests)])

    def listing(self, part: GroupNumber, code: str = "") -> str:
        tests = self.tests(part)
        table = self.limited(part.rows)
        return f"[{code or part.code} for row in {table}{f' if {tests}' if tests else ''}]"

    def counted(self, part: GroupNumber) -> str:
        """What noise is added to."""
        if part.kind == "persons":
            return self.persons(part)
        if part.kind == "person sum":
            return self.sums_of_persons(part)
        if part.kind == "distinct":
            return f"dp.count_distinct({self.listing(part)})"
        tests = self.tests(part)
        table = self.limited(part.rows)
        if part.kind == "count" and not tests:
            return f"dp.count({table})"
        code = "1" if part.kind == "count" else part.code
        return f"sum({code} for row in {table}{f' if {tests}' if tests else ''})"

    def persons(self, part: GroupNumber) -> str:
        if self.groups:
            return f"sum(1 for row in {self.limited(1)} if {self.tests(part)})"
        asked = self.asked()
        rows = f"[row for row in {asked} if {bare(part.tests)}]" if part.tests else asked
        return f'dp.count_ids({rows}, "{self.table.unit}")'

    def sums_of_persons(self, part: GroupNumber) -> str:
        """Sums of what each person adds up to, moved into the bounds of one person."""
        asked, unit = self.asked(), self.table.unit
        rows = f"[row for row in {asked} if {bare(part.tests)}]" if part.tests else asked
        name = self.names.new("", "each_person")
        bounds = f"{_bound(part.low)}, {_bound(part.high)}"
        row = f"lambda row: {part.code}"
        if not self.groups:
            self.body.append(f'    {name} = dp.sum_per_id({rows}, "{unit}", {row})')
            return f"dp.sum(dp.clamp({name}, {bounds}))"
        self.body.append(
            f'    {name} = dp.sum_per_group({rows}, "{unit}", {row}, by={self.by()}, '
            f"groups={self.most})"
        )
        tests = self.tests(part, "row")
        return f"sum(dp.clamp(row[{len(self.groups)}], {bounds}) for row in {name} if {tests})"

    # -- the whole ---------------------------------------------------------------------------

    def output(self, form: str, parts: Iterable[str]) -> str:
        """A formula with the variables of its parts."""
        key = f"[{self.key()}]" if self.groups else ""
        inside = form.format(*(f"{name}{key}" for name in parts))
        return inside[1:-1] if enclosed(inside) else inside

    def signature(self) -> tuple[str, dict[str, tuple[Any, ...] | None]]:
        given: dict[str, tuple[Any, ...] | None] = {}
        words = [*self.private(), f"{self.unit}: float"]
        for group, parameter in zip(self.groups, self.parameters, strict=True):
            if parameter:
                given[parameter] = group.keys
                known = "" if group.keys is None else f" = {self.listed(group)}"
                words.append(f"{parameter}: tuple[{group.value.kind}, ...]{known}")
        # Parameters with a default come last.
        words = [w for w in words if " = " not in w] + [w for w in words if " = " in w]
        return ", ".join(words), given

    def private(self) -> list[str]:
        """The private parameters."""
        return [f"{name}: {annotation(table)}" for name, table in self.names.tables.items()]

    def written(
        self, claim: str, signature: str, body: Sequence[str],
        keys: dict[str, tuple[Any, ...] | None], entries: dict[str, str],
    ) -> ProgramText:  # fmt: skip
        """The program with this body."""
        tables = self.names.tables
        source = file_of([*tables.values()], self.text, claim, signature, body)
        given = {name: table.name for name, table in tables.items()}
        return ProgramText(source, given, keys, entries)

    def program(
        self, outputs: Sequence[Output], parts: dict[GroupNumber, Fraction], notes: Sequence[str]
    ) -> ProgramText:
        """The program that draws these parts, each with its share of the budget."""
        called: dict[GroupNumber, str] = {}
        for output in outputs:
            for at, part in enumerate(output.parts):
                if part in called:
                    continue
                alone = output.form == "{0}"
                wanted = output.name if alone else f"{output.name}_{_KIND_WORDS[min(at, 4)]}"
                called[part] = self.names.new(wanted, part.kind.replace(" ", "_"))
        for part, name in called.items():
            self.part(part, name, share(self.unit, parts[part]))
        returned: dict[str, str] = {}
        for output in outputs:
            names = [called[part] for part in output.parts]
            if output.form == "{0}":
                returned[output.name] = names[0]
                continue
            name = self.names.new(output.name, "output")
            self.body += self.over_groups(name, self.output(output.form, names))
            returned[output.name] = name
        entries = {name: name for name in returned}
        for output in outputs:
            if output.mean is not None:
                for word, part in zip(("sum", "count"), output.parts, strict=True):
                    entry = f"{output.name}: {word}"
                    returned[entry] = called[part]
        inside = ", ".join(f"{written(name)}: {code}" for name, code in returned.items())
        self.body.append(f"    return {{{inside}}}")
        signature, given = self.signature()
        body = [*(f"    # {note}" for note in notes), *self.body]
        claim = f'{CLAIMS[self.unit]}="{self.unit}"'
        return self.written(claim, signature, body, given, entries)

    def keys_program(self, budget: Fraction) -> ProgramText:
        """The program that finds the keys of the one group, each with how often it is there."""
        group = self.groups[0]
        value = group.value
        tests = [self.where]
        if value.present:
            tests.append(every(value.present))
        if every(tests) != "True":
            self.body.append(self.kept_rows("asked", tests))
        self.tables["asked"] = self.names.table if every(tests) == "True" else "asked"
        table = self.limited(1 if self.most is not None else max(self.tables_rows))
        test = bare(value.present)
        rows = f"[{value.code} for row in {table}{f' if {test}' if test else ''}]"
        self.body.append(
            f"    return dp.stable_histogram({rows}, epsilon={share('eps', budget)}, delta=delta)"
        )
        words = ", ".join([*self.private(), "eps: float", "delta: float"])
        claim = f'epsilon="{share("eps", budget)}", delta="delta"'
        return self.written(claim, words, self.body, {}, {})

    #: Rows of a person, where they are not limited by groups.
    tables_rows: tuple[int, ...] = (1,)


_KIND_WORDS = ("sum", "count", "squares", "more", "rest")


def _bound(number: Any) -> str:
    if isinstance(number, Fraction):
        return str(number.numerator) if number.denominator == 1 else repr(float(number))
    return repr(number)


def _share(part: GroupNumber) -> str:
    assert part.share is not None
    return _bound(part.share)
