"""Arguments of one run: bound by name, public facts enforced first, private data admitted last.

Public arguments are read once (`plain`), before anything is computed from them or charged for them:
cost, ledger and run read one `Bound` object, and nothing of the caller after it was made.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from fractions import Fraction
from math import isfinite
from typing import Any

import msgspec

from metricdp.check.source.declared import SEQUENCES, Declaration, item_type, literal_defaults
from metricdp.check.values.keys import dictionary_type, said_of_all, set_type
from metricdp.check.values.public import LARGEST
from metricdp.check.verdicts.guarantee import FunctionGuarantee
from metricdp.check.verdicts.held import Held
from metricdp.errors import ParameterError
from metricdp.plain import plain, refuse_spent, type_name
from metricdp.run.different import different
from metricdp.run.guards import admit
from metricdp.run.shared import refuse_shared
from metricdp.run.sizes import sizes
from metricdp.spaces import Space
from metricdp.spaces.base import symbols_of
from metricdp.spaces.moments import CLASSES, kind_of_value, number_of
from metricdp.values.exact import Exact

#: Public number -> exact value, for expressions of the guarantee.
Env = dict[str, Fraction]


class Bound(msgspec.Struct, frozen=True):
    """Public arguments, read once.

    Attributes:
        given: plain values of our own, by parameter.
        values: the same as compiled code gets them; numbers are exact.
        env: the numbers behind the expressions of the guarantee.
        passed: parameters that the caller passed; the other ones are defaults.
    """

    given: Mapping[str, Any]
    values: Mapping[str, Any]
    env: Env
    passed: frozenset[str] = frozenset()


class Arguments(msgspec.Struct):
    """Bound arguments: what compiled code gets, and the numbers behind the expressions.

    `held` are these numbers once no requirement fails at them; `given` are the names that the
    caller passed, the other public ones are defaults.
    """

    values: dict[str, Any]
    public: Mapping[str, Any]
    env: Env
    held: Held
    given: frozenset[str] = frozenset()


def bind(
    guarantee: FunctionGuarantee,
    declared: Declaration,
    args: tuple[Any, ...],
    keywords: Mapping[str, Any],
    strict: bool,
) -> Arguments:
    """Bind, check public parameters, admit private data, bind sizes, enforce requirements.

    Raises:
        ParameterError: a wrong call, a public parameter of the wrong type, a violated requirement.
        SchemaError, DataValueError, SpaceError: see `run.guards`.
    """
    given, passed = by_name(declared, args, keywords)
    names = _parameters(guarantee).spaces
    public = {name: value for name, value in given.items() if name not in names}
    bound = bind_public(guarantee, public, passed)
    held_at(guarantee, bound.env)
    private = {n: given[n] for n in given if n in names}
    refuse_shared(private, public)
    refuse_spent(private)
    return admitted(guarantee, bound, private, strict)


def bind_public(
    guarantee: FunctionGuarantee, public: Mapping[str, Any], passed: frozenset[str] = frozenset()
) -> Bound:
    """The caller's public arguments, read this once.

    Raises:
        ParameterError: a value of another type than declared, or a number that is not finite.
    """
    given = {name: plain(value, name) for name, value in public.items()}
    values, env = public_values(guarantee, given)
    return Bound(given, values, env, passed)


def admitted(
    guarantee: FunctionGuarantee, bound: Bound, given: Mapping[str, Any], strict: bool = False
) -> Arguments:
    """The arguments of a run: private data admitted, their sizes bound, requirements enforced.

    Args:
        given: the private arguments, by name.

    Raises:
        ParameterError: a requirement that fails.
        SchemaError, DataValueError, SpaceError: see `run.guards`.
    """
    private = _parameters(guarantee)
    values, env = dict(bound.values), dict(bound.env)
    for name, space in private.spaces.items():
        known = {each: env[each] for each in private.mentioned[name] if each in env}
        values[name] = admit(name, space, given[name], strict=strict, env=known, late=True)
    counts: dict[str, int] = {}
    for name, space in private.spaces.items():
        counts = {**counts, **sizes(name, space, values[name], counts)}
    env.update({name: Fraction(count) for name, count in counts.items()})
    held = held_at(guarantee, env, complete=True)
    return Arguments(values, bound.given, env, held, bound.passed)


#: Numbers at which a guarantee was found to hold; the guarantee is kept, so that its identity stays
#: its own.
_held: dict[Any, tuple[FunctionGuarantee, Held]] = {}


def held_at(guarantee: FunctionGuarantee, env: Env, complete: bool = False) -> Held:
    """`guarantee.held`, decided once for the same exact numbers.

    Raises:
        ParameterError: a requirement fails.
    """
    key = id(guarantee), complete, exactly(env)
    kept = _held.get(key)
    if kept is None or kept[0] is not guarantee:
        if len(_held) >= _MOST:
            _held.clear()
        kept = _held[key] = guarantee, guarantee.held(env, complete=complete)
    return kept[1]


def exactly(numbers: Mapping[str, Fraction]) -> tuple[tuple[str, int, int], ...]:
    """Exact numbers as a key, which nobody can write to."""
    return tuple([(name, *number.as_integer_ratio()) for name, number in numbers.items()])


class _Parameters(msgspec.Struct, frozen=True):
    """What a guarantee says of its parameters.

    Attributes:
        spaces: private name -> space.
        mentioned: private name -> public names in its space.
        types: public name -> declared type.
    """

    spaces: Mapping[str, Space]
    mentioned: Mapping[str, frozenset[str]]
    types: Mapping[str, str]


#: What was read of a guarantee before; kept as `_held` is.
_read: dict[int, tuple[FunctionGuarantee, _Parameters]] = {}


def _parameters(guarantee: FunctionGuarantee) -> _Parameters:
    kept = _read.get(id(guarantee))
    if kept is None or kept[0] is not guarantee:
        if len(_read) >= _MOST:
            _read.clear()
        spaces = {i.name: i.space for i in guarantee.inputs if i.space is not None}
        mentioned = {name: frozenset(symbols_of(space)) for name, space in spaces.items()}
        types = {i.name: i.type for i in guarantee.inputs if i.space is None}
        kept = _read[id(guarantee)] = guarantee, _Parameters(spaces, mentioned, types)
    return kept[1]


def by_name(
    declared: Declaration, args: tuple[Any, ...], keywords: Mapping[str, Any]
) -> tuple[dict[str, Any], frozenset[str]]:
    """Arguments by parameter name, literal defaults filled in; and the names that were passed.

    Names are laid bare: a text may run code where it is compared.

    Raises:
        ParameterError: a missing, unknown or repeated argument.
    """
    named = {str.__str__(name): value for name, value in keywords.items()}
    signature = _signature(declared)
    plainly = _plainly(signature, args, named)
    if plainly is not None:
        return plainly, frozenset([*list(plainly)[: len(args)], *named])
    try:
        bound = signature.bind(*args, **named)
    except TypeError as error:
        fact = str(error)
        raise ParameterError(fact, place=declared.name) from None
    passed = frozenset(bound.arguments)
    bound.apply_defaults()
    return dict(bound.arguments), passed


def _plainly(
    signature: inspect.Signature, args: tuple[Any, ...], named: dict[str, Any]
) -> dict[str, Any] | None:
    """What binding gives, in order; None of a call that is left to `inspect`, as a wrong one is."""
    parameters = signature.parameters
    if len(args) > len(parameters):
        return None
    found: dict[str, Any] = {}
    for position, (name, parameter) in enumerate(parameters.items()):
        if parameter.kind is not inspect.Parameter.POSITIONAL_OR_KEYWORD:
            return None
        if position < len(args):
            if name in named:
                return None
            found[name] = args[position]
        else:
            found[name] = named.get(name, parameter.default)
            if found[name] is inspect.Parameter.empty:
                return None
    return found if named.keys() <= found.keys() else None


#: Signatures of functions, by their syntax.
_signatures: dict[Any, inspect.Signature] = {}
_MOST = 256


def _signature(declared: Declaration) -> inspect.Signature:
    """The signature that a function is written with; literal defaults are copied when bound."""
    known = _signatures.get(declared.node)
    if known is not None:
        return known
    spec = declared.node.args
    kinds = inspect.Parameter
    defaults = literal_defaults(spec, declared.module)
    parameters = [
        kinds(a.arg, kind, default=defaults.get(a.arg, kinds.empty))
        for group, kind in (
            (spec.posonlyargs, kinds.POSITIONAL_ONLY),
            (spec.args, kinds.POSITIONAL_OR_KEYWORD),
            (spec.kwonlyargs, kinds.KEYWORD_ONLY),
        )
        for a in group
    ]
    if len(_signatures) >= _MOST:
        _signatures.clear()
    found = _signatures[declared.node] = inspect.Signature(parameters)
    return found


def public_values(
    guarantee: FunctionGuarantee, public: Mapping[str, Any]
) -> tuple[dict[str, Any], Env]:
    """Plain public arguments as compiled code sees them, and as exact numbers.

    Targets are the decimals that were typed (0.1 is 1/10); other floats are the double.

    Raises:
        ParameterError: a value of another type than declared, or a number that is not finite.
    """
    types = _parameters(guarantee).types
    values: dict[str, Any] = {}
    env: Env = {}
    for name, value in public.items():
        wanted = types[name]
        if wanted in ("float", "int"):
            value = _number(name, value, wanted)
            typed = type(value) is float and name in guarantee.targets
            env[name] = Fraction(float.__repr__(value)) if typed else Fraction(value)
            values[name] = Exact(env[name]) if type(value) is float else value
        elif wanted in _SCALARS and type(value) is not _SCALARS[wanted]:
            raise ParameterError(f"{wanted} is declared, {type_name(value)} is given", place=name)
        elif wanted == "datetime" and not kind_of_value(value):
            raise ParameterError(
                "a datetime with a zone is given", place=name, remedy="x.replace(tzinfo=None)"
            )
        else:
            if wanted in CLASSES:
                env[name] = Fraction(number_of(value))
            if wanted.startswith(SEQUENCES):
                value = _items(name, value, wanted)
                env[f"len_{name}"] = Fraction(len(value))
            elif (pair := dictionary_type(wanted)) is not None:
                _dictionary(name, value, wanted, pair)
                env[f"len_{name}"] = Fraction(len(value))
            elif each := set_type(wanted):
                if type(value) not in (set, frozenset):
                    raise _other(name, wanted, f"{type_name(value)} is given")
                _of_type(name, value, wanted, each, "an item")
                env[f"len_{name}"] = Fraction(len(value))
            values[name] = value
    for name in guarantee.told_apart:
        if name in values:
            env[f"different_{name}"] = _different(guarantee, name, values[name])
    return values, env


def _different(guarantee: FunctionGuarantee, name: str, items: Any) -> Fraction:
    """How many different items a public parameter has.

    Raises:
        ParameterError: fewer than items, where the guarantee is of different ones.
    """
    count, twice = different(name, items)
    for required in guarantee.requires:
        if twice and said_of_all(*required) == name:
            fact = f"{twice[0]!r} stands in `{name}` twice, and its items have to be different"
            place = guarantee.places.get(required)
            raise ParameterError(fact, place=name, remedy=place.remedy if place else "")
    return Fraction(count)


def _dictionary(name: str, value: Any, wanted: str, pair: tuple[str, str]) -> None:
    """Raises:
    ParameterError: no dictionary, or one with keys or values of other types.
    """
    if type(value) is not dict:
        raise _other(name, wanted, f"{type_name(value)} is given")
    _of_type(name, value, wanted, pair[0], "a key")
    _of_type(name, value.values(), wanted, pair[1], "a value")


def numbers_of(guarantee: FunctionGuarantee, given: Mapping[str, Any]) -> Env:
    """Public parameters and sizes as exact numbers, not all of them needed.

    Raises:
        ParameterError: a name that is neither, or a value of another type.
    """
    types = {i.name for i in guarantee.inputs if i.space is None}
    sizes = {name for i in guarantee.private() for name in symbols_of(i.space)}
    env = dict(bind_public(guarantee, {n: v for n, v in given.items() if n in types}).env)
    for name in given.keys() - types:
        if name not in sizes:
            known = ", ".join(sorted(types | sizes))
            raise ParameterError(f"{name} is none of {known}", place=guarantee.name)
        env[name] = Fraction(_number(name, plain(given[name], name), "int"))
    return env


def _items(name: str, value: Any, wanted: str) -> Any:
    """A public sequence in the declared type; its length is charged for."""
    array = type(value) not in (list, tuple) and hasattr(value, "dtype")
    if not array and type(value) not in (list, tuple):
        raise ParameterError(f"{wanted} is declared, {type_name(value)} is given", place=name)
    if wanted.startswith("numpy."):
        import numpy as np

        try:
            made = np.array(value)
        except ValueError:  # rows of unequal length
            made = None
        if made is None or made.dtype.hasobject:
            raise ParameterError("an array of numbers or texts is declared", place=name)
        return made
    items = value.tolist() if array else value
    _of_type(name, items, wanted, item_type(wanted), "an item")
    return list(items) if wanted.startswith("list") else tuple(items)


def _of_type(name: str, items: Iterable[Any], wanted: str, each: str, what: str) -> None:
    """Raises:
    ParameterError: an item of another type, where the declared one is known.
    """
    accepted = _ITEMS.get(each)
    kinds = dict.fromkeys(map(type, items))
    for kind in kinds:
        if accepted is not None and kind not in accepted:
            raise _other(name, wanted, f"and {what} is a {kind.__name__}")
    if datetime in kinds and any(
        type(item) is datetime and item.tzinfo is not None for item in items
    ):
        raise ParameterError(
            "a datetime with a zone is given", place=name, remedy="x.replace(tzinfo=None)"
        )


def _other(name: str, wanted: str, fact: str) -> ParameterError:
    return ParameterError(f"{wanted} is declared, {fact}", place=name)


_SCALARS: dict[str, type] = {"bool": bool, "str": str, **CLASSES}
#: Type of the items of a declared sequence -> types of the items that may be given.
_ITEMS: dict[str, tuple[type, ...]] = {
    "float": (float, int, bool, Fraction), "int": (int, bool), "str": (str,),
    "date": (date,), "datetime": (datetime,),
}  # fmt: skip


def _number(name: str, value: Any, wanted: str) -> int | float:
    if type(value) is Fraction:
        value = int(value) if value.denominator == 1 else float(value)
    if type(value) not in (int, float):
        raise ParameterError(
            f"a number is declared, {type_name(value)} is given", place=name, remedy=f"{name}=1"
        )
    if isinstance(value, int) and value.bit_length() > LARGEST:
        raise ParameterError(
            f"a number of {value.bit_length()} bits is more than Python prints", place=name,
            remedy="a smaller number",
        )  # fmt: skip
    if type(value) is float and not isfinite(value):
        raise ParameterError(f"{value} is no finite number", place=name, remedy=f"{name}=1.0")
    if wanted == "int" and type(value) is not int:
        raise ParameterError(f"{value} is no integer", place=name, remedy=f"{name}={int(value)}")
    return value  # type: ignore[no-any-return]
