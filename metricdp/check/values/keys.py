"""Items of a public parameter, told apart: which of them differ, and what is made of them.

A loop over public keys filters the rows by one key after the other.  Where all keys are different,
no row lies in two of the filters, and a row pays for one round.  Keys are different
  - in a set, and in a dictionary, whose keys are such a set;
  - in a list, where the function requires it: the caller's list is looked at before data are read
    (`different_x == len_x`, printed as "x: all different").

A loop over two lists side by side, `zip(x, y)`, filters by pairs.  Two pairs differ where their
items of x do, or those of y: it is enough that the items of one of both lists are all different
(printed as "x or y: all different").

The number of different items of a parameter x is the public number `different_x`.  "Different" is
what every way of comparing a row with an item tells apart (`run.different`): items that only some
of them tell apart are refused where they are counted.

Nothing in the checked language changes a list or a dictionary that a parameter is, so item i of it
is one value in all of a run, and so is item i of what is made of it in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from metricdp.expr import ZERO, Expr, maximum, sym

#: Types of items that can be held against a value of a row.
KEYS = ("float", "int", "str", "datetime", "date")
_DICTIONARY = re.compile(rf"dict\[({'|'.join(KEYS)}), (.+)\]")
_SET = re.compile(rf"(?:set|frozenset)\[({'|'.join(KEYS)})\]")


class Keys(msgspec.Struct, frozen=True):
    """What a public sequence, set or dictionary is: a parameter, or made of one.

    Attributes:
        of: the parameter.
        element: type of its items, or of its keys.
        size: how many there are.
        how: what was made of it: "" for the parameter as it is, "set", "sorted", "items", ...
        held: type of what stands under the keys of a dictionary, or "".
    """

    of: str
    element: str
    size: Expr
    how: tuple[str, ...] = ()
    held: str = ""

    @property
    def different(self) -> bool:
        """Whether no two items are equal, whatever the caller gives."""
        return are_different(self.how)

    @property
    def ordered(self) -> bool:
        """Whether the program says in which order the items come: a set says nothing of it."""
        return "set" not in self.how or any(each.startswith("sorted") for each in self.how)


def are_different(how: tuple[str, ...]) -> bool:
    """Whether the items of what was made of a parameter are different."""
    return bool({"set", "dict"} & set(how))


def length(name: str) -> Expr:
    """How many items a public parameter has."""
    return sym(f"len_{name}", nonneg=True, integer=True)


def different(name: str) -> Expr:
    """How many different items a public parameter has."""
    return sym(f"different_{name}", nonneg=True, integer=True)


def dictionary_type(text: str) -> tuple[str, str] | None:
    """The types of keys and values of a declared dictionary with keys that can be told apart."""
    found = _DICTIONARY.fullmatch(text)
    return (found[1], found[2]) if found else None


def set_type(text: str) -> str:
    """The type of the items of a declared set that can be told apart; "" for another type."""
    found = _SET.fullmatch(text)
    return found[1] if found else ""


#: Between the names of parameters, of which the items of one have to be different.
_OR = "|"


def one_of(names: Iterable[str]) -> str:
    """What stands for parameters of which one has to have different items, whichever it is."""
    return _OR.join(sorted(names))


def named_by(name: str) -> list[str]:
    """The parameters of which one has to have different items."""
    return name.split(_OR)


def that_differ(name: str) -> tuple[Expr, str, Expr]:
    """The relation that all items of a parameter are different, or those of one of several."""
    (first, *others) = named_by(name)
    if not others:
        return different(first), "==", length(first)
    return maximum(*(different(x) - length(x) for x in (first, *others))), ">=", ZERO


def said_of_all(left: Expr, op: str, right: Expr) -> str | None:
    """The parameter, or parameters, of which a relation says that all items are different; None for
    other relations."""
    counts = (each for each in left.symbols if each.startswith("different_"))
    name = one_of(each.removeprefix("different_") for each in counts)
    return name if name and (left, op, right) == that_differ(name) else None
