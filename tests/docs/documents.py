# SPDX-License-Identifier: MIT
"""The commands and the Python of documents, in the order in which a reader meets them.

What stands in one block, one row of a table or one paragraph belongs together: a command may need
what the one before it has left. Each such part is run in a folder of its own.
"""
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^ *```(.*)$")
KINDS = ("sh", "console", "python", "text")  # text: what something prints, or has in it
# What is typed, among what stands between backquotes in a sentence: umbra with more than the name
# of a command, which alone is only spoken of; the commands that need no more; a script.
TYPED = re.compile(r"(?<![\w/.-])umbra [a-zA-Z]+ \S|^umbra (?:demo|env|ps)$|[$<]\(umbra env\)"
                   r"|^\./\w+|^(?:benchmarks|examples|scripts)/\S+ \S|\bpython3 ")
PYTHON = re.compile(r"^(?:umbra|profile)\.\w+\(.*\)$")
OPTION = re.compile(r"^--[a-z]")
# An option alone, in a row of a table behind a command: the command in which it belongs.
WITH_OPTION = {
    "report": "umbra report FILE {}",
    "run": "umbra run {} -- PROGRAM",
    "diff": "umbra diff OLD --against NEW {}",
    "export": "umbra export {} FILE",
}


@dataclass(frozen=True)
class Part:
    """What belongs together in a page."""

    page: str
    line: int
    commands: tuple  # of a shell, each as it stands there, without its comment
    python: tuple  # what Python is given, each in one piece

    def __str__(self):
        return f"{self.page}:{self.line}"


def parts_of(path):
    """All parts of a page that have something to run."""
    page = path.name
    for line, kind, text in pieces(path.read_text(encoding="utf-8")):
        if kind == "python":
            commands, python = [], [text]
        elif kind == "":
            commands, python = spans(text)
        else:
            commands, python = block(kind, text), []
        if commands or python:
            yield Part(page, line, tuple(commands), tuple(python))


def kinds_of(path):
    """What stands behind the three backquotes of each block, with the number of its line."""
    text = path.read_text(encoding="utf-8")
    return [(line, kind) for line, kind, _ in pieces(text) if kind != ""]


def pieces(text):
    """(line, kind, text) of each block, and with the kind "" of each paragraph, item and row."""
    kind, kept, begin = "", [], 1
    for number, line in enumerate([*text.splitlines(), ""], 1):
        fence = FENCE.match(line)
        ends = fence if kind else fence or line.strip() == "" or line.startswith(("|", "- ", "#"))
        if ends:
            if kept:
                yield begin, kind, "\n".join(kept)
            kept = []
        if fence:
            kind, begin = "" if kind else fence[1].strip() or "none", number + 1
        elif kind or line.strip():
            begin = begin if kept else number
            kept.append(line)


def spans(text):
    """The commands, and the Python, between backquotes in a paragraph or in a row of a table."""
    commands, python, before = [], [], None
    for span in re.findall(r"`([^`]+)`", text):
        span = " ".join(span.split())
        if PYTHON.match(span):
            python.append(span)
        elif TYPED.search(span):
            commands.append(span)
            before = re.match(r"umbra (\w+)", span)
        elif OPTION.match(span) and text.startswith("|") and before and before[1] in WITH_OPTION:
            commands.append(WITH_OPTION[before[1]].format(span))
    return commands, python


def block(kind, text):
    """The commands of a block: each line of `sh`, what follows the prompt in `console`, and there
    also what umbra itself says that one might type next."""
    lines = text.replace("\\\n", " ").splitlines()
    if kind == "sh":
        return whole_commands(lines)
    if kind != "console":
        return []
    typed = [line[2:] for line in lines if line.startswith("$ ")]
    printed = [column for line in lines if not line.startswith("$ ")
               for column in re.split(r"\s{2,}", line)]
    said = [column for column in printed if re.match(r"umbra [a-z]+ ", column)]
    return whole_commands(typed) + said


def whole_commands(lines):
    """Lines, those of a loop put together, without comments."""
    commands, kept = [], []
    for line in lines:
        kept.append(re.sub(r"(?:^|\s+)#\s.*$", "", line))
        if is_whole("\n".join(kept)):
            commands.append("\n".join(kept).strip())
            kept = []
    assert not kept, f"a command that does not end: {kept}"
    return [" ".join(command.split()) if "\n" not in command else command
            for command in commands if command]


def is_whole(text):
    return subprocess.run(["bash", "-n", "-c", text], stderr=subprocess.DEVNULL).returncode == 0
