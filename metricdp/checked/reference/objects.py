"""Pages of the public objects that are no primitives: classes, functions and constants."""

from __future__ import annotations

import enum
import inspect
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any

from metricdp.checked.reference.calls import PROGRAM

_OPENING = "The calls on this page stand below this program:\n\n```python\n" + PROGRAM + "```"
#: Where every algorithm has a page of its own.
_ALGORITHMS = "../algorithms"
#: Page -> its title, and homes of names of the front or the package whose names it has.
GROUPS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "programs": (
        "Checked functions, samples, releases and their noise",
        (
            "metricdp.checked",
            "metricdp.maps",
            "metricdp.run",
            "metricdp.effort",
            "metricdp.columns",
            "metricdp.engines",
            "metricdp.answers",
        ),
    ),
    "spaces": ("Spaces: what parameters are declared as", ("metricdp.spaces",)),
    "sessions": ("Sessions, budgets and ledgers", ("metricdp.sessions",)),
    "measures": ("Accounting: the guarantee of events", ("measures",)),
    "maps": ("Transformations and measurements as objects", ("maps",)),
    "algorithms": ("Algorithms: checked functions that are there already", ("algorithms",)),
    "audit": ("Audit: attacks on claims", ("audit",)),
    "laws": ("Laws: output distributions and their distances", ("laws",)),
    "pictures": ("Pictures", ("pictures",)),
    "errors": ("Errors", ("errors",)),
    "opendp": ("Names of OpenDP", ("opendp",)),
}


def objects_of(group: str) -> dict[str, Any]:
    """The public objects of a page, by the name that a program writes after `metricdp.`."""
    homes = GROUPS[group][1]
    front = import_module("metricdp")
    found = {
        name: getattr(front, name) for name, home in front._NAMES.items() if home.startswith(homes)
    }
    if homes == (group,):
        package = import_module(f"metricdp.{group}")
        names = getattr(package, "__all__", None) or [
            name
            for name, value in vars(package).items()
            if inspect.isclass(value) and name[0] != "_"
        ]
        found |= {f"{group}.{name}": getattr(package, name) for name in names}
    elif group == "spaces":
        package = import_module("metricdp.spaces")
        more = [name for name in package.__all__ if name not in found]
        found |= {f"spaces.{name}": getattr(package, name) for name in more}
    return dict(sorted(found.items()))


def anchor(name: str) -> str:
    """The anchor of a heading on a page of the reference."""
    return name.lower().replace(".", "")


def first_sentence(value: Any) -> str:
    """The first paragraph of a docstring, in one line."""
    return " ".join(documented(value).partition("\n\n")[0].split())


def documented(value: Any) -> str:
    """The docstring of a public object; of a value, that of its class."""
    return inspect.getdoc(value) or ""


def object_page(group: str, calls: Mapping[str, str]) -> str:
    """The text of one page.

    Args:
        calls: name -> a call with what it printed.
    """
    found = objects_of(group)
    parts = [f"# {GROUPS[group][0]}", "[All functions](../reference.md)"]
    parts.append(" · ".join(f"[`{name}`](#{anchor(name)})" for name in found))
    if any(name in calls for name in found):
        parts.append(_OPENING)
    for name, value in found.items():
        parts += _entry(name, value, calls.get(name, ""))
    return "\n\n".join(parts) + "\n"


def _entry(name: str, value: Any, call: str) -> Iterator[str]:
    yield f"## {name}"
    dotted = f"metricdp.{name}" if "." in name else f"dp.{name}"
    yield f"`{dotted}{_signature(value)}`"
    text = documented(value)
    opening, _, rest = text.partition("\n\n")
    yield " ".join(opening.split())
    if rest:
        yield f"```text\n{rest}\n```"
    if call:
        yield f"```pycon\n{call}\n```"
    if name.startswith("algorithms."):
        page = name.removeprefix("algorithms.")
        yield f"[Its guarantee and its error]({_ALGORITHMS}/{page}.md)"
    members = list(_members(value))
    if members:
        yield "\n".join(members)


def _signature(value: Any) -> str:
    """The parameters with their defaults, without types."""
    if not callable(value) or (inspect.isclass(value) and issubclass(value, enum.Enum)):
        return ""
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return ""
    return _bare(found.parameters.values())


def _bare(parameters: Iterable[inspect.Parameter]) -> str:
    """Names and defaults; a default that is a function has no text of its own."""
    empty = inspect.Parameter.empty
    shown = [
        p.replace(annotation=empty, default=... if inspect.isfunction(p.default) else p.default)
        for p in parameters
    ]
    return str(inspect.Signature(shown)).replace("Ellipsis", "...").replace("Fraction(0, 1)", "0")


def _members(value: Any) -> Iterator[str]:
    """Public methods and properties that say what they do."""
    if not inspect.isclass(value):
        return
    for name in sorted(dir(value)):
        if name[0] == "_":
            continue
        member = inspect.getattr_static(value, name)
        inside = getattr(member, "__func__", getattr(member, "fget", member))
        said = getattr(inside, "__doc__", None)
        home = getattr(inside, "__module__", "") or ""
        if not inspect.isfunction(inside) or not said or not home.startswith("metricdp"):
            continue
        called = "" if isinstance(member, property) else _method(inside)
        yield f"- `.{name}{called}`: {first_sentence(inside)}"


def _method(function: Any) -> str:
    return _bare(list(inspect.signature(function).parameters.values())[1:])
