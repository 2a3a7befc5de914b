"""Every way to ask for a mechanism, as functions from a record's instance to releases.

A path takes the instance as the record states it and writes what a user would write.  What a path
cannot express is in `INEXPRESSIBLE`, with the reason; the tests find that it is refused there.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from checked_modules import load

import metricdp as dp
import metricdp.opendp as opendp
from metricdp.audit.records import conclusion_of
from metricdp.families.added import Added
from metricdp.maps import make
from metricdp.record import Instance, Record
from metricdp.run.emit import LogEntry, Seeded, handling
from metricdp.run.emit import Recording as Recorder
from metricdp.spaces import Keyed, Records, Scalar, Vector

HEAD = (
    "import metricdp as dp\n"
    "from metricdp import L1, L2, Bool, ChangeOne, Data, Int, LInf, Real, Records, Vector\n"
)
#: Most rounds of a program; fewer where each round has a delta, whose sum must stay below 1.
ROUNDS = 500


class Released(NamedTuple):
    """What came out, in order, and the draws that were asked for."""

    values: list[Any]
    log: list[LogEntry]


class Asked(NamedTuple):
    """One instance, asked for on one path around one value."""

    record: Record
    instance: Instance
    value: Any

    @property
    def argument(self) -> str:
        """The name of the private argument."""
        (name,) = self.instance.private
        return name

    @property
    def space(self) -> Any:
        """The space of the private argument."""
        return self.instance.private[self.argument]


#: (path, mechanism) -> why it cannot be asked for there.
_CHOICE = "it chooses, or reads a table: a session takes it in a checked function"
_CLAIM = "its sensitivity is a claim about a bound, and a space alone has none"
_TARGET = "it is asked for by a target, which belongs to checked functions"
_UNNAMED = "OpenDP has no such constructor"
INEXPRESSIBLE: dict[tuple[str, str], str] = {
    **{
        ("tracked", name): _CHOICE
        for name in (
            "above_threshold", "canonical_noise", "exponential_mechanism", "gaussian_threshold",
            "interval_quantile", "laplace_threshold", "permute_and_flip", "private_quantile",
            "randomized_response_bits", "randomized_response_kept", "report_noisy_max",
            "stable_histogram", "top_k",
        )
    },
    **{("library", n): _CLAIM for n in ("gaussian_mechanism", "laplacian_mechanism")},
    **{("library", n): _TARGET for n in ("exponential_mechanism", "randomized_response")},
    **{
        ("OpenDP", name): _UNNAMED
        for name in (
            "above_threshold", "exponential_mechanism", "gaussian_mechanism", "interval_quantile",
            "laplacian_mechanism", "permute_and_flip", "randomized_response", "staircase",
        )
    },
    ("OpenDP", "report_noisy_max"): "the constructor of this name draws exponential weights",
}  # fmt: skip


def unexpressed(path: str, asked: Asked) -> str:
    """Why a path does not take these arguments of a mechanism that it takes otherwise; or ""."""
    (event,) = conclusion_of(asked.record, asked.instance).events
    if path in ("library", "OpenDP") and any("_bound" in e.symbols for e in event.noise.values()):
        return _TARGET
    whole = getattr(asked.space, "element", "") == "Int"
    family = asked.record.family
    if path == "OpenDP" and whole and isinstance(family, Added):
        return "" if family.whole else "it adds whole noise to whole numbers"
    if path == "checked" and asked.instance.public.get("monotone") is True:
        return "that scores only rise is proved, and entries of a vector rise and fall"
    return ""


def literal(value: Any) -> str:
    """A public number or value as a program spells it."""
    if isinstance(value, Fraction):
        shown = repr(float(value))
        return shown if Fraction(shown) == value else f"{value.numerator} / {value.denominator}"
    return repr(value)


def typed(value: Any) -> Any:
    """A public value as a caller types it."""
    if isinstance(value, Fraction):
        return value.numerator if value.denominator == 1 else float(value)
    return value


def data(space: Any, value: Any) -> Any:
    """A reference value as the caller's data."""
    if getattr(space, "element", "") == "Real":
        return [float(v) for v in value] if isinstance(value, list) else float(value)
    return value


def program(asked: Asked) -> str:
    """The source of a checked function with one mechanism in a loop."""
    name, space = asked.argument, asked.space
    given = [f"{k}={literal(v)}" for k, v in asked.instance.public.items()]
    annotation = str(space)
    if name == "score":
        given += [f"candidates={tuple(range(len(asked.value)))}", "score=lambda c: x[c]"]
    elif name == "queries":
        queries = ", ".join(f"lambda d: d[{i}]" for i in range(len(asked.value)))
        given += [f"queries=[{queries}]", "data=x"]
    elif isinstance(space, Keyed):
        given.append(f"{name}=dp.count_by(x)")
        annotation = "Records[str]"
    else:
        given.append(f"{name}=x")
    call = f"dp.{asked.record.name}({', '.join(given)})"
    return (
        f"@dp.measurement\ndef f(x: {annotation}, n: int):\n    return [{call} for i in range(n)]\n"
    )


def checked(asked: Asked, n: int, folder: Path) -> list[Any]:
    """A checked function that asks n times."""
    value = data(asked.space, asked.value)
    if isinstance(asked.space, Keyed):
        value = [key for key, count in asked.value.items() for _ in range(int(count))]
    f = load(folder, program(asked), HEAD).f
    once = "delta" in asked.instance.public or "eps" in asked.instance.public
    rounds = 1 if once else min(n, ROUNDS)
    found: list[Any] = []
    while len(found) < n:
        found += f(value, n=rounds).value
    return found


def tracked(asked: Asked, n: int, folder: Path) -> list[Any]:
    """A tracked value of a session, n times."""
    wide = dp.Budget(epsilon=10**30, delta="1e-1", step_delta="1e-30")
    table = {"x": (asked.space, data(asked.space, asked.value))}
    mechanism = getattr(dp, asked.record.name)
    public = {k: typed(v) for k, v in asked.instance.public.items()}
    found: list[Any] = []
    while len(found) < n:
        session = dp.Session(table, budget=wide)
        rounds = 5 if "delta" in public else n
        found += [
            mechanism(**{asked.argument: session["x"]}, **public).value for _ in range(rounds)
        ]
    return found


def library(asked: Asked, n: int, folder: Path) -> list[Any]:
    """A constructor of the library, n times."""
    measurement = make(asked.record.name, asked.space, **asked.instance.public)
    value = data(asked.space, asked.value)
    return [measurement(value) for _ in range(n)]


_METRICS = {
    "L1": opendp.l1_distance, "L2": opendp.l2_distance, "LInf": opendp.linf_distance,
}  # fmt: skip
_KINDS = {"Int": "i64", "Real": "f64", "int": "i64", "float": "f64", "str": "String"}


def _atom(kind: str) -> Any:
    if kind in ("Real", "float"):
        return opendp.atom_domain(T="f64", nan=False)
    return opendp.atom_domain(T=_KINDS[kind])


def placed(space: Any) -> tuple[Any, Any]:
    """The domain and metric of OpenDP for a space."""
    if isinstance(space, Scalar):
        return _atom(space.element), opendp.absolute_distance(T=_KINDS[space.element])
    if isinstance(space, Vector):
        domain = opendp.vector_domain(_atom(space.element))
        return domain, _METRICS[space.norm](T=_KINDS[space.element])
    if isinstance(space, Records):
        domain = opendp.vector_domain(_atom(space.row.kind))
        if space.metric == "Symmetric":
            return domain, opendp.symmetric_distance()
        return domain, opendp.change_one_distance()
    assert isinstance(space, Keyed)
    domain = opendp.map_domain(_atom(space.key.kind), _atom(space.value.element))
    return domain, opendp.l01inf_distance(opendp.absolute_distance(T="i64"))


def _measure(public: dict[str, Any]) -> Any:
    pure = public.pop("by", "permute_and_flip") == "permute_and_flip"
    return opendp.max_divergence() if pure else opendp.zero_concentrated_divergence()


def _choosing(asked: Asked, build: Any) -> Any:
    public = {k: typed(v) for k, v in asked.instance.public.items()}
    return build(*placed(asked.space), _measure(public), **public)


def _by_constructor(asked: Asked) -> Any:
    name = asked.record.spelling.opendp[0]
    public = {k: typed(v) for k, v in asked.instance.public.items()}
    return getattr(opendp.m, name)(*placed(asked.space), **public)


def _answering(asked: Asked) -> Any:
    public = asked.instance.public
    if "choices" not in public:
        return opendp.m.make_randomized_response_bool(float(public["prob"]))
    return opendp.m.make_randomized_response(list(public["choices"]), float(public["prob"]))


def _bits(asked: Asked) -> Any:
    domain = opendp.bitvector_domain(max_weight=len(asked.value))
    f = float(asked.instance.public["f"])
    return opendp.m.make_randomized_response_bitvec(domain, opendp.discrete_distance(), f=f)


def _canonical(asked: Asked) -> Any:
    p = {k: typed(v) for k, v in asked.instance.public.items()}
    out = (p["epsilon"], p.get("delta", 0.0))
    return opendp.m.make_canonical_noise(*placed(asked.space), d_in=p["sensitivity"], d_out=out)


def _stable(asked: Asked) -> Any:
    p = asked.instance.public
    counts = Keyed(Scalar("Data", kind="str"), Scalar("Int"), "L01Inf")
    return opendp.m.make_laplace_threshold(*placed(counts), scale=typed(p["scale"]),
                                           threshold=typed(p["threshold"]))  # fmt: skip


#: Constructors whose arguments are not those of the record.
CONSTRUCTORS: dict[str, Callable[[Asked], Any]] = {
    "canonical_noise": _canonical,
    "discrete_gaussian": lambda a: opendp.m.make_gaussian(
        *placed(a.space), scale=typed(a.instance.public["scale"])
    ),
    "private_quantile": lambda a: _choosing(a, opendp.m.make_private_quantile),
    "randomized_response_bits": _bits,
    "randomized_response_kept": _answering,
    "stable_histogram": _stable,
    "top_k": lambda a: _choosing(a, opendp.m.make_noisy_top_k),
}


def named_by_opendp(asked: Asked, n: int, folder: Path) -> list[Any]:
    """A constructor under its name in OpenDP, n times."""
    measurement = CONSTRUCTORS.get(asked.record.name, _by_constructor)(asked)
    value = data(asked.space, asked.value)
    if asked.record.name == "stable_histogram":
        value = {key: value.count(key) for key in value}
    if asked.record.name != "randomized_response_bits":
        return [measurement(value) for _ in range(n)]
    packed = sum(1 << i for i, bit in enumerate(value) if bit).to_bytes(1, "little")
    found = [measurement(packed) for _ in range(n)]
    return [[bool(x[0] >> i & 1) for i in range(len(value))] for x in found]


PATHS: dict[str, Callable[[Asked, int, Path], list[Any]]] = {
    "checked": checked,
    "tracked": tracked,
    "library": library,
    "OpenDP": named_by_opendp,
}


def released(path: str, asked: Asked, n: int, seed: str, folder: Path) -> Released:
    """n releases on a path, with a seed."""
    recorder = Recorder(Seeded(seed))
    with handling(recorder):
        values = PATHS[path](asked, n, folder)
    return Released(values[:n], recorder.log[:n])
