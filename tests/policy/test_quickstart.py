# SPDX-License-Identifier: MIT
"""The first thing a user runs ends with a profile, and with commands that show it."""
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_quickstart_ends_with_a_profile_to_look_at():
    if shutil.which("dotnet") is None:
        pytest.skip("no dotnet here: quickstart shows the stand-in runtime, as umbra demo does")
    done = subprocess.run([ROOT / "quickstart"], cwd="/", text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=900)
    assert done.returncode == 0, done.stdout
    commands = re.findall(r"^   (\S+ (?:report|info) .*)$", done.stdout, re.MULTILINE)
    assert len(commands) == 2, done.stdout
    report, info = (subprocess.run(command.split(), cwd=ROOT, capture_output=True, text=True,
                                   timeout=60) for command in commands)
    assert (report.returncode, report.stderr) == (0, "")
    assert "HelloShop." in report.stdout and ", all of them counted" in report.stdout
    assert (info.returncode, info.stderr) == (0, "")
    assert re.search(r"^complete +yes$", info.stdout, re.MULTILINE)
