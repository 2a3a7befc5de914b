"""Attacks on the checker itself: hostile sources, and defects that cost nothing but themselves.

Whatever a file holds, `metricdp check` ends with a finding at its place; an exception of ours in
one function or file is a finding there, exit code 2, and the other results are printed.
"""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from checked_modules import load
from hostile_sources import mutated, texts
from spies import plant

from metricdp.apps.cli import main
from metricdp.check import check_source
from metricdp.check.language.interpreter import Interpreter
from metricdp.check.verdicts import guarantee as guarantees
from metricdp.errors import InternalError, MetricdpError, ParameterError
from metricdp.report import FORMATS, render

HEAD = (
    "import math\nimport numpy as np\nimport metricdp as dp\nfrom metricdp import Real, Records\n"
)
GOOD = HEAD + "\n\n@dp.measurement\ndef good(x: Real):\n    return dp.laplace(x, scale=1)\n"


def one(body: str, signature: str = "x: Real, k: float") -> Any:
    """The report of one measurement with this body."""
    return check_source(f"{HEAD}\n\n@dp.measurement\ndef f({signature}):\n{body}\n")


# -- nothing to check ---------------------------------------------------------------------------


@pytest.mark.parametrize("output_format", FORMATS)
def test_a_file_without_a_checked_function_is_said(
    output_format: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "plain.py").write_text("def f(x):\n    return x\n")
    arguments = ["check", str(tmp_path / "plain.py"), "--output-format", output_format]
    assert main(arguments) == 0
    assert "has no checked function" in capsys.readouterr().out
    assert main([*arguments, "--strict"]) == 1
    assert "has no checked function" in capsys.readouterr().out


def test_an_empty_folder_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(tmp_path), "--output-format", "json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["diagnostics"]
    assert (found["code"], found["severity"]) == ("nothing-checked", "info")
    assert found["file"] == str(tmp_path)
    assert main(["check", str(tmp_path), "--strict"]) == 1


def test_helpers_beside_a_program_are_no_finding(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "good.py").write_text(GOOD)
    (tmp_path / "helpers.py").write_text("def g(x):\n    return x\n")
    (tmp_path / "inner").mkdir()
    assert main(["check", str(tmp_path), "--strict"]) == 0
    assert main(["check", str(tmp_path), str(tmp_path / "inner"), "--strict"]) == 1
    assert "inner" in capsys.readouterr().out


def test_a_file_that_does_not_parse_says_that_only(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "broken.py").write_text("def f(:\n")
    assert main(["check", str(tmp_path), "--strict", "--output-format", "json"]) == 1
    codes = [d["code"] for d in json.loads(capsys.readouterr().out)["diagnostics"]]
    assert codes == ["syntax-error"]


# -- a defect costs one result ------------------------------------------------------------------


@pytest.mark.parametrize("where", ["statement", "report", "second reading", "declarations"])
def test_a_defect_costs_one_result(
    where: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Any
) -> None:
    (tmp_path / "a.py").write_text(GOOD)
    (tmp_path / "b.py").write_text(GOOD.replace("good", "bad") + "\n\n" + GOOD.split("\n\n\n")[1])
    (tmp_path / "c.py").write_text(GOOD)

    def failing(what: Any, asked: Any) -> Any:
        def instead(self: Any, *given: Any, **named: Any) -> Any:
            if asked(self, *given):
                raise ArithmeticError("planted")
            return what(self, *given, **named)

        return instead

    if where == "statement":
        block = Interpreter.block
        asked = lambda self, body, frame: getattr(self.active[-1], "name", "") == "bad"  # noqa: E731
        monkeypatch.setattr(Interpreter, "block", failing(block, asked))
    elif where == "report":
        report = guarantees.FunctionGuarantee.report
        broken = failing(report, lambda self, *given: self.name == "bad")
        monkeypatch.setattr(guarantees.FunctionGuarantee, "report", broken)
    elif where == "second reading":
        (tmp_path / "b.py").write_text(
            (tmp_path / "b.py").read_text().replace("scale=1", "scale=0", 1)
        )
        import metricdp.check.verdicts.all_errors as verifying

        monkeypatch.setattr(verifying, "all_errors", failing(None, lambda *given: True))
    else:
        import metricdp.check.verdicts.api as api

        broken = failing(api.declarations, lambda module: module.path.endswith("b.py"))
        monkeypatch.setattr(api, "declarations", broken)
    code = main(["check", str(tmp_path), "--output-format", "json"])
    found = json.loads(capsys.readouterr().out)
    proved = [f["name"] for f in found["functions"] if f["verdict"] == "proved"]
    assert proved == ["good"] * (2 if where == "declarations" else 3)
    (wrong,) = [d for d in found["diagnostics"] if d["severity"] == "error"]
    assert wrong["file"].endswith("b.py")
    if where == "second reading":
        assert (code, wrong["code"]) == (1, "bad-noise")
    else:
        assert (code, wrong["code"]) == (2, "internal-error") and "planted" in wrong["message"]


# -- hostile sources ----------------------------------------------------------------------------


def test_hostile_sources_end_with_findings() -> None:
    pages = texts()
    for seed in range(250):
        rng = Random(f"hostile {seed}")
        report = check_source(mutated(rng.choice(pages), rng))
        assert [d.message for d in report.diagnostics if d.code == "internal-error"] == [], seed
        for output_format in FORMATS:
            assert render(report, output_format) is not None


# -- defaults -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "default",
    ["g()", "K", "[g()]", "{[]: 1}", "-g", "1 + 1", "lambda: 0", "f'{1}'", "1 if K else 2", "dp.L1",
     "(yield)", "[*K]"],
)  # fmt: skip
def test_a_default_that_cannot_be_read_is_rejected(default: str) -> None:
    source = f"{HEAD}\nK = 3\n\n\ndef g():\n    return 1\n\n\n@dp.measurement\n"
    source += f"def f(x: Real, k: float = {default}):\n    return dp.laplace(k * x, scale=1)\n"
    (found,) = [d for d in check_source(source).diagnostics if d.severity == "error"]
    assert (found.code, found.span.line) in (("unsupported-syntax", 14), ("syntax-error", 14))


@pytest.mark.parametrize("default", ["g()", "[i for i in (1,)]", "dp.laplace(1, scale=1)", "NO"])
@pytest.mark.parametrize("call", ["h(x)", "h(x, 1)", "h(x, k=1)"])
def test_a_default_of_a_helper_does_nothing(default: str, call: str) -> None:
    source = f"{HEAD}\n\ndef g():\n    return 1\n\n\ndef h(x, k={default}):\n    return x\n\n\n"
    source += f"@dp.measurement\ndef f(x: Real):\n    return dp.laplace({call}, scale=1)\n"
    assert [f.verdict for f in check_source(source).functions] == ["rejected"]


def test_literal_defaults_run(tmp_path: Path) -> None:
    text = """
        HALF = 0.5

        def h(x, k=HALF, norm=dp.L1, *, more=(1, 2)):
            return k * x + more[1]

        @dp.measurement
        def f(x: Real, k: float = -1e-3, name: str = "a", ws: tuple[float, ...] = (1.0, 2.0)):
            return dp.laplace(h(k * x), scale=1), name, len(ws)
        """
    module: Any = load(tmp_path, text)
    assert module.f(1.0).value[1:] == ("a", 2)
    assert module.f.at(k=2.0).map(1) is not None


# -- numbers that no memory holds ---------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    ["1 << 10**12", "'a' * 10**12", "10**12 * [0]", "7 ** 10**12", "math.sqrt(-1 - k)",
     "math.log(0 * k)", "1 // (0 * k)", "math.exp(10**6 + k)", "int('9' * 5000)"],
)  # fmt: skip
@pytest.mark.parametrize("spent", [True, False])
def test_public_values_that_do_not_exist_are_typed(value: str, spent: bool, tmp_path: Path) -> None:
    order = ["y = dp.laplace(x, scale=1)", f"z = {value}"]
    body = "\n".join(f"    {line}" for line in (order if spent else order[::-1]))
    text = f"import math\n\n@dp.measurement\ndef f(x: Real, k: float):\n{body}\n    return y, z\n"
    module: Any = load(tmp_path, text)
    with pytest.raises(MetricdpError) as caught:
        module.f(1.0, k=1.0)
    assert not isinstance(caught.value, InternalError)
    assert len(getattr(caught.value, "releases", ())) == spent


def test_numbers_of_any_size_end_with_a_verdict() -> None:
    long = "0x" + "f" * 5000
    bodies = [
        f"    return dp.laplace(x, scale={long})",
        f"    return dp.laplace({long} * x, scale=1)",
        "    for i in range(10**9):\n        x = 2 * x\n    return dp.laplace(x, scale=1)",
        "    a = 10**1000\n" + "    a = a * a\n" * 30 + "    return dp.laplace(x, scale=a)",
        "    return dp.laplace(x, scale=10**10**10)",
    ]
    for body in bodies:
        report = one(body)
        assert [f.verdict for f in report.functions] == ["rejected"]
        assert all(d.code != "internal-error" for d in report.diagnostics), body[:80]
        for output_format in FORMATS:
            render(report, output_format)
    for text in ("'\\ud800'", "'(' * 9", f"'{'(' * 400}'", long, "Annotated[float, 10**400]"):
        report = one("    return dp.laplace(x, scale=1)", f"x: Real, k: {text}")
        assert [d.code for d in report.diagnostics] == ["not-a-space"], text[:40]


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b"\xef\xbb\xbf" + GOOD.encode(), None),
        (GOOD.replace("    return", "\treturn").encode(), None),
        (b"# -*- coding: latin-1 -*-\n# \xe9\n" + GOOD.encode(), None),
        (GOOD.encode("utf-16"), "syntax-error unreadable-file"),
        (b"# -*- coding: nothing -*-\n" + GOOD.encode(), "unreadable-file"),
        (GOOD.encode() + b"\x00", "syntax-error"),
        (b"# \xff\n" + GOOD.encode(), "unreadable-file"),
        (GOOD.encode().replace(b"\n", b"\r\n"), None),
        (GOOD.encode() + b"y = " + b"(" * 5000 + b")" * 5000, "syntax-error"),
        (GOOD.encode() + b"# " + b"x" * 1_000_000, None),
        (b"", None),
    ],
)
def test_files_of_any_bytes(
    raw: bytes, code: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "program.py").write_bytes(raw)
    main(["check", str(tmp_path), "--output-format", "json"])
    found = json.loads(capsys.readouterr().out)
    codes = [d["code"] for d in found["diagnostics"] if d["severity"] == "error"]
    assert [c for c in codes if c not in (code or "").split()] == []
    assert bool(codes) == (code is not None)


def test_nothing_but_the_program_fails_after_a_draw(tmp_path: Path, monkeypatch: Any) -> None:
    text = """
        @dp.measurement
        def f(x: Real, k: int):
            return dp.laplace(x, scale=1), k
        """
    module: Any = load(tmp_path, text)
    with pytest.raises(ParameterError):
        module.f(1.0, k=10**5000)
    assert module.f(1.0, k=10**400).value[1] == 10**400
    import metricdp.checked.execution as execution
    import metricdp.checked.prepared as prepared

    def broken(*given: Any) -> Any:
        raise ArithmeticError("planted")

    plant(monkeypatch)
    monkeypatch.setattr(execution, "_per_output", broken)
    with pytest.raises(MetricdpError) as caught:
        module.f(1.0, k=1)
    assert len(caught.value.releases) == 1
    monkeypatch.undo()
    drawn = []
    plant(monkeypatch)
    monkeypatch.setattr(prepared, "about", broken)
    monkeypatch.setattr(execution, "emit", lambda *given: drawn.append(given))
    with pytest.raises(InternalError):
        module.f(1.0, k=2)
    assert drawn == []
