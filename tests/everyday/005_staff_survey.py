"""How satisfied are staff, by department and by question, and where is the worst department?"""

from dataclasses import dataclass

import metricdp as dp

DEPARTMENTS = ("sales", "engineering", "support", "finance")
QUESTIONS = ("pay", "manager", "hours")
LOWEST, HIGHEST = 1, 5


@dataclass
class Answer:
    department: str
    pay: int
    manager: int
    hours: int


def in_range(score):
    return min(max(score, LOWEST), HIGHEST)


def noisy_mean(scores, eps):
    """Mean of scores from 1 to 5, from a noisy sum and a noisy count."""
    total = dp.laplace(sum(scores), epsilon=eps / 2)
    n = dp.laplace(len(scores), epsilon=eps / 2)
    if n < 1:
        return float(LOWEST)
    return min(max(total / n, LOWEST), HIGHEST)


@dp.measurement
def staff_survey(answers: dp.Records[Answer], eps: float):
    share = eps / len(QUESTIONS)
    table = {}
    for department in DEPARTMENTS:
        mine = [a for a in answers if a.department == department]
        row = {}
        row["pay"] = noisy_mean([in_range(a.pay) for a in mine], share)
        row["manager"] = noisy_mean([in_range(a.manager) for a in mine], share)
        row["hours"] = noisy_mean([in_range(a.hours) for a in mine], share)
        table[department] = row

    overall = {}
    for question in QUESTIONS:
        values = [table[d][question] for d in DEPARTMENTS]
        overall[question] = sum(values) / len(values)

    worst = min(DEPARTMENTS, key=lambda d: sum(table[d].values()))
    lines = []
    for department, row in table.items():
        cells = ", ".join(f"{q}: {v:.1f}" for q, v in row.items())
        lines.append(f"{department:12} {cells}")
    lines.append(f"lowest: {worst}")
    return table, overall, "\n".join(lines)
