# SPDX-License-Identifier: MIT
"""The documents name what there is: commands and options of umbra, and files of this repository."""
import functools
import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
# Options that stand by themselves in the text, of pip, dotnet, umbra-runsxs and the servers in examples.
FOREIGN = {"--no-build-isolation", "--calls", "--timeout", "--mended", "--fixed", "--tool-path"}


@functools.cache
def help_of(*command):
    return subprocess.run([os.environ["UMBRA"], *command, "--help"], capture_output=True, text=True,
                          check=True).stdout


@functools.cache
def options():
    """Those of each command."""
    listed = help_of().partition("Subcommands:")[2].partition("\n\n")[0]
    return {command: set(OPTION.findall(help_of(command))) for command in re.findall(r"^  (\w+) ", listed, re.M)}


def snippets(page):
    """The code of a page: its blocks, and what stands between backquotes in a paragraph."""
    text = page.read_text().replace("\\\n", " ")
    blocks = re.findall(r"^ *```\w*\n(.*?)^ *```$", text, re.M | re.S)
    rest = re.sub(r"^ *```\w*\n.*?^ *```$", "", text, flags=re.M | re.S)
    return [line for block in blocks for line in block.splitlines()], [
        " ".join(code.split()) for code in re.findall(r"`([^`]+)`", rest)]


def commands(lines):
    """(command, options) of each `umbra COMMAND ...`; what follows `--` is for another program."""
    for line in lines:
        for command, rest in re.findall(r"(?<![\w/.-])umbra ([a-z]+)\b([^|;&)#]*)", line):
            yield command, OPTION.findall(re.split(r"\s--(?:\s|$)", rest)[0])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_and_options_are_those_of_the_help(page):
    blocks, inline = snippets(page)
    wrong = []
    for command, used in commands(blocks + inline):
        if command not in options():
            wrong.append(f"umbra {command}")
        wrong += [f"umbra {command} {option}" for option in used if option not in options().get(command, used)]
    known = set().union(*options().values()) | FOREIGN
    wrong += [code for code in inline if code.startswith("--") and not set(OPTION.findall(code)) <= known]
    assert wrong == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_that_are_named_are_there(page):
    _, inline = snippets(page)
    top = {path.name for path in ROOT.iterdir() if path.is_dir() and path.name not in ("build", ".git")}
    paths = [code.partition("::")[0] for code in inline
             if re.fullmatch(r"[\w./-]+(::[\w.]+)?", code) and code.split("/")[0] in top and "/" in code]
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_commands_are_found_at_all():
    blocks, inline = snippets(ROOT / "docs" / "questions.md")
    assert len(list(commands(blocks + inline))) >= 30
    assert {"run", "start", "report", "diff"} <= set(options())
    assert "--slow" not in options()["report"] and "--callers" in options()["report"]
