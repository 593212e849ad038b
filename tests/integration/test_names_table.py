# SPDX-License-Identifier: MIT
"""Forty constructs and more, by their names and calls in a report; docs/names.md shows the same."""
import re

import pytest

import names_table
from umbra_runner import report, run_well

# What compilers put into names, and nobody writes.
MADE_UP = re.compile(r"<>|>[a-z]__|@\d|DisplayClass|d__\d|op_[A-Z]|\bget_|\bset_|\|\d")


def report_of(file, command, module):
    """Rows of the module in a report without inlining, where each call is a call."""
    outcome = run_well(file, command, "--trivial")
    return [row for row in report(file)["functions"] if row["module"] == module]


@pytest.mark.parametrize("program", names_table.PROGRAMS)
def test_constructs_have_the_names_of_the_source(file, runtime, program):
    rows = report_of(file, runtime.command(program), f"{program}.dll")
    found = {}
    for row in rows:
        found.setdefault(row["name"], []).append(row["calls"])
    wrong, expected = [], set()
    for construct in names_table.constructs(program):
        expected.update(construct.calls)
        wrong += [f"{construct.title}: {name} has calls {found.get(name, 'not at all')}, not {calls}"
                  for name, calls in construct.calls.items() if found.get(name) != [calls]]
    assert not wrong, "\n".join(wrong + ["", "all names:"] + sorted(found))
    # Names that no construct stands for read like names all the same.
    strange = [name for name in found if name not in expected and MADE_UP.search(name)]
    assert not strange, "\n".join(strange)


def test_there_are_forty_constructs():
    counts = {program: len(names_table.constructs(program)) for program in names_table.PROGRAMS}
    assert counts["names"] >= 40 and counts["names_fs"] >= 20, counts
    assert all(construct.calls for program in names_table.PROGRAMS
               for construct in names_table.constructs(program))


def test_the_document_shows_this_table():
    text = names_table.DOCUMENT.read_text()
    assert names_table.with_table(text) == text, \
        "docs/names.md is not up to date: run tests/integration/support/names_table.py"
