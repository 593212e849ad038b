# SPDX-License-Identifier: MIT
"""summary.py JUNIT-FILE...: what ctest's runs came to.

Names what failed and what was skipped, with its reasons, and ends with the line
"N passed, N failed, N skipped". Answers 1 if anything failed or nothing passed.
"""
import re
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


def main(files):
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
    print(f"{passed} passed, {len(failed)} failed, {len(skipped)} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
