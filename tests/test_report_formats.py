"""Every format on every hand-made report, against snapshots, and the contracts of each format."""

from __future__ import annotations

import json
import re
from fractions import Fraction

import pytest
from report_samples import PROVED, REJECTED_SOURCE, REPORTS, UNBOUNDED, compare, function, span

from metricdp.diagnostics import Diagnostic, Note
from metricdp.diagnostics.result import (
    CheckReport,
    FunctionReport,
    InputReport,
    round_up,
    to_json,
)
from metricdp.report import FORMATS, render, render_text
from metricdp.report.excerpt import WIDTH, cells

_SUFFIX = {"text": "txt", "concise": "txt", "json": "json", "sarif": "json", "github": "txt"}


@pytest.mark.parametrize("output_format", FORMATS)
@pytest.mark.parametrize("name", REPORTS)
def test_snapshot(name: str, output_format: str) -> None:
    text = render(REPORTS[name], output_format)
    compare(f"report-{name}-{output_format}.{_SUFFIX[output_format]}", text)


@pytest.mark.parametrize("name", REPORTS)
def test_text_fits_the_page(name: str) -> None:
    for line in render(REPORTS[name], elapsed=0.08).splitlines():
        assert cells(line) <= WIDTH, line


def test_the_time_ends_at_the_margin() -> None:
    last = render(REPORTS["rejected"], elapsed=0.084).splitlines()[-1]
    assert last.startswith("1 program: 0 proved, 1 rejected")
    assert last.endswith(" 0.08 s")
    assert len(last) == WIDTH


def test_colour_only_adds_escape_sequences() -> None:
    plain = render_text(REPORTS["rejected"])
    coloured = render_text(REPORTS["rejected"], color=True)
    assert coloured != plain
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == plain


def test_json_has_exactly_the_keys_of_schema_1() -> None:
    report = CheckReport((PROVED,), (UNBOUNDED,))
    found = to_json(report)
    assert list(found) == ["schema", "summary", "functions", "diagnostics"]
    assert found["schema"] == 1
    assert found["summary"] == {"proved": 1, "rejected": 0, "refuted": 0}
    (one,) = found["functions"]
    assert list(one) == (
        "file name line kind verdict inputs output requires assumptions rests_on by_row claims "
        "derivation"
    ).split(" ")
    private, public = one["inputs"][0], one["inputs"][1]
    assert list(private) == "name private space unit stability privacy value".split(" ")
    assert public == {"name": "eps", "private": False}
    assert one["claims"] == [{"epsilon": "eps", "delta": "delta", "verdict": "proved"}]
    assert list(one["derivation"][0]) == "step rule inputs conclusion line".split(" ")
    (diagnostic,) = found["diagnostics"]
    assert list(diagnostic) == (
        "code id severity file line column end_line end_column message need help counterexample"
    ).split(" ")
    assert diagnostic["id"] == "DP101"
    assert json.loads(render(report, "json")) == found


def test_json_components_of_a_tuple_result() -> None:
    entry = InputReport("x", True, "Real", "1", "3*d_in", None, None, ("d_in", "2*d_in"))
    report = FunctionReport(
        "a.py", "f", 1, "transformation", "proved", (entry,), components=("Real", "Real")
    )
    (found,) = to_json(CheckReport((report,)))["functions"]
    assert found["components"] == ["Real", "Real"]
    assert found["inputs"][0]["components"] == ["d_in", "2*d_in"]


@pytest.mark.parametrize(
    "number",
    [Fraction(1, 3), Fraction(-1, 3), Fraction(2**53 + 1), Fraction(1, 10**400), Fraction(1, 10)],
)
def test_numbers_round_up_by_less_than_one_step(number: Fraction) -> None:
    found = round_up(number)
    assert isinstance(found, float)
    assert Fraction(found) >= number
    import math

    assert Fraction(math.nextafter(found, -math.inf)) < number


def test_numbers_that_json_has_not() -> None:
    assert round_up(Fraction(10) ** 400) == "oo"
    assert Fraction(round_up(-(Fraction(10) ** 400))) > -(10**400)
    assert round_up(float("inf")) == "oo"
    assert round_up(Fraction(6, 3)) == 2
    value = InputReport("x", True, value={"epsilon": float("inf")})
    report = CheckReport((FunctionReport("a.py", "f", 1, "measurement", "proved", (value,)),))
    assert json.loads(render(report, "json"))["functions"][0]["inputs"][0]["value"] == {
        "epsilon": "oo"
    }


def test_json_survives_any_text() -> None:
    odd = Diagnostic("unknown-name", span(1, 1, 1, "\udcff.py"), 'π "quoted" \x1b[31m\n')
    text = render(CheckReport(diagnostics=(odd,)), "json")
    assert text.isascii()
    assert json.loads(text)["diagnostics"][0]["message"] == odd.message


def test_sarif_contract() -> None:
    log = json.loads(render(REPORTS["rejected"], "sarif"))
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    assert run["columnKind"] == "unicodeCodePoints"
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"] == "DP101"
        assert result["level"] == "error"
        region = result["locations"][0]["physicalLocation"]["region"]
        assert region == {"startLine": 8, "startColumn": 13, "endLine": 8, "endColumn": 27}
    spaced = Diagnostic("unknown-name", span(1, 1, 1, "/a b/ü.py"), "m")
    (result,) = json.loads(render(CheckReport(diagnostics=(spaced,)), "sarif"))["runs"][0][
        "results"
    ]
    uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri == "file:///a%20b/%C3%BC.py"


def test_github_escapes_what_would_end_a_command() -> None:
    found = Diagnostic("unknown-name", span(1, 2, 3, "a,b:c.py"), "100%\n::error::x", help="y")
    text = render(CheckReport(diagnostics=(found,)), "github")
    assert text.count("\n") == 1
    assert "file=a%2Cb%3Ac.py,line=1,col=2" in text
    assert text.endswith("::100%25%0A::error::x%0Ahelp: y\n")


def test_a_rejection_without_a_finding_is_still_named() -> None:
    text = render(CheckReport((function("f", 3, "rejected"),)))
    assert "rejected f   pay.py:3" in text


def test_notes_in_other_files_are_named() -> None:
    note = Note(span(2, 1, 3, "helpers.py"), "doubles its argument\td = 2")
    found = Diagnostic("unbounded-sum", span(8, 13, 14), "m", notes=(note,))
    text = render(CheckReport(diagnostics=(found,), sources={"pay.py": REJECTED_SOURCE}))
    assert "= at helpers.py:2:1: doubles its argument" in text


def test_unknown_format() -> None:
    with pytest.raises(KeyError):
        render(CheckReport(), "yaml")
