"""A developer's minute: lint, types, and the tests that the changed files concern.

    python tests/quick.py      (`make quick`)

Changed is what differs from the commit that this branch and `main` share, and what git does not
know yet.  A test file is concerned when it changed, when it names a changed file, or when it
imports one: at one step, at two, and so on.  The nearest come first, the shortest of them first,
until the seconds of `tests/durations.txt` fill a minute; what was left out is printed.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from itertools import groupby
from pathlib import Path
from textwrap import fill
from typing import NamedTuple

from durations import TABLE, recorded, spent

ROOT = Path(__file__).resolve().parent.parent
#: Seconds of recorded tests that two processes run beside lint and types, in under a minute.
BUDGET = 50.0
README = "tests/test_readme.py"
PAGES = "tests/test_programs.py"
LAWS = "tests/laws/"
#: What concerns every test; only `make test` answers for it.
EVERYTHING = ("pyproject.toml", "tests/conftest.py", "tests/forks.py")


class Part(NamedTuple):
    """A file of tests, or those of its tests whose ids hold one of the words."""

    file: str
    words: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.file} -k {' or '.join(self.words)}" if self.words else self.file


class Concerned(NamedTuple):
    """Part, steps of imports between them and a changed file, and the reason in words."""

    part: Part
    steps: int
    why: str
    seconds: float


class Choice(NamedTuple):
    """What runs, what is concerned but does not fit, and how many files nothing leads to."""

    chosen: tuple[Concerned, ...]
    left_out: tuple[Concerned, ...]
    untouched: int


def choose(
    changed: Collection[str],
    texts: Mapping[str, str],
    known: Mapping[str, float],
    budget: float = BUDGET,
) -> Choice:
    """The tests of a minute.

    Args:
        changed: paths, relative to the root, with `/`.
        texts: path -> text of every file of the package, of the tests, and of README.md.
        known: seconds that were recorded, see `durations`.
        budget: seconds of recorded tests.
    """
    found: dict[Part, Concerned] = {}
    for tests, steps, why in [*_core(texts), *_concerned(changed, texts)]:
        whole = found.get(Part(tests.file))
        if tests not in found and (whole is None or whole.steps > steps):
            found[tests] = Concerned(tests, steps, why, spent(*tests, known))
    chosen: list[Concerned] = []
    left_out = []
    for each in sorted(found.values(), key=_nearest):
        core = each.steps == 0 and each.why == CORE
        fits = each.seconds <= budget - sum(other.seconds for other in chosen)
        (chosen if core or fits else left_out).append(each)
    files = {each.part.file for each in found.values()}
    untouched = sum(is_test(path) and path not in files for path in texts)
    return Choice(tuple(chosen), tuple(left_out), untouched)


CORE = "always"


def _nearest(each: Concerned) -> tuple[int, bool, str, float]:
    return each.steps, each.why != CORE, each.why, each.seconds


def _core(texts: Mapping[str, str]) -> Iterator[tuple[Part, int, str]]:
    first = re.search(r"^```console\n", texts.get("README.md", ""), re.MULTILINE)
    line = texts["README.md"].count("\n", 0, first.end()) + 1 if first else 0
    yield Part("tests/test_import_graph.py"), 0, CORE
    yield Part("tests/test_museum.py"), 0, CORE
    yield Part(README, (f"line-{line}",)), 0, CORE
    yield Part(PAGES, ("museum",)), 0, CORE


def _concerned(
    changed: Collection[str], texts: Mapping[str, str]
) -> Iterator[tuple[Part, int, str]]:
    """(tests, steps, why), the nearest first."""
    for path in changed:
        if is_test(path):
            yield Part(path), 0, "changed"
        if path.startswith("metricdp/") and ">>>" in texts.get(path, ""):
            yield Part(path), 0, "its examples"
        if path.startswith("tests/programs/") and path.endswith(".md"):
            yield Part(PAGES, (_page(path),)), 0, "changed"
        if path.startswith(("metricdp/primitives/", "metricdp/families/")):
            yield from _of_records(path, texts)
        for other in texts:
            if is_test(other) and any(name in texts[other] for name in _names(path)):
                yield Part(other), 1, f"names {path}"
    yield from sorted(_importers(changed, texts), key=lambda found: found[1])


def _of_records(path: str, texts: Mapping[str, str]) -> Iterator[tuple[Part, int, str]]:
    """The laws of a changed primitive, and the pages on which a program calls it."""
    found = re.findall(r'\bRecord\(\s*"(\w+)"', texts.get(path, ""))
    words = tuple(dict.fromkeys(found)) or (Path(path).stem,)
    for law in sorted(texts):
        if law.startswith(LAWS) and is_test(law):
            yield Part(law, words), 0, f"laws of {', '.join(words)}"
    for page in sorted(texts):
        called = [word for word in words if f"dp.{word}(" in texts[page]]
        pages = page.startswith("tests/programs/") and "/museum/" not in page
        if pages and called:
            yield Part(PAGES, (_page(page),)), 1, f"calls dp.{called[0]}"


def _page(path: str) -> str:
    return path.removeprefix("tests/programs/").removesuffix(".md")


def _names(path: str) -> list[str]:
    """How a text names a file: a module by its dotted name, any other by its last part."""
    if path.startswith("metricdp/"):
        module = ".".join(Path(path).with_suffix("").parts)
        return [f'"{module}"', f"{module}."]
    return [f'"{Path(path).name}"']


def _importers(
    changed: Collection[str], texts: Mapping[str, str]
) -> Iterator[tuple[Part, int, str]]:
    """Test files that import what changed, each with its least number of steps."""
    known = {module_name(path): path for path in texts if path.endswith(".py")}
    above: dict[str, set[str]] = {}
    for name, path in known.items():
        # The front names everything, and every test imports it.
        if name != "metricdp":
            for imported in _imported(texts[path], known, texts):
                above.setdefault(imported, set()).add(name)
    for path in changed:
        start = module_name(path)
        seen, level, steps = {start}, {start}, 0
        while level:
            steps += 1
            level = {name for below in level for name in above.get(below, ())} - seen
            seen |= level
            for name in sorted(level):
                if is_test(known[name]):
                    why = "imports" if steps == 1 else f"{steps} imports from"
                    yield Part(known[name]), steps, f"{why} {path}"


def _imported(text: str, known: Mapping[str, str], texts: Mapping[str, str]) -> Iterator[str]:
    for module, names in _statements(text):
        if module in known and not names:
            yield module
        elif module in known:
            home = known[module]
            exports = _exports(texts[home]) if home.endswith("__init__.py") else {}
            for name in names:
                full = f"{module}.{name}"
                yield full if full in known else exports.get(name, module)


@cache
def _exports(text: str) -> dict[str, str]:
    """Name -> module from which a package's `__init__` takes it."""
    return {name: module for module, names in _statements(text) for name in names}


@cache
def _statements(text: str) -> list[tuple[str, list[str]]]:
    """(module, names) of every import statement, those inside of functions and examples too."""
    found = []
    for module, names, plain in _IMPORT.findall(text):
        if plain:
            found += [(name.split()[0], []) for name in plain.split(",") if name.strip()]
        else:
            names = re.sub(r"#.*|[()]", "", names)
            found.append((module, [name.split()[0] for name in names.split(",") if name.strip()]))
    return found


_IMPORT = re.compile(
    r"^[ \t>]*(?:from ([\w.]+) import (\([^)]*\)|[^\n(]+)|import (\w[\w., ]*))$", re.MULTILINE
)


def module_name(path: str) -> str:
    """Dotted name of a file as programs import it; tests are imported from their folder."""
    parts = Path(path.removeprefix("tests/")).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def is_test(path: str) -> bool:
    own = path.startswith("tests/") and not path.startswith("tests/spark/")  # needs a cluster
    return own and bool(re.fullmatch(r"test_\w+\.py", Path(path).name))


def told(changed: Collection[str], choice: Choice, budget: float = BUDGET) -> str:
    """What was chosen and what was not, in words."""
    lines = [f"changed files: {len(changed)}; recorded seconds of the tests chosen:"]
    lines += _by_reason(choice.chosen)
    near = [each for each in choice.left_out if each.steps <= 1]
    if near:
        lines += [f"left out, since a minute holds {budget:.0f} s:", *_by_reason(near)]
    far = choice.left_out[len(near) :]
    if far:
        lines.append(f"left out, since several imports away: {len(far)}, {_sum(far):.0f} s")
    lines.append(f"left out, since no import leads there: {choice.untouched} files")
    for path in changed:
        if path in EVERYTHING:
            lines.append(f"{path} concerns every test, and this runs few of them")
    return "\n".join([*lines, "`make test` runs everything."])


def _by_reason(several: Iterable[Concerned]) -> Iterator[str]:
    for why, group in groupby(several, key=lambda each: each.why):
        each = [(part, seconds) for part, _, _, seconds in group]
        names = ", ".join(f"{str(part).removeprefix('tests/')} {s:.1f}" for part, s in each)
        head = f"  {why} ({sum(seconds for _, seconds in each):.0f} s): "
        yield fill(head + names, 100, subsequent_indent="    ", break_on_hyphens=False)


def _sum(several: Iterable[Concerned]) -> float:
    return sum(each.seconds for each in several)


def changed_files(root: Path = ROOT) -> list[str]:
    """Paths that differ from what this branch and main share, and paths that git does not know."""

    def git(*words: str) -> list[str]:
        done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True)
        return done.stdout.splitlines()

    shared = git("merge-base", "HEAD", "main") or git("merge-base", "HEAD", "origin/main")
    paths = git("diff", "--name-only", *(shared or ["HEAD"]))
    return sorted({*paths, *git("ls-files", "--others", "--exclude-standard")})


def texts() -> dict[str, str]:
    """Path -> text of what the choice reads."""
    paths = [
        *ROOT.glob("metricdp/**/*.py"),
        *ROOT.glob("tests/**/*.py"),
        *ROOT.glob("tests/programs/**/*.md"),
        ROOT / "README.md",
    ]
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in paths}


def arguments(chosen: Iterable[Concerned]) -> list[str]:
    """Paths and one `-k` expression for pytest."""
    several = [each.part for each in chosen]
    parts = []
    for tests in several:
        name = module_name(tests.file) if not is_test(tests.file) else Path(tests.file).name
        parts.append(f"({name} and ({' or '.join(tests.words)}))" if tests.words else name)
    return [*dict.fromkeys(tests.file for tests in several), "-k", " or ".join(parts)]


def main() -> int:
    started = time.monotonic()
    python = [sys.executable, "-m"]
    lint = [
        subprocess.Popen(
            [*python, *words], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        for words in (["ruff", "check", "."], ["ruff", "format", "--check", "."], ["mypy"])
    ]
    changed = changed_files()
    choice = choose(changed, texts(), recorded(TABLE.read_text(encoding="utf-8")))
    print(told(changed, choice), flush=True)
    run = [*python, "pytest", "-p", "tests.forks"]
    failed = subprocess.run([*run, *arguments(choice.chosen)], cwd=ROOT).returncode
    for process in lint:
        said, _ = process.communicate()
        failed = failed or process.returncode
        print(said.strip())
    print(f"{'failed' if failed else 'passed'} in {time.monotonic() - started:.0f} s")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
