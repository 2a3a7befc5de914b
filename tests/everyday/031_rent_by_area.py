"""How does rent grow with floor area: slope and intercept of a straight line?"""

from typing import NamedTuple

import metricdp as dp


class Flat(NamedTuple):
    area: float
    rent: float


@dp.measurement
def rent_by_area(flats: dp.Records[Flat], eps: float) -> tuple[float, float]:
    n = sx = sy = sxx = sxy = 0
    for flat in flats:
        x = min(max(flat.area, 0), 200) / 200
        y = min(max(flat.rent, 0), 4000) / 4000
        n += 1
        sx += x
        sy += y
        sxx += x * x
        sxy += x * y
    e = eps / 5
    n, sx, sy = dp.laplace(n, epsilon=e), dp.laplace(sx, epsilon=e), dp.laplace(sy, epsilon=e)
    sxx, sxy = dp.laplace(sxx, epsilon=e), dp.laplace(sxy, epsilon=e)
    det = n * sxx - sx * sx
    slope = (n * sxy - sx * sy) / det
    intercept = (sy - slope * sx) / n
    return slope, intercept
