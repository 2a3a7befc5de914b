"""What the best of a random number of private rounds costs.

A round Q releases (score, value); K rounds run, K secret and independent of the data, and the pair
of the best score is released, the first of equals.  With stop g in (0, 1] and shape h in (-1, 1],
  P(K = k) is proportional to (1 - g)^(k-1) w_k,  w_k = product over l from 1 to k - 1 of
  (l + h)/(l + 1):
the truncated negative binomial law, whose generating function f has
  f'(x) = E[K] (g / (1 - (1 - g) x))^(h + 1).

Pure.  Let a and b be the chances under Q of a score below, and of at most, that of y.  Counting the
place of the first best,  A(y) = Q(y) E[sum_j a^(j-1) b^(K-j)] = Q(y) times the mean of
f'(a + t(b - a)) over t in [0, 1].  Q(y) moves by a factor of at most e^eps.  The chance
u = 1 - (1 - g)(a + t(b - a)) is that of an event decided by a pair and a coin, so it moves by at
most e^eps too, and f' by e^((h + 1) eps).  Together (2 + h) eps: 3 eps for geometric rounds, 2 eps
for logarithmic ones.

(epsilon, delta).  Two laws that are (eps, delta)-close both ways are (1 - delta) Q_0 + delta E with
Q_0 eps-close (Kairouz, Oh, Viswanath 2015, Theorem 3.4).  Some round is of the second kind with a
chance of at most delta E[K].  Otherwise f(x) becomes f((1 - delta) x) on both sides, of the same
form with (1 - g)(1 - delta) in place of 1 - g: ((2 + h) eps, delta E[K]).  E[K] is 1/g for
geometric rounds, and less for h < 1, where long runs are thinned out.

First above a threshold.  Rounds run until one has a score of at least a public threshold, which is
released; after one that has not, a coin of chance g says to stop with nothing.  With p the chance
under Q of a score that reaches it and u = 1 - (1 - g)(1 - p), A(y) = Q(y) / u, and nothing has the
chance g (1 - p) / u.  Q(y), 1 - p and u each move by at most e^eps: 2 eps.  There are at most 1/g
rounds on average, so delta / g as before: all as for h = 0, whose node is used.  1/u in place of
f' is at most 1/g, and u >= g, so the Renyi bound of h = 0 holds as well.

rho-zCDP: none but the rho of a pure bound, and (rho, delta) that of an (epsilon, delta).  A fixed
number of rounds costs that many rounds.
Sources: Liu and Talwar (2019), Theorems 3.1 and 3.2; Papernot and Steinke (2022), Theorem 2 and
Corollary 3.
"""

from __future__ import annotations

from typing import Any

from metricdp.expr import Expr
from metricdp.measures.events import Selected
from metricdp.measures.pure_rho import pure_to_zcdp
from metricdp.measures.readings import APPROX_ZCDP, Cost, implied, spent


def selected_cost(tree: Selected, measure: str, source: Any, distance: Expr) -> Cost:
    """What `source` pays for the best of the rounds; see `readings.spent`."""
    if measure in ("approx", APPROX_ZCDP):
        epsilon, delta = spent(tree.body, "approx", source, distance)
        found = (2 + tree.shape) * epsilon, delta / tree.stop
        return found if measure == "approx" else implied(found, "approx", measure)
    (epsilon,) = spent(tree.body, "pure", source, distance)
    whole = (2 + tree.shape) * epsilon
    return (whole,) if measure == "pure" else (pure_to_zcdp(whole),)
