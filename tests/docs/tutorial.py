#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the commands of docs/tutorial.md, which stand in blocks `sh` and, with their outputs, `console`.

  tutorial.py UMBRA           runs them and writes the outputs into the page
"""
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "tutorial.md"
SHOWN_ROOT = "/home/me/umbra"  # stands for the folder in which it was run
SECOND_HALF = "## Five more minutes"
BLOCK = re.compile(r"^```(sh|console)\n(.*?)^```\n", re.M | re.S)
MARK = "@@ output of the next command @@"
SECONDS = 300


def halves(page):
    """Each has programs of its own, and can be run without the other."""
    first, second = page.split(SECOND_HALF)
    return [first, SECOND_HALF + second]


def commands_of(block):
    """The commands of a block, without outputs."""
    kind, text = block
    lines = text.splitlines()
    return lines if kind == "sh" else [line[2:] for line in lines if line.startswith("$ ")]


def run(page, umbra, folder):
    """The page, or a half of it, with the outputs that its commands have in `folder`. One that fails ends it, and
    whatever is left of its programs is killed."""
    (folder / "examples").symlink_to(ROOT / "examples")
    script = ["set -e"]
    for block in BLOCK.findall(page):
        for command in commands_of(block):
            script += [f"echo '{MARK}'", command]
    environment = dict(os.environ, PATH=f"{Path(umbra).resolve().parent}:{os.environ['PATH']}", COLUMNS="100",
                       BaseIntermediateOutputPath=f"{folder}/obj/", DOTNET_CLI_TELEMETRY_OPTOUT="1", DOTNET_NOLOGO="1",
                       DOTNET_CLI_USE_MSBUILD_SERVER="0", MSBUILDDISABLENODEREUSE="1", LC_ALL="C.UTF-8")
    with open(folder / "outputs", "w+") as outputs:
        shell = subprocess.Popen(["bash", "-c", "\n".join(script)], cwd=folder, env=environment, text=True,
                                 stdin=subprocess.DEVNULL, stdout=outputs, stderr=outputs, start_new_session=True)
        try:
            status = shell.wait(SECONDS)
        finally:
            try:
                os.killpg(shell.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        outputs.seek(0)
        text = outputs.read()
    if status != 0:
        raise AssertionError(f"a command of the tutorial ends with status {status}:\n{text}")
    for place in (folder, ROOT):  # as the shell and as the compiler see it
        text = text.replace(str(place), SHOWN_ROOT)
    texts = iter(text.split(MARK + "\n")[1:])

    def with_outputs(block):
        told = [(command, next(texts)) for command in commands_of(block.groups())]
        if block[1] == "sh":
            return block[0]
        return "```console\n" + "".join(f"$ {command}\n{text}" for command, text in told) + "```\n"

    return BLOCK.sub(with_outputs, page)


if __name__ == "__main__":
    ran = []
    for half in halves(PAGE.read_text()):
        with tempfile.TemporaryDirectory() as made:
            ran.append(run(half, sys.argv[1], Path(made).resolve()))
    PAGE.write_text("".join(ran))
