"""The reference: what the records and the public objects say of themselves, as pages.

`python -m metricdp.checked.reference` writes `docs/reference.md`, the pages below it, and what the
examples of the records print, which `help` shows as well.
"""
