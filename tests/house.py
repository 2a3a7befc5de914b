"""The house in figures: files, lines, circles, homonyms, and files on the way of one job.

    python tests/house.py               (`make house`)
    python tests/house.py check/domain  the one idea of every file of a folder

Everything is measured from the sources, and from small jobs that run in fresh interpreters.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "metricdp"


@cache
def modules() -> dict[str, Path]:
    """Dotted name -> file of every module of the package."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(tree: ast.AST, name: str, package: str, known: set[str]) -> Iterator[tuple[str, bool]]:
    """Modules of the package that `tree` imports, and whether when it is loaded itself."""
    for node, at_load in _executed(tree, True):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "metricdp":
                    yield alias.name, at_load
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, *([node.module] if node.module else [])])
            if base.split(".")[0] == "metricdp":
                for alias in node.names:
                    full = f"{base}.{alias.name}"
                    yield (full if full in known else base), at_load


def _executed(node: ast.AST, at_load: bool) -> Iterator[tuple[ast.AST, bool]]:
    """Statements, and whether they run when the module is loaded; no expression holds one."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            continue
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test):
            for other in child.orelse:
                yield other, at_load
                yield from _executed(other, at_load)
            continue
        inner = at_load and not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
        yield child, inner
        yield from _executed(child, inner)


@cache
def edges() -> list[tuple[str, str, bool]]:
    """(importer, imported, at load) for every import inside the package."""
    known = modules()
    names, found = set(known), []
    for name, path in known.items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        for imported, at_load in imports(tree, name, package, names):
            found.append((name, imported, at_load))
    return found


def circles(edges: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Groups of modules that reach one another, the largest first (Tarjan 1972)."""
    graph: dict[str, set[str]] = defaultdict(set)
    for start, end in edges:
        graph[start].add(end)
        graph[end]
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    path: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        order[node] = low[node] = len(order)
        path.append(node)
        for other in sorted(graph[node]):
            if other not in order:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in path:
                low[node] = min(low[node], order[other])
        if low[node] == order[node]:
            group = path[path.index(node) :]
            del path[path.index(node) :]
            if len(group) > 1:
                found.append(sorted(group))

    sys.setrecursionlimit(10_000)
    for node in sorted(graph):
        if node not in order:
            visit(node)
    return sorted(found, key=len, reverse=True)


def import_circles() -> list[list[str]]:
    """Circles of imports, those inside of functions counted; a package may name its modules."""
    known = modules()
    return circles(
        (importer, imported)
        for importer, imported, _ in edges()
        if known[importer].name != "__init__.py" and imported in known
    )


def homonyms() -> Mapping[str, list[str]]:
    """Public class names that several files define, with the files."""
    found: dict[str, list[str]] = defaultdict(list)
    for name, path in modules().items():
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(name)
    return {name: files for name, files in sorted(found.items()) if len(files) > 1}


PROGRAM = """import metricdp as dp

@dp.measurement
def mean(x: dp.Records[float], eps: float):
    return dp.laplace(dp.sum(dp.clamp(x, 0, 20)), epsilon=eps)
"""
#: What stands between an event and its interval.
COUNTED = tuple(f"/metricdp/{name}/" for name in ("accounting", "families", "measures"))
ACCOUNT = "--gaussian 1 --poisson 0.01 --rounds 1000 --delta 1e-5".split()

_COUNTED = """
import sys
seen = set()
def note(frame, event, arg):
    code = frame.f_code
    # Bodies of modules and classes run when a file is loaded: they are not on the way.
    if event == "call" and code.co_flags & 1 and {package!r} in code.co_filename:
        seen.add(code.co_filename)
{before}
sys.setprofile(note)
{job}
sys.setprofile(None)
print(len(seen), sum(any(p in name for p in {counted!r}) for name in seen), file=sys.stderr)
"""


def on_the_way(before: str, job: str) -> tuple[int, int]:
    """Files of the package whose functions one job calls, and of those for its numbers."""
    code = _COUNTED.format(package=str(PACKAGE), before=before, job=job, counted=COUNTED)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    every, measures = done.stderr.split()[-2:]
    return int(every), int(measures)


def ways() -> dict[str, tuple[int, int]]:
    """Files on the way of a check, a run and an account."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "house_program.py"
        program.write_text(PROGRAM, encoding="utf-8")
        check = "from metricdp.check import check_paths\n"
        check += "from metricdp.diagnostics.result import CheckOptions"
        run = f"sys.path.insert(0, {folder!r})\nimport house_program"
        account = "from metricdp.apps.cli import main"
        return {
            "check": on_the_way(check, f"check_paths([{str(program)!r}], CheckOptions())"),
            "run": on_the_way(run, "house_program.mean([1.0, 2.0], eps=1.0)"),
            "account": on_the_way(
                account, f"try:\n    main(['account', *{ACCOUNT!r}])\nexcept SystemExit: pass"
            ),
        }


def ideas(folder: str) -> Iterator[str]:
    """The first sentence of every file of a folder of the package."""
    for path in sorted((PACKAGE / folder).glob("*.py")):
        said = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        yield f"{path.stem:20} {' '.join(said.partition(chr(10) * 2)[0].split())}"


def main() -> None:
    if sys.argv[1:]:
        print("\n".join(line for folder in sys.argv[1:] for line in ideas(folder)))
        return
    texts = {name: path.read_text(encoding="utf-8") for name, path in modules().items()}
    tests = [path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("*.py")]
    groups, same = import_circles(), homonyms()
    named = [text for text in texts.values() if "laplace" in text.lower()]
    lines = {name: len(text.splitlines()) for name, text in texts.items()}
    print(f"files               {len(texts)}")
    print(f"lines               {sum(lines.values())}")
    print(f"longest file        {max(lines.values())}")
    print(f"tests               {len(tests)} files, {sum(t.count(chr(10)) for t in tests)} lines")
    print(f"import circles      {len(groups)}, {sum(map(len, groups))} files in them")
    for group in groups:
        print(f"    {', '.join(name.removeprefix('metricdp.') for name in group)}")
    print(f"homonymous classes  {len(same)}")
    for name, homes in same.items():
        print(f"    {name}: {', '.join(home.removeprefix('metricdp.') for home in homes)}")
    print(f"files naming Laplace  {len(named)}")
    for job, (every, measures) in ways().items():
        print(f"files on the way of {job:8} {every}, {measures} of them for its numbers")


if __name__ == "__main__":
    main()
