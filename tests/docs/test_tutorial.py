# SPDX-License-Identifier: MIT
"""Every command of docs/tutorial.md works, and shows what the page says of it."""
import os
import re
import shutil
import socket

import pytest

import tutorial

# What the text concludes from, by a word of the command whose output has it.
SHOWN = {
    "--sort max": ["TailShop.Quotes.For(int)", "TailShop.Prices.Current()", "TailShop.Prices.Load()",
                   "Vouchers.DiscountOf(", "max"],  # wide numbers leave less room for its name
    "--percentiles": ["TailShop.Quotes.For(int)", "p50", "p99"],
    # On a busy machine the slowest call may be one that had no processor.
    "report slow.h5 --slowest": ["TailShop.Quotes.For(int)  the slowest of ", " off", "usual", "(off the processors)"],
    "--callers": ["callers of TailShop.Prices.Load()", f"{tutorial.SHOWN_ROOT}/examples/tail-server/Program.cs:",
                  "TailShop.Prices.Current()"],
    "--by-arg": ["TailShop.Quotes.For(int)  customer: int", "42"],
    "--callees": ["callees of TailShop.Quotes.For(int)"],
    "umbra diff": ["gone", "TailShop.Prices.Current()", "one a side"],
}


def blocks(page):
    return [block for block in tutorial.BLOCK.findall(page) if block[0] == "console"]


def free(port):
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            taken.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def assert_shown(page):
    missing = []
    for word, parts in SHOWN.items():
        text = next(text for _, text in blocks(page) if word in text)
        outputs = "".join(line for line in text.splitlines(True) if not line.startswith("$ "))
        missing += [f"{word}: {part}" for part in parts if part not in outputs]
    assert missing == [], f"{page}\nnot shown: {missing}"


def test_the_page_shows_what_it_says():
    page = tutorial.PAGE.read_text()
    assert_shown(page)
    assert not re.search(r"/(?:tmp|root|work)/", page)


def test_its_commands_show_it_too(tmp_path):
    for tool in ("dotnet", "bash"):
        if shutil.which(tool) is None:
            pytest.skip(f"there is no {tool} here")
    if not free(5080):
        pytest.skip("something listens on port 5080")
    page = tutorial.PAGE.read_text()
    ran = tutorial.run(page, os.environ["UMBRA"], tmp_path.resolve())
    assert_shown(ran)
    assert len(blocks(ran)) == len(blocks(page)) >= 7
