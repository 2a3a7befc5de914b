"""Names that people give: of data sets, analysts, purposes, approvers; no two that look alike."""

from __future__ import annotations

import unicodedata
from typing import Any

from metricdp.errors import ParameterError

#: Letters in a name.
_LONGEST = 200
#: Letters and marks without a picture; what is not printable is not seen either.
_BLANK = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
    + "".join(map(chr, (*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
)
#: Scripts that one name is written in together.
_TOGETHER = dict.fromkeys(("HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO"), "CJK")


def named(dataset: Any) -> str:
    """The name of a data set, as a plain text that looks like no other.

    Raises:
        ParameterError: no text, an empty or a long one, or characters that nobody sees.
    """
    return _seen(
        dataset, "data set", "dataset",
        'dataset="visits-2026": letters without spaces around them, accents composed (NFC)',
    )  # fmt: skip


def person(name: Any, place: str) -> str:
    """The name of an analyst, a purpose or an approver, as a plain text that looks like no other.

    Args:
        place: what it names: "analyst", "purpose", "by".

    Raises:
        ParameterError: no text, an empty or a long one, characters that nobody sees, letters of
            two scripts, or letters that have a plainer form.
    """
    remedy = f'{place}="ann": letters of one script, in their plain form (NFKC)'
    found = _seen(name, place, place, remedy)
    scripts = {_script(c) for c in found if c.isalpha()}
    if len(scripts) > 1 or unicodedata.normalize("NFKC", found) != found:
        raise ParameterError(
            f"the name of the {place} could be taken for another one", place=place, remedy=remedy
        )
    return found


def _script(letter: str) -> str:
    first = unicodedata.name(letter, "?").split()[0]
    return _TOGETHER.get(first, first)


def _seen(given: Any, what: str, place: str, remedy: str) -> str:
    name = str.__str__(given) if isinstance(given, str) else ""
    if not isinstance(given, str):
        fact = f"a {type(given).__name__} is no name of a {what}"
    elif not 0 < len(name) <= _LONGEST:
        fact = f"the name of a {what} has 1 to {_LONGEST} characters"
    elif any(not c.isprintable() or c in _BLANK for c in name):
        fact = f"the name of a {what} has characters that cannot be seen"
    elif name.strip() != name or unicodedata.normalize("NFC", name) != name:
        fact = f"the name of a {what} could be taken for another one"
    else:
        return name
    raise ParameterError(fact, place=place, remedy=remedy)
