"""Gaussian noise and (epsilon, delta): certified profile, analytic and classical calibration.

Continuous law.  With u = movement / sigma in L2, the hockey-stick profile of the Gaussian is
delta(eps, u) = Phi(u/2 - eps/u) - e^eps Phi(-u/2 - eps/u), exactly (Balle and Wang 2018, Thm 8).

What is drawn is this law, rounded after it was added (`noise.rounded`, ADR 8): post-processing, to
which the continuous profile applies as it stands.  Calibration keeps a reserve on top of it, 1e-11
of sigma, that also covers noise which is drawn on a grid:

Grid law.  Noise is h times the discrete Gaussian on Z^n with parameter S = sigma/h and the value
lies on the grid.  Let f be the density of N(0, S^2), p(k) = f(k)/Z its discrete
Gaussian and q(k) the mass that N(0, S^2) rounded to integers puts on k.  Then
  q(k)/f(k) = integral over [-1/2, 1/2] of exp(-v^2/2S^2) cosh(k v/S^2)
  lies in [exp(-1/8S^2), exp(k^2/8S^4)], and 1 <= Z <= exp(1/8S^2)  (Poisson summation; sum q = 1).
Rounding is post-processing and the value is an integer, so the laws Q, Q' of the rounded continuous
mechanism satisfy the continuous profile.  Let B be the ball of radius R S around the centre of P.
On B, P <= e^{n/8S^2} Q and P' >= e^{-((R+u)^2 + n)/8S^2} Q', hence for every event E
  P(E) - e^eps P'(E) <= e^{n/8S^2} delta(eps - l, u) + P(outside B),  l = ((R+u)^2 + 2n)/8S^2,
  P(outside B) <= (E exp(|k|^2/4S^2)) e^{-R^2/4} <= (3/2)^n e^{-R^2/4}.
`grid_profile_upper` is this bound with S >= 2**40 and n <= 2**30.

All numbers here are rationals or decimals rounded outwards; no binary floating point enters a
bound.  `decimal` rounds exp, ln and sqrt correctly, so their neighbours enclose the true value.

Composition: k steps with ratios u_i are one Gaussian with sqrt(sum u_i^2).  The privacy losses of
Gaussian steps are Gaussian and independent of the past given the ratios, so adaptive steps with
ratios at most u_i are sqrt(sum u_i^2)-GDP, and the profile of one Gaussian is the answer, exactly.
Source: Dong, Roth, Su (2022), Corollary 3.3; Balle and Wang (2018), Thm 8.

What is released is continuous noise that was added first and rounded afterwards (`noise.rounded`,
ADR 8).  That is post-processing, so the profile holds as it stands, for any number of steps and
entries, and whatever is asked between them.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import lru_cache

from metricdp.accounting.orders import checked_delta
from metricdp.accounting.rounded import root_up, short_up
from metricdp.errors import ParameterError

#: Noise of the smallest parameter S = sigma / grid step that the grid bound covers.
MIN_TICKS = 1 << 40
#: Most entries of one vector of noise that the grid bound covers.
MAX_ENTRIES = 1 << 30

_DIGITS = 50
_DOWN = Context(_DIGITS, ROUND_FLOOR, MIN_EMIN, MAX_EMAX, traps=[])
_UP = Context(_DIGITS, ROUND_CEILING, MIN_EMIN, MAX_EMAX, traps=[])
_PI = Decimal("3.14159265358979323846264338327950288419716939937510")  # truncated: below pi
_PI_UP = Decimal("3.14159265358979323846264338327950288419716939937511")
#: From here on the continued fraction of Mills' ratio is used, below it the power series.
_SWITCH = 5
_FRACTION_DEPTH = 70
#: Below this a bound is 0, or this.
_TINIEST = Decimal("1e-10000")

_Bounds = tuple[Decimal, Decimal]


def profile_bounds(epsilon: Fraction, u: Fraction) -> tuple[Fraction, Fraction]:
    """Lower and upper bound of delta(epsilon, u) for the continuous Gaussian.

    Args:
        epsilon: any rational (below 0 too: the profile of e^epsilon < 1).
        u: movement in L2 divided by sigma, >= 0.
    """
    low, high = _profile(Fraction(epsilon), Fraction(u))
    # As fractions, far smaller numbers would have millions of digits.
    low, high = Decimal(0) if low < _TINIEST else low, max(high, _TINIEST) if high else high
    return Fraction(low), Fraction(min(high, Decimal(1)))


def profile_upper(epsilon: Fraction, u: Fraction) -> Fraction:
    """Upper bound of delta(epsilon, u) for the continuous Gaussian; see `profile_bounds`."""
    return profile_bounds(epsilon, u)[1]


def grid_profile_upper(epsilon: Fraction, u: Fraction, tail: Fraction | None = None) -> Fraction:
    """Upper bound of the profile of noise on a grid, and of continuous noise.

    Args:
        epsilon: at least 0.
        u: movement in L2 (rounding paid, see `run.emit`) divided by sigma, >= 0.
        tail: probability that the proof may give away, in (0, 1]; 1e-60 if None.
    """
    epsilon, u = Fraction(epsilon), Fraction(u)
    if not u:
        return Fraction(0)
    tail = Fraction(1, 10**60) if tail is None else tail
    # R^2 = 4 (n ln(3/2) + ln(1/tail)), with ln(3/2) < 0.41 and ln x < 0.7 * bits of x.
    bits = (tail.denominator // tail.numerator).bit_length() + 1
    radius2 = 4 * (Fraction(41, 100) * MAX_ENTRIES + Fraction(7, 10) * bits)
    s2 = 8 * Fraction(MIN_TICKS) ** 2
    # (R + u)^2 <= 2 R^2 + 2 u^2.
    shift = (2 * radius2 + 2 * u * u + 2 * MAX_ENTRIES) / s2
    # e^x <= 1 + 2x for x <= 1.
    factor = 1 + 2 * Fraction(MAX_ENTRIES) / s2
    return min(Fraction(1), factor * profile_upper(epsilon - shift, u) + tail)


@lru_cache(maxsize=256)
def analytic_sigma(epsilon: Fraction, delta: Fraction) -> Fraction:
    """Standard deviation per unit of L2 movement that makes the grid noise (epsilon, delta)-DP.

    Args:
        epsilon: >= 0.
        delta: in (0, 1).

    Returns:
        sigma, rounded up: within a relative 1e-11 of the smallest one of the continuous law.

    Raises:
        ParameterError: epsilon < 0 or delta outside (0, 1).
    """
    epsilon, delta = _checked(epsilon, delta)
    tail = delta / 2**60

    def excess(u: Fraction) -> float:
        return _log_ratio(grid_profile_upper(epsilon, u, tail), delta)

    # The profile increases with u: bracket the root by doubling, then narrow the bracket.
    low = high = Fraction(1)
    while excess(low) > 0:
        low, high = low / 4, low
    while excess(high) <= 0:
        low, high = high, high * 2
    return _round_up(1 / _narrow(excess, low, high))


def _narrow(excess: Callable[[Fraction], float], low: Fraction, high: Fraction) -> Fraction:
    """A point below the root of an increasing function, relative distance at most 2**-40."""
    f_low, f_high = excess(low), excess(high)
    nudge = Fraction(1, 2**42)
    while high - low > low / 2**40:
        secant = low + (high - low) * Fraction(f_low / (f_low - f_high))
        # On either side of the secant's root, so that both ends close in; the middle as a guard.
        for guess in (secant * (1 - nudge), secant * (1 + nudge), (low + high) / 2):
            u = _short(guess)
            if not low < u < high:
                continue
            value = excess(u)
            if value <= 0:
                low, f_low = u, value
            else:
                high, f_high = u, value
    return low


@lru_cache(maxsize=256)
def classical_sigma(epsilon: Fraction, delta: Fraction) -> Fraction:
    """sqrt(2 ln(1.25 / delta)) / epsilon, rounded up: standard deviation per unit of L2 movement.

    Proven for 0 < epsilon < 1 only (Dwork and Roth 2014, Theorem A.1).  It spends at most a third
    of delta under the continuous law, so the error of the grid (1e-15) is inside.

    Raises:
        ParameterError: epsilon outside (0, 1) or delta outside (0, 1).
    """
    epsilon, delta = _checked(epsilon, delta)
    if not 0 < epsilon < 1:
        raise ParameterError(
            f"the classical Gaussian is proven for 0 < epsilon < 1, and epsilon is {epsilon}",
            remedy="use dp.gaussian(x, epsilon=, delta=), which holds for every epsilon",
        )
    ratio = _decimals(Fraction(5, 4) / delta)[1]
    log = _UP.next_plus(_UP.ln(ratio))
    root = _UP.next_plus(_UP.sqrt(_UP.multiply(Decimal(2), log)))
    return _round_up(Fraction(root) / epsilon)


def _checked(epsilon: Fraction, delta: Fraction) -> tuple[Fraction, Fraction]:
    epsilon, delta = Fraction(epsilon), Fraction(delta)
    if epsilon < 0:
        raise ParameterError(f"epsilon is {epsilon}", remedy="choose epsilon > 0")
    if not 0 < delta < 1:
        raise ParameterError(f"delta is {delta}", remedy="choose 0 < delta < 1")
    return epsilon, delta


def _profile(epsilon: Fraction, u: Fraction) -> _Bounds:
    if u <= 0:
        gap = max(Fraction(0), 1 - Fraction(_exp(epsilon)[0])) if epsilon < 0 else Fraction(0)
        return Decimal(0), _decimals(gap)[1]
    # e^eps phi(-u/2 - eps/u) = phi(u/2 - eps/u): both terms share one density.
    a, b = u / 2 - epsilon / u, u / 2 + epsilon / u
    density_low, density_high = _density(a)
    if a <= 0:
        near_low, near_high = _mills(-a)
        far_low, far_high = _mills(b)
        low = _DOWN.multiply(density_low, max(Decimal(0), _DOWN.subtract(near_low, far_high)))
        return low, _UP.multiply(density_high, _UP.subtract(near_high, far_low))
    # 1 - phi(a) (m(a) + m(b)); m(b) = 1/phi(b) - m(-b) would be large for b < 0, so phi(b) is used.
    near_low, near_high = _mills(a)
    if b >= 0:
        far_low, far_high = _mills(b)
        return (
            _DOWN.subtract(Decimal(1), _UP.multiply(density_high, _UP.add(near_high, far_high))),
            _UP.subtract(Decimal(1), _DOWN.multiply(density_low, _DOWN.add(near_low, far_low))),
        )
    # b < 0 (epsilon < -u^2/2): e^eps Phi(-b) = e^eps - phi(a) m(-b), and m(-b) > m(a).
    far_low, far_high = _mills(-b)
    power_low, power_high = _exp(epsilon)
    gap_low = max(Decimal(0), _DOWN.subtract(far_low, near_high))
    gap_high = _UP.subtract(far_high, near_low)
    return (
        _DOWN.add(_DOWN.subtract(Decimal(1), power_high), _DOWN.multiply(density_low, gap_low)),
        _UP.add(_UP.subtract(Decimal(1), power_low), _UP.multiply(density_high, gap_high)),
    )


def _density(t: Fraction) -> _Bounds:
    """Bounds of exp(-t^2/2) / sqrt(2 pi)."""
    low, high = _exp(-t * t / 2)
    root_low = _DOWN.next_minus(_DOWN.sqrt(_DOWN.multiply(Decimal(2), _PI)))
    root_high = _UP.next_plus(_UP.sqrt(_UP.multiply(Decimal(2), _PI_UP)))
    return _DOWN.divide(low, root_high), _UP.divide(high, root_low)


def _mills(t: Fraction) -> _Bounds:
    """Bounds of Phi(-t) / phi(t) for t >= 0."""
    return _mills_series(t) if t < _SWITCH else _mills_fraction(t)


def _mills_series(t: Fraction) -> _Bounds:
    """sqrt(pi/2) e^{t^2/2} - sum of t^(2n+1) / (2n+1)!!; all terms positive."""
    square_low, square_high = _decimals(t * t)
    term_low, term_high = _decimals(t)
    sum_low, sum_high = term_low, term_high
    n = 1
    while term_high > Decimal(10) ** -_DIGITS or square_high * 2 > 2 * n + 1:
        odd = Decimal(2 * n + 1)
        term_low = _DOWN.divide(_DOWN.multiply(term_low, square_low), odd)
        term_high = _UP.divide(_UP.multiply(term_high, square_high), odd)
        sum_low, sum_high = _DOWN.add(sum_low, term_low), _UP.add(sum_high, term_high)
        n += 1
    # The next ratios are below 1/2, so the tail is at most the last term.
    sum_high = _UP.add(sum_high, term_high)
    exp_low, exp_high = _exp(t * t / 2)
    half_low = _DOWN.next_minus(_DOWN.sqrt(_DOWN.divide(_PI, Decimal(2))))
    half_high = _UP.next_plus(_UP.sqrt(_UP.divide(_PI_UP, Decimal(2))))
    low = _DOWN.subtract(_DOWN.multiply(half_low, exp_low), sum_high)
    return low, _UP.subtract(_UP.multiply(half_high, exp_high), sum_low)


def _mills_fraction(t: Fraction) -> _Bounds:
    """1/(t + 1/(t + 2/(t + 3/(t + ...)))): two consecutive truncations lie on either side."""
    low, high = _decimals(t)
    tail_low, tail_high = low, _UP.add(high, _UP.divide(Decimal(_FRACTION_DEPTH), low))
    # T_k = t + k / T_(k+1) lies in [t, t + k/t]; going up to 1 / T_1 keeps the bracket.
    for k in range(_FRACTION_DEPTH - 1, 0, -1):
        tail_low, tail_high = (
            _DOWN.add(low, _DOWN.divide(Decimal(k), tail_high)),
            _UP.add(high, _UP.divide(Decimal(k), tail_low)),
        )
    return _DOWN.divide(Decimal(1), tail_high), _UP.divide(Decimal(1), tail_low)


def _exp(x: Fraction) -> _Bounds:
    low, high = _decimals(x)
    return (
        max(Decimal(0), _DOWN.next_minus(_DOWN.exp(low))),
        _UP.next_plus(_UP.exp(high)),
    )


def _decimals(x: Fraction) -> _Bounds:
    top, bottom = Decimal(x.numerator), Decimal(x.denominator)
    return _DOWN.divide(top, bottom), _UP.divide(top, bottom)


def _log_ratio(x: Fraction, y: Fraction) -> float:
    """ln(x / y), for search only; exactly signed."""
    if x == y:
        return 0.0
    log = float(_UP.ln(_decimals(x / y)[1]))
    return max(log, 1e-300) if x > y else min(log, -1e-300)


def _short(x: Fraction) -> Fraction:
    """A nearby rational with 60 significant bits: keeps numbers small."""
    shift = x.numerator.bit_length() - x.denominator.bit_length() - 60
    ticks = x / Fraction(2) ** shift
    return (ticks.numerator // ticks.denominator) * Fraction(2) ** shift


def _round_up(x: Fraction) -> Fraction:
    """The next rational with 53 significant bits: a double, not below x."""
    shift = x.numerator.bit_length() - x.denominator.bit_length() - 52
    ticks = x / Fraction(2) ** shift
    return -(-ticks.numerator // ticks.denominator) * Fraction(2) ** shift


def composed_profile(epsilon: Fraction, rho: Fraction) -> Fraction:
    """delta at epsilon of Gaussian steps with total rho = sum u_i^2 / 2, rounded up."""
    return profile_upper(epsilon, short_up(root_up(2 * Fraction(rho))))


@lru_cache(maxsize=256)
def gaussian_epsilon(rho: Fraction, delta: Fraction) -> Fraction:
    """The least epsilon at delta of Gaussian steps with total rho = sum u_i^2 / 2, rounded up.

    The relative excess over the optimum is about 2^-20.

    Raises:
        ParameterError: delta outside (0, 1).
    """
    delta = checked_delta(delta)
    zero = Fraction(0)
    if not rho or composed_profile(zero, rho) <= delta:
        return zero
    # The simple zCDP bound, and some, is certainly enough; doubling finds a bracket.
    low, high = zero, max(Fraction(rho), Fraction(1, 2**20))
    while composed_profile(high, rho) > delta:
        low, high = high, 2 * high
    while high - low > high / 2**20:
        middle = short_up((low + high) / 2, 40)
        if composed_profile(middle, rho) <= delta:
            high = middle
        else:
            low = middle
    return high
