"""Claims and verdicts: what is claimed on one pair of inputs, and what an audit of it ends with.

A claim is in epsilon, (epsilon, delta), rho or (rho, delta).  Verdicts are of one form, whichever
auditor gave them: "exact" compares the laws themselves, "sampled" bounds probabilities from
samples, "replay" compares two runs along the same outputs of the mechanisms.  Only the sampled one
can err, with the stated probability.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf, isnan
from typing import Any

import msgspec

from metricdp.audit.values import plain, shown
from metricdp.errors import ParameterError

Number = Fraction | float

#: measure -> names of its numbers.
_NAMES = {
    "pure": ("epsilon",), "approx": ("epsilon", "delta"), "zcdp": ("rho",),
    "approx_zcdp": ("rho", "delta"),
}  # fmt: skip
Bounds = tuple[Fraction, Fraction]
_LONG = 120


class PrivacyClaim(msgspec.Struct, frozen=True):
    """A bound on the privacy loss between the laws on one pair of inputs, in both directions.

    Attributes:
        measure: "pure", "approx", "zcdp" or "approx_zcdp".
        bounds: epsilon; epsilon and delta; rho; rho and delta.  Rationals, or infinity.
    """

    measure: str
    bounds: tuple[Number, ...]

    @staticmethod
    def of(epsilon: Any, delta: Any = 0) -> PrivacyClaim:
        """The claim of (epsilon, delta)-privacy; floats are the decimals that they print as.

        Raises:
            ParameterError: epsilon below 0 or NaN, or delta outside [0, 1).

        >>> str(PrivacyClaim.of(0.1, 1e-6))
        'epsilon 1/10, delta 1e-06'
        """
        e, d = _number(epsilon, "epsilon"), _number(delta, "delta")
        if e < 0:
            raise ParameterError("must not be negative", place="epsilon", remedy="epsilon=1.0")
        if not 0 <= d < 1:
            raise ParameterError("lies in [0, 1)", place="delta", remedy="delta=1e-6")
        return PrivacyClaim("approx", (e, d)) if d else PrivacyClaim("pure", (e,))

    @property
    def epsilon(self) -> Number:
        """The claimed epsilon.  ParameterError for a claim in rho."""
        if self.measure in ("zcdp", "approx_zcdp"):
            raise ParameterError("a claim in rho has no epsilon", place="claim")
        return self.bounds[0]

    @property
    def delta(self) -> Fraction:
        """The claimed delta; 0 for a pure claim."""
        return Fraction(self.bounds[1]) if len(self.bounds) > 1 else Fraction(0)

    def __str__(self) -> str:
        return ", ".join(
            f"{name} {short(value)}"
            for name, value in zip(_NAMES[self.measure], self.bounds, strict=True)
        )


def short(value: Number) -> str:
    """A number in a verdict: exact where short, else six digits."""
    if isinstance(value, Fraction):
        if value.denominator <= 1000 and value.numerator < 10**9:
            return str(value)
        value = float(value)
    return "oo" if value == inf else f"{value:.6g}"


def _number(value: Any, place: str) -> Number:
    if isinstance(value, bool) or not isinstance(value, (int, float, Fraction)) or isnan(value):
        raise ParameterError("must be a number", place=place, remedy=f"{place}=0.5")
    if isinstance(value, float):
        return inf if value == inf else Fraction(repr(float(value)))
    return Fraction(value)


class PrivacyRefuted(msgspec.Struct, frozen=True):
    """A privacy claim that is false, with the pair of inputs that shows it.

    Attributes:
        name: of the mechanism.
        claim: what was claimed at this distance.
        auditor: "exact", "sampled" or "replay".
        why: the fact, one line: "epsilon is at least 2.31", "charged 1, moved 3 in L1".
        x, x2: the two inputs; synthetic unless the user gave them.
        d_in: their distance, None where the user only says that they are neighbours.
        event: a set of outputs in words; "" for a replay.
        p, q: probability of the event on x and on x2, enclosed (exact) or bounded at the stated
            confidence (sampled); None for a replay.
        loss: the privacy loss shown, in the first number of the claim (epsilon at the claimed
            delta, or rho): a lower bound; None where no number belongs to it (a leak).
        false_alarm: probability that a mechanism which keeps the claim is refuted; 0 unless
            sampled.
        site: "file:line" of the draw or leak; "" where unknown.
        tried: pairs tried.
        seed: of the search.
        details: further lines (which outcomes were counted, what each run did).
        command: what repeats the audit, or "".
    """

    name: str
    claim: PrivacyClaim
    auditor: str
    why: str
    x: Any
    x2: Any
    d_in: Number | None = None
    event: str = ""
    p: Bounds | None = None
    q: Bounds | None = None
    loss: Number | None = None
    false_alarm: float = 0.0
    site: str = ""
    tried: int = 0
    seed: int = 0
    details: tuple[str, ...] = ()
    command: str = ""

    @property
    def refuted(self) -> bool:
        """True."""
        return True

    @property
    def confidence(self) -> float:
        """1 - false_alarm."""
        return 1 - self.false_alarm

    def __str__(self) -> str:
        lines = [f"error[claim-refuted]: `{self.name}` claims {self.claim}: {self.why}"]
        if self.site:
            lines.append(f"   = at      {self.site}")
        distance = "" if self.d_in is None else f"    d(x, x') = {short(self.d_in)}"
        lines.append(f"   = inputs  x  = {brief(self.x)}")
        lines.append(f"             x' = {brief(self.x2)}{distance}")
        if self.event:
            lines.append(f"   = event   {self.event}")
        if self.p is not None and self.q is not None:
            lines.append(
                f"             probability {_chance(self.p)} on x, {_chance(self.q)} on x'"
            )
        lines += [f"   = note    {line}" for line in self.details]
        lines.append(f"   = shown   {certainty(self.auditor, self.false_alarm)}{self._found()}")
        return "\n".join(lines)

    def _found(self) -> str:
        found = f"; pair {grouped(self.tried)}, seed {self.seed}" if self.tried else ""
        return found + (f";  repeat: {self.command}" if self.command else "")


class PrivacySurvived(msgspec.Struct, frozen=True):
    """No pair beat the claim: evidence, not proof.

    Attributes:
        name, claim, auditor, false_alarm, seed, details, command: as for `PrivacyRefuted`;
            `claim` at the distance where `loss` came closest to it.
        loss: the largest lower bound of the loss that was shown, in the first number of the claim.
        closest: the largest shown / claimed; for a replay, moved / charged.
        event: that shows `loss`, in words.
        p, q: probability of the event on x and on x2, bounded at the stated confidence; None unless
            sampled.
        pairs: pairs tried.
        samples: outputs drawn.
    """

    name: str
    claim: PrivacyClaim
    auditor: str
    loss: Number | None = None
    closest: float = 0.0
    event: str = ""
    false_alarm: float = 0.0
    pairs: int = 0
    samples: int = 0
    seed: int = 0
    details: tuple[str, ...] = ()
    command: str = ""
    p: Bounds | None = None
    q: Bounds | None = None

    @property
    def refuted(self) -> bool:
        """False."""
        return False

    @property
    def confidence(self) -> float:
        """1 - false_alarm."""
        return 1 - self.false_alarm

    def __str__(self) -> str:
        name = "rho" if self.claim.measure == "zcdp" else "epsilon"
        largest = "" if self.loss is None else f", largest {name} shown {short(self.loss)}"
        tried = f"{grouped(self.pairs)} pair{'' if self.pairs == 1 else 's'}"
        if self.samples:
            tried += f" and {grouped(self.samples)} samples"
        # Two runs alike say nothing of the size of a loss.
        alike = self.auditor == "replay" and self.loss is None and not self.closest
        near = "" if alike else f"; closest {self.closest:.3g} of the claim"
        line = (
            f"survived: `{self.name}` within {self.claim} on {tried}{largest}{near} "
            f"({certainty(self.auditor, self.false_alarm)}; survived is not proved)"
        )
        return "\n".join([line, *(f"   = note    {text}" for text in self.details)])


Verdict = PrivacyRefuted | PrivacySurvived


def certainty(auditor: str, false_alarm: float) -> str:
    """How sure the numbers of a verdict are, in words."""
    if auditor == "exact":
        return "exactly, from the laws"
    if auditor == "replay":
        return "by one pair of runs, without statistics"
    return f"from samples, with confidence 1 - {false_alarm:.2g}"


def brief(value: Any) -> str:
    """A value as text of bounded length."""
    text = shown(plain(value))
    return text if len(text) <= _LONG else f"{text[: _LONG - 3]}..."


def grouped(count: int) -> str:
    """A count with its thousands apart."""
    return f"{count:,}".replace(",", " ")


def _chance(bounds: Bounds) -> str:
    """A probability: one number where the ends agree in six digits, else which side it is on."""
    low, high = (f"{float(end):.6g}" for end in bounds)
    if low == high:
        return low
    if bounds[1] >= 1:
        return f">= {low}"
    return f"<= {high}" if bounds[0] <= 0 else f"in [{low}, {high}]"


def ratio(loss: Number | None, claimed: Number) -> float:
    """shown / claimed as a double, for `closest`."""
    if loss is None or claimed == inf:
        return 0.0
    return float(loss / claimed) if claimed else (inf if loss > 0 else 0.0)
