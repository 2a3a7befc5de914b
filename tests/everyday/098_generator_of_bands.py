"""How many parcels are there in each weight band, with a generator of bands?"""

from collections.abc import Iterator

import metricdp as dp


def bands(start: float, stop: float, step: float) -> Iterator[tuple[float, float]]:
    lo = start
    while lo < stop:
        yield lo, min(lo + step, stop)
        lo += step


@dp.measurement
def parcel_weights(kilos: dp.Records[float], eps: float):
    out = []
    for lo, hi in bands(0.0, 10.0, 2.5):
        n = dp.laplace(sum(1 for k in kilos if lo <= k < hi), epsilon=eps)
        out.append((f"{lo:.1f}-{hi:.1f} kg", max(0, round(n))))
    return out
