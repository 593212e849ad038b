# SPDX-License-Identifier: MIT
"""summary.py [--needs PROGRAM] JUNIT-FILE...: what ctest's runs came to.

Names what failed and what was skipped, with its reasons, and ends with the line
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
PYTEST_REASON = re.compile(r"^SKIPPED \[\d+\] (?P<reason>.*)$", re.MULTILINE)
GTEST_REASON = re.compile(r"^\S+:\d+: Skipped\n(?P<reason>.*)$", re.MULTILINE)
SCRIPT_REASON = re.compile(r"^skipped: (?P<reason>.*)$", re.MULTILINE)


def reasons(output):
    """The reasons that pytest, gtest and our own scripts give, each once."""
    found = [match["reason"].strip() for pattern in (PYTEST_REASON, GTEST_REASON, SCRIPT_REASON)
             for match in pattern.finditer(output)]
    return list(dict.fromkeys(found))


def main(arguments):
    needed, files = None, arguments
    if arguments and arguments[0] == "--needs":
        needed, files = arguments[1], arguments[2:]
    passed, failed, skipped, notes = 0, [], [], []
    for file in files:
        run = Path(file).stem
        for case in ET.parse(file).getroot().iter("testcase"):
            name = f"{case.get('name')} ({run})"
            why = reasons(case.findtext("system-out") or "")
            left_out = case.find("skipped")
            if case.get("status") == "run":
                passed += 1
                notes += [f"skipped in part: {name}: {reason}" for reason in why]
            elif left_out is not None and left_out.get("message", "").startswith(SAID_SKIPPED):
                skipped.append(f"skipped: {name}: {'; '.join(why) or 'no reason given'}")
            else:
                problem = left_out if left_out is not None else case.find("failure")
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
