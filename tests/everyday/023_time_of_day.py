"""At which time of the day do accidents happen?"""

from dataclasses import dataclass
from datetime import datetime

import metricdp as dp

PARTS = ["night", "morning", "afternoon", "evening"]


@dataclass
class Accident:
    at: datetime
    injured: bool


@dp.measurement
def time_of_day(accidents: dp.Records[Accident], eps: float):
    table = []
    for i, part in enumerate(PARTS):
        here = [a for a in accidents if a.at.hour // 6 == i]
        every = dp.laplace(len(here), epsilon=eps / 2)
        injured = dp.laplace(len([a for a in here if a.injured]), epsilon=eps / 2)
        table.append({"part": part, "accidents": every, "injured": injured})
    return table
