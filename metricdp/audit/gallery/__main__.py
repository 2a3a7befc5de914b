"""`python -m metricdp.audit.gallery [NAME ...]`: exit 1 when a verdict is not the right one."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from metricdp.audit.gallery import GALLERY, GalleryVerdict, lines, run


def main(names: list[str]) -> int:
    """Print the verdicts on the named entries, or a table of all."""
    unknown = [name for name in names if name not in GALLERY]
    if unknown:
        print(f"no entry is called {unknown[0]}; entries: {', '.join(GALLERY)}", file=sys.stderr)
        return 2
    entries = [GALLERY[name] for name in names] or list(GALLERY.values())
    done: list[GalleryVerdict] = []

    def audits() -> Iterator[GalleryVerdict]:
        for outcome in run(entries):
            done.append(outcome)
            yield outcome

    if names:
        for outcome in audits():
            print(f"{outcome.verdict}\n   = why     {outcome.entry.why}")
    else:
        for line in lines(audits(), entries):
            print(line, flush=True)
        seconds = sum(outcome.seconds for outcome in done)
        print(f"\n{sum(o.right for o in done)} of {len(done)} verdicts right, {seconds:.1f} s")
    return 0 if all(outcome.right for outcome in done) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
