# SPDX-License-Identifier: MIT
"""summary.py [--needs PROGRAM] [--history FILE] JUNIT-FILE...: what ctest's runs came to.

Names what failed and what was skipped, with its reasons, and ends with the line "N passed, N failed,
N skipped". Answers 1 if anything failed or nothing passed, and 3 if nothing failed but PROGRAM is not
on this machine, so that tests were skipped for want of it; UMBRA_WITHOUT=PROGRAM in the environment
accepts that, and the answer is 0.

Each outcome becomes a line of JSON at the end of FILE: {"date", "commit" (with a + where the tree had
changes), "run", "test", "outcome", "seconds"}. Of a test that failed the summary says how often it
has in FILE.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from datetime import datetime, timezone
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


def outcome(case):
    """"passed", "skipped" or "failed"."""
    if case.get("status") == "run":
        return "passed"
    left_out = case.find("skipped")
    said_so = left_out is not None and left_out.get("message", "").startswith(SAID_SKIPPED)
    return "skipped" if said_so else "failed"


def read(files):
    """Each test as ctest wrote it, by its name and the run it was in."""
    return {(case.get("name"), Path(file).stem): case for file in files
            for case in ET.parse(file).getroot().iter("testcase")}


def git(*arguments):
    """What git answers in the current folder; empty where it cannot."""
    done = subprocess.run(["git", *arguments], capture_output=True, text=True, check=False)
    return done.stdout.strip()


def add_to_history(file, cases):
    """A line for each test. Answers the lines that are in the file then, as far as they are whole."""
    common = {"date": datetime.now(timezone.utc).isoformat(timespec="seconds"),
              "commit": git("rev-parse", "--short", "HEAD") +
              ("+" if git("status", "--porcelain") else "")}
    with open(file, "a+", encoding="utf-8") as history:
        for (test, run), case in cases.items():
            line = {**common, "run": run, "test": test, "outcome": outcome(case),
                    "seconds": round(float(case.get("time") or 0), 1)}
            history.write(json.dumps(line) + "\n")
        history.seek(0)
        return list(whole(history))


def whole(history):
    """A run that was killed may have left half a line."""
    for line in history:
        try:
            yield json.loads(line)
        except ValueError:
            continue


def how_often(lines):
    """For each test and run that has failed, how often it did, as text."""
    outcomes = Counter((line["test"], line["run"], line["outcome"]) for line in lines)
    return {(test, run): f"; failed in {failures} of its "
                         f"{failures + outcomes[test, run, 'passed']} runs here"
            for (test, run, came_to), failures in outcomes.items() if came_to == "failed"}


def main(arguments):
    parser = argparse.ArgumentParser()
    parser.add_argument("--needs")
    parser.add_argument("--history")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args(arguments)
    passed, failed, skipped, notes = 0, [], [], []
    cases = read(options.files)
    failures = how_often(add_to_history(options.history, cases)) if options.history else {}
    for (test, run), case in cases.items():
        name = f"{test} ({run})"
        why = reasons(case.findtext("system-out") or "")
        came_to = outcome(case)
        if came_to == "passed":
            passed += 1
            notes += [f"skipped in part: {name}: {reason}" for reason in why]
        elif came_to == "skipped":
            skipped.append(f"skipped: {name}: {'; '.join(why) or 'no reason given'}")
        else:
            problem = case.find("skipped")
            problem = problem if problem is not None else case.find("failure")
            message = problem.get("message") if problem is not None else ""
            failed.append(f"failed: {name}{': ' if message else ''}{message}"
                          f"{failures.get((test, run), '')}")
    for line in notes + skipped + failed:
        print(line)
    missing = options.needs is not None and shutil.which(options.needs) is None
    if missing:
        print(f"NOT ALL WAS RUN: {options.needs} is not on this machine, and the tests that need it "
              f"were skipped. Install it, or accept that with UMBRA_WITHOUT={options.needs}.")
    print(f"{passed} passed, {len(failed)} failed, {len(skipped)} skipped")
    if failed or not passed:
        return 1
    return 3 if missing and os.environ.get("UMBRA_WITHOUT") != options.needs else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
