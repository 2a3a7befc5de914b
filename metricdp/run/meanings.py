"""What names meant, compared object by object with what they mean now, in code made for each space.

Python remembers where in a dictionary the names stand that code reads as its globals, for as long
as no name comes or goes.  So a comparison that is written as such code looks up no name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from types import CodeType, FunctionType
from typing import Any, Final

from metricdp.errors import InternalError
from metricdp.run.unwritten import dictionary

#: Codes are made for so many names, or a multiple.
_STEP: Final = 8


def changes(space: Mapping[str, Any], kept: Mapping[str, Any]) -> Callable[[], bool]:
    """A function that says whether names of a module, or of a class, mean something else than they
    did.

    Args:
        space: the dictionary of a module, or `vars` of a class.
        kept: names, one at least -> the very objects that they meant.

    Returns:
        What raises NameError where a name is gone.
    """
    names = [*kept]
    names += names[-1:] * (-len(names) % _STEP)
    code = _comparison(len(names)).replace(co_names=tuple(names))
    return FunctionType(code, dictionary(space), "changed", tuple(kept[name] for name in names))


def changed_name(space: Mapping[str, Any], kept: Mapping[str, Any]) -> str:
    """The first name that does not mean what it did."""
    return next(name for name, value in kept.items() if space.get(name, _GONE) is not value)


#: In place of what a name that is gone means.
_GONE: Final = object()


@cache
def _comparison(count: int) -> CodeType:
    """The code that compares so many global names with as many arguments."""
    arguments = ", ".join(f"kept{at}" for at in range(count))
    tests = " or ".join(f"name{at} is not kept{at}" for at in range(count))
    made: dict[str, Any] = {}
    exec(f"def changed({arguments}): return {tests}", {}, made)
    code: CodeType = made["changed"].__code__
    if code.co_names != tuple(f"name{at}" for at in range(count)):
        raise InternalError("names of a code in another order")
    return code
