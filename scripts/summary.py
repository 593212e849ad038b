# SPDX-License-Identifier: MIT
"""summary.py [--needs PROGRAM] JUNIT-FILE...: what ctest's runs came to.
summary.py --failed JUNIT-FILE: the names of those that failed, one a line.

A file NAME-again.xml holds what failed in NAME.xml and was run a second time: the second outcome
counts, and what passed only then is named. Names what failed and what was skipped, with its reasons, and ends with the line
"N passed, N failed, N skipped". Answers 1 if anything failed or nothing passed, and 3 if nothing
failed but PROGRAM is not on this machine, so that tests were skipped for want of it;
UMBRA_WITHOUT=PROGRAM in the environment accepts that, and the answer is 0.
"""
import os
import re
import shutil
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

# What ctest writes for a test that said itself that it cannot run.
SAID_SKIPPED = "SKIP_"
AGAIN = "-again"
PYTEST_REASON = re.compile(r"^SKIPPED \[\d+\] (?P<reason>.*)$", re.MULTILINE)
GTEST_REASON = re.compile(r"^\S+:\d+: Skipped\n(?P<reason>.*)$", re.MULTILINE)
SCRIPT_REASON = re.compile(r"^skipped: (?P<reason>.*)$", re.MULTILINE)


def reasons(output):
    """The reasons that pytest, gtest and our own scripts give, each once."""
    found = [match["reason"].strip() for pattern in (PYTEST_REASON, GTEST_REASON, SCRIPT_REASON)
             for match in pattern.finditer(output)]
    return list(dict.fromkeys(found))


def outcome(case):
    """"passed", "skipped" or "failed"."""
    if case.get("status") == "run":
        return "passed"
    left_out = case.find("skipped")
    said_so = left_out is not None and left_out.get("message", "").startswith(SAID_SKIPPED)
    return "skipped" if said_so else "failed"


def read(files):
    """Each test as ctest wrote it, by run and name; and which of them were run a second time."""
    cases, again = {}, set()
    for file in sorted(files, key=lambda file: Path(file).stem.endswith(AGAIN)):
        run = Path(file).stem.removesuffix(AGAIN)
        for case in ET.parse(file).getroot().iter("testcase"):
            key = (case.get("name"), run)
            if key in cases:
                again.add(key)
            cases[key] = case
    return cases, again


def main(arguments):
    if arguments and arguments[0] == "--failed":
        cases, _ = read(arguments[1:])
        print(*(name for (name, _), case in cases.items() if outcome(case) == "failed"), sep="\n")
        return 0
    needed, files = None, arguments
    if arguments and arguments[0] == "--needs":
        needed, files = arguments[1], arguments[2:]
    passed, failed, skipped, notes = 0, [], [], []
    cases, again = read(files)
    for (test, run), case in cases.items():
        name = f"{test} ({run})"
        why = reasons(case.findtext("system-out") or "")
        came_to = outcome(case)
        if came_to == "passed":
            passed += 1
            notes += [f"skipped in part: {name}: {reason}" for reason in why]
            if (test, run) in again:
                notes.append(f"passed only when run a second time: {name}: see above why not at first")
        elif came_to == "skipped":
            skipped.append(f"skipped: {name}: {'; '.join(why) or 'no reason given'}")
        else:
            problem = case.find("skipped")
            problem = problem if problem is not None else case.find("failure")
            message = problem.get("message") if problem is not None else ""
            failed.append(f"failed: {name}{': ' if message else ''}{message}")
    for line in notes + skipped + failed:
        print(line)
    missing = needed is not None and shutil.which(needed) is None
    if missing:
        print(f"NOT ALL WAS RUN: {needed} is not on this machine, and the tests that need it were "
              f"skipped. Install it, or accept that with UMBRA_WITHOUT={needed}.")
    print(f"{passed} passed, {len(failed)} failed, {len(skipped)} skipped")
    if failed or not passed:
        return 1
    return 3 if missing and os.environ.get("UMBRA_WITHOUT") != needed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
