"""Filed releases and the ledger that paid for them.

A record that was filed names its row and the hash of it, and what it says under "composition"
follows from the rows.  So a folder of records is checked by making each one once more from the
ledger, and comparing it with the file.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from metricdp.expr import decimal_up
from metricdp.run.filing import filed, markdown
from metricdp.run.release import About, Release
from metricdp.sessions.budget import Budget, amounts, costs, left_of
from metricdp.sessions.chain import RELEASE, SPEND, LedgerRow
from metricdp.sessions.encoding import decode_release, number_of
from metricdp.sessions.ledger import Ledger
from metricdp.sessions.part_names import part_of

_RULE = {
    "pure": "epsilons add, for steps chosen from earlier answers (filter)",
    "approx": "epsilons and deltas add, for steps chosen from earlier answers (filter)",
    "zcdp": "rhos add, for steps chosen from earlier answers (filter); converted at the limit only",
    "renyi": "Renyi divergences at one fixed order add (filter); converted at the limit only",
}


def composition(ledger: Ledger, spend: LedgerRow) -> dict[str, str]:
    """What a spend is part of, from the rows alone.

    Raises:
        LedgerError: rows that say something else.
    """
    opened, body = ledger.opened(spend.dataset), spend.data()
    limits, total = ledger.limits(spend.dataset), spend.numbers("total")
    asked = {"analyst": "asked by", "purpose": "purpose", "approval": "approved in row"}
    part = spend.read(lambda: part_of(body.get("part")))
    parts = {}
    if part is not None:
        counted = (
            "largest sum of a part" if part.most == 1 else f"{part.most} largest sums of parts"
        )
        parts = {
            "part": part.describe(),
            "parts": f"the {counted} of {part.table} by {', '.join(part.by)} is what the budget "
            "loses",
            "the budget lost": costs(spend.numbers("cost")),
        }
    return {
        "ledger": ledger.path or "in memory",
        "data set": spend.dataset,
        "unit of the session": str(opened.get("unit", "")),
        "row": str(spend.number),
        "hash": spend.hash,
        "budget": str(opened.get("counted", "")),
        "this release cost": costs(spend.asked()),
        **parts,
        "spent so far": costs(total),
        "left": amounts(left_of(limits, total)),
        "composition": spend.read(lambda: _RULE[_budget(opened["budget"]).kind]),
        **{word: str(body[field]) for field, word in asked.items() if field in body},
    }


def placed(release: Release, spend: LedgerRow, place: Mapping[str, str]) -> Release:
    """A release with its composition, the time of its spend, and its cost at the session's unit.

    What a function costs at distance 1 is not what a person is charged who moves several rows or
    tables: a record states what its row does.
    """
    about = msgspec.structs.replace(
        release.about or About(), composition=place, time=str(spend.data().get("time", ""))
    )
    return msgspec.structs.replace(
        release, about=about, unit=place["unit of the session"], privacy=charged(spend)
    )


def charged(spend: LedgerRow) -> dict[str, str]:
    """The cost of a row as a release states it, rounded up."""
    names = {"renyi": "Rényi divergence"}
    found = {names.get(u, u): decimal_up(v) for u, v in spend.asked().items()}
    return {**found, "delta": "0"} if found.keys() == {"epsilon"} else found


def unplaced(release: Release) -> Release:
    """A release without what the rows of its ledger say already."""
    bare = msgspec.structs.replace(release, privacy={}, unit="")
    if release.about is None:
        return bare
    about = msgspec.structs.replace(release.about, composition={}, time="")
    return msgspec.structs.replace(bare, about=about)


def _budget(found: Mapping[str, str]) -> Budget:
    given: dict[str, Any] = {k: v for k, v in found.items() if not k.startswith("limit_")}
    numbers: dict[str, Any] = {k: v if k == "by" else number_of(v) for k, v in given.items()}
    return Budget(**numbers)


#: What may be wrong, in the order in which it is counted.
PROBLEMS = ("missing", "altered", "other cost", "foreign", "duplicated", "unreadable")
#: Parts of a composition that depend on when and where a release was filed.
_LOOSE = ("ledger", "asked again", "not kept")
#: What every version files of a release in the same words.
_FACTS = ("release", "function", "time", "fingerprint")
_MARK = re.compile(r"^- hash: ([0-9a-f]{64})$", re.MULTILINE)


class Discrepancy(msgspec.Struct, frozen=True):
    """One thing that is wrong.

    Attributes:
        problem: one of `PROBLEMS`.
        file: relative to the folder; "" where there is none.
        row: of the spend, if it is known.
        fact: what is wrong, in words.
    """

    problem: str
    file: str
    row: int | None
    fact: str


class Checked(msgspec.Struct, frozen=True):
    """What a folder of filed releases says beside its ledger.

    Attributes:
        files: how many records were read.
        recorded: how many releases the ledger has.
        findings: what is wrong.
    """

    files: int
    recorded: int
    findings: tuple[Discrepancy, ...]

    def lines(self) -> list[str]:
        """As text: what is wrong, then the counts."""
        counts = Counter(found.problem for found in self.findings)
        found = [
            f"{f.problem}: " + ": ".join(filter(None, (f.file, f.fact))) for f in self.findings
        ]
        wrong = ", ".join(f"{counts[name]} {name}" for name in PROBLEMS if counts[name])
        return [
            *found,
            f"{self.files} filed, {self.recorded} in the ledger: {wrong or 'all agree'}",
        ]


def check_releases(ledger: Ledger, path: str | os.PathLike[str]) -> Checked:
    """Hold every `.json` and `.md` file of a folder, and of those in it, against a ledger.

    Raises:
        LedgerError: rows that are no rows of a ledger.
        OSError: the folder cannot be read.
    """
    folder = Path(path)
    spends: dict[str, int] = {}
    releases: dict[int, int] = {}
    for row in ledger.rows():
        if row.kind == SPEND:
            spends[row.hash] = row.number
        elif row.kind == RELEASE and row.data()["release"] is not None:
            releases[row.data()["spend"]] = row.number
    paths = sorted(p for p in folder.rglob("*") if p.suffix in (".json", ".md") and p.is_file())
    findings: list[Discrepancy] = []
    seen: dict[tuple[int, str], str] = {}
    for file in paths:
        name = str(file.relative_to(folder))
        try:
            text = file.read_text(encoding="utf-8")
            said = _record(text) if file.suffix == ".json" else None
        except (OSError, ValueError, RecursionError) as error:
            findings.append(Discrepancy("unreadable", name, None, type(error).__name__))
            continue
        number = spends.get(_hash_in(text, said))
        if number is None:
            findings.append(
                Discrepancy("foreign", name, None, "no spend of this ledger has its hash")
            )
            continue
        first = seen.setdefault((number, file.suffix), name)
        if first != name:
            findings.append(
                Discrepancy("duplicated", name, number, f"row {number} is filed in {first}")
            )
        spend = ledger.row(number)
        release = _release(ledger, releases.get(number))
        place = composition(ledger, spend)
        wrong = (
            _differences(said, spend, place, release) if said is not None
            else _other_lines(text, spend, place, release)
        )  # fmt: skip
        findings += (Discrepancy(problem, name, number, fact) for problem, fact in wrong)
    filed_rows = {number for number, _ in seen}
    for number in sorted(set(releases) - filed_rows):
        what = ledger.row(number).data().get("name")
        findings.append(Discrepancy("missing", "", number, f"row {number} ({what}) has no file"))
    return Checked(len(paths), len(releases), tuple(findings))


def _record(text: str) -> Mapping[str, Any]:
    found = json.loads(text)
    if not isinstance(found, dict):
        raise ValueError("no record")
    return found


def _hash_in(text: str, said: Mapping[str, Any] | None) -> str:
    if said is None:
        marks = _MARK.findall(text)
        return marks[0] if len(marks) == 1 else ""
    place = said.get("composition")
    return str(place.get("hash")) if isinstance(place, dict) else ""


def _release(ledger: Ledger, number: int | None) -> Release | None:
    """The recorded release; None where the ledger has none."""
    if number is None:
        return None
    row = ledger.row(number)
    release: Release = row.read(lambda: decode_release(row.data()["release"]))
    return release


def _differences(
    said: Mapping[str, Any], spend: LedgerRow, place: Mapping[str, str], release: Release | None
) -> Iterator[tuple[str, str]]:
    """What a JSON record says otherwise than the rows."""
    theirs = said["composition"]
    if theirs.get("this release cost") != place["this release cost"]:
        cost = place["this release cost"]
        yield "other cost", f"row {spend.number} cost {cost}"
    for name in sorted({*theirs, *place} - {*_LOOSE, "this release cost"}):
        if theirs.get(name) != place.get(name):
            yield "altered", f"row {spend.number} has another `composition: {name}`"
    if release is None:
        if said.get("time") != spend.data().get("time"):
            yield "altered", f"row {spend.number} has another `time`"
        return
    record = json.loads(placed(release, spend, place).to_json())
    names: Any = {*record, *said} - {"composition"}
    if said.get("versions") != record["versions"]:
        yield "altered", f"row {spend.number} has other `versions`"
    elif record["versions"].get("metricdp") != _version():
        names = _FACTS  # another version may word the rest otherwise
    for name in sorted(names):
        if said.get(name) != record.get(name) and name != "versions":
            yield "altered", f"row {spend.number} has another `{name}`"


def _other_lines(
    text: str, spend: LedgerRow, place: Mapping[str, str], release: Release | None
) -> Iterator[tuple[str, str]]:
    """What a Markdown record says otherwise than the rows."""
    theirs = _lines(text)
    cost = f"- this release cost: {place['this release cost']}"
    if cost not in theirs:
        yield "other cost", f"row {spend.number} cost {place['this release cost']}"
    if release is None or filed(release)["versions"].get("metricdp") != _version():
        for name, value in place.items():
            if name not in _LOOSE and f"- {name}: {value}" not in theirs:
                yield "altered", f"row {spend.number} has another `composition: {name}`"
        return
    record = _lines(markdown(placed(release, spend, place)))
    changed = [line for line in (*theirs, *record) if (line in theirs) is not (line in record)]
    if any(line != cost and "this release cost" not in line for line in changed):
        yield "altered", f"row {spend.number} is filed in other words"
    elif not changed and theirs != record:
        yield "altered", f"row {spend.number} is filed in another order"


def _lines(text: str) -> list[str]:
    loose = tuple(f"- {name}: " for name in _LOOSE)
    return [line for line in text.splitlines() if not line.startswith(loose)]


def _version() -> str:
    from metricdp.run.release import versions

    return versions()["metricdp"]
