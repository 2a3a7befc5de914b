"""What do ten questions about one class cost together, asked one after the other?"""

from dataclasses import dataclass

import metricdp as dp

LESSON = """Noise for each question is set by its share of the budget.
Shares of the same people add up; shares of different people do not."""


@dataclass
class Pupil:
    grade: int
    height: float
    sport: bool
    music: bool
    sleep: float


def cut(v, lo, hi):
    return lo if v < lo else hi if v > hi else v


@dp.measurement
def composition_lesson(pupils: dp.Records[Pupil], eps: float):
    each = eps / 10
    answers = {}

    # Four questions about everybody.
    answers["pupils"] = dp.laplace(len(pupils), epsilon=each)
    answers["height"] = dp.laplace(sum(cut(p.height, 100, 200) for p in pupils), epsilon=each)
    answers["sleep"] = dp.laplace(sum(cut(p.sleep, 0, 14) for p in pupils), epsilon=each)
    answers["sport"] = dp.laplace(sum(1 for p in pupils if p.sport), epsilon=each)

    # Six questions about one grade each: a pupil is in one grade.
    for grade in range(1, 7):
        mine = [p for p in pupils if p.grade == grade]
        answers[f"grade {grade}"] = dp.laplace(len(mine), epsilon=6 * each)

    n = max(answers["pupils"], 1.0)
    means = {name: round(answers[name] / n, 2) for name in ("height", "sleep", "sport")}
    largest = max(range(1, 7), key=lambda g: answers[f"grade {g}"])

    report = [LESSON, ""]
    for name, value in sorted(answers.items()):
        report.append(f"{name:>10}: {value:8.1f}")
    report.append(f"largest grade: {largest}")
    return means, "\n".join(report)
