"""What branches choose, as a term that asks every condition once.

A loop that stops, and a helper that returns inside of one, keep a truth value that says so, and
every later round asks it: `either(either(p, 1, 0), a, either(q, b, either(either(p, 1, 0), ...)))`.
Written out like that, a term is twice as large after every round.  Where a condition holds, what is
asked under it is known: a chain of `if` and `elif` remains, with one condition for every round.

A term is a function of one row, and equal terms are equal in every row.  So in the rows where a
condition holds it holds wherever the same term is asked again, and either(either(p, x, y), a, b) is
either(p, either(x, a, b), either(y, a, b)).
"""

from __future__ import annotations

from collections.abc import Mapping

from metricdp.check.values.regions import Term

#: Most steps that one term is followed for, and most of them inside of each other; beyond them it
#: stays as it is written.
_MOST, _DEEPEST = 1000, 120


class _TooLong(Exception):
    """The term is not simplified."""


class _Chooser:
    def __init__(self) -> None:
        self.left, self.deep = _MOST, 0

    def choice(self, test: Term, a: Term, b: Term, known: Mapping[Term, bool]) -> Term:
        """What is chosen where some conditions are known to hold, or to fail."""
        self.left -= 1
        self.deep += 1
        if self.left < 0 or self.deep > _DEEPEST:
            raise _TooLong
        found = self._choice(test, a, b, known)
        self.deep -= 1
        return found

    def _choice(self, test: Term, a: Term, b: Term, known: Mapping[Term, bool]) -> Term:
        if (holds := _decided(test, known)) is not None:
            return self.under(a if holds else b, known)
        if test[0] == "either":
            _, first, then, orelse = test
            return self.split(first, (then, a, b), (orelse, a, b), known)
        if test[:2] == ("rule", "logical_not"):
            return self.choice(test[2][1], b, a, known)
        if (asked := self.under(test, known)) != test:
            return self.choice(asked, a, b, known)
        then = self.under(a, {**known, test: True})
        orelse = self.under(b, {**known, test: False})
        return then if then == orelse else ("either", test, then, orelse)

    def split(
        self, test: Term, yes: tuple[Term, Term, Term], no: tuple[Term, Term, Term],
        known: Mapping[Term, bool],
    ) -> Term:  # fmt: skip
        """The choice `yes` where a condition holds, and the choice `no` where it fails."""
        return self.choice(test, ("either", *yes), ("either", *no), known)

    def under(self, term: Term, known: Mapping[Term, bool]) -> Term:
        """A term where some conditions are known."""
        if term[0] == "either":
            return self.choice(term[1], term[2], term[3], known)
        if term[0] != "rule" or not known:
            return term
        self.left -= 1
        if self.left < 0:
            raise _TooLong
        return (*term[:2], *((name, self.under(part, known)) for name, part in term[2:]))


def chosen(test: Term, a: Term, b: Term) -> Term:
    """The term of `a if test else b`."""
    try:
        return _Chooser().choice(test, a, b, {})
    except _TooLong:
        return ("either", test, a, b)


def _decided(test: Term, known: Mapping[Term, bool]) -> bool | None:
    """Whether a condition holds; None where that is not known."""
    if test[0] == "number":
        value = test[1].as_fraction()
        return None if value is None else bool(value)
    return known.get(test)
