"""Which small decision tree tells good loans from bad ones?"""

from dataclasses import dataclass

import metricdp as dp

DEPTH = 2
SPLITS = (
    ("age", 25.0),
    ("age", 40.0),
    ("income", 20_000.0),
    ("income", 50_000.0),
    ("amount", 5_000.0),
    ("amount", 20_000.0),
)


@dataclass
class Loan:
    age: float
    income: float
    amount: float
    repaid: bool


def value(loan, feature):
    if feature == "age":
        return loan.age
    if feature == "income":
        return loan.income
    return loan.amount


def majority_right(loans):
    """How many loans a leaf for these would get right."""
    good = sum(1 for loan in loans if loan.repaid)
    bad = sum(1 for loan in loans if not loan.repaid)
    return max(good, bad)


def grow(loans, depth, eps):
    if depth == 0:
        good = dp.laplace(sum(1 for loan in loans if loan.repaid), epsilon=eps)
        bad = dp.laplace(sum(1 for loan in loans if not loan.repaid), epsilon=eps)
        return {"leaf": "repaid" if good > bad else "not repaid"}

    scores = []
    for feature, limit in SPLITS:
        low = [loan for loan in loans if value(loan, feature) < limit]
        high = [loan for loan in loans if value(loan, feature) >= limit]
        scores.append(majority_right(low) + majority_right(high))
    best = dp.report_noisy_max(scores, epsilon=eps)
    feature, limit = SPLITS[best]

    low = [loan for loan in loans if value(loan, feature) < limit]
    high = [loan for loan in loans if value(loan, feature) >= limit]
    return {
        "split": f"{feature} < {limit:g}",
        "yes": grow(low, depth - 1, eps),
        "no": grow(high, depth - 1, eps),
    }


@dp.measurement
def loan_tree(loans: dp.Records[Loan], eps: float):
    return grow(loans, DEPTH, eps / (DEPTH + 1))
