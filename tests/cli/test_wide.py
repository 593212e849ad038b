# SPDX-License-Identifier: MIT
"""Names in characters that take two columns of a terminal, or none: what stands behind them is aligned."""
import pytest

from conftest import UMBRA
from terminal import Terminal

LAST = {"report": "name", "diff": "name", "tree": "path"}


def command(sample, what):
    if what == "diff":
        return ["diff", sample("wide"), sample("wider")]
    return ["report", sample("wide"), "--tree" if what == "tree" else "--details"]


def cell(terminal, row, column):
    """The character in a cell; "" behind a wide one, which takes that cell too."""
    return terminal.pyte.buffer[row][column].data


@pytest.mark.parametrize("columns", [60, 79, 100, 133])
@pytest.mark.parametrize("what", LAST)
def test_the_last_column_begins_in_one_place(sample, what, columns):
    with Terminal([UMBRA, *command(sample, what)], rows=60, columns=columns) as terminal:
        assert terminal.ended() == 0
        last = LAST[what]
        (heading,) = [row for row, line in enumerate(terminal.lines)
                      if line.endswith(f"  {last}") and ("self" in line or "share" in line)]
        begin = next(column for column in range(columns)
                     if all(cell(terminal, heading, column + i) == c for i, c in enumerate(last)))
        shown = ""
        row = heading + 1
        while terminal.lines[row]:
            assert cell(terminal, row, begin - 1) == " ", terminal.text
            assert what == "tree" or cell(terminal, row, begin) not in (" ", ""), terminal.text
            shown += terminal.lines[row]
            row += 1
        # Nothing ran on into a line of its own.
        assert row - heading - 1 >= 3
        assert all(terminal.lines[line].strip()[0].isdigit() or what == "diff"
                   for line in range(heading + 1, row)), terminal.text
        assert "\u5e97" in shown and "\ufffd" not in shown
