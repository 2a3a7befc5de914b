"""Draws of finitely many outcomes, taken in turn: every run of a program, with its probability.

A program whose randomness is coins, choices and orders has finitely many runs.  Each draw asks for
a decision among outcomes of known probabilities; the first run takes the first outcome everywhere,
the next one another outcome at the last place that has one, until all have been taken.  A draw of a
continuous law is decided by what it is compared with: below c or not, given what is known of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import isfinite
from typing import Any

from metricdp.audit.replaying.operations import READ, SPECIAL

#: Outcomes of one draw; above, a program has too many runs.
MOST_OUTCOMES = 64
#: Nearest two cuts of one draw, as a share of the tail that they are in.
_NEAR = Fraction(1, 10**5)
#: Functions of NumPy that a draw follows.
_ENTRYWISE = frozenset(
    "add subtract multiply divide true_divide negative positive less less_equal greater "
    "greater_equal".split()
)
#: Least chance of a draw on either side of a cut.
_SMALLEST = Fraction(1, 10**280)


class Endless(BaseException):
    """A draw whose outcomes cannot be taken in turn; no `except Exception` of a program sees it."""


class Far(Endless):
    """A chance that is too small for a double: of this pair of inputs nothing is said."""


class Decisions:
    """The decisions of one run.

    Args:
        taken: which outcome to take at the first places; the first possible one afterwards.
    """

    def __init__(self, taken: Sequence[int] = ()) -> None:
        self._taken = list(taken)
        self._made: list[tuple[int, list[Fraction]]] = []
        self.probability = Fraction(1)
        #: Why the run is of no use; None if it is.
        self.endless: Endless | None = None
        #: Whether one object stands for many numbers: an error may then be the object's.
        self.standing = False

    def decide(self, chances: Sequence[Any]) -> int:
        """The outcome of a draw.

        Args:
            chances: proportional to the probabilities of the outcomes.

        Raises:
            Endless: too many outcomes, or chances that are none.
        """
        if len(chances) > MOST_OUTCOMES:
            raise self.stop(f"a draw has {len(chances)} outcomes")
        weights = [Fraction(c) if isfinite(c) and c >= 0 else Fraction(-1) for c in chances]
        whole = sum(weights, Fraction(0))
        if not whole or min(weights) < 0:
            raise ValueError("probabilities are not non-negative numbers")
        place = len(self._made)
        at = self._taken[place] if place < len(self._taken) else _after(weights, -1)
        assert at is not None
        self._made.append((at, weights))
        self.probability *= weights[at] / whole
        return at

    def stop(self, why: str, far: bool = False) -> Endless:
        """The program cannot be followed, or (`far`) not on this input; the first reason counts."""
        self.endless = self.endless or (Far(why) if far else Endless(why))
        return self.endless

    def following(self) -> list[int] | None:
        """What the next run takes; None after the last one."""
        taken = [at for at, _ in self._made]
        for place in range(len(taken) - 1, -1, -1):
            other = _after(self._made[place][1], taken[place])
            if other is not None:
                return [*taken[:place], other]
        return None


def _after(weights: Sequence[Fraction], at: int) -> int | None:
    """The next outcome that is possible."""
    return next((i for i in range(at + 1, len(weights)) if weights[i]), None)


class DecidedDraw:
    """shift + factor * z for one draw z of a continuous law, decided where it is compared.

    Args:
        decisions: of the run.
        below: c -> P(z < c); that of the uniform law on [0, 1) when left out.
    """

    __slots__ = ("_below_of", "_decisions", "_factor", "_known", "_shift")
    __array_priority__ = 1000.0

    def __init__(
        self, decisions: Decisions, below: Callable[[Fraction], Fraction] | None = None,
        factor: Any = 1, shift: Any = 0, known: Any = None,
    ) -> None:  # fmt: skip
        self._decisions, self._below_of = decisions, below
        decisions.standing = True
        self._factor, self._shift = Fraction(factor), Fraction(shift)
        #: Where the rank of z is known to lie: shared by all that is computed from z.
        self._known: list[Fraction] = [Fraction(0), Fraction(1)] if known is None else known

    def _below(self, other: Any) -> bool:
        bound = _number(other)
        if bound is None:
            if type(other) is not DecidedDraw and isinstance(other, float) and other == other:
                return other > 0
            raise self._decisions.stop("a draw is compared with what is no number")
        if not self._factor:
            return self._shift < bound
        cut = (bound - self._shift) / self._factor
        if self._below_of is not None:
            cut = self._below_of(cut)
            self._near(cut)
        low, high = self._known
        if low < cut < high:
            # The rank lies on either side of the cut, in proportion to the lengths.
            under = not self._decisions.decide([cut - low, high - cut])
            self._known[:] = [low, cut] if under else [cut, high]
        else:
            under = high <= cut
        return under if self._factor > 0 else not under

    def _near(self, cut: Fraction) -> None:
        """Chances are rounded, so those between two near bounds are not known well."""
        if min(cut, 1 - cut) < _SMALLEST:
            raise self._decisions.stop("a chance is below the range of doubles", far=True)
        size = min(cut, 1 - cut) * _NEAR
        low, high = self._known
        if (low and 0 < cut - low < size) or (high < 1 and 0 < high - cut < size):
            raise self._decisions.stop("one draw is compared with bounds that are very close")

    # Two numbers are equal with probability 0.
    __lt__ = __le__ = _below

    def _above(self, other: Any) -> bool:
        return not self._below(other)

    __gt__ = __ge__ = _above

    def _affine(self, factor: Any, shift: Any) -> Any:
        a, b = _number(factor), _number(shift)
        if a is None or b is None:
            raise self._decisions.stop("a draw is used in a way that is not followed")
        return DecidedDraw(
            self._decisions, self._below_of, a * self._factor, a * self._shift + b, self._known
        )

    def __mul__(self, other: Any) -> Any:
        return self._affine(other, 0)

    def __add__(self, other: Any) -> Any:
        return self._affine(1, other)

    __rmul__, __radd__ = __mul__, __add__

    def __sub__(self, other: Any) -> Any:
        bound = _number(other)
        return self._affine(1, None if bound is None else -bound)

    def __rsub__(self, other: Any) -> Any:
        return self._affine(-1, other)

    def __truediv__(self, other: Any) -> Any:
        bound = _number(other)
        return self._affine(1 / bound if bound else None, 0)

    def __neg__(self) -> Any:
        return self._affine(-1, 0)

    def __pos__(self) -> Any:
        return self

    def _lost(self, *_: Any, **__: Any) -> Any:
        raise self._decisions.stop("a draw is used as a number")

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        """What `isinstance` asks, and whoever prints the type."""
        raise self._decisions.stop("the type of a draw is asked for")

    def __getattr__(self, name: str) -> Any:
        """Whatever else a number has."""
        raise self._decisions.stop(f"`{name}` of a draw is used")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **keywords: Any) -> Any:
        """Arithmetic and comparisons of NumPy, entry by entry; all else needs the number."""
        import numpy as np

        if method != "__call__" or keywords or ufunc.__name__ not in _ENTRYWISE:
            return self._lost()
        entries = []
        for each in inputs:
            held = np.empty((), object)
            held[()] = each
            single = type(each) is DecidedDraw or np.ndim(each) == 0
            entries.append(held if single else np.asarray(each).astype(object))
        return ufunc(*entries)


for _name in SPECIAL - set(vars(DecidedDraw)):
    setattr(DecidedDraw, _name, property(DecidedDraw._lost) if _name in READ else DecidedDraw._lost)


def _number(value: Any) -> Fraction | None:
    if type(value) is DecidedDraw or isinstance(value, str) or value is None:
        return None
    try:
        return Fraction(value) if isinstance(value, int | Fraction) else Fraction(float(value))
    except (TypeError, ValueError, OverflowError):
        return None
