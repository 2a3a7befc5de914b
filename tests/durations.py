"""How long each test file took when it was last recorded, in `tests/durations.txt`.

    python tests/durations.py REPORT.xml     (`make durations`: runs all tests, then records)

A line is `seconds tests name`: a file, or one record or page of it (`file[clamp]`,
`file[museum/joins]`) where that alone takes long.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

TABLE = Path(__file__).with_name("durations.txt")
#: What one record of the laws, or one page, takes is recorded from here on.
LONG = 0.5
#: A file that has never been recorded is taken to last so many seconds.
UNKNOWN = 3.0


class Case(NamedTuple):
    """One test that ran: its file, what its id begins with (a record, a page), its seconds."""

    file: str
    group: str
    seconds: float


def recorded(text: str) -> dict[str, float]:
    """Name -> seconds, from the text of the table."""
    lines = [line.split(maxsplit=2) for line in text.splitlines()]
    return {name: float(seconds) for seconds, _, name in lines}


def table(cases: Iterable[Case]) -> str:
    """The table of what ran."""
    seconds: dict[str, float] = {}
    tests: dict[str, int] = {}
    for case in cases:
        names = [case.file]
        if case.group and case.file.startswith(("tests/laws/", "tests/test_programs")):
            names.append(f"{case.file}[{case.group}]")
        for name in names:
            seconds[name] = seconds.get(name, 0.0) + case.seconds
            tests[name] = tests.get(name, 0) + 1
    kept = [name for name in sorted(seconds) if "[" not in name or seconds[name] >= LONG]
    return "".join(f"{seconds[name]:7.2f} {tests[name]:5d} {name}\n" for name in kept)


def cases(report: ElementTree.Element) -> Iterable[Case]:
    """What a JUnit report of pytest holds; classes of tests and doctests belong to their file."""
    root = TABLE.parent.parent
    for found in report.iter("testcase"):
        parts = found.get("classname", "").split(".")
        files = ("/".join(parts[:end]) + ".py" for end in range(len(parts), 0, -1))
        file = next((name for name in files if (root / name).is_file()), None)
        package = "/".join([*parts, "__init__.py"])
        file = file or (package if (root / package).is_file() else "")
        yield Case(file, group(found.get("name", "")), float(found.get("time", 0)))


def group(name: str) -> str:
    """What the id of a test begins with: the record that it is about, or the page."""
    inside = name.partition("[")[2].rstrip("]")
    return re.split(r"::|-(?=\d)", inside)[0] if re.match(r"[\w/]+($|::|-\d)", inside) else ""


def spent(name: str, words: Iterable[str], known: Mapping[str, float]) -> float:
    """Seconds that a file, or what in it is about `words`, is recorded to take."""
    if not words:
        return known.get(name, UNKNOWN)
    parts = (key.removeprefix(name) for key in known if key.startswith(f"{name}["))
    hit = sum(known[name + part] for part in parts if any(word in part for word in words))
    return LONG / 2 + hit


def main(report: str) -> None:
    TABLE.write_text(table(cases(ElementTree.parse(report).getroot())), encoding="utf-8")
    print(f"wrote {TABLE}")


if __name__ == "__main__":
    main(sys.argv[1])
