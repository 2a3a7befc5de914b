"""Methods of data frames, in the names of Ibis, as the comprehensions that they mean.

`t.filter(t.year == 1)` is `[row for row in t if row.year == 1]`, `t.mutate(v=t.visits.clip(0, 20))`
gives `t.v` a meaning, `t.v.sum()` is `sum([... for row in t])`, and `t.group_by("plan", keys=...)`
with `aggregate(n=t.count())` is a dictionary with an entry for every key.  `t[t["year"] == 1]` is
what `filter` gives, and `t["year"]` is `t.year`.  This is done to the syntax of a function, once,
before anything else reads it: check and run see the same tree, which is why nothing here is
believed.  What is not known here stays as it is written, and check refuses it.

Names are those of Ibis; `_`, and the name that a chain begins with, mean the table so far.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from typing import Any, Final, NamedTuple

from metricdp.run.frame_columns import called, is_condition, method_of, read
from metricdp.run.frame_places import changed, held_together

#: Methods of tables that nothing else in a checked program has.
_OF_TABLES: Final = frozenset({"filter", "mutate", "select", "group_by", "aggregate", "agg"})
#: Functions of metricdp that give some rows of the table that they are given first.
_SAME_ROWS: Final = frozenset({"keep_ids", "limit_rows", "limit_groups", "sample"})
#: Those of them that say of a parameter that it is a table of rows with ids.
_LIMITS: Final = frozenset({"keep_ids", "limit_rows", "limit_groups"})
#: Functions of Python and of metricdp that count, and do not see the values of columns.
_COUNTING: Final = frozenset({"len", "count", "count_ids"})
#: Methods of columns that make a parameter for `Records` a table here.
_OF_COLUMNS: Final = frozenset({"clip", "isin", "notin", "between", "isnull", "notnull", "ifelse",
                                "fill_null", "sum"})  # fmt: skip
#: Without one of these no method is called that is meant here.
_CALLED: Final = _OF_TABLES | _OF_COLUMNS | {"count"}
#: Names of Python that stand in what is made here.
_BUILTINS: Final = frozenset({"len", "sum", "min", "max", "abs", "int", "float", "str"})
_AS_LOGIC: Final[Mapping[type, Callable[[], ast.boolop]]] = {ast.BitAnd: ast.And, ast.BitOr: ast.Or}
#: Expressions that give names a meaning inside.
_WITH_NAMES: Final = (ast.Lambda, ast.ListComp, ast.GeneratorExp, ast.DictComp, ast.SetComp)


class _Table(NamedTuple):
    """A table: the expression of its rows, columns that `mutate` made, and which are selected.

    A column that was made, and of which it is not known any more what it is, is None: the rows may
    have another one of this name.
    """

    rows: ast.expr
    made: Mapping[str, ast.expr | None]
    only: frozenset[str] | None = None


class _Groups(NamedTuple):
    """A grouped table: the names of its groups, their keys, the rows of one group, and the names
    that mean these rows in what is asked of the groups."""

    names: tuple[str, ...]
    keys: tuple[ast.expr, ...]
    part: _Table
    means: frozenset[str]


class _Unknown(Exception):
    """Something that has no meaning here, and stays as it is written."""


def uses_frames(node: ast.FunctionDef) -> bool:
    """Whether a function has methods of data frames of one of its parameters."""
    return bool(_tables(node))


def plain_body(node: ast.FunctionDef) -> list[ast.stmt]:
    """The statements of a function with comprehensions in place of methods of data frames."""
    names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    names |= {each.arg for each in ast.walk(node) if isinstance(each, ast.arg)}
    if _BUILTINS & _bound(node):
        return node.body
    row = next(each for each in ("row", "row_of_table", ".row") if each not in names)
    # Later groups, and groups by several columns, are numbered: `key2`, `key_1`, `key2_1`.
    keys = ("key", "key_of_group", ".key")
    key = next(each for each in keys if not any(_is_numbered(name, each) for name in names))
    tables = {name: _Table(read(name), {}) for name in _tables(node)}
    calls = [each for each in ast.walk(node) if isinstance(each, ast.Call)]
    mutated = [n.arg for each in calls if _is_mutate(each) for n in each.keywords if n.arg]
    rooted = _rooted(node, set(tables))
    return _Frames(row, key, tables, held_together(node), mutated, rooted).block(node.body)


def _parameters(node: ast.FunctionDef) -> list[ast.arg]:
    return [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]


def _bound(node: ast.AST) -> set[str]:
    """Names that get a value somewhere in a statement or an expression."""
    parts = [*ast.walk(node)]
    names = {n.id for n in parts if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    return names | {each.arg for each in parts if isinstance(each, ast.arg)}


def _tables(node: ast.FunctionDef) -> set[str]:
    """The parameters that are tables, where a method of tables or of their columns is called."""
    nodes = [*ast.walk(node)]
    masks = [each.value for each in nodes if isinstance(each, ast.Subscript) and _is_mask(each)]
    methods = (each.attr for each in nodes if isinstance(each, ast.Attribute))
    if not masks and not any(each in _CALLED for each in methods):
        return set()
    records = {each.arg for each in _parameters(node) if _is_records(each.annotation)}
    others = {each.arg for each in _parameters(node)} - records
    # A space may have a name of its own: what its rows are limited by tells that it is a table.
    limits = [each for each in nodes if isinstance(each, ast.Call) and _is_limit(each)]
    records |= others & {_root(each) for each in limits}
    names = _rooted(node, records)
    used = any(_root(of) in names for of in masks)
    for each in nodes:
        if not isinstance(each, ast.Call) or not isinstance(each.func, ast.Attribute):
            continue
        of, method = each.func.value, each.func.attr
        root = _root(of)
        if method in _OF_TABLES and isinstance(of, ast.Name) and root in others:
            records.add(of.id)
            used = True
        elif root in names:
            used |= method in _OF_TABLES or (method == "count" and not each.args)
        elif isinstance(of, ast.Attribute | ast.Subscript):
            used |= method in _OF_COLUMNS and _root(of.value) in names
    return records if used else set()


def _rooted(node: ast.FunctionDef, tables: set[str]) -> set[str]:
    """Tables, and the names that are given chains of methods which begin with one of them."""
    names, before = set(tables), -1
    stored = [each for each in ast.walk(node) if isinstance(each, ast.Assign)]
    while before != len(names):
        before = len(names)
        for assigned in stored:
            if _root(assigned.value) in names:
                names |= {t.id for t in assigned.targets if isinstance(t, ast.Name)}
    return names


def _is_limit(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Attribute) and node.func.attr in _LIMITS


def _is_mutate(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Attribute) and node.func.attr == "mutate"


def _root(node: ast.expr) -> str:
    """The name that a chain of methods of tables begins with; "" where there is none."""
    while True:
        if isinstance(node, ast.Subscript) and _is_mask(node):
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            kept = node.func.attr in _SAME_ROWS and node.args
            node = node.args[0] if kept else node.func.value
        else:
            break
    return node.id if isinstance(node, ast.Name) else ""


def _is_records(annotation: ast.expr | None) -> bool:
    return annotation is not None and "Records[" in ast.unparse(annotation)


class _Frames(ast.NodeTransformer):
    """Statements and expressions in which some names are tables."""

    def __init__(
        self, row: str, key: str, tables: dict[str, _Table], together: Mapping[str, set[str]],
        mutated: Iterable[str], rooted: set[str],
    ) -> None:  # fmt: skip
        self._row, self._key, self._tables, self._together = row, key, tables, together
        self._mutated, self._rooted = mutated, rooted
        self._grouped: dict[str, _Groups] = {}
        #: Names of grouped tables, also where it is not known any more by what.
        self._parted: set[str] = set()
        self._loops = 0

    # -- statements

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Statements one after the other."""
        made = []
        for each in body:
            made.append(self._statement(each))
            for name in changed(each):
                self._unknown(self._together.get(name, {name}))
        return made

    def _statement(self, node: ast.stmt) -> ast.stmt:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            self._forget({node.name})
            return _refusing(node, self._rooted - _bound(node)) if self._mutated else node
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            (target,) = node.targets
            try:
                table, grouped = self._table(node.value, {}), self._grouping(node.value)
            except _Unknown:
                table = grouped = None
            if isinstance(target, ast.Name) and table is not None:
                return self._kept(node, target.id, table)
            if isinstance(target, ast.Name) and grouped is not None:
                kept = self._kept(node, target.id, grouped[0])
                table = self._tables.pop(target.id)
                self._parted.add(target.id)
                self._grouped[target.id] = self._groups_of(node.value, table, *grouped[1:])
                return kept
        bound = _bound(node)
        if isinstance(node, ast.For | ast.While):
            self._only_rows(bound)  # a round sees what the one before it stored
            for name in changed(node):
                self._unknown(self._together.get(name, {name}))
        made_of: dict[str, Any] = {}
        tables: set[str] = set()
        for field, value in ast.iter_fields(node):
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                before = dict(self._tables), dict(self._grouped)
                made_of[field] = self.block(value)
                tables |= bound & self._tables.keys()
                self._tables, self._grouped = before
            elif isinstance(value, list):
                made_of[field] = [
                    self.visit(each) if isinstance(each, ast.AST) else each for each in value
                ]
            else:
                made_of[field] = self.visit(value) if isinstance(value, ast.AST) else value
        if isinstance(node, ast.For | ast.While | ast.If | ast.With | ast.Try | ast.Match):
            self._only_rows(bound, tables)
        else:
            self._forget(bound)
        made: ast.stmt = ast.copy_location(type(node)(**made_of), node)
        return made

    def _kept(self, node: ast.Assign, name: str, table: _Table) -> ast.stmt:
        """The rows of a table under a name, and what is known of it."""
        made = ast.Assign(node.targets, self._at(node.value, deepcopy(table.rows)))
        self._forget({name})
        mine = _without({name}, table.made)
        self._tables[name] = table._replace(rows=read(name), made=mine)
        return ast.copy_location(made, node)

    def _only_rows(self, names: set[str], also: frozenset[str] | set[str] = frozenset()) -> None:
        """Some names may be given other values: of tables they stay tables, and no more.

        Args:
            also: names that are tables where they have a value at all.
        """
        tables = (names & self._tables.keys()) | also
        self._forget(names)
        made = dict.fromkeys(self._mutated)
        self._tables |= {each: _Table(read(each), made) for each in tables}

    def _forget(self, names: set[str]) -> None:
        """Some names are given other values: what was made of the old ones is known no more."""
        for each in names:
            self._tables.pop(each, None)
            self._grouped.pop(each, None)
        self._parted -= names
        self._unknown(names)

    def _unknown(self, names: set[str]) -> None:
        """What was made of some names would be another value now: it is known no more."""
        for each, table in self._tables.items():
            self._tables[each] = table._replace(made=_without(names, table.made))
        for each, groups in [*self._grouped.items()]:
            self._grouped[each] = groups._replace(means=groups.means - names)
            if any(names & _read_names(e) for e in (*groups.keys, *groups.part.made.values())):
                del self._grouped[each]

    # -- expressions outside of rows

    def visit(self, node: ast.AST) -> Any:
        """An expression with comprehensions in place of what is known here."""
        if isinstance(node, ast.Lambda) and self._mutated:
            # It is called later, when a name may hold another table.
            node = _refusing(node, self._rooted - _bound(node))
        if isinstance(node, _WITH_NAMES):
            before = dict(self._tables), dict(self._grouped)
            self._forget(_bound(node))
            made = _rebuilt(node, self.visit)
            self._tables, self._grouped = before
            return made
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            table = self._tables.get(node.id)
            if node.id in self._parted:
                return _mutated_rows(node)
            return _mutated_rows(node, table.made) if table is not None and table.made else node
        if isinstance(node, ast.expr) and not isinstance(node, ast.Name):
            for known in (self._aggregated, self._counted, self._rows, self._column):
                try:
                    found = known(node)
                except _Unknown:
                    found = None
                if found is not None:
                    return self._placed(node, found)
            node = self._without_keys(node)
        return _rebuilt(node, self.visit, self.visit)

    def _without_keys(self, node: ast.expr) -> ast.expr:
        """A call of `group_by` without keys of the rows alone: check tells of this call, and not of
        the methods before it."""
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            return node
        try:
            table = self._table(node.func.value, {}) if node.func.attr == "group_by" else None
        except _Unknown:
            table = None
        if table is None or not table.made:
            return node
        method = ast.Attribute(deepcopy(table.rows), "group_by", ast.Load())
        return self._at(node, ast.Call(ast.copy_location(method, node.func), node.args, []))

    def _at(self, node: ast.expr, made: ast.expr, shift: int = 0) -> ast.expr:
        """A new expression at the place of the one that it stands for.

        Of a chain of methods this is where the method's name stands, since all of them begin at one
        place: comprehensions are told apart by their places in a run.
        """
        line, column = node.lineno, node.col_offset
        name = node.func if isinstance(node, ast.Call) else node
        if isinstance(name, ast.Attribute) and name.end_lineno and name.end_col_offset:
            line, column = name.end_lineno, name.end_col_offset - len(name.attr)
        for part in ast.walk(made):
            if isinstance(part, ast.expr | ast.keyword | ast.arg) and not hasattr(part, "lineno"):
                ast.copy_location(part, node)
                part.lineno, part.col_offset = line, column + shift
        return made

    def _placed(self, node: ast.expr, made: ast.expr) -> ast.expr:
        return self._over(node, made) if isinstance(made, ast.ListComp) else self._at(node, made)

    def _over(self, node: ast.expr, made: ast.expr) -> ast.expr:
        """A new expression from where another one begins to where it ends."""
        for part in ast.walk(made):
            if isinstance(part, ast.expr | ast.keyword | ast.arg) and not hasattr(part, "lineno"):
                ast.copy_location(part, node)
        return made

    def _rows(self, node: ast.expr) -> ast.expr | None:
        table = self._table(node, {})
        if table is not None and table.made:
            raise _Unknown  # its rows do not have the columns that were made
        return None if table is None else table.rows

    def _counted(
        self, node: ast.expr, known: Mapping[str, _Table] | None = None
    ) -> ast.expr | None:
        """A function that counts rows, or persons, of a table; None of any other expression."""
        if not isinstance(node, ast.Call) or not node.args or node.keywords:
            return None
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        first, *others = node.args
        table = self._table(first, known or {}) if name in _COUNTING else None
        if table is None or not all(isinstance(each, ast.Constant) for each in others):
            return None
        if any(isinstance(each, ast.Constant) and each.value in table.made for each in others):
            raise _Unknown
        return ast.Call(node.func, [deepcopy(table.rows), *others], [])

    def _column(self, node: ast.expr, known: Mapping[str, _Table] | None = None) -> ast.expr | None:
        """The values of an expression of columns, row by row."""
        known = known or {}
        table = self._of(node, known) if self._is_columnar(node, known) else None
        if table is None:
            return None
        return self._listed(self._in_row(node, table, known), table)

    def _is_columnar(self, node: ast.expr, known: Mapping[str, _Table]) -> bool:
        """Whether an expression is a column, or operators and methods of one: a function that is
        given a column outside of `filter` and `mutate` is given all of it."""
        if self._column_of(node, known) is not None:
            return True
        if isinstance(node, ast.Call):
            func = node.func
            return isinstance(func, ast.Attribute) and self._is_columnar(func.value, known)
        operators = ast.BinOp | ast.UnaryOp | ast.Compare | ast.BoolOp
        parts = [each for each in ast.iter_child_nodes(node) if isinstance(each, ast.expr)]
        return isinstance(node, operators) and any(self._is_columnar(each, known) for each in parts)

    def _listed(self, value: ast.expr, table: _Table, *tests: ast.expr) -> ast.expr:
        return ast.ListComp(value, [self._loop(table.rows, *tests)])

    def _loop(self, rows: ast.expr, *tests: ast.expr) -> ast.comprehension:
        return ast.comprehension(ast.Name(self._row, ast.Store()), deepcopy(rows), [*tests], 0)

    # -- tables

    def _table(self, node: ast.expr, known: Mapping[str, _Table]) -> _Table | None:
        """The table that an expression is; None of any other.

        Args:
            known: names that stand for another table here than in the function.
        """
        if isinstance(node, ast.Name):
            return known.get(node.id) or self._tables.get(node.id)
        if isinstance(node, ast.Subscript) and _is_mask(node):
            if self._table(node.value, known) is None or self._of(node.slice, known) is None:
                return None  # a position, or nothing that is read of a row
            node = _as_filter(node)
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            return None
        method = node.func.attr
        if method in _SAME_ROWS and node.args:
            table = self._table(node.args[0], known)
            if table is None:
                return None
            given = [*node.args[1:], *(each.value for each in node.keywords)]
            if any(isinstance(n, ast.Constant) and n.value in table.made
                   for each in given for n in ast.walk(each)):  # fmt: skip
                raise _Unknown
            call = ast.Call(node.func, [deepcopy(table.rows), *node.args[1:]], node.keywords)
            return table._replace(rows=ast.copy_location(call, node))
        if method not in ("filter", "mutate", "select"):
            return None
        table = self._table(node.func.value, known)
        if table is None:
            return None
        inside = self._inside(node.func.value, table, known)
        if method == "filter" and node.args and not node.keywords:
            tests = [self._test(each, table, inside) for each in node.args]
            rows = self._at(node, self._listed(read(self._row), table, *tests))
            return table._replace(rows=rows)
        if method == "mutate" and node.keywords and not node.args:
            made = dict(table.made)
            for each in node.keywords:
                if each.arg is None:
                    raise _Unknown
                # All see the table as it was before.
                made[each.arg] = self._in_row(each.value, table, inside)
            only = table.only
            return table._replace(made=made, only=only and only | made.keys())
        if method == "select" and node.args and not node.keywords:
            return table._replace(only=frozenset(self._names(node.args, inside)))
        raise _Unknown

    def _inside(
        self, chain: ast.expr, table: _Table, known: Mapping[str, _Table]
    ) -> dict[str, _Table]:
        """What `_`, and the name that a chain begins with, mean in arguments of its methods."""
        names = {"_", _root(chain)} - {""}
        return {**known, **dict.fromkeys(names, table)}

    def _names(self, nodes: list[ast.expr], known: Mapping[str, _Table]) -> Iterator[str]:
        for each in nodes:
            if isinstance(each, ast.Constant) and isinstance(each.value, str):
                yield each.value
            elif isinstance(each, ast.Attribute) and self._table(each.value, known) is not None:
                yield each.attr
            else:
                raise _Unknown

    # -- aggregates

    def _aggregated(
        self, node: ast.expr, known: Mapping[str, _Table] | None = None
    ) -> ast.expr | None:
        """A number of a table, or the numbers of its groups; None of any other expression."""
        known = known or {}
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            return None
        of, method = node.func.value, node.func.attr
        if method in ("aggregate", "agg"):
            return self._all_of(node, of, known)
        if method == "count" and (table := self._table(of, known)) is not None:
            inside = self._inside(of, table, known)
            tests = [self._test(each, table, inside) for each in _where(node)]
            if not tests:
                return called("len", deepcopy(table.rows))
            return self._number(node, table, tests)
        if method == "sum" and (table := self._of(of, known)) is not None:
            if not self._is_columnar(of, known):
                return None
            tests = [self._test(each, table, known) for each in _where(node)]
            value = self._in_row(of, table, known)
            if is_condition(value):
                return self._number(node, table, [value, *tests])
            return called("sum", self._over(of, self._listed(value, table, *tests)))
        return None

    def _number(self, node: ast.expr, table: _Table, tests: list[ast.expr]) -> ast.expr:
        each = ast.GeneratorExp(ast.Constant(1), [self._loop(table.rows, *tests)])
        return called("sum", self._at(node, each, 1))

    def _all_of(self, node: ast.Call, of: ast.expr, known: Mapping[str, _Table]) -> ast.expr | None:
        groups = self._groups(of, known)
        table = groups.part if groups else self._table(of, known)
        if table is None:
            return None
        if node.args or not node.keywords or any(each.arg is None for each in node.keywords):
            raise _Unknown
        inside = (
            {**known, **dict.fromkeys(groups.means, table)}
            if groups
            else self._inside(of, table, known)
        )
        numbers = ast.Dict(
            [ast.Constant(each.arg) for each in node.keywords],
            [self._answer(each.value, inside) for each in node.keywords],
        )
        if groups is None:
            return numbers
        names = [ast.Name(name, ast.Store()) for name in groups.names]
        loops = [
            ast.comprehension(name, deepcopy(keys), [], 0)
            for name, keys in zip(names, groups.keys, strict=True)
        ]
        keys: list[ast.expr] = [read(name) for name in groups.names]
        key = keys[0] if len(keys) == 1 else ast.Tuple(keys, ast.Load())
        return ast.DictComp(key, numbers, loops)

    def _answer(self, node: ast.expr, inside: Mapping[str, _Table]) -> ast.expr:
        """An expression over a table, mostly noise on a number of it."""
        for known in (self._aggregated, self._counted, self._column):
            try:
                found = known(node, inside)
            except _Unknown:
                found = None
            if found is not None:
                return self._placed(node, found)
        table = self._table(node, inside)
        if table is not None:
            rows = self._at(node, deepcopy(table.rows))
            return _mutated_rows(rows, table.made) if table.made else rows

        def inner(part: ast.AST) -> Any:
            if isinstance(part, ast.expr):
                return self._answer(part, inside)
            return _rebuilt(part, inner)

        made: ast.expr = _rebuilt(node, inner, inner)
        return made

    def _groups(self, node: ast.expr, known: Mapping[str, _Table]) -> _Groups | None:
        if isinstance(node, ast.Name):
            return self._grouped.get(node.id)
        grouped = self._grouping(node, known)
        return None if grouped is None else self._groups_of(node, *grouped)

    def _grouping(
        self, node: ast.expr, known: Mapping[str, _Table] | None = None
    ) -> tuple[_Table, list[str], list[ast.expr]] | None:
        """The table, the columns and the keys of a call of `group_by`; None of anything else."""
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            return None
        table = self._table(node.func.value, known or {}) if node.func.attr == "group_by" else None
        if table is None:
            return None
        inside = self._inside(node.func.value, table, known or {})
        columns = list(self._names(node.args, inside))
        given = {each.arg: each.value for each in node.keywords}
        if not columns or given.keys() != {"keys"}:
            raise _Unknown
        keys = [given["keys"]] if len(columns) == 1 else _keys_of(columns, given["keys"])
        return table, columns, [self.visit(each) for each in keys]

    def _groups_of(
        self, node: ast.expr, table: _Table, columns: list[str], keys: list[ast.expr]
    ) -> _Groups:
        self._loops += 1
        first = self._key + (str(self._loops) if self._loops > 1 else "")
        names = tuple(f"{first}_{at}" if at else first for at in range(len(columns)))
        tests: list[ast.expr] = [
            ast.Compare(self._value(table, column, None), [ast.Eq()], [read(name)])
            for column, name in zip(columns, names, strict=True)
        ]
        test = tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)
        rows = self._at(node, self._listed(read(self._row), table, test))
        means = frozenset({"_", _root(node)} - {""})
        return _Groups(names, tuple(keys), table._replace(rows=rows), means)

    # -- rows

    def _of(self, node: ast.expr, known: Mapping[str, _Table]) -> _Table | None:
        """The table whose columns an expression reads row by row; None where it reads none."""
        found: list[_Table] = []

        def look(part: ast.AST) -> None:
            column = self._column_of(part, known)
            if column is not None:
                found.append(column[0])
                return
            if isinstance(part, ast.expr) and self._is_whole(part, known):
                raise _Unknown
            for inner in ast.iter_child_nodes(part):
                look(inner)

        look(node)
        if not all(_same(each, found[0]) for each in found):
            raise _Unknown
        return found[0] if found else None

    def _is_whole(self, node: ast.expr, known: Mapping[str, _Table]) -> bool:
        """Whether an expression is a table, or a number of one: nothing of a row."""
        if self._table(node, known) is not None:
            return True
        call = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        aggregates = ("sum", "count", "aggregate", "agg", "group_by")
        if not (call and node.func.attr in aggregates):  # type: ignore[attr-defined]
            return False
        return self._aggregated(node, known) is not None

    def _column_of(
        self, node: ast.AST, known: Mapping[str, _Table]
    ) -> tuple[_Table, str, ast.expr | None] | None:
        """The table, the name and the written key (None: an attribute) of a column."""
        if isinstance(node, ast.Attribute):
            table = self._table(node.value, known)
            return None if table is None else (table, node.attr, None)
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            name = node.slice.value
            table = self._table(node.value, known) if isinstance(name, str) else None
            return None if table is None else (table, str(name), node.slice)
        return None

    def _value(self, table: _Table, name: str, key: ast.expr | None) -> ast.expr:
        if table.only is not None and name not in table.only:
            raise _Unknown
        if name in table.made:
            known = table.made[name]
            if known is None:
                raise _Unknown
            return deepcopy(known)
        if key is None and name.isidentifier():
            return ast.Attribute(read(self._row), name, ast.Load())
        made = ast.Subscript(read(self._row), ast.Constant(name), ast.Load())
        setattr(made, _COLUMN, True)
        return made

    def _in_row(self, node: ast.expr, table: _Table, known: Mapping[str, _Table]) -> ast.expr:
        """An expression of columns, of one row."""
        return self._at(node, self._row_of(node, table, known))

    def _test(self, node: ast.expr, table: _Table, known: Mapping[str, _Table]) -> ast.expr:
        """A condition on rows, in which `&`, `|` and `~` are those of truth values."""
        made: ast.expr
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd | ast.BitOr):
            sides = [self._test(each, table, known) for each in (node.left, node.right)]
            made = ast.BoolOp(_AS_LOGIC[type(node.op)](), sides)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert):
            made = ast.UnaryOp(ast.Not(), self._test(node.operand, table, known))
        else:
            return self._in_row(node, table, known)
        return self._at(node, made)

    def _row_of(self, node: ast.expr, table: _Table, known: Mapping[str, _Table]) -> ast.expr:
        column = self._column_of(node, known)
        if column is not None:
            if not _same(column[0], table):
                raise _Unknown
            return self._value(*column)
        if self._is_whole(node, known):
            raise _Unknown
        if isinstance(node, _WITH_NAMES) and _bound(node) & (known.keys() | self._tables.keys()):
            raise _Unknown
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd | ast.BitOr):
            sides = [self._in_row(each, table, known) for each in (node.left, node.right)]
            if not any(map(is_condition, sides)):
                raise _Unknown  # bits of whole numbers, or truth values: it is not known here
            return ast.BoolOp(_AS_LOGIC[type(node.op)](), sides)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert):
            operand = self._in_row(node.operand, table, known)
            if not is_condition(operand):
                raise _Unknown
            return ast.UnaryOp(ast.Not(), operand)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            made = self._method(node, node.func, table, known)
            if made is not None:
                return made

        def inner(part: ast.AST) -> Any:
            if isinstance(part, ast.expr):
                return self._in_row(part, table, known)
            return _rebuilt(part, inner)

        made_of: ast.expr = _rebuilt(node, inner)
        return made_of

    def _method(
        self, node: ast.Call, func: ast.Attribute, table: _Table, known: Mapping[str, _Table]
    ) -> ast.expr | None:
        """A method of a column as Python says it; None for those that texts and dates have."""
        if self._of(func.value, known) is None:
            return None

        return method_of(
            func.attr,
            node,
            lambda: self._in_row(func.value, table, known),
            lambda part: self._in_row(part, table, known),
        )


def _where(node: ast.Call) -> list[ast.expr]:
    """The condition of an aggregate, if there is one."""
    if not node.keywords:
        return node.args
    if not node.args and [each.arg for each in node.keywords] == ["where"]:
        return [node.keywords[0].value]
    raise _Unknown


def _keys_of(columns: list[str], node: ast.expr) -> list[ast.expr]:
    """The keys of each of several columns, from a dictionary that is written out."""
    if not isinstance(node, ast.Dict):
        raise _Unknown
    found = {each.value: value for each, value in zip(node.keys, node.values, strict=True)
             if isinstance(each, ast.Constant)}  # fmt: skip
    if found.keys() != set(columns) or len(found) != len(node.keys):
        raise _Unknown
    return [found[each] for each in columns]


def _rebuilt(
    node: Any, make: Callable[[ast.AST], Any], of: Callable[[ast.AST], Any] | None = None
) -> Any:
    """A node with other nodes inside; what is written is not changed.

    Args:
        of: makes what a method is called of; None: `make` is given the method as an attribute.
    """
    fields: dict[str, Any] = {}
    for field, value in ast.iter_fields(node):
        if isinstance(value, list):
            fields[field] = [make(each) if isinstance(each, ast.AST) else each for each in value]
        elif of and isinstance(node, ast.Call) and isinstance(value, ast.Attribute):
            method = ast.Attribute(of(value.value), value.attr, value.ctx)
            fields[field] = ast.copy_location(method, value)
        else:
            fields[field] = make(value) if isinstance(value, ast.AST) else value
    return ast.copy_location(type(node)(**fields), node)


def _same(one: _Table, other: _Table) -> bool:
    """Whether two tables are one: rows side by side are then the same row."""
    return one is other or ast.dump(one.rows) == ast.dump(other.rows)


def _is_numbered(name: str, key: str) -> bool:
    """Whether a name is this one, perhaps with a number or two."""
    return name.startswith(key) and not name[len(key) :].strip("0123456789_")


def _without(names: set[str], made: Mapping[str, ast.expr | None]) -> dict[str, ast.expr | None]:
    """Columns that `mutate` made; of those that are made of these names nothing is known."""
    return {n: None if names & _read_names(e) else e for n, e in made.items()}


def _refusing(node: ast.AST, tables: set[str]) -> Any:
    """A node in which tables cannot be read: nothing gives their rows with the columns made."""

    def made(part: ast.AST) -> Any:
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load) and part.id in tables:
            return _mutated_rows(part)
        return _rebuilt(part, made)

    return made(node)


def _mutated_rows(node: ast.expr, made: Iterable[str] = ()) -> ast.expr:
    """The rows of a table with the columns that `mutate` made: check has no rule for them."""
    method = ast.copy_location(ast.Attribute(node, "mutate", ast.Load()), node)
    read: ast.expr = ast.copy_location(ast.Call(method, [], []), node)
    setattr(read, _MADE, next(iter(made), ""))
    return read


#: The attribute of a read of rows that says which column was made.
_MADE: Final = "metricdp_made"


#: The attribute of a read of a row that says that a column was meant.
_COLUMN: Final = "metricdp_column"


def as_column(node: ast.Subscript) -> ast.Subscript:
    """`row["age"]` as what stands for `t["age"]`."""
    setattr(node, _COLUMN, True)
    return node


def is_column(node: ast.AST) -> bool:
    """Whether `row["age"]` stands for `t["age"]`: of a row with attributes that is `row.age`."""
    return getattr(node, _COLUMN, False)


def _as_filter(node: ast.Subscript) -> ast.Call:
    """`t[t.age >= 18]` as `t.filter(t.age >= 18)`."""
    method = ast.copy_location(ast.Attribute(node.value, "filter", ast.Load()), node)
    return ast.copy_location(ast.Call(method, [node.slice], []), node)


def _is_mask(node: ast.AST) -> bool:
    return isinstance(node, ast.Subscript) and is_condition(node.slice)


def column_made(node: ast.AST) -> str | None:
    """Which column `mutate` made of a table whose rows are read here; "" where that is not known,
    None where this is no such read."""
    found: str | None = getattr(node, _MADE, None)
    return found


def _read_names(node: ast.expr | None) -> set[str]:
    if node is None:
        return set()
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
