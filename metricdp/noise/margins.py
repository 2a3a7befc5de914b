"""How far scale * Z in float64 can be from its real value: proved margins.

The sum y = part + scale * Z is computed in floats, part in [1/2, 3/2] the place of the statistic
between two grid points.  The floor of y is taken for granted only when y is farther from every
integer than the margin; see `certified` for the errors of E = -ln U, cosine and sine (u = 2**-53).

Laplace, Z = +-E.  U is known to w / v <= 2 / 2**49.  |error| <= scale (2**-51 (E + 1) + 2**-48)
+ 2 u scale E (rounding of the scale and the product) + u (scale E + 2) (the sum) + 2 u (part).
The margin 2**-49 scale E + 2**-47 scale + 2**-49 is larger by a factor of 1.9 or more.

Gaussian, Z = R C, R = sqrt(2 E), C = cos or sin.  An error e of E moves R by at most 2 e / R, so
by 2**-51 R + 2**-50 / R + (2 w / v) / R with w = 1; the last is below 2**-48 for U <= 1/2, where
R > 1.1, and below 2**-62 / R beyond.  With the errors of C, of four roundings and of the sum:
|error| <= scale (2**-49.2 R + 2**-49.9 / R + 2**-48) + 2**-51.  The margin
scale (2**-48 R + 2**-48 / R + 2**-47) + 2**-49 is larger by a factor of 2 or more.  E is raised
to 2**-80 where it is less; the margin then exceeds scale 2**-8, and the error scale 2**-30.
"""

from __future__ import annotations

from math import floor
from typing import Any

#: The margins are multiplied by this; tests make it infinite, and every draw is decided exactly.
FACTOR = 1.0
#: Scales from here on (in grid steps) are decided exactly: the floor must fit 64 bits.
WIDEST = 1 << 50
LEAST_E = 2.0**-80


def laplace_margin(reach: Any, scale: float) -> Any:
    """For scale * E = `reach` (a float or an array)."""
    return (reach * 2.0**-49 + (scale * 2.0**-47 + 2.0**-49)) * FACTOR


def gaussian_margin(radius: Any, scale: float) -> Any:
    """For R = `radius` > 0 (a float or an array)."""
    relative = radius * 2.0**-48 + 2.0**-48 / radius + 2.0**-47
    return (relative * scale + 2.0**-49) * FACTOR


def proved_floor(y: float, margin: float) -> int | None:
    """floor(y) when every number within the margin of y has the same floor."""
    found = floor(y)
    return found if margin < y - found < 1.0 - margin else None
