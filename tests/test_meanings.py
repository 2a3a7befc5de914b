"""Names that mean something else are noticed, however often nothing had changed before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from metricdp.run.meanings import changed_name, changes

#: More calls than Python needs to remember where names stand.
OFTEN = 100


class Alike:
    """An object that says it equals every other."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


def first() -> int:
    return 1


def second() -> int:
    return 2


def module() -> tuple[dict[str, Any], Callable[[str, Any], None], Callable[[str], None]]:
    space: dict[str, Any] = {"a": first, "b": second, "none": None, "abs": second}
    return space, space.__setitem__, space.__delitem__


def of_class() -> tuple[Any, Callable[[str, Any], None], Callable[[str], None]]:
    kind = type("Kind", (), {"a": first, "b": second, "none": None, "abs": second})
    return vars(kind), lambda n, v: setattr(kind, n, v), lambda n: delattr(kind, n)


def held(space: Any) -> tuple[dict[str, Any], Callable[[], bool]]:
    kept = {name: space[name] for name in ("a", "abs", "b", "none")}
    changed = changes(space, kept)
    assert not any(changed() for _ in range(OFTEN))
    return kept, changed


@pytest.mark.parametrize("made", [module, of_class])
def test_a_name_with_another_meaning(made: Any) -> None:
    for name in ("a", "abs", "b", "none"):
        for other in (Alike(), first if name == "b" else second if name == "a" else 0, lambda: 1):
            space, write, _ = made()
            kept, changed = held(space)
            write(name, other)
            assert changed() and changed_name(space, kept) == name
            write(name, kept[name])
            assert not any(changed() for _ in range(OFTEN))


@pytest.mark.parametrize("made", [module, of_class])
def test_names_that_come_go_and_are_exchanged(made: Any) -> None:
    space, write, delete = made()
    kept, changed = held(space)
    for number in range(200):
        write(f"more{number}", number)
        assert not changed()
    delete("a")
    with pytest.raises(NameError):
        changed()
    assert changed_name(space, kept) == "a"
    write("a", first)
    assert not any(changed() for _ in range(OFTEN))
    delete("abs")  # Python finds its own in its place
    assert changed() and changed_name(space, kept) == "abs"
    write("abs", second)
    delete("a"), delete("b")
    write("b", first), write("a", second)
    assert changed()


def test_lengths_of_all_kinds() -> None:
    for count in range(1, 70):
        space = {f"n{at}": object() for at in range(count)}
        changed = changes(space, dict(space))
        assert not any(changed() for _ in range(20))
        space[f"n{count - 1}"] = object()
        assert changed()
