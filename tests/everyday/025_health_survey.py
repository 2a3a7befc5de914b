"""How many people of each sex are underweight, normal, overweight or obese, and who smokes?"""

from dataclasses import dataclass

import metricdp as dp

SEXES = ("female", "male")
LIMITS = {"underweight": (0.0, 18.5), "normal": (18.5, 25.0), "overweight": (25.0, 30.0)}


@dataclass
class Respondent:
    sex: str
    kilos: float
    metres: float
    smokes: bool


def bmi(person: Respondent) -> float:
    return person.kilos / max(person.metres, 0.5) ** 2


def category(person: Respondent) -> str:
    value = bmi(person)
    for name, (lo, hi) in LIMITS.items():
        if lo <= value < hi:
            return name
    return "obese"


def percentages(counts: dict[str, float]) -> dict[str, float]:
    positive = {k: max(v, 0.0) for k, v in counts.items()}
    total = sum(positive.values())
    if total == 0:
        return {k: 0.0 for k in counts}
    return {k: round(100 * v / total, 1) for k, v in positive.items()}


@dp.measurement
def health_survey(people: dp.Records[Respondent], eps: float):
    names = [*LIMITS, "obese"]
    weight, smoking = {}, {}
    for sex in SEXES:
        group = [p for p in people if p.sex == sex]
        counts = {}
        for name in names:
            counts[name] = dp.laplace(
                sum(1 for p in group if category(p) == name), epsilon=eps * 0.7
            )
        weight[sex] = percentages(counts)

        smokers = dp.laplace(sum(1 for p in group if p.smokes), epsilon=eps * 0.3)
        everyone = sum(counts.values())
        smoking[sex] = round(100 * smokers / everyone, 1) if everyone > 0 else None

    lines = [f"{'':8}" + "".join(f"{name:>14}" for name in names)]
    for sex in SEXES:
        lines.append(f"{sex:8}" + "".join(f"{weight[sex][name]:14.1f}" for name in names))
    for sex in SEXES:
        lines.append(f"{sex} smokers: {smoking[sex]} %")
    return "\n".join(lines)
