# SPDX-License-Identifier: MIT
"""Every command of docs/tutorial.md works, and shows what the page says of it."""
import os
import re
import shutil
import socket

import pytest

import other_python
import tutorial

# What the text concludes from, by a word of the command whose output has it, of each half of the page.
SHOWN = [{
    "--sort max": ["TailShop.Quotes.For(int)", "TailShop.Prices.Current()", "TailShop.Prices.Load()",
                   "Vouchers.DiscountOf(", "max"],  # wide numbers leave less room for its name
    "--percentiles": ["TailShop.Quotes.For(int)", "p50", "p99"],
    # On a busy machine the slowest call may be one that had no processor.
    "report slow.h5 --slowest": ["TailShop.Quotes.For(int)  the slowest of ", " off", "usual", "(off the processors)"],
    "--callers": ["callers of TailShop.Prices.Load()", f"{tutorial.SHOWN_ROOT}/examples/tail-server/Program.cs:",
                  "TailShop.Prices.Current()"],
    "--by-arg": ["TailShop.Quotes.For(int)  customer: int", "42"],
    "--callees": ["callees of TailShop.Quotes.For(int)"],
    "umbra diff tail.h5": ["gone", "TailShop.Prices.Current()", "one a side"],
}, {
    "report shop.h5 | head": ["SemaphoreSlim.WaitAsync, awaited by AsyncShop.Stock.Of(int)",
                              "a thread of the pool, for AsyncShop.",
                              "  AsyncShop.Invoices.TextOf(int), blocked on Task\n"],
    "report shop.h5 --slowest": ["AsyncShop.Stock.Of(int)  the slowest of 91 calls by wall time, mean ",
                                 " awaiting", "(awaiting SemaphoreSlim.WaitAsync)",
                                 "  AsyncShop.Stock.AskWarehouse(int)"],
    "--async | grep": ["Threads blocked on tasks (.Result, .Wait(), GetResult()):", "AsyncShop.Invoices.TextOf(int)",
                       "  on Task"],
    "report shop.h5 --async": ["running", "awaiting", "queued", "  awaits SemaphoreSlim.WaitAsync ",
                               "  awaits AsyncShop.Database.PricesOf(int[]) ", ", queued "],
    "report shop.h5 --callees": ["callees of AsyncShop.Baskets.SumOf(int)", "46 calls, total ", "\n  552 ",
                                 f"{tutorial.SHOWN_ROOT}/examples/async-shop/Program.cs:"],
    "umbra diff shop.h5": ["AsyncShop.Stock.Of(int)", "AsyncShop.Database.PricesOf(int[])",
                           "  awaits AsyncShop.Stock.AskWarehouse("],
}]


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


def assert_shown(page, shown):
    missing = []
    for word, parts in shown.items():
        text = next(text for _, text in blocks(page) if word in text)
        outputs = "".join(line for line in text.splitlines(True) if not line.startswith("$ "))
        missing += [f"{word}: {part}" for part in parts if part not in outputs]
    assert missing == [], f"{page}\nnot shown: {missing}"


def test_the_page_shows_what_it_says():
    page = tutorial.PAGE.read_text()
    for half, shown in zip(tutorial.halves(page), SHOWN, strict=True):
        assert_shown(half, shown)
    assert not re.search(r"/(?:tmp|root|work)/", page)


@pytest.mark.parametrize("half, port, python", [(0, 5080, "the system's"), (1, 5081, "another")])
def test_its_commands_show_it_too(tmp_path, monkeypatch, half, port, python):
    for tool in ("dotnet", "bash"):
        if shutil.which(tool) is None:
            pytest.skip(f"there is no {tool} here")
    if not free(port):
        pytest.skip(f"something listens on port {port}")
    first = other_python.make(tmp_path / "python") if python == "another" else "/usr/bin"
    monkeypatch.setenv("PATH", f"{first}:{os.environ['PATH']}")
    page = tutorial.halves(tutorial.PAGE.read_text())[half]
    ran = tutorial.run(page, os.environ["UMBRA"], tmp_path.resolve())
    assert_shown(ran, SHOWN[half])
    assert len(blocks(ran)) == len(blocks(page)) >= 4
