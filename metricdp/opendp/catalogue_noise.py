"""Measurements that add noise or answer at random, each by one line."""

from __future__ import annotations

from inspect import Parameter
from typing import Any

from metricdp.errors import ParameterError, SpaceError
from metricdp.expr import num
from metricdp.maps import Measurement as CoreMeasurement
from metricdp.maps import apply
from metricdp.maps.conversions import in_measure
from metricdp.maps.distances import typed
from metricdp.maps.steps import ASSUMED, Reliance, Vouched
from metricdp.opendp.constructor import Constructor
from metricdp.opendp.domains import AtomDomain, MapDomain, bits_of, checked_bounds
from metricdp.opendp.metrics import Approximate, DiscreteDistance, MaxDivergence, measure_of
from metricdp.opendp.objects import Measurement, measured
from metricdp.opendp.placing import keyed, placed, row
from metricdp.opendp.releases import BitsEnter, OnGrid, Packed, Within
from metricdp.opendp.types import type_name, type_of
from metricdp.primitives import load
from metricdp.record import REGISTRY
from metricdp.spaces import Scalar

load()
REQUIRED = Parameter.empty
_NOISE = {"scale": REQUIRED, "k": None}


def _whole(space: Any) -> bool:
    return getattr(space, "element", "") in ("Int", "Bool")


def noisy(domain: Any, metric: Any, scale: Any, k: Any, MO: Any, family: str) -> Any:
    """Noise of a family; whole numbers get the discrete form, without any rounding.

    Args:
        k: None, or the release is rounded to multiples of 2**k, which costs nothing.
    """
    space = placed(domain, metric).space
    record = f"discrete_{family}" if _whole(space) else family
    core = apply(REGISTRY[record], space, {"scale": scale})
    if k is not None and not _whole(space):
        if isinstance(k, bool) or not isinstance(k, int):
            raise ParameterError(f"{k!r} is no exponent", place="k", remedy="k=-20")
        core = core >> OnGrid(k)
    return measured(domain, metric, core, MO)


def _laplace(domain: Any, metric: Any, scale: Any, k: Any = None, MO: Any = "MaxDivergence") -> Any:
    return noisy(domain, metric, scale, k, MO, "laplace")


def _gaussian(
    domain: Any, metric: Any, scale: Any, k: Any = None, MO: Any = "ZeroConcentratedDivergence"
) -> Any:
    return noisy(domain, metric, scale, k, MO, "gaussian")


def _noise(domain: Any, metric: Any, output_measure: Any, scale: Any, k: Any) -> Any:
    measure = measure_of(output_measure)
    family = "laplace" if isinstance(measure, MaxDivergence) else "gaussian"
    return noisy(domain, metric, scale, k, measure, family)


def _geometric(
    domain: Any, metric: Any, scale: Any, bounds: Any = None, MO: Any = "MaxDivergence"
) -> Any:
    space = placed(domain, metric).space
    if not _whole(space):
        raise SpaceError(
            f"{domain!r} holds real numbers, and geometric noise is whole",
            place="make_geometric",
            remedy="make_laplace, or atom_domain(T=int)",
        )
    core = apply(REGISTRY["discrete_laplace"], space, {"scale": scale})
    if bounds is not None:
        lower, upper = checked_bounds(bounds, "bounds")
        core = core >> Within(int(lower), int(upper))
    return measured(domain, metric, core, MO)


class KeyedMeasurement(Measurement):
    """A measurement of a dictionary: distances are triples, or multiples of (1, 1, 1)."""

    __slots__ = ("family", "public")
    family: str
    public: dict[str, Any]

    def exact_map(self, d_in: Any) -> Any:
        """The loss at (keys that differ, sum of the differences, largest of them)."""
        if not isinstance(d_in, tuple):
            return super().exact_map(d_in)
        if len(d_in) != 3:
            raise ParameterError(
                "distances of dictionaries are triples", place="d_in", remedy="d_in=(1, 1, 1)"
            )
        l0, total, most = (num(typed(part, "d_in")) for part in d_in)
        if any(part.is_zero for part in (l0, total, most)):
            return self.core.map(0, self.output_measure.reading)
        domain: Any = self.input_domain
        space = keyed(domain, self.input_metric, (l0, total, most))
        core = apply(REGISTRY[self.family], space, self.public)
        return core.map(1, self.output_measure.reading)


def _threshold(family: str, domain: Any, metric: Any, scale: Any, threshold: Any, MO: Any) -> Any:
    if not isinstance(domain, MapDomain):
        raise SpaceError(
            f"{domain!r} holds no dictionaries", place=family, remedy="map_domain(key, value)"
        )
    public = {"scale": scale, "threshold": threshold}
    core = apply(REGISTRY[family], placed(domain, metric).space, public)
    made = KeyedMeasurement(domain, metric, measured(domain, metric, core, MO).output_measure, core)
    made.family, made.public = family, public
    return made


def _laplace_threshold(
    domain: Any,
    metric: Any,
    scale: Any,
    threshold: Any,
    k: Any = None,
    MO: Any = "Approximate<MaxDivergence>",
) -> Any:
    return _threshold("laplace_threshold", domain, metric, scale, threshold, MO)


def _gaussian_threshold(
    domain: Any,
    metric: Any,
    scale: Any,
    threshold: Any,
    k: Any = None,
    MO: Any = "Approximate<ZeroConcentratedDivergence>",
) -> Any:
    return _threshold("gaussian_threshold", domain, metric, scale, threshold, MO)


def _noise_threshold(
    domain: Any, metric: Any, output_measure: Any, scale: Any, threshold: Any, k: Any
) -> Any:
    measure = measure_of(output_measure)
    family = "gaussian" if measure.reading == "approx_zcdp" else "laplace"
    return _threshold(f"{family}_threshold", domain, metric, scale, threshold, measure)


def _answers(T: Any, categories: Any, prob: Any) -> Any:
    name = type_of(categories) if T is None else type_name(T)
    domain, metric = AtomDomain(name), DiscreteDistance()
    space: Any = row(domain)
    public = {"prob": prob, "choices": tuple(categories)}
    core = apply(REGISTRY["randomized_response_kept"], space, public)
    return measured(domain, metric, core, MaxDivergence())


def _response(categories: Any, prob: Any, T: Any) -> Any:
    return _answers(T, list(categories), prob)


def _response_bool(prob: Any, constant_time: Any) -> Any:
    return _answers(bool, (False, True), prob)


def _response_bits(domain: Any, metric: Any, f: Any, constant_time: Any) -> Any:
    place = placed(domain, metric)
    core = apply(REGISTRY["randomized_response_bits"], place.space, {"f": f})
    steps = core.steps
    if domain.size is None:
        import msgspec

        promise = Reliance(ASSUMED, "all bit vectors have one public length")
        steps = tuple(
            msgspec.structs.replace(step, rests_on=(*step.rests_on, promise)) for step in steps
        )
    entered = CoreMeasurement(
        place.space,
        core.function,
        name=core.name,
        tree=core.tree,
        steps=Vouched(steps),
        enter=BitsEnter(domain.max_weight, domain.size),
    )
    return measured(domain, metric, entered >> Packed(), MaxDivergence())


def debias_randomized_response_bitvec(answers: Any, f: Any) -> list[float]:
    """Estimated number of ones per bit: (Y - n f / 2) / (1 - f), Y the ones among n answers.

    Args:
        answers: bit vectors of one length, from `make_randomized_response_bitvec`; released.
        f: as there, 0 < f < 1.

    Raises:
        ParameterError: f outside (0, 1), answers of several lengths.
    """
    share = float(f)
    if not 0 < share < 1:
        raise ParameterError(f"f is {f}", place="f", remedy="0 < f < 1")
    rows = [bits_of(answer) for answer in answers]
    if len({len(bits) for bits in rows}) > 1:
        raise ParameterError("answers of several lengths", place="answers")
    return [(sum(ones) - len(rows) * share / 2) / (1 - share) for ones in zip(*rows, strict=True)]


def _canonical(domain: Any, metric: Any, d_in: Any, d_out: Any) -> Any:
    space = placed(domain, metric).space
    if not isinstance(space, Scalar):
        raise SpaceError(
            f"{domain!r} holds no single numbers", place="make_canonical_noise",
            remedy="atom_domain(T=float, nan=False), absolute_distance(T=float)",
        )  # fmt: skip
    if not isinstance(d_out, tuple | list) or len(d_out) != 2:
        raise ParameterError(
            f"{d_out!r} is no pair", place="d_out", remedy="d_out=(epsilon, delta)"
        )
    public = {"epsilon": d_out[0], "delta": d_out[1], "sensitivity": d_in}
    core = apply(REGISTRY["canonical_noise"], space, public)
    return measured(domain, metric, in_measure(core, "approx"), Approximate(MaxDivergence()))


def _define(
    name: str, parameters: dict[str, Any], build: Any, doc: str, spaces: bool = True
) -> None:
    Constructor(name, "", parameters, build=build, spaces=spaces, doc=doc, group="m")


_define(
    "laplace",
    {**_NOISE, "MO": "MaxDivergence"},
    _laplace,
    "Laplace noise on numbers; see `metricdp.laplace` and `metricdp.discrete_laplace`.",
)
_define(
    "gaussian",
    {**_NOISE, "MO": "ZeroConcentratedDivergence"},
    _gaussian,
    "Gaussian noise on numbers; see `metricdp.gaussian` and `metricdp.discrete_gaussian`.",
)
_define(
    "noise",
    {"output_measure": REQUIRED, **_NOISE},
    _noise,
    "Laplace noise for pure privacy, Gaussian noise for zCDP.",
)
_define(
    "geometric",
    {"scale": REQUIRED, "bounds": None, "MO": "MaxDivergence"},
    _geometric,
    "Discrete Laplace noise on whole numbers, moved into `bounds` where they are given.",
)
_define(
    "laplace_threshold",
    {"scale": REQUIRED, "threshold": REQUIRED, "k": None, "MO": "Approximate<MaxDivergence>"},
    _laplace_threshold,
    REGISTRY["laplace_threshold"].proof,
)
_define(
    "gaussian_threshold",
    {
        "scale": REQUIRED, "threshold": REQUIRED, "k": None,
        "MO": "Approximate<ZeroConcentratedDivergence>",
    },
    _gaussian_threshold,
    REGISTRY["gaussian_threshold"].proof,
)  # fmt: skip
_define(
    "noise_threshold",
    {"output_measure": REQUIRED, "scale": REQUIRED, "threshold": REQUIRED, "k": None},
    _noise_threshold,
    "Thresholded noise: Laplace under approximate pure privacy, Gaussian under approximate zCDP.",
)
_define(
    "randomized_response",
    {"categories": REQUIRED, "prob": REQUIRED, "T": None},
    _response,
    REGISTRY["randomized_response_kept"].proof,
    spaces=False,
)
_define(
    "randomized_response_bool",
    {"prob": REQUIRED, "constant_time": False},
    _response_bool,
    REGISTRY["randomized_response_kept"].proof,
    spaces=False,
)
_define(
    "randomized_response_bitvec",
    {"f": REQUIRED, "constant_time": False},
    _response_bits,
    REGISTRY["randomized_response_bits"].proof,
)
_define(
    "canonical_noise",
    {"d_in": REQUIRED, "d_out": REQUIRED},
    _canonical,
    REGISTRY["canonical_noise"].proof,
)
