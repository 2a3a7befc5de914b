"""`metricdp audit FILE[::NAME]`: attacks what a file claims.

Decorated transformations are read as check reads them, and not imported.  `Transformation` objects
made by hand, and whatever claims privacy, exist only once the file runs, so it is imported for
those.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from difflib import get_close_matches
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from time import monotonic
from types import FunctionType, ModuleType

import msgspec

from metricdp.audit.boxes import audit_box, box_of
from metricdp.audit.measurements.verdicts import Verdict
from metricdp.audit.private import Claimed, audit_private, measurements
from metricdp.audit.results import AuditReport, Refuted, Survived
from metricdp.audit.search import search
from metricdp.audit.subject import Subject, of_transformation
from metricdp.errors import SourceError
from metricdp.maps import Transformation


def audit_target(
    target: str,
    seed: int = 0,
    pairs: int = 5000,
    seconds: float = 10.0,
    claimed: Claimed = Claimed(),  # noqa: B008 (frozen)
) -> AuditReport:
    """Attack one claim of a file, or all transformations (measurements, if there are none).

    Args:
        target: "FILE" or "FILE::NAME".  For `Transformation` objects, measurements and plain
            functions the file is imported: its code runs.
        seed, pairs, seconds: of the search; the time is shared by all subjects.
        claimed: of a plain function, and public parameters of a measurement.

    Raises:
        SourceError: the file cannot be read or imported, has nothing to attack, or NAME is
            rejected without a bound.
    """
    path, _, name = target.partition("::")
    if not Path(path).is_file():
        raise SourceError("no such file", place=path)
    if name and (box := box_of(path, name, _imported)) is not None:
        found = audit_box(box[0], seed=seed, space=box[1])
        return AuditReport((msgspec.structs.replace(found, name=name),))
    subjects = [*_decorated(path, name)]
    if not subjects or not name:
        subjects += _made_by_hand(path, name, claimed.guarded)
    if not subjects:
        return AuditReport(_private(path, name, claimed, seed, seconds))
    results: list[Refuted | Survived] = []
    stop = monotonic() + seconds
    for i, subject in enumerate(subjects):
        share = max(0.05, (stop - monotonic()) / (len(subjects) - i))
        results.append(search(subject, seed, pairs, share))
    return AuditReport(tuple(results))


def _private(
    path: str, wanted: str, claimed: Claimed, seed: int, seconds: float
) -> tuple[Verdict, ...]:
    """Verdicts on the measurements of a file."""
    text = Path(path).read_text(encoding="utf-8", errors="replace")
    module = _imported(path) if text.strip() else ModuleType("empty")
    found = list(measurements(vars(module), wanted))
    if not found:
        raise _nothing(path, module, wanted)
    results: list[Verdict] = []
    for name, value in found:
        results += audit_private(value, name, path, claimed, seed, seconds / len(found))
    return tuple(results)


def _nothing(path: str, module: ModuleType, wanted: str) -> SourceError:
    """The file has no such claim; its plain functions may be what was meant."""
    called = f" called {wanted}" if wanted else ""
    plain = [
        name for name, value in vars(module).items()
        if isinstance(value, FunctionType) and value.__module__ == module.__name__
    ]  # fmt: skip
    remedy = "decorate a function with @dp.transformation or @dp.measurement"
    for name in (get_close_matches(wanted, plain, 1) or plain)[:1]:
        remedy += f", or audit a plain function: metricdp audit {path}::{name} --epsilon 1"
    return SourceError(
        f"no transformation or measurement{called} in the file", place=path, remedy=remedy
    )


def _decorated(path: str, wanted: str) -> Iterator[Subject]:
    """Subjects of decorated functions; of all of them, those that can be attacked."""
    from metricdp.audit.decorated import outcomes_of, subjects_of

    for outcome in outcomes_of(path):
        name = outcome.declared.name
        if wanted not in ("", name) or outcome.declared.kind == "measurement":
            continue
        try:
            yield from subjects_of(outcome, f"metricdp audit {path}::{name}")
        except SourceError:
            if wanted:
                raise


def _made_by_hand(path: str, wanted: str, guarded: bool) -> Iterator[Subject]:
    if "Transformation" not in Path(path).read_text(encoding="utf-8", errors="replace"):
        return
    typed = " --guarded" if guarded else ""
    for name, value in vars(_imported(path)).items():
        if wanted in ("", name) and isinstance(value, Transformation):
            yield of_transformation(value, f"metricdp audit {path}::{name}{typed}", guarded=guarded)


def _imported(path: str) -> ModuleType:
    """The module of a file, under a name of its own."""
    file = Path(path)
    name = f"_metricdp_audit_{file.stem}"
    spec = spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise SourceError("the file is no Python module", place=path)
    module = module_from_spec(spec)
    sys.modules[name] = module
    # Its own folder first, so that it finds the modules beside it as a script does.
    sys.path.insert(0, str(file.resolve().parent))
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise SourceError(
            f"importing the file raises {type(error).__name__}: {error}", place=path
        ) from error
    finally:
        sys.path.pop(0)
        del sys.modules[name]
    return module
