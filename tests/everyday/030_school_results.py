"""How do schools compare in pass rates and mean marks, and which are in the top and the bottom?"""

from dataclasses import dataclass

import metricdp as dp

SCHOOLS = [f"school {i}" for i in range(1, 9)]
SUBJECTS = ("maths", "english", "science")
PASS_MARK = 40


@dataclass
class Result:
    school: str
    subject: str
    mark: float


@dataclass
class Summary:
    school: str
    mean: float
    pass_rate: float

    def line(self) -> str:
        return f"{self.school}: mean {self.mean:.1f}, passed {100 * self.pass_rate:.0f} %"


def summarise(school: str, results, eps: float) -> Summary:
    marks = [min(max(r.mark, 0), 100) for r in results if r.school == school]
    number = dp.laplace(len(marks), epsilon=eps / 3)
    total = dp.laplace(sum(marks), epsilon=eps / 3)
    passed = dp.laplace(sum(1 for m in marks if m >= PASS_MARK), epsilon=eps / 3)
    number = max(number, 1.0)
    return Summary(school, total / number, passed / number)


@dp.measurement
def school_results(results: dp.Records[Result], eps: float):
    summaries = [summarise(school, results, eps / 2) for school in SCHOOLS]
    ranked = sorted(summaries, key=lambda s: s.mean, reverse=True)
    top, bottom = ranked[:3], ranked[-3:]

    by_subject = {}
    for subject in SUBJECTS:
        marks = [min(max(r.mark, 0), 100) for r in results if r.subject == subject]
        total = dp.laplace(sum(marks), epsilon=eps / 4)
        number = dp.laplace(len(marks), epsilon=eps / 4)
        by_subject[subject] = total / number

    return {
        "top": [s.line() for s in top],
        "bottom": [s.line() for s in bottom],
        "subjects": by_subject,
        "any school below half": any(s.pass_rate < 0.5 for s in summaries),
    }
