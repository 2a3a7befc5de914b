"""Many small cases in one test, which says of every case that fails which one it is.

A test of its own costs more than what most such cases compute: it is collected by every worker.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

import pytest

T = TypeVar("T")


def all_hold(cases: Iterable[tuple[str, Callable[[], None]]]) -> None:
    """Every case, by its name, whether or not the ones before it fail; raises what failed."""
    failed: list[BaseException] = []
    count = 0
    for name, case in cases:
        count += 1
        try:
            case()
        except (Exception, pytest.fail.Exception) as error:
            error.add_note(f"at {name}")
            failed.append(error)
    assert count, "no case"
    if len(failed) > 1:
        raise BaseExceptionGroup(f"{len(failed)} of {count} cases", failed)
    if failed:
        raise failed[0]


def at_each(
    cases: Iterable[T], name: Callable[[T], str] = str
) -> Callable[[Callable[[T], None]], Callable[[], None]]:
    """A test of one case as one test of all."""
    found = list(cases)

    def of(law: Callable[[T], None]) -> Callable[[], None]:
        def every() -> None:
            all_hold((name(case), lambda case=case: law(case)) for case in found)  # type: ignore[misc]

        every.__name__, every.__doc__, every.__module__ = law.__name__, law.__doc__, law.__module__
        return every

    return of
