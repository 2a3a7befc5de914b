"""Rows as a filter lets them through: regions of a table, and which of them share no row.

A region is a disjunction of conjunctions of literals; a literal is a comparison of a term of the
row with a public constant, or any other truth value of one row, held or failed.  Every row lies in
the same regions in every reading, since terms are functions of one row and of numbers that are
fixed before data are read, or before the first of the events whose regions mention them
(`values.terms`, `domain.parallel`).

Two regions are disjoint only if it is shown: two literals of each pair of conjunctions contradict
each other.  They speak of one term, and
  - are one comparison, held and failed; or
  - hold constants that no value can meet at once: v == 1 and v == 2, v < 3 and v >= 3; or
  - one failed includes the other held: v == 2, and not v < 5.
In place of a constant a second term of the row may stand: v < w, w <= v, and not v <= w.  It is one
value in both, whichever it is, and two comparisons with one value exclude each other as numbers do.
Or one of them says that v and w are not equal, and others that both are one constant.
A comparison with NaN fails, so of two that failed nothing is said.  1, 1.0 and True are one
constant.  Constants are told apart only where a double holds them exactly, so that no way of
comparing numbers takes two for one.  What is missing is one more value, which equals no constant.

Rounds.  In round i of a loop a literal may mention i.  Two rounds share no row where v == a*i + b
with whole numbers a and b, a not 0; nor where v == x[a*i + b] of a public x whose items are all
different (`values.keys`), which is required of x where it is not known; of one of several such x,
where each of them is enough.
Numbers that a loop inside compares with lie between its ends: v == 10*i + j for some j below 10.
Nor where l(i) <= v < u(i) with l(i) = a*i + b and
u(i) <= l(i + 1), whatever the sign of a: if a > 0, l(j) >= l(i + 1) >= u(i) for every j > i, and
else u(i) <= l(i), so that no row lies in round i at all.  Downwards alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeVar

import msgspec

from metricdp.check.values.keys import are_different, one_of
from metricdp.expr import ONE, ZERO, Expr, compare, sym

#: A function of one row, or a public constant (`values.terms`).  Kind, then parts:
#: ("row", table, field, -1 or the place of one of the values of a field), and until `terms.of_row`
#: the number of the reading whose row it is ·
#: ("number", expression), and how its kind is known, where it matters that it may be no integer ·
#: ("text", text) · ("date", days), ("datetime", microseconds) and ("timedelta", microseconds),
#: which are numbers of their own kinds · ("rule", name, (argument, term), ...) ·
#: ("either", condition, then, else) · ("state", name, loop) ·
#: ("fixed", number of a public or released value, rounds in which it is one value) ·
#: ("key", parameter, what was made of it, position of one of its items) ·
#: ("given", parameter, "list", "set" or "dict"), which is that sequence, set or dictionary ·
#: ("position", table), where a row of a table stands whose rows keep their positions ·
#: ("apart", number of a reading, term): what that reading computes, perhaps with other rounding
#: than all others (`values.rounding`).
Term = tuple[Any, ...]

#: How the terms of public constants begin.
CONSTANTS = frozenset({"number", "text", "date", "datetime", "timedelta"})

#: How the terms of things begin that are one value each, which is not known.
NAMED = frozenset({"fixed", "key", "given"})

#: How terms begin that one reading alone has.
APART = "apart"

#: What is missing, which no number, text or date equals.
MISSING = ("none",)
_MIRRORED = {"==": "==", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_COMPARISONS = {"eq": "==", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
#: The rule of `float(x)` where that is the number x, of another kind perhaps.
SAME_NUMBER = "float of a double"
#: The rule of "these terms are the constants of one of some tuples": arguments x0, x1, ... and
#: then the constants, tuple by tuple.
AMONG = "among"
#: Rules that compare numbers as they are, whole ones and doubles alike.
COMPARED = frozenset({*_COMPARISONS, "ne"})
_TRUTHS = ("ne", "logical_and", "logical_or", "logical_not")
#: More conjunctions, or more literals in one of them, are not followed.
_MOST = 64
#: The literal "one of some constants", and how the term of these constants begins: a frozen set of
#: the terms of texts and numbers follows.
ONE_OF, ANY = "in", "any"
#: So many constants are written out, one comparison for each.
FEW = 24


class Literal(msgspec.Struct, frozen=True, cache_hash=True):
    """`term op constant`, or a truth value (`op` is empty), that holds or fails; `in` of many
    constants at once."""

    term: Term
    op: str
    constant: Term
    holds: bool = True


Conjunction = frozenset[Literal]
#: Any of the conjunctions; None: every row, or nothing is known.
Region = frozenset[Conjunction] | None
#: Parameters whose items are taken to be different.
Rely = frozenset[str]

EVERYTHING: frozenset[Conjunction] = frozenset({frozenset()})
NOWHERE: frozenset[Conjunction] = frozenset()


def accepted(term: Term | None) -> Region:
    """The rows for which a truth value holds."""
    return None if term is None else _where(term, True)


def rejected(term: Term | None) -> Region:
    """The rows for which a truth value fails."""
    return None if term is None else _where(term, False)


def outside_of(term: Term, constants: Iterable[Term]) -> Region:
    """The rows of which a number or text is none of some constants."""
    held = list(constants)
    if (together := any_of(held)) is not None:
        return _single(Literal(term, ONE_OF, together, False))
    found: Region = EVERYTHING
    for constant in held:
        found = both(found, _single(Literal(term, "==", constant, False)))
    return found


def any_of(constants: Sequence[Term]) -> Term | None:
    """Many texts and numbers as one term; None where they are few, or may be other ones in another
    run."""
    if len(constants) <= FEW or not all(map(_exactly, constants)):
        return None
    return (ANY, frozenset(constants))


def nonzero(term: Term) -> Region:
    """The rows for which a number is not 0, or a truth value holds."""
    if term[0] == "either":
        _, test, then, orelse = term
        return either(
            both(_where(test, True), nonzero(then)), both(_where(test, False), nonzero(orelse))
        )
    if term[0] == "number":
        return _where(term, True)
    if term[0] == APART:
        return nonzero(term[2])
    if term[0] == "rule" and term[1] == "mul":
        # A product that is not 0 has no factor that is; what is no number counts as 0 in a sum.
        (_, x), (_, y) = term[2:]
        return both(nonzero(x), nonzero(y))
    truth = term[0] == "rule" and (term[1] in _COMPARISONS or term[1] in _TRUTHS)
    return _where(term, True) if truth else EVERYTHING


def changed(term: Term, state: Term, of_row: Callable[[Term], Term | None]) -> Region:
    """The rows of a loop that change a state.

    Args:
        term: the state after a round; `state` is what it was before.
        of_row: a term as a function of one row of the table; None where it is none.
    """
    if term == state:
        return frozenset()
    if term[0] == "either":
        test = of_row(term[1])
        yes, no = (None, None) if test is None else (_where(test, True), _where(test, False))
        return either(
            both(yes, changed(term[2], state, of_row)), both(no, changed(term[3], state, of_row))
        )
    if term[0] == "rule" and term[1] == "add":
        (_, x), (_, y) = term[2:]
        for inside, added in ((x, y), (y, x)):
            known = of_row(added)
            if known is not None and known != state:
                return either(changed(inside, state, of_row), nonzero(known))
    return EVERYTHING


def _where(term: Term, holds: bool) -> Region:
    if term[0] == "number":
        known = term[1].as_fraction()
        if known is not None:
            return EVERYTHING if bool(known) == holds else frozenset()
    if term[0] == "either":
        _, test, then, orelse = term
        return either(
            both(_where(test, True), _where(then, holds)),
            both(_where(test, False), _where(orelse, holds)),
        )
    if term[0] == "rule":
        name, arguments = term[1], [value for _, value in term[2:]]
        if name == "logical_not":
            return _where(arguments[0], not holds)
        if name in ("logical_and", "logical_or"):
            join = both if (name == "logical_and") == holds else either
            return join(_where(arguments[0], holds), _where(arguments[1], holds))
        if name == "ne":
            return _compared("==", arguments, not holds)
        if name == AMONG:
            return _among(arguments, sum(at.startswith("x") for at, _ in term[2:]), holds)
        if name == "is_missing":
            return _single(Literal(_number(arguments[0]), "==", MISSING, holds))
        if name in _COMPARISONS:
            return _compared(_COMPARISONS[name], arguments, holds)
    return _single(Literal(term, "", (), holds))


def _among(arguments: Sequence[Term], count: int, holds: bool) -> Region:
    """Rows of which so many terms are all equal to those of one of some tuples, or of none."""
    terms, constants = [_number(each) for each in arguments[:count]], arguments[count:]
    if len(constants) == 1 and constants[0][0] == ANY:
        return _single(Literal(terms[0], ONE_OF, constants[0], holds))
    found: Region = frozenset() if holds else EVERYTHING
    for start in range(0, len(constants), count):
        key = zip(terms, constants[start : start + count], strict=True)
        literals = [Literal(term, "==", constant, holds) for term, constant in key]
        if holds:
            found = either(found, frozenset({frozenset(literals)}))
        else:
            found = both(found, frozenset(frozenset({each}) for each in literals))
    return found


def _compared(op: str, arguments: Sequence[Term], holds: bool) -> Region:
    x, y = map(_number, arguments)
    ordered = op != "==" and not is_constant(y)
    if (is_constant(x) and not is_constant(y)) or (ordered and repr(y) < repr(x)):
        x, y, op = y, x, _MIRRORED[op]
    return _single(Literal(x, op, y, holds))


def _number(term: Term) -> Term:
    """What is compared: a number that `float` leaves as it is, in place of its double."""
    return _number(term[2][1]) if term[:2] == ("rule", SAME_NUMBER) else term


def _single(literal: Literal) -> Region:
    return frozenset({frozenset({literal})})


def is_constant(term: Term) -> bool:
    """Whether a term is the same in every row."""
    if term[0] == "rule":
        return all(is_constant(part) for _, part in term[2:])
    if term[0] == "either":
        return all(map(is_constant, term[1:]))
    return term[0] in CONSTANTS or term[0] == ANY or term[0] in NAMED or term == MISSING


def _public(term: Term) -> bool:
    return term[0] in CONSTANTS


def different(a: Term, b: Term) -> bool:
    """Whether no value equals both of two constants."""
    return _known(a, "!=", b)


def both(a: Region, b: Region) -> Region:
    """The rows in two regions; where this cannot be followed, those of the first."""
    if a is None or b is None:
        return b if a is None else a
    if len(a) * len(b) > _MOST:
        return a
    met = frozenset(
        x if x is y else _told_once(x | y) for x in a for y in b if x is y or not _contradict(x, y)
    )
    return a if any(len(each) > _MOST for each in met) else met


def _told_once(one: Conjunction) -> Conjunction:
    """A conjunction without what follows from a value that it names: whoever is "a" is one of "a"
    and many others."""
    many = [each for each in one if each.op == ONE_OF]
    if not many:
        return one
    named = [each for each in one if each.op == "==" and each.holds and _exactly(each.constant)]
    said = [
        x for x in many for y in named
        if y.term == x.term and (y.constant in x.constant[1]) == x.holds
    ]  # fmt: skip
    return one - frozenset(said) if said else one


def either(a: Region, b: Region) -> Region:
    """The rows in one of two regions, or in both."""
    if a is None or b is None or len(a) + len(b) > _MOST:
        return None
    return a | b


def union(regions: Iterable[Region]) -> Region:
    """The rows in any of these."""
    found: Region = frozenset()
    for region in regions:
        found = either(found, region)
    return found


def in_reading(region: Region, table: Any, reading: int) -> Region:
    """A region of the rows of a table, said of the row of it that one reading is given."""

    def given(term: Term) -> Term:
        if term == ("row", table, *term[2:3]):
            return (*term, reading)
        if term[0] == "rule":
            return (*term[:2], *((name, given(part)) for name, part in term[2:]))
        if term[0] == APART:
            return (*term[:2], given(term[2]))
        return (term[0], *map(given, term[1:])) if term[0] == "either" else term

    if region is None:
        return None
    return frozenset(
        frozenset(
            msgspec.structs.replace(
                each, term=given(each.term), constant=each.constant and given(each.constant)
            )
            for each in one
        )
        for one in region
    )


def by_position(region: Region) -> bool:
    """Whether a region speaks of positions alone, so that a row and the one in its place are both
    in it or both outside."""
    return region is not None and all(_of_position(each.term) for one in region for each in one)


def _of_position(term: Term) -> bool:
    if term[:2] == ("rule", "mod"):
        return all(is_constant(part) or _of_position(part) for _, part in term[2:])
    return bool(term[0] == "position")


def disjoint(a: Region, b: Region) -> bool:
    """Whether no row can lie in both."""
    if a is None or b is None:
        return False
    return all(_contradict(x, y) for x in a for y in b)


@lru_cache(maxsize=1 << 14)
def _contradict(a: Conjunction, b: Conjunction) -> bool:
    # Loops: this is asked of all pairs of parts of a program.
    for x in a:
        for y in b:
            if x.term == y.term and _exclude(x, y):
                return True
    return any(_both_equal(each, a | b) for each in (*a, *b) if each.op == "==" and not each.holds)


def _both_equal(unequal: Literal, among: Conjunction) -> bool:
    """Whether two values of a row that are not equal would both have to equal one constant."""
    if is_constant(unequal.constant):
        return False
    held: tuple[list[Term], list[Term]] = ([], [])
    for each in among:
        if each.op == "==" and each.holds and _exactly(each.constant):
            for side, term in enumerate((unequal.term, unequal.constant)):
                if each.term == term:
                    held[side].append(each.constant)
    return any(constant in held[1] for constant in held[0])


def _exactly(constant: Term) -> bool:
    """Whether all values that equal a constant equal each other, whatever kinds they have."""
    if constant[0] == "number":
        return constant[1].as_fraction() is not None and _told_apart(constant[1])
    return bool(constant[0] == "text")


def told_apart(constant: Term) -> Fraction | str | None:
    """What no value equals beside a constant, where another constant of its kind has another one
    of these; None where a row's value may equal two constants."""
    if not _exactly(constant):
        return None
    return constant[1] if constant[0] == "text" else constant[1].as_fraction()  # type: ignore[no-any-return]


def _exclude(a: Literal, b: Literal) -> bool:
    """Whether two literals of one term cannot both be so."""
    if (a.op, a.constant) == (b.op, b.constant):
        return a.holds != b.holds
    if not (a.op and b.op) or not (a.holds or b.holds):
        return False
    if ONE_OF in (a.op, b.op):
        return _among_others(a, b) if a.op == ONE_OF else _among_others(b, a)
    if a.holds and b.holds:
        return _apart(a, b) or _apart(b, a)
    held, failed = (a, b) if a.holds else (b, a)
    return _within(held, failed)


def _among_others(many: Literal, other: Literal) -> bool:
    """Whether a value that is one of many constants, or none of them, cannot be what another
    literal says."""
    constants = many.constant[1]
    if other.op == ONE_OF and many.holds and other.holds:
        # Terms of one constant each may name equal values only where kinds are mixed.
        alike = len({each[0] for each in (*constants, *other.constant[1])}) == 1
        return alike and constants.isdisjoint(other.constant[1])
    if other.op == ONE_OF:
        held, failed = (many, other) if many.holds else (other, many)
        return bool(held.constant[1] <= failed.constant[1])
    if many.holds:
        return all(_exclude(Literal(many.term, "==", each), other) for each in constants)
    return other.op == "==" and other.constant in constants


def _apart(a: Literal, b: Literal) -> bool:
    """Whether all values that `a` admits lie below all that `b` admits."""
    if a.op == b.op == "==":
        return _known(a.constant, "!=", b.constant)
    if a.op not in ("<", "<=", "==") or b.op not in (">", ">=", "=="):
        return False
    strict = a.op == "<" or b.op == ">"
    return _known(a.constant, "<=" if strict else "<", b.constant)


def _within(held: Literal, failed: Literal) -> bool:
    """Whether `held` implies the comparison that failed."""
    a, op, b = held.constant, failed.op, failed.constant
    if held.op == "==":
        return _known(a, op, b)
    if op == "==" or held.op[0] != op[0]:
        return False
    strict = op in ("<", ">") and held.op in ("<=", ">=")
    return _known(a, op if strict else op[0] + "=", b)


def _known(a: Term, op: str, b: Term) -> bool:
    """Whether a relation of two public constants, or of two terms of one row, certainly holds."""
    if a == b and not _public(a):
        return op in ("<=", ">=")
    if MISSING in (a, b):
        return op == "!=" and (_public(a) or _public(b))
    if a[0] != b[0] or not (_public(a) and _public(b)):
        return False
    if a[0] == "text":
        return op == "!=" and a != b
    if not (_told_apart(a[1]) and _told_apart(b[1])):
        return op in ("<=", ">=") and a == b
    return compare(a[1], op, b[1]) is True


@lru_cache(maxsize=1 << 12)
def _told_apart(constant: Expr) -> bool:
    """Whether comparisons of a number of a row with this constant are exact."""
    known = constant.as_fraction()
    if known is None:
        return True
    try:
        return float(known) == known and abs(known) <= 2**53
    except OverflowError:
        return False


# -- rounds ----------------------------------------------------------------------------------


def mentions(region: Region, index: str) -> bool:
    """Whether a region depends on the number of a round."""
    return region is not None and any(_varies(each, index) for one in region for each in one)


def outside(region: Region, keep: Callable[[str], bool]) -> Region:
    """The region without what depends on other names: it may only become larger."""
    if region is None or frozenset() in region:
        return region
    met = frozenset(
        frozenset(each for each in one if all(map(keep, _names(each)))) for one in region
    )
    return None if frozenset() in met else met


def of_all_rounds(region: Region, index: str, count: Expr) -> Region:
    """The rows in the region of any round of a loop, of so many rounds: numbers that are compared
    with a*i + b lie between what that is in the first and in the last round."""
    if region is None or frozenset() in region:
        return region
    met = frozenset(
        frozenset(wide for each in one for wide in _in_all_rounds(each, index, count))
        for one in region
    )
    return None if frozenset() in met else met


def _in_all_rounds(literal: Literal, index: str, count: Expr) -> tuple[Literal, ...]:
    """What follows from a literal, whichever round it is of."""
    if not _varies(literal, index):
        return (literal,)
    told = literal.constant
    if index in _symbols(literal.term) or told[:1] != ("number",) or len(told) != 2:
        return ()
    rise = slope(told[1], index)
    known = None if rise is None else rise.as_fraction()
    if known is None:
        return ()
    first, last = (told[1].subs({index: each}) for each in (ZERO, count - ONE))
    low, high = (first, last) if known > 0 else (last, first)

    def against(op: str, end: Expr) -> Literal:
        return Literal(literal.term, op, ("number", end), literal.holds)

    if literal.op == "==" and literal.holds:
        return against(">=", low), against("<=", high)
    if literal.op not in ("<", "<=", ">", ">="):
        return ()
    # The weakest of all comparisons: below the largest end, or not below the least.
    return (against(literal.op, high if (literal.op[0] == "<") == literal.holds else low),)


def _varies(literal: Literal, index: str) -> bool:
    return index in _names(literal)


def _names(literal: Literal) -> frozenset[str]:
    return _symbols(literal.term) | _symbols(literal.constant)


def _symbols(term: Any) -> frozenset[str]:
    if isinstance(term, Expr):
        return term.symbols
    if not isinstance(term, tuple):
        return frozenset()
    return frozenset().union(*map(_symbols, term))


def new_rows_each_round(region: Region, index: str) -> Rely | None:
    """Which parameters have to have different items, so that no row lies in the regions of two
    rounds; None where nothing says that none does."""
    if not region or not index:
        return None
    lists = sorted({
        each.constant[1] for one in region for each in one
        if each.constant[:1] == ("key",) and index in _symbols(each.constant[3])
    })  # fmt: skip

    def apart(rely: Rely) -> bool:
        pairs = ((a, b) for a in region for b in region)
        return all(_later(a, b, index, rely) and _later(b, a, index, rely) for a, b in pairs)

    if apart(frozenset()):
        return frozenset()
    enough = [name for name in lists if apart(frozenset({name}))]
    return frozenset({one_of(enough)}) if enough else None


def keys_in(region: Region) -> Rely:
    """The parameters whose items a region compares with."""
    literals = (each for one in region or () for each in one)
    return frozenset(each.constant[1] for each in literals if each.constant[:1] == ("key",))


def _later(a: Conjunction, b: Conjunction, index: str, rely: Rely) -> bool:
    """Whether no row is in `a` in round i and in `b` in a round j > i."""
    return any(
        x.term == y.term and index not in _symbols(x.term)
        and _separated(x, y, y in a, index, rely)
        for x in a for y in b
    )  # fmt: skip


def _separated(x: Literal, y: Literal, same: bool, index: str, rely: Rely) -> bool:
    """Whether `x` in round i excludes `y` in every later round.

    Args:
        same: `y` holds in round i as well, of its own constant.
        rely: parameters whose items are different.
    """
    if not (x.holds and y.holds and x.op and y.op):
        return False
    if x.constant[0] == "key":
        return (
            x.op == y.op == "==" and x.constant == y.constant and is_next(x.constant, index, rely)
        )
    if x.constant[0] != y.constant[0] or x.constant[0] not in CONSTANTS - {"text"}:
        return False
    a, b = x.constant[1], y.constant[1]
    rise = slope(b, index)
    if rise is None:
        return False
    known = rise.as_fraction()
    if x.op == y.op == "==":
        whole = b.is_integer() and rise.is_integer()
        return a == b and bool(whole) and known is not None and known != 0
    after = b.subs({index: _index(index) + ONE})
    strict = x.op in ("<", ">") or y.op in ("<", ">")
    if x.op in ("<", "<=") and y.op in (">", ">="):  # below in round i, above in later ones
        forward = same or (known is not None and known > 0)
        return forward and compare(a, "<=" if strict else "<", after) is True
    if x.op in (">", ">=") and y.op in ("<", "<="):  # the same, downwards
        forward = same or (known is not None and known < 0)
        return forward and compare(a, ">=" if strict else ">", after) is True
    return False


def is_next(item: Term, index: str, rely: Rely) -> bool:
    """Whether the item of a parameter is another one in every round."""
    _, parameter, how, position = item
    if parameter not in rely and not are_different(how):
        return False
    rise = slope(position, index)
    known = None if rise is None else rise.as_fraction()
    return known is not None and known != 0


def slope(constant: Expr, index: str) -> Expr | None:
    """a of a*i + b, where neither depends on i; None for anything else."""
    first = constant.subs({index: ZERO})
    rise = constant.subs({index: ONE}) - first
    alike = index not in rise.symbols and constant == first + rise * _index(index)
    return rise if alike else None


def _index(name: str) -> Expr:
    return sym(name, nonneg=True, integer=True)


# -- what may happen to one row --------------------------------------------------------------

Part = TypeVar("Part")


def arranged(
    regions: Sequence[Region], together: Callable[[list[Part]], Part],
    one_of: Callable[[list[Part]], Part], leaf: Callable[[int], Part], splits: int = 0,
) -> Part:  # fmt: skip
    """What one row can meet of several things that are each about a region.

    Disjoint groups are alternatives, of which one row meets one; groups that all overlap are met
    together.  Where neither divides them, a row meets one of them and what overlaps it, or all but
    that one; after so many splits, the one that overlaps most is taken to be met by all.

    Args:
        together, one_of: combine parts that one row may meet all of, or one of.
        leaf: what stands for a region, by its position.
        splits: how often a part may be divided so, which puts leaves into several alternatives.
    """
    count, left = len(regions), splits
    apart = [[False] * count for _ in range(count)]
    for i in range(count):
        for j in range(i):
            apart[i][j] = apart[j][i] = disjoint(regions[i], regions[j])

    def read(places: list[int]) -> Part:
        if len(places) == 1:
            return leaf(places[0])
        for linked, combine in ((False, one_of), (True, together)):
            groups = _groups(places, lambda i, j, linked=linked: apart[i][j] == linked)  # type: ignore[misc]
            if len(groups) > 1:
                return combine([read(group) for group in groups])
        nonlocal left
        if left:
            left -= 1
            one = max(places, key=lambda i: sum(apart[i][j] for j in places))
            others = [place for place in places if place != one]
            beside = [place for place in others if not apart[one][place]]
            return one_of([together([leaf(one), read(beside)]), read(others)])
        widest = min(places, key=lambda i: sum(apart[i][j] for j in places))
        return together([leaf(widest), read([place for place in places if place != widest])])

    return read(list(range(count)))


def _groups(places: list[int], linked: Callable[[int, int], bool]) -> list[list[int]]:
    """Places that are connected by links, group by group, in their order."""
    left, found = list(places), []
    while left:
        group, new = [left.pop(0)], 0
        while new < len(group):
            here = group[new]
            new += 1
            group += [place for place in left if linked(here, place)]
            left = [place for place in left if not linked(here, place)]
        found.append(sorted(group))
    return found
