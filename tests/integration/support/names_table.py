#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The table of names: what stands beside each construct in tests/managed/names and names_fs.

As a program, writes the table of docs/names.md anew.
"""
import re
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
DOCUMENT = ROOT / "docs" / "names.md"
PROGRAMS = {"names": "C#", "names_fs": "F#"}
BEGIN = "<!-- made by tests/integration/support/names_table.py -->"
END = "<!-- end of the table -->"


@dataclass
class Construct:
    """A construct, and calls by name of its functions."""

    title: str
    calls: dict = field(default_factory=dict)


def constructs(program):
    """All constructs of a program, in the order of its files and lines."""
    found = []
    for path in sorted((ROOT / "tests" / "managed" / program).glob("*.[cf]s")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            mark = re.match(r"\s*//([=:]) (.*)", line)
            if mark and mark[1] == "=":
                found.append(Construct(mark[2]))
            elif mark:
                function = re.fullmatch(r"(\d+) (.+)", mark[2])
                if not function or not found:
                    raise ValueError(f"{path.name}:{number}: no \"//: CALLS NAME\" below a \"//=\"")
                found[-1].calls[function[2]] = int(function[1])
    return found


def table():
    """The table of the document, in Markdown."""
    lines = []
    for program, language in PROGRAMS.items():
        lines += [f"| {language} | name |", "| --- | --- |"]
        for construct in constructs(program):
            # A bar would end the cell, also in code.
            names = "<br>".join(f"`{name}`" for name in construct.calls).replace("|", "\\|")
            lines.append(f"| {construct.title.removeprefix(language).strip()} | {names} |")
        lines.append("")
    return "\n".join(lines)


def with_table(document):
    """The text of the document around the table as it should be."""
    head, rest = document.split(BEGIN)
    return f"{head}{BEGIN}\n{table()}{END}{rest.split(END)[1]}"


if __name__ == "__main__":
    DOCUMENT.write_text(with_table(DOCUMENT.read_text()))
