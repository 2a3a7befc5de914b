"""Both engines on one question: the narrower interval, and an error where they do not meet.

The contour engine answers first; the discretised one then works on a coarse lattice, which costs
little and knows nothing of contours.  Where the first does not apply (python-flint is missing, a
law without a moment function, moments that hardly fall) the second works on a fine lattice.

Searches take cheap looks: whether a profile is at most a delta, and its values at many epsilons.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from metricdp.accounting.losses.loss import Bracket, Parts
from metricdp.errors import InternalError, MissingExtraError, ParameterError, UncertifiedError

if TYPE_CHECKING:
    from metricdp.accounting.contour.engine import ContourProfile


#: A contour answer wider than this share of itself is improved by the fine lattice.
_WIDE = Fraction(1, 10**5)
#: Epsilons below this need no better absolute width than it does.
_SMALL = Fraction(1, 100)
#: Wanted widths of the discretised engine, as a shift of epsilon, where its answer is used, and
#: where that is too wide; and the share of epsilon where it is a check.
_FINE, _FINEST, _SHARE = 3e-7, 3e-8, 0.03
#: The same where the ends of an answer are different laws, of few rounds and of more.
_LOOSE, _LOOSER = 1e-5, 1e-4
#: Deltas that doubles do not resolve are left to the contour engine.
_LEAST = Fraction(1, 10**250)


class EnginesDisagree(InternalError):
    """Two certified intervals for one number that do not meet: one engine is wrong; report it."""


class NoAnswerError(ParameterError):
    """A query that no finite number answers: a delta below what the events leak, for example."""


class Found(msgspec.Struct, frozen=True):
    """lower <= truth <= upper, and the engines that say so."""

    lower: Fraction
    upper: Fraction
    engines: tuple[str, ...]


@lru_cache(maxsize=4096)
def delta_of(parts: Parts, epsilon: Fraction, checked: bool = True) -> Found:
    """The profile of the composed laws at epsilon >= 0.

    Args:
        checked: whether the discretised engine is asked as well; searches check where they end.
    """
    if not parts:
        return Found(Fraction(0), Fraction(0), ())
    from metricdp.accounting.contour import engine as contour
    from metricdp.accounting.lattice import engine as discretised

    least = _least_width(parts)
    return _both(
        f"delta at epsilon = {float(epsilon):.6g}",
        lambda: contour.delta(_with_moments(parts), epsilon),
        lambda width: discretised.delta(parts, epsilon, width=max(width, least)),
        checked,
        lambda found: (not least and found.width > _WIDE * found.upper, _SHARE),
        lambda found: not found.upper or found.upper > _LEAST,
    )


@lru_cache(maxsize=1024)
def epsilon_of(parts: Parts, delta: Fraction, checked: bool = True) -> Found:
    """The least epsilon >= 0 at which the profile is at most delta.

    Args:
        checked: as for `delta_of`.

    Raises:
        NoAnswerError: every value of the profile is above delta.
    """
    if not parts:
        return Found(Fraction(0), Fraction(0), ())
    from metricdp.accounting.contour import engine as contour
    from metricdp.accounting.lattice import engine as discretised

    least = _least_width(parts)
    try:
        return _both(
            f"epsilon at delta = {float(delta):.6g}",
            lambda: contour.epsilon(_with_moments(parts), delta),
            lambda width: discretised.epsilon(parts, delta, width=max(width, least)),
            checked and delta > _LEAST,
            lambda found: (
                not least and delta > _LEAST and found.width > _WIDE * max(found.upper, _SMALL),
                max(1e-3, _SHARE * float(found.upper)),
            ),
        )
    except ParameterError as error:
        if error.place != "delta":
            raise
        raise NoAnswerError(error.fact, place="delta", remedy=error.remedy) from None


def _least_width(parts: Parts) -> float:
    """Above 0 where the ends of an answer are different laws: a finer lattice narrows nothing."""
    from metricdp.accounting.losses.by_cells import SymmetricLoss
    from metricdp.accounting.losses.fixed_size_gaussian import ByCellsLoss

    loose = any(isinstance(loss, ByCellsLoss | SymmetricLoss) for loss, _ in parts)
    few = sum(count for _, count in parts) < 10
    return (_LOOSE if few else _LOOSER) if loose else 0.0


def _with_moments(parts: Parts) -> Parts:
    """The parts, if all have a moment function; UncertifiedError otherwise."""
    from metricdp.accounting.losses.by_cells import CellsLoss

    if any(isinstance(loss, CellsLoss) for loss, _ in parts):
        raise UncertifiedError("a law is known by the masses of its cells alone")
    return parts


def _both(
    question: str,
    contour: Callable[[], Bracket],
    discretised: Callable[[float], Bracket],
    checked: bool,
    judged: Callable[[Bracket], tuple[bool, float]],
    resolved: Callable[[Bracket], bool] = lambda found: True,
) -> Found:
    try:
        first = contour()
    except (MissingExtraError, UncertifiedError):
        found = [discretised(_FINE)]
        if checked and judged(found[0])[0]:
            # Few rounds of rare samples: a finer lattice has narrower ends, but a shorter reach.
            found.append(discretised(_FINEST))
        return meet(question, *found)
    wide, coarse = judged(first)
    if not (checked or wide) or not resolved(first):
        return Found(first.lower, first.upper, (first.engine,))
    try:
        second = discretised(_FINE if wide else coarse)
    except UncertifiedError:
        # The second engine has no answer here; the first one's stands, and names itself alone.
        return meet(question, first)
    return meet(question, first, second)


def meet(question: str, *brackets: Bracket) -> Found:
    """The intersection of intervals for one number.

    Raises:
        EnginesDisagree: it is empty.
    """
    lower, upper = max(b.lower for b in brackets), min(b.upper for b in brackets)
    engines = tuple(dict.fromkeys(b.engine for b in brackets))
    said = "; ".join(f"{b.engine} [{float(b.lower)!r}, {float(b.upper)!r}]" for b in brackets)
    return consistent(question, lower, upper, engines, said)


def consistent(
    question: str, lower: Fraction, upper: Fraction, engines: tuple[str, ...], said: str = ""
) -> Found:
    """The interval.

    Raises:
        EnginesDisagree: its lower end is above its upper end.
    """
    if lower > upper:
        told = said or f"{' and '.join(engines)}: [{float(lower)!r}, {float(upper)!r}]"
        raise EnginesDisagree(
            f"the engines disagree about {question}: {told}",
            place="accounting",
            remedy="no answer is given; please report the events and the query",
        )
    return Found(lower, upper, engines)


#: Relative width of the first look: one direction is usually the larger one by far.
_ROUGH = 0.05
#: Relative width that is narrow enough.
_NARROW = Fraction(1, 10**5)


def at_most(parts: Parts, epsilon: Fraction, delta: Fraction) -> bool:
    """Whether the profile of the composed laws at epsilon >= 0 is proved to be at most delta."""
    from metricdp.accounting.contour import engine as contour

    if not parts:
        return True
    try:
        found = contour.delta(parts, epsilon, _ROUGH)
    except (MissingExtraError, UncertifiedError):
        return delta_of(parts, epsilon, False).upper <= delta
    if found.lower <= delta < found.upper:
        return delta_of(parts, epsilon, False).upper <= delta
    return found.upper <= delta


def delta_nearby(parts: Parts, epsilon: Fraction) -> Found:
    """As `delta_of`, unchecked, for questions that ask one profile at many epsilons >= 0."""
    if not parts:
        return Found(Fraction(0), Fraction(0), ())
    try:
        found = _profile(parts).delta(epsilon)
    except (MissingExtraError, UncertifiedError):
        return delta_of(parts, epsilon, False)
    if found.width > _NARROW * found.upper:
        # Here the second engine helps.
        return delta_of(parts, epsilon, False)
    return Found(found.lower, found.upper, (found.engine,))


@lru_cache(maxsize=16)
def _profile(parts: Parts) -> ContourProfile:
    from metricdp.accounting.contour.engine import ContourProfile

    return ContourProfile(parts)
