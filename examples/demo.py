"""Three programs checked, then statistics about real people released from the proved one.

The RAND Health Insurance Experiment (1974-1982) gave families insurance plans at random, from free
care to 95% coinsurance; 20,190 person-years of it ship inside statsmodels. Run: `make demo`.
"""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from pathlib import Path

from statsmodels.datasets import randhie

import metricdp as dp

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))


def title(text: str) -> None:
    print(f"\n\033[1m{text}\033[0m" if sys.stdout.isatty() else f"\n== {text}")


def check(name: str, expected: int, *options: str) -> None:
    """Runs `metricdp check` as a reader would type it; stops if its exit code surprises."""
    command = ["metricdp", "check", f"examples/{name}", *options]
    print(f"$ {' '.join(command)}", flush=True)
    done = subprocess.run([sys.executable, "-m", *command], cwd=HERE.parent)
    if done.returncode != expected:
        sys.exit(f"demo: exit code {done.returncode}, and {expected} was expected")


def show(question: str, release: dp.Release) -> Fraction:
    """Prints one release as it prints itself, and returns the epsilon it spent."""
    print(f"{question}\n{release}", flush=True)
    return Fraction(release.privacy["epsilon"])


def show_mean(question: str, release: dp.Release) -> Fraction:
    """The same for a mean, whose interval is post-processing of its two releases' intervals."""
    spent = show(question, release)
    # Each of the two fails with probability 2.5%, so both hold with probability 95%.
    _, total, years = release.interval(0.975)
    low, high = total[0] / years[1], total[1] / years[0]
    print(f"  mean {release.value[0]:.3f}, between {low:.3f} and {high:.3f} (95%)", flush=True)
    return spent


def main() -> None:
    title("1. A program without bounds is rejected, with the edit that mends it")
    check("no_clamp.py", 1)
    title("2. A wrong claim is refuted, with a pair of inputs that breaks it")
    check("wrong_claim.py", 1)
    title("3. The mended program is proved: one person-year added or removed")
    check("visits.py", 0)
    title("4. The same program for a whole person, followed for at most five years")
    check("visits.py", 0, "--distance", "visits=5", "--distance", "poor=5", "--set", "eps=0.2")

    from visits import mean_visits, years_in_poor_health, years_without_visit

    title("5. What was checked is what runs, on the experiment's own data")
    table = randhie.load_pandas().data
    visits = table["mdvis"].to_numpy(dtype=float)
    poor = table["hlthp"].to_numpy(dtype=bool)
    free = table["lncoins"].to_numpy() == 0
    print(mean_visits.guarantee, end="\n\n")
    spent = (
        show_mean("visits per person-year, free care", mean_visits(visits[free], eps=0.2))
        + show_mean("visits per person-year, coinsurance", mean_visits(visits[~free], eps=0.2))
        + show("person-years without a visit", years_without_visit(visits, eps=0.1))
        + show("person-years in poor health", years_in_poor_health(poor, eps=0.1))
    )
    print(
        f"\nepsilon spent in all: {float(spent):g} for one person-year,"
        f" at most {float(5 * spent):g} for one person"
    )


if __name__ == "__main__":
    main()
