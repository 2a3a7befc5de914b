"""How many different versions of the app are in use?"""

from dataclasses import dataclass

import metricdp as dp


@dataclass
class Device:
    version: str
    country: str


@dp.measurement
def versions_in_use(devices: dp.Records[Device], eps: float):
    return dp.laplace(len({d.version for d in devices}), epsilon=eps)
