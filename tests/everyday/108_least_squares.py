from dataclasses import dataclass

import metricdp as dp


@dataclass
class Flat:
    area: float
    rent: float


@dp.measurement
def rent_per_area(flats: dp.Records[Flat], eps: float):
    xs = [min(max(f.area, 10), 200) / 200 for f in flats]
    ys = [min(max(f.rent, 100), 4000) / 4000 for f in flats]
    e = eps / 5
    n = dp.laplace(len(xs), epsilon=e)
    sx = dp.laplace(sum(xs), epsilon=e)
    sy = dp.laplace(sum(ys), epsilon=e)
    sxx = dp.laplace(sum(x * x for x in xs), epsilon=e)
    sxy = dp.laplace(sum(x * y for x, y in zip(xs, ys)), epsilon=e)
    slope = (n * sxy - sx * sy) / (n * sxx - sx * sx)
    intercept = (sy - slope * sx) / n
    return slope * 4000 / 200, intercept * 4000
