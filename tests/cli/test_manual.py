# SPDX-License-Identifier: MIT
"""umbra man: a page for each command, with all that its --help has, and without a fault of roff."""
import re
import shutil
import subprocess

import pytest


@pytest.fixture
def helps(umbra):
    """What --help says, of umbra (under "") and of each of its commands."""
    root = umbra("--help").stdout
    listed = root.partition("Subcommands:\n")[2].partition("\n\n")[0]
    commands = [line.split()[0] for line in listed.splitlines()]
    assert {"run", "report", "man"} <= set(commands)
    return {"": root, **{name: umbra(name, "--help").stdout for name in commands}}


@pytest.fixture
def pages(umbra, tmp_path):
    """The folder of the pages that umbra man --write leaves."""
    assert umbra("man", "--write", tmp_path / "share").returncode == 0
    return tmp_path / "share" / "man" / "man1"


def test_help_is_a_word_too(umbra, helps):
    assert umbra("help").stdout == helps[""]
    assert umbra("help", "report").stdout == helps["report"]
    refused = umbra("help", "nonsense")
    assert refused.returncode == 2 and "nonsense" in refused.stderr


def test_a_page_of_the_documents_is_a_topic_of_help(umbra):
    shown = umbra("help", "Async-Calls")
    if "none are installed" in shown.stderr:
        pytest.skip("the program does not lie in a tree of its own: there are no pages beside it")
    assert (shown.returncode, shown.stderr) == (0, "") and shown.stdout.startswith("# Async calls\n")
    near = umbra("help", "async_call")
    assert near.returncode == 2 and "did you mean 'async_calls'?" in near.stderr
    assert umbra("help", "../docs/report").returncode == 2


def test_a_help_names_options_as_they_are_typed(helps):
    """Not with the value that a switch sets behind the scenes."""
    for name, text in helps.items():
        assert not re.search(r"--[\w-]+\{", text), name
    assert re.search(r"^  --no-profile  ", helps["start"], re.M)


def options_of(text):
    """The options that a help lists, long and short."""
    names = set()
    for line in re.findall(r"^ {2,4}((?:-\w,)?--?\w[\w-]*)", text, re.M):
        names.update(line.split(","))
    return names


def read(page):
    """The page as text, on lines that are not broken."""
    shown = subprocess.run(["man", "-l", str(page)], check=True, capture_output=True, text=True,
                           env={"MANWIDTH": "2000", "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"})
    return shown.stdout


def one_line(text):
    """Words as roff may set them: the hyphens it makes nicer, the quotes it takes from commands."""
    text = re.sub(r"'(umbra[^']*)'", r"\1", text)
    return re.sub(r"\s+", " ", text.replace("\u2010", "-"))


def test_each_command_has_a_page_and_nothing_else_has(helps, pages):
    expected = {f"umbra-{name}.1" if name else "umbra.1" for name in helps}
    assert {path.name for path in pages.iterdir()} == expected


def test_a_page_has_all_that_the_help_has(helps, pages):
    for name, text in helps.items():
        page = one_line(read(pages / (f"umbra-{name}.1" if name else "umbra.1")))
        for option in options_of(text):
            assert option in page, (name, option)
        # Behind the last option stands the footer: its words are in the page, too.
        footer = [line for line in text.splitlines() if line and not line.startswith(" ")]
        for line in footer:
            if line.endswith(":") or line.startswith(("Usage:", "[", "umbra: ", "Exit status")):
                continue
            assert one_line(line).strip()[:60] in page, (name, line)


def test_a_page_prints_as_it_is_written(umbra, pages):
    assert umbra("man").stdout == (pages / "umbra.1").read_text()
    assert umbra("man", "report").stdout == (pages / "umbra-report.1").read_text()
    assert "'walk'" in umbra.fails(2, "man", "walk")


def test_examples_can_be_copied(pages):
    page = read(pages / "umbra-run.1")
    assert "umbra run --framework --exclude '*!System.Text.*' -- dotnet app.dll" in page


def test_roff_finds_no_fault(pages):
    if not shutil.which("mandoc"):
        pytest.skip("mandoc is not installed")
    for page in pages.iterdir():
        found = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", page],
                               capture_output=True, text=True)
        # A page has no date of its own: it is that of the program, whose version it names.
        faults = [line for line in (found.stdout + found.stderr).splitlines()
                  if "missing date" not in line]
        assert not faults


def test_a_folder_that_cannot_be_written_is_named(umbra, tmp_path):
    (tmp_path / "file").touch()
    assert f"'{tmp_path}/file/man/man1/umbra.1'" in umbra.fails(1, "man", "--write",
                                                               tmp_path / "file")
