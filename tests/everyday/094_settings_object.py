"""How many readers does each section of the newspaper have, as the settings say?"""

from dataclasses import dataclass

import metricdp as dp


@dataclass(frozen=True)
class Settings:
    sections: tuple[str, ...] = ("news", "sport", "arts")
    noise: float = 2.0
    floor: int = 0


SETTINGS = Settings()


@dp.measurement
def readers(clicks: dp.Records[str]):
    result = dict.fromkeys(SETTINGS.sections, 0)
    for section in result:
        n = dp.laplace(sum(1 for c in clicks if c == section), scale=SETTINGS.noise)
        result[section] = max(SETTINGS.floor, int(n))
    return result
