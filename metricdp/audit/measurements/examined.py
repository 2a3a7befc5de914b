"""What an audit by samples is about, what it may use, and what it sees of a pair of inputs."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.audit.measurements.claims import PrivacyClaim
from metricdp.audit.measurements.events import Event
from metricdp.audit.measurements.neighbours import Pair
from metricdp.audit.measurements.outputs import Codes, Table
from metricdp.audit.measurements.scores import Scores
from metricdp.spaces import Space

if TYPE_CHECKING:
    from metricdp.audit.replaying.kept import Kept

#: Outputs per input of an examination where nobody says how many.
FIRST = 100_000
#: Examinations of a search, and events that are counted in each; one more examination is of the
#: pair that was made smaller.  The probability of an error is shared among all of them.
EXAMINED, EVENTS = 4, 3


class Budget(msgspec.Struct, frozen=True):
    """What an audit may use.

    Attributes:
        samples: outputs per input of one examination; four times as many where a pair seems to
            break the claim and these do not settle it.
        seconds: no longer than this; numbers of outputs are fixed from the speed of the scouts.
        pairs: most pairs of inputs.
        alpha: probability that a mechanism which keeps its claim is refuted.
        open: further looks follow until the time is up.
    """

    samples: int = FIRST
    seconds: float = 10.0
    pairs: int = 24
    alpha: Fraction = Fraction(1, 10**6)
    open: bool = False

    @property
    def each(self) -> Fraction:
        """Error of one bound of one probability, in the first examinations."""
        return self.alpha / (2 * EVENTS * (EXAMINED + 1)) / (2 if self.open else 1)

    def each_of(self, look: int) -> Fraction:
        """The same in a further look, of which the first is 1: 1/(k (k + 1)) adds up to 1."""
        return self.alpha / (2 * EVENTS) / (2 * look * (look + 1))


class Mechanism(msgspec.Struct, frozen=True):
    """What is audited.

    Attributes:
        name: as printed.
        run: one output on one input.
        claim: of a distance; the distance is None for neighbours of the user.
        batch: many outputs at once: `batch(x, count)`, an array or a sequence; or None.
        bits: whether lowest bits of doubles are looked at.
        command: what repeats the audit.
        space: of the inputs, where pairs may be made smaller; None for pairs of the user.
        state: what a plain function may leave behind; None for what keeps none.
    """

    name: str
    run: Callable[[Any], Any]
    claim: Callable[[Fraction | None], PrivacyClaim]
    batch: Callable[[Any, int], Any] | None = None
    bits: bool = True
    command: str = ""
    space: Space | None = None
    state: Kept | None = None


class Scouted(msgspec.Struct):
    """A pair with what few outputs say: epsilon above the claim, seconds per output."""

    pair: Pair
    claim: PrivacyClaim
    excess: float
    seconds: float


class Learned(msgspec.Struct):
    """What earlier outputs of a pair chose for later ones."""

    codes: Codes
    width: int
    scores: Scores
    events: list[Event]


class Examined(msgspec.Struct):
    """What fresh outputs of one pair show of the event that shows most.

    Attributes:
        loss: lower bound of epsilon.
        beyond: the estimate of epsilon above the claim, in standard deviations.
        hits: outputs in the event, on the likelier input and on the other one, of `trials` each.
        low, high: bounds of the two probabilities.
        drawn: the outputs that were counted, for a later choice.
    """

    event: Event
    described: str
    loss: Fraction
    beyond: float
    hits: tuple[int, int]
    trials: int
    low: Fraction
    high: Fraction
    drawn: tuple[Table, Table]
    codes: Codes
