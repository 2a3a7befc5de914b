"""What a constructor is: a record, the names of its arguments in OpenDP, and how they map.

A `Constructor` says no more than OpenDP's name, its signature, and the public arguments of the
record that it stands for; rule, function, law and proof note are the record's.  `make_` functions
and their `then_` partners are generated from it, with signature and docstring.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import Parameter, Signature
from typing import Any

from metricdp.errors import MetricdpError, ParameterError
from metricdp.maps import Measurement as CoreMeasurement
from metricdp.maps.constructors import apply
from metricdp.opendp.domains import Domain, WrongElementError
from metricdp.opendp.metrics import Metric
from metricdp.opendp.objects import Measurement, Transformation, native_measure
from metricdp.opendp.placing import placed, unplaced
from metricdp.opendp.types import type_name
from metricdp.opendp.writing import Made, Written, arguments, written
from metricdp.plain import plain
from metricdp.record import REGISTRY

#: Arguments given by the user -> public arguments of the record.
Public = Callable[..., Mapping[str, Any]]
#: (input domain, input metric, arguments) -> object, for constructors of more than one record.
Build = Callable[..., Any]

CONSTRUCTORS: dict[str, Constructor] = {}


class Constructor:
    """One constructor by OpenDP's name.

    Args:
        name: without "make_".
        record: name of the primitive ("" when `build` makes the object).
        parameters: OpenDP's parameters after domain and metric: name -> default (REQUIRED if none).
        public: from those to the record's public arguments; the same names if None.
        result: the name of the argument that holds the type of the result, or "".
        norm: norm of the result as a function of the arguments, or None.
        build: makes the object in place of the record.
        spaces: whether `make_` takes a domain and a metric first.
        doc: docstring; the record's proof note if "".
        group: "t" (transformations), "m" (measurements) or "c" (combinators); by the record's kind
            if "".
    """

    def __init__(
        self,
        name: str,
        record: str = "",
        parameters: Mapping[str, Any] | None = None,
        public: Public | None = None,
        *,
        result: str = "",
        norm: Callable[..., str] | None = None,
        build: Build | None = None,
        spaces: bool = True,
        doc: str = "",
        group: str = "",
    ) -> None:
        self.name, self.record, self.parameters = name, record, dict(parameters or {})
        self.public, self.result, self.norm = public, result, norm
        self.build, self.spaces, self.doc = build, spaces, doc
        mechanism = record in REGISTRY and REGISTRY[record].kind == "mechanism"
        self.group = group or ("m" if mechanism else "t")
        if CONSTRUCTORS.setdefault(name, self) is not self:
            raise ValueError(f"two constructors named make_{name}")

    def signature(self, *leading: str) -> Signature:
        """OpenDP's signature, after the leading parameters."""
        first = [Parameter(n, Parameter.POSITIONAL_OR_KEYWORD) for n in leading]
        rest = [
            Parameter(n, Parameter.POSITIONAL_OR_KEYWORD, default=d)
            for n, d in self.parameters.items()
        ]
        return Signature(first + rest)

    def make(self, input_domain: Domain, input_metric: Metric, given: Mapping[str, Any]) -> Any:
        """The object at a domain and a metric.

        Raises:
            ParameterError: arguments that the constructor refuses.
            SpaceError: a domain and metric without a rule.
        """
        _expect_space(input_domain, input_metric, self.name)
        read = _read(given)
        return self._typed(lambda: self._built(input_domain, input_metric, read))

    def free(self, given: Mapping[str, Any]) -> Any:
        """The object of a constructor that takes no domain and metric."""
        assert self.build is not None
        build, given = self.build, _read(given)
        built = self._typed(lambda: build(**given))
        if not getattr(built, "made", True):
            built.made = ((self.name, dict(given)),)
        return built

    def again(self, arguments: Mapping[str, Any]) -> Any:
        """The object of an entry of `made`.

        Raises:
            ParameterError: arguments that are not those of the constructor.
        """
        leading = ("domain", "metric") if self.spaces else ()
        given = bound(self.signature(*leading), f"make_{self.name}", (), arguments)
        if not self.spaces:
            return self.free(given)
        return self.make(given.pop("domain"), given.pop("metric"), given)

    def __reduce__(self) -> tuple[Any, ...]:
        return _named, (self.name,)

    def _typed(self, work: Callable[[], Any]) -> Any:
        """Arguments of a wrong kind fail by type wherever a builder first touches them."""
        again: MetricdpError
        try:
            return work()
        except MetricdpError as error:
            if not error.remedy.startswith("dp.") or "clamp" not in error.remedy:
                raise
            # The rule's edit is one of a checked program; chains say it in their own words.
            remedy = "insert then_clamp((lower, upper)) before it"
            again = type(error)(error.fact, place=error.place, remedy=remedy)
        except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError) as error:
            shown = ", ".join(map(str, self.signature().parameters.values()))
            raise ParameterError(
                f"an argument is of the wrong kind ({type(error).__name__}: {error})",
                place=f"make_{self.name}",
                remedy=f"make_{self.name}({shown}), with public numbers and names of types",
            ) from error
        raise again

    def _built(self, input_domain: Domain, input_metric: Metric, given: Mapping[str, Any]) -> Any:
        made: Made = ((self.name, {"domain": input_domain, "metric": input_metric, **given}),)
        if self.build is not None:
            built = self.build(input_domain, input_metric, **given)
            if not getattr(built, "made", True):
                built.made = made
            return built
        record = REGISTRY[self.record]
        public = dict(given) if self.public is None else dict(self.public(**given))
        norm = "" if self.norm is None else self.norm(**given)
        core = apply(record, placed(input_domain, input_metric).space, public, norm=norm)
        if isinstance(core, CoreMeasurement):
            return Measurement(input_domain, input_metric, native_measure(core), core, made)
        T = given.get(self.result) if self.result else None
        like = (input_domain, input_metric)
        domain, metric = unplaced(core.output_space, like, None if T is None else type_name(T))
        return Transformation(input_domain, input_metric, domain, metric, core, made)


def _read(given: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments read once; domains, metrics and the like stay, for builders to look at."""
    return {name: plain(value, name, lambda _: True) for name, value in given.items()}


def _named(name: str) -> Constructor:
    return CONSTRUCTORS[name]


def _expect_space(domain: Any, metric: Any, name: str) -> None:
    if isinstance(domain, Domain) and isinstance(metric, Metric):
        return
    wrong = domain if not isinstance(domain, Domain) else metric
    wanted = "domain" if wrong is domain else "metric"
    raise WrongElementError(
        f"{getattr(wrong, '__name__', type(wrong).__name__)} is no {wanted}",
        place=f"make_{name}",
        remedy=f"make_{name}(input_domain, input_metric, ...), or (domain, metric) >> then_...",
    )


class Partial(Written):
    """A constructor that waits for its space: `then_clamp(bounds)`."""

    __slots__ = ("constructor", "given")

    def __init__(self, constructor: Constructor, given: Mapping[str, Any]) -> None:
        self.constructor, self.given = constructor, given

    def __call__(self, input_domain: Domain, input_metric: Metric) -> Any:
        return self.constructor.make(input_domain, input_metric, self.given)

    def __rrshift__(self, left: Any) -> Any:
        if isinstance(left, Transformation):
            return left >> self(left.output_domain, left.output_metric)
        if isinstance(left, tuple) and len(left) == 2:
            return self(*left)
        if isinstance(left, Measurement):
            raise ParameterError(
                f"make_{self.constructor.name} takes private data, and {left.core.name} has "
                "released its result",
                place=">>",
                remedy="put it before the measurement",
            )
        return NotImplemented

    def __rshift__(self, other: Any) -> Chain:
        return Chain((self, other))

    def written(self) -> dict[str, Any]:
        """The constructor with its arguments."""
        return {"then": [self.constructor.name, arguments(self.given)]}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Partial):
            return NotImplemented
        return self.constructor is other.constructor and self.given == other.given

    def __hash__(self) -> int:
        return hash(self.constructor.name)

    def __repr__(self) -> str:
        given = ", ".join(f"{k}={v!r}" for k, v in self.given.items())
        return f"then_{self.constructor.name}({given})"


class Chain(Written):
    """Partial constructors in a row, waiting for a space."""

    __slots__ = ("parts",)

    def __init__(self, parts: tuple[Any, ...]) -> None:
        self.parts = parts

    def __rrshift__(self, left: Any) -> Any:
        for part in self.parts:
            left = left >> part
        return left

    def __rshift__(self, other: Any) -> Chain:
        return Chain((*self.parts, other))

    def written(self) -> dict[str, Any]:
        """The constructors in a row."""
        return {"chain": [written(part) for part in self.parts]}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Chain) and self.parts == other.parts

    def __hash__(self) -> int:
        return hash(self.parts)

    def __repr__(self) -> str:
        return " >> ".join(map(repr, self.parts))


def bound(signature: Signature, place: str, args: Any, keywords: Any) -> dict[str, Any]:
    """Arguments by name, defaults filled in.

    Raises:
        ParameterError: arguments that do not fit the signature.
    """
    failed: MetricdpError
    try:
        found = signature.bind(*args, **keywords)
    except TypeError as error:
        shown = ", ".join(map(str, signature.parameters.values()))
        failed = ParameterError(str(error), place=place, remedy=f"{place}({shown})")
    else:
        found.apply_defaults()
        return dict(found.arguments)
    raise failed


def make_function(constructor: Constructor) -> Callable[..., Any]:
    """`make_<name>`: domain and metric first."""
    leading = ("input_domain", "input_metric") if constructor.spaces else ()
    signature, place = constructor.signature(*leading), f"make_{constructor.name}"

    def make(*args: Any, **keywords: Any) -> Any:
        given = bound(signature, place, args, keywords)
        if not constructor.spaces:
            return constructor.free(given)
        domain, metric = given.pop("input_domain"), given.pop("input_metric")
        return constructor.make(domain, metric, given)

    _dress(make, place, signature, constructor)
    return make


def then_function(constructor: Constructor) -> Callable[..., Any]:
    """`then_<name>`: the rest of the arguments; domain and metric come from the left of `>>`."""
    signature, place = constructor.signature(), f"then_{constructor.name}"

    def then(*args: Any, **keywords: Any) -> Partial:
        return Partial(constructor, bound(signature, place, args, keywords))

    _dress(then, place, signature, constructor)
    return then


def _dress(function: Any, name: str, signature: Signature, constructor: Constructor) -> None:
    function.__name__ = function.__qualname__ = name
    function.__signature__ = signature
    record = REGISTRY.get(constructor.record)
    function.__doc__ = constructor.doc or (record.proof if record else "")
    function.__module__ = "metricdp.opendp"
