from dataclasses import dataclass

import metricdp as dp


@dataclass
class Wage:
    sector: str
    hourly: float


class WageReport:
    SECTORS = ("farm", "shop", "office")
    CAP = 80.0

    @staticmethod
    @dp.measurement
    def by_sector(wages: dp.Records[Wage], eps: float):
        out = {}
        for sector in WageReport.SECTORS:
            mine = [dp.clamp(w.hourly, 0, WageReport.CAP) for w in wages if w.sector == sector]
            total = dp.laplace(dp.sum(mine), epsilon=eps / 2)
            heads = dp.laplace(dp.count(mine), epsilon=eps / 2)
            out[sector] = total / heads
        return out
