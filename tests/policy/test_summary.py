# SPDX-License-Identifier: MIT
"""What `./test` says at its end, and answers."""
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SUMMARY = Path(__file__).resolve().parents[2] / "scripts" / "summary.py"
PASSED = '<testcase name="runs" status="run"/>'
FAILED = '<testcase name="breaks" status="fail"><failure message="Failed"/></testcase>'
SKIPPED = ('<testcase name="waits" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/>'
           "<system-out>SKIPPED [1] dotnet is not installed</system-out></testcase>")


def summary(tmp_path, cases, *options, **environment):
    results = tmp_path / "release.xml"
    results.write_text(f"<testsuite>{''.join(cases)}</testsuite>", encoding="utf-8")
    run = subprocess.run([sys.executable, SUMMARY, *options, results], capture_output=True,
                         text=True, check=False, env=environment)
    return run.returncode, run.stdout


@pytest.mark.parametrize("cases, status, last", [
    ([PASSED], 0, "1 passed, 0 failed, 0 skipped"),
    ([PASSED, FAILED], 1, "1 passed, 1 failed, 0 skipped"),
    ([PASSED, SKIPPED], 0, "1 passed, 0 failed, 1 skipped"),
    ([SKIPPED], 1, "0 passed, 0 failed, 1 skipped"),
])
def test_the_last_line_counts_and_the_status_follows(tmp_path, cases, status, last):
    answer, said = summary(tmp_path, cases)
    assert (answer, said.splitlines()[-1]) == (status, last)


def test_what_was_skipped_is_named_with_its_reason(tmp_path):
    _, said = summary(tmp_path, [PASSED, SKIPPED])
    assert "skipped: waits (release): dotnet is not installed" in said


def test_every_run_leaves_its_outcomes_in_the_history(tmp_path):
    history = tmp_path / "history.jsonl"
    history.write_text('{"date": "2026-\n', encoding="utf-8")  # of a run that was killed
    first = '<testcase name="breaks" status="run" time="1.26"/>'
    _, said = summary(tmp_path, [first], "--history", history, PATH=os.environ["PATH"])
    assert "failed in" not in said
    for run in (1, 2):
        _, said = summary(tmp_path, [PASSED, FAILED], "--history", history, PATH=os.environ["PATH"])
        assert f"failed: breaks (release): Failed; failed in {run} of its {run + 1} runs here" in said
    lines = [json.loads(line) for line in history.read_text(encoding="utf-8").splitlines()[1:]]
    assert [(line["test"], line["run"], line["outcome"]) for line in lines] == [
        ("breaks", "release", "passed"),
        *2 * [("runs", "release", "passed"), ("breaks", "release", "failed")]]
    assert lines[0]["seconds"] == 1.3
    assert all(line["date"] and "commit" in line for line in lines)


def test_a_machine_without_what_is_needed_has_a_status_of_its_own(tmp_path):
    needs = ("--needs", "dotnet")
    (tmp_path / "dotnet").write_text("", encoding="utf-8")
    (tmp_path / "dotnet").chmod(0o755)
    assert summary(tmp_path, [PASSED], *needs, PATH=str(tmp_path))[0] == 0
    without = {"PATH": str(tmp_path / "nothing")}
    answer, said = summary(tmp_path, [PASSED, SKIPPED], *needs, **without)
    assert answer == 3
    assert "NOT ALL WAS RUN: dotnet is not on this machine" in said
    assert summary(tmp_path, [PASSED, FAILED], *needs, **without)[0] == 1
    assert summary(tmp_path, [PASSED], *needs, UMBRA_WITHOUT="dotnet", **without)[0] == 0
    assert summary(tmp_path, [PASSED], *needs, UMBRA_WITHOUT="gdb", **without)[0] == 3
