"""BigQuery's clause of differential privacy and its named bounds, taken out of a query.

`SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(...)` and `contribution_bounds_per_group => (0, 3)` are no
part of what the parser knows.  They are read here, token by token, and blanks are put in their
place, so that everything else stays where it was.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NoReturn

from metricdp.errors import SqlError

#: Option -> what its value is: a number, a name, or a word.
OPTIONS = {
    "epsilon": "number",
    "delta": "number",
    "max_groups_contributed": "number",
    "max_rows_contributed": "number",
    "privacy_unit_column": "name",
    "group_selection_strategy": "word",
}
BOUNDS = ("contribution_bounds_per_group", "contribution_bounds_per_row")


@dataclass(frozen=True)
class NamedBounds:
    """Bounds that an aggregate was given by name; `opened` and `closed` are its parentheses."""

    name: str
    low: str
    high: str
    opened: int
    closed: int
    start: int
    end: int


@dataclass
class Clause:
    """What was taken out: options as they were written, and where they stand."""

    options: dict[str, str] = field(default_factory=dict)
    places: dict[str, tuple[int, int]] = field(default_factory=dict)
    bounds: list[NamedBounds] = field(default_factory=list)
    present: bool = False


class _Reader:
    """Goes through the tokens of one query."""

    def __init__(self, text: str, tokens: list[Any]) -> None:
        self.text, self.tokens, self.at = text, tokens, 0
        self.clause = Clause()
        self.cut: list[tuple[int, int]] = []

    def word(self, at: int) -> str:
        """The text of a token; one that was written in quotes is no word."""
        if at >= len(self.tokens):
            return ""
        token = self.tokens[at]
        quoted = token.token_type.name in ("STRING", "IDENTIFIER")
        return f"'{token.text}'" if quoted else str(token.text)

    def fail(self, at: int, fact: str, remedy: str) -> NoReturn:
        token = self.tokens[min(at, len(self.tokens) - 1)]
        raise SqlError(fact, self.text, token.start, token.end + 1, remedy=remedy)

    def take(self, at: int, wanted: str) -> int:
        if self.word(at).upper() != wanted.upper():
            self.fail(at, f"{wanted} is expected here", "OPTIONS(epsilon = 1, delta = 1e-6)")
        return at + 1

    def number(self, at: int) -> tuple[str, int]:
        sign = ""
        if self.word(at) == "-":
            sign, at = "-", at + 1
        if self.tokens[min(at, len(self.tokens) - 1)].token_type.name != "NUMBER":
            self.fail(at, "a number is expected here", "(0, 20)")
        return sign + self.word(at), at + 1

    def options(self, at: int) -> None:
        """`WITH DIFFERENTIAL_PRIVACY OPTIONS(name = value, ...)`, from its first word."""
        first, at = at, at + 2
        self.clause.present = True
        at = self.take(self.take(at, "OPTIONS"), "(")
        while True:
            name = self.word(at).lower()
            if name not in OPTIONS:
                known = ", ".join(OPTIONS)
                self.fail(at, f"there is no option {self.word(at)!r} here", f"options: {known}")
            if name in self.clause.options:
                self.fail(at, f"{name} is given twice", "once")
            here, at = at, self.take(at + 1, "=")
            if OPTIONS[name] == "number":
                value, after = self.number(at)
            else:
                value, after = self.tokens[min(at, len(self.tokens) - 1)].text, at + 1
            self.clause.options[name] = value
            self.clause.places[name] = (self.tokens[here].start, self.tokens[after - 1].end + 1)
            at = after
            if self.word(at) != ",":
                break
            at += 1
        at = self.take(at, ")")
        self.cut.append((self.tokens[first].start, self.tokens[at - 1].end + 1))

    def named(self, at: int, opened: int) -> None:
        """`, contribution_bounds_per_group => (lo, hi))`, from its comma."""
        name = self.word(at + 1).lower()
        inside = at + 2
        # An arrow is one token in some dialects, and two in others.
        inside += 1 if self.word(inside) == "=>" else 2
        low, after = self.number(self.take(inside, "("))
        high, after = self.number(self.take(after, ","))
        after = self.take(after, ")")
        if self.word(after) != ")":
            self.fail(after, "the bounds are the last argument", f"SUM(x, {name} => (0, 20))")
        start, end = self.tokens[at].start, self.tokens[after - 1].end + 1
        self.cut.append((start, end))
        closed = self.tokens[after].start
        self.clause.bounds.append(NamedBounds(name, low, high, opened, closed, start, end))

    def read(self) -> Clause:
        parentheses: list[int] = []
        for at, token in enumerate(self.tokens):
            upper = self.word(at).upper()
            if upper == "(":
                parentheses.append(token.start)
            elif upper == ")" and parentheses:
                parentheses.pop()
            if upper == "WITH" and self.word(at + 1).upper() == "DIFFERENTIAL_PRIVACY":
                if at == 0 or self.word(at - 1).upper() != "SELECT" or self.clause.present:
                    self.fail(at, "this clause stands after the one SELECT", "SELECT WITH ...")
                self.options(at)
            elif upper == "," and self.word(at + 1).lower() in BOUNDS:
                self.named(at, parentheses[-1] if parentheses else 0)
        return self.clause


def taken_out(text: str, tokens: list[Any]) -> tuple[Clause, str]:
    """The clause, and the query without it, every character where it was.

    Raises:
        SqlError: an option or bounds that are not understood.
    """
    reader = _Reader(text, tokens)
    clause = reader.read()
    rest = list(text)
    for start, end in reader.cut:
        for at in range(start, end):
            if rest[at] != "\n":
                rest[at] = " "
    return clause, "".join(rest)
