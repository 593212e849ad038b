# SPDX-License-Identifier: MIT
"""Completions in bash, zsh and fish, as somebody who types on a terminal sees them."""
import os
import re
import shutil
import subprocess

import pytest

from conftest import UMBRA
from terminal import Terminal

PROMPT = "ready> "


class Shell:
    """An interactive shell with umbra in its PATH and the completions loaded as users load them."""

    def __init__(self, name, folder, terminal):
        self.name, self.folder, self.terminal = name, folder, terminal

    def line(self):
        """What stands behind the prompt that was printed last."""
        lines = [line for line in self.terminal.lines if line.startswith(PROMPT.rstrip())]
        return lines[-1][len(PROMPT):].rstrip() if lines else None

    def press_tab(self, typed, tabs=1):
        self.terminal.type("\x15\x0c")  # the line is deleted, the screen cleared
        self.terminal.until(lambda _: self.line() == "")
        self.terminal.type(typed)
        self.terminal.until(lambda _: self.line() == typed.rstrip())
        self.terminal.type("\t" * tabs)

    def completes(self, typed, expected):
        self.press_tab(typed)
        self.terminal.until(lambda _: self.line().rstrip("/") == expected)

    def leaves(self, typed):
        self.press_tab(typed)
        while self.terminal.read(0.7):
            pass
        assert self.line() == typed

    def lists(self, typed, *expected):
        self.press_tab(typed, tabs=2)
        self.terminal.until_text(*expected)
        for _ in range(10):  # fish may take one for its list alone
            self.terminal.type("\x03")
            while self.terminal.read(0.5):
                pass
            if self.line() == "":
                return
        raise AssertionError("the line stays; on the screen:\n" + self.terminal.text)


START = {
    "bash": (["--norc", "--noprofile", "-i"],
             "PS1='{prompt}'; bind 'set bell-style none'; bind 'set enable-bracketed-paste off'; source <(umbra completion bash)"),
    "zsh": (["-f", "-i"],
            "PS1='{prompt}'; unsetopt prompt_sp zle_bracketed_paste 2>/dev/null; bindkey -e;"
            " autoload -U compinit; compinit -u -D; source <(umbra completion zsh)"),
    "fish": (["--no-config", "-i"],
             "function fish_prompt; printf '{prompt}'; end; set -g fish_autosuggestion_enabled 0;"
             " umbra completion fish | source"),
}


@pytest.fixture(scope="module", params=START)
def shell(request, tmp_path_factory):
    if not shutil.which(request.param):
        pytest.skip(f"{request.param} is not installed")
    folder = tmp_path_factory.mktemp(request.param)
    binaries = folder / "bin"
    binaries.mkdir()
    (binaries / "umbra").symlink_to(UMBRA)
    files = folder / "files"
    (files / "profiles").mkdir(parents=True)
    for name in ("before.h5", "between.txt", "notes.txt"):
        (files / name).touch()
    options, setup = START[request.param]
    with Terminal([request.param, *options], rows=50, columns=160, environment={
            "PATH": f"{binaries}:{os.environ['PATH']}", "HOME": str(folder), "PS1": "> ",
            "LC_ALL": "C.UTF-8"}) as terminal:
        while terminal.read(1.0):
            pass
        terminal.type(f"cd {files}\n" + setup.format(prompt=PROMPT) + "\n")
        terminal.until(lambda t: t.text.rstrip().split("\n")[-1].rstrip() == PROMPT.rstrip())
        yield Shell(request.param, files, terminal)


def test_commands_options_and_values(shell):
    shell.completes("umbra rep", "umbra report")
    shell.completes("umbra report --perc", "umbra report --percentiles")
    shell.completes("umbra report --by names", "umbra report --by namespace")
    shell.completes("umbra run --overflow=dr", "umbra run --overflow=drop")
    shell.completes("umbra man expo", "umbra man export")
    shell.completes("umbra completion fi", "umbra completion fish")


def test_files(shell):
    shell.completes("umbra export --html not", "umbra export --html notes.txt")
    shell.completes("umbra run --symbols prof", "umbra run --symbols profiles")
    shell.completes("umbra report bef", "umbra report before.h5")
    if shell.name == "fish":
        # It lists profiles first, and then what else is there.
        shell.lists("umbra report be", "before.h5", "between.txt")
    else:
        shell.completes("umbra report be", "umbra report before.h5")
    shell.completes("umbra diff bef", "umbra diff before.h5")
    shell.completes("umbra diff before.h5 --against bef", "umbra diff before.h5 --against before.h5")
    # Nothing is known of it, and so no files are offered.
    shell.leaves("umbra run --include not")


def test_behind_dashes_stands_a_program_and_its_arguments(shell):
    shell.completes("umbra run -- mkte", "umbra run -- mktemp")
    shell.completes("umbra run -q -- cat notes", "umbra run -q -- cat notes.txt")


def test_lists_have_all_commands_and_options(shell):
    shell.lists("umbra ", "run", "attach", "report", "export", "completion")
    shell.lists("umbra export --", "--html", "--pprof", "--min", "--editor")


def test_numbers_of_processes_come_from_umbra_ps(shell):
    stand_in = shell.folder.parent / "bin" / "umbra"
    stand_in.unlink()
    stand_in.write_text("#!/bin/sh\n"
                        "[ \"$1\" = ps ] || exit 1\n"
                        "echo '  pid  runtime  profiler  command'\n"
                        "echo ' 4711  10.0.1   none      dotnet shop.dll'\n")
    stand_in.chmod(0o755)
    shell.completes("umbra attach 4", "umbra attach 4711")
    shell.completes("umbra top 47", "umbra top 4711")


@pytest.mark.parametrize("name", START)
def test_every_option_of_every_command_is_in_the_script(umbra, name):
    script = umbra("completion", name).stdout
    root = umbra("--help").stdout
    for line in root.partition("Subcommands:\n")[2].partition("\n\n")[0].splitlines():
        command = line.split()[0]
        assert re.search(rf"\b{command}\b", script)
        for option in re.findall(r"^ {2,4}(?:-\w,)?--(\w[\w-]*)", umbra(command, "--help").stdout,
                                 re.M):
            assert re.search(rf"-l {option}\b" if name == "fish" else rf"--{option}\b", script), (
                command, option)


@pytest.mark.parametrize("name", START)
def test_the_shell_finds_no_fault_in_the_script(umbra, tmp_path, name):
    if not shutil.which(name):
        pytest.skip(f"{name} is not installed")
    (tmp_path / "script").write_text(umbra("completion", name).stdout)
    checked = subprocess.run([name, "-n", "script"], cwd=tmp_path, capture_output=True, text=True)
    assert (checked.returncode, checked.stderr) == (0, "")


def test_another_shell_is_refused(umbra):
    assert "tcsh" in umbra.fails(2, "completion", "tcsh")
