"""DP9xx: files, command lines and defects of metricdp itself."""

from __future__ import annotations

from metricdp.diagnostics.code import Code

CODES = (
    Code(
        name="internal-error",
        id="DP901",
        title="metricdp contradicted itself",
        means="""\
A defect of metricdp, not of the program. Nothing was proved. The help line says how to see
the details; a report with the program that shows it is welcome.
""",
        why="""\
A checker that fails must not look like one that succeeds: the exit code is 2.
""",
        rejected="""\
metricdp check pay.py    # prints internal-error
""",
        mended="""\
METRICDP_TRACEBACK=1 metricdp check pay.py
""",
        language="shell",
        exit_code=2,
    ),
    Code(
        name="unreadable-file",
        id="DP902",
        title="the file cannot be read",
        means="""\
The file exists, but it cannot be opened, or its bytes are not text in UTF-8 or in the
encoding that its first line declares.
""",
        why="""\
What cannot be read is not proved, so the exit code is 1.
""",
        rejected="""\
metricdp check photo.png
""",
        mended="""\
metricdp check pay.py
""",
        language="shell",
    ),
    Code(
        name="missing-path",
        id="DP903",
        title="there is no such file or directory",
        means="""\
A path on the command line does not exist.
""",
        why="""\
A misspelled path in a build would otherwise check nothing and succeed.
""",
        rejected="""\
metricdp check pya.py
""",
        mended="""\
metricdp check pay.py
""",
        language="shell",
        exit_code=2,
    ),
    Code(
        name="wrong-usage",
        id="DP904",
        title="the command line cannot be understood",
        means="""\
An option is unknown, a value is missing, or a value is of the wrong kind.
""",
        why="""\
An option that was ignored could make a result mean something else. The exit code is 2.
""",
        rejected="""\
metricdp check pay.py --set eps
""",
        mended="""\
metricdp check pay.py --set eps=1
""",
        language="shell",
        exit_code=2,
    ),
    Code(
        name="out-of-time",
        id="DP905",
        title="the function was not checked in the time that it was given",
        means="""\
Every function gets 60 seconds, or as many as `--timeout` says (0: no limit). This one was not
read to its end, so nothing is known of it; the other functions keep their results. In Python,
`with dp.time_limit(seconds):` says how long a function may take that is checked inside.
""",
        why="""\
A check that never ends blocks a build and says nothing; what was not read to its end is not
proved.
""",
        rejected="""\
metricdp check pay.py --timeout 0.001
""",
        mended="""\
metricdp check pay.py --timeout 600
""",
        language="shell",
    ),
    Code(
        name="nothing-checked",
        id="DP906",
        title="there is nothing to check here",
        means="""\
A file has no function that is decorated with @dp.measurement or @dp.transformation, or a
directory has no such file. This is a note, and the exit code stays 0; with `--strict` it is
an error.
""",
        why="""\
A check that reads the wrong folder would otherwise look like one that proved everything.
""",
        rejected="""\
metricdp check --strict empty_folder
""",
        mended="""\
metricdp check --strict pay.py
""",
        language="shell",
    ),
)
