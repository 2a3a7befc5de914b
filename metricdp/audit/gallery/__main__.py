"""`python -m metricdp.audit.gallery [NAME ...]`: exit 1 when a verdict is not the right one."""

from __future__ import annotations

import sys

from metricdp.audit.gallery import GALLERY, listed, run


def main(names: list[str]) -> int:
    """Print the verdicts on the named entries, or a table of all."""
    unknown = [name for name in names if name not in GALLERY]
    if unknown:
        print(f"no entry is called {unknown[0]}; entries: {', '.join(GALLERY)}", file=sys.stderr)
        return 2
    outcomes = list(run([GALLERY[name] for name in names] or GALLERY.values()))
    if names:
        for outcome in outcomes:
            print(f"{outcome.verdict}\n   = why     {outcome.entry.why}")
    else:
        print(listed(outcomes))
        right = sum(outcome.right for outcome in outcomes)
        seconds = sum(outcome.seconds for outcome in outcomes)
        print(f"\n{right} of {len(outcomes)} verdicts right, {seconds:.1f} s")
    return 0 if all(outcome.right for outcome in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
