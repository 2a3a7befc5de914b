"""`metricdp audit FILE[::NAME]`: attacks what a file claims.

Decorated transformations are read as check reads them, and not imported.  `Transformation` objects
made by hand, and whatever claims privacy (checked measurements, objects, plain functions with a
claim), exist only once the file runs, so it is imported for those.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from importlib.util import module_from_spec, spec_from_file_location
from inspect import signature
from pathlib import Path
from time import monotonic
from types import FunctionType, ModuleType
from typing import Any, get_args, get_origin, get_type_hints

import msgspec

from metricdp.audit.boxes import audit_box, box_of
from metricdp.audit.measurements.audited import audited
from metricdp.audit.measurements.verdicts import Verdict
from metricdp.audit.results import AuditReport, Refuted, Survived
from metricdp.audit.search import search
from metricdp.audit.subject import Subject, of_transformation
from metricdp.errors import SourceError
from metricdp.maps import Measurement, Transformation


class Claimed(msgspec.Struct, frozen=True):
    """What the command line says of a measurement.

    Attributes:
        epsilon, delta: the claim of a plain function, as typed.
        public: public parameters by name.
        samples: outputs per input; None for as many as the time allows.
        confidence: of a refutation, as typed; None for the default.
        guarded: whatever calls the function guards its inputs.
    """

    epsilon: Any = None
    delta: Any = 0
    public: Mapping[str, Any] = {}
    samples: int | None = None
    confidence: Any = None
    guarded: bool = False


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


def measurements(names: Mapping[str, Any], wanted: str) -> Iterator[tuple[str, Any]]:
    """The measurements of a module's names: checked ones and objects; the wanted name, if given,
    may also be a plain function."""
    for name, value in names.items():
        if wanted not in ("", name) or name.startswith("__"):
            continue
        plain = bool(wanted) and callable(value) and not isinstance(value, type)
        checked = getattr(value, "kind", "") == "measurement" and hasattr(type(value), "guarantee")
        if checked or plain or isinstance(getattr(value, "core", value), Measurement):
            yield name, value


def audit_private(
    target: Any, name: str, path: str, claimed: Claimed, seed: int, seconds: float
) -> tuple[Verdict, ...]:
    """The verdicts on one measurement.

    Raises:
        SourceError: a plain function without a claim, or without inputs to try.
        NotProvedError: a checked function that is not proved.
    """
    options: dict[str, Any] = {"seed": seed, "seconds": seconds, "guarded": claimed.guarded}
    if claimed.samples is not None:
        options["samples"] = claimed.samples
    if claimed.confidence is not None:
        options["confidence"] = claimed.confidence
    if claimed.public:
        options["public"] = claimed.public
    if not isinstance(getattr(target, "core", target), Measurement) and not hasattr(
        type(target), "guarantee"
    ):
        options |= {"epsilon": claimed.epsilon, "delta": claimed.delta}
        options |= _inputs(target, name, path)
        if claimed.epsilon is None:
            raise SourceError(
                f"`{name}` is a plain function, and claims nothing",
                place=path,
                remedy=f"metricdp audit {path}::{name} --epsilon 1",
            )
    elif claimed.epsilon is not None:
        raise SourceError(
            f"`{name}` has a claim of its own", place=path, remedy="leave out --epsilon"
        )
    command = f"metricdp audit {path}::{name}{_typed(claimed)} --seed {seed}"
    return tuple(
        msgspec.structs.replace(verdict, name=name, command=command)
        for verdict in audited(target, **options)
    )


def _typed(claimed: Claimed) -> str:
    """The options again, as they may be typed."""
    said = "" if claimed.epsilon is None else f" --epsilon {claimed.epsilon}"
    said += f" --delta {claimed.delta}" if claimed.delta else ""
    said += "".join(f" --set {name}={value}" for name, value in claimed.public.items())
    said += "" if claimed.samples is None else f" --samples {claimed.samples}"
    said += " --guarded" if claimed.guarded else ""
    return said + ("" if claimed.confidence is None else f" --confidence {claimed.confidence}")


def _inputs(function: Any, name: str, path: str) -> dict[str, Any]:
    """The inputs to try for a plain function."""
    from metricdp.spaces import Space, space_of

    if getattr(function, "pairs", None):
        return {"pairs": function.pairs}
    hint: Any = None
    try:
        first = next(iter(signature(function).parameters))
        hint = get_type_hints(function, include_extras=True).get(first)
        space = hint if isinstance(hint, Space) else space_of(hint)
    except Exception:
        space = None
    if space is None or type(space).__name__ == "Public":
        inner = get_args(hint)[0] if get_origin(hint) is list and get_args(hint) else float
        written = f"dp.Records[{getattr(inner, '__name__', 'float')}]"
        raise SourceError(
            f"the inputs of `{name}` are not known",
            place=path,
            remedy=f"annotate its first argument ({written}: one row is added or removed), or set "
            f"{name}.pairs = [(x, neighbour_of_x)]",
        )
    return {"space": hint}


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
