# SPDX-License-Identifier: MIT
"""Makes thousands of small profiles of different content out of one, and knows their sums.

Usage: many_files.py SAMPLE FOLDER COUNT
"""

import random
import sys
from pathlib import Path

import h5py
import numpy as np

HOSTS = ["alder", "birch", "cedar", "doum"]
SUMMED = ["calls", "wall_total_ns", "wall_self_ns", "cpu_total_ns", "cpu_self_ns"]
# Files beside the sound ones, and what must be said of each.
BROKEN = {
    "cut-short.h5": "damaged or cut short",
    "empty.h5": "not an HDF5 file",
    "foreign.h5": "not a profile of umbra",
    "newer.h5": "update the Python package",
}


def make_many(sample, folder, count, seed=1):
    """Writes `count` files and the broken ones; answers (module, name) -> column -> sum.

    The sums are of what was drawn, in Python's own numbers: no file is read for them. Every file
    has other calls and times; on the host cedar Fib takes three times as long; in every seventh
    file a method has another name.
    """
    folder.mkdir()
    whole = Path(sample).read_bytes()
    chance, expected = random.Random(seed), {}
    for number in range(count):
        path = folder / f"run-{number:05}.h5"
        path.write_bytes(whole)
        with h5py.File(path, "r+") as f:
            drawn = _vary(f, number, chance)
        for key, values in drawn.items():
            sums = expected.setdefault(key, {**dict.fromkeys(SUMMED, 0), "files": 0})
            sums["files"] += 1
            sums["wall_min_ns"] = min(sums.get("wall_min_ns", 1 << 62), values["wall_min_ns"])
            sums["wall_max_ns"] = max(sums.get("wall_max_ns", 0), values["wall_max_ns"])
            for column in SUMMED:
                sums[column] += values[column]
    _break(folder, whole)
    return expected


def _vary(f, number, chance):
    """Other host, other duration, other calls and times, written in place."""
    host = HOSTS[number % len(HOSTS)]
    kind = h5py.string_dtype("utf-8", len(host))
    f.attrs.create("wall_ns", np.int64(chance.randrange(2 * 10**9, 3 * 10**9)))
    f.attrs.create("host", np.bytes_(host.encode()), dtype=kind)
    rows = f["functions"][:]
    methods = f["methods"][:]
    modules = f["modules"]["name"].tolist()
    drawn = {}
    for row in range(len(rows)):
        if rows["calls"][row] == 0:
            continue
        if number % 7 == 0 and rows["name"][row] == b"Acme.Orders.Receive()":
            rows["name"][row] = b"Acme.Orders.Send()"
        load = chance.randrange(500, 1_500)  # of 1,000: how much there was to do
        values = {column: int(rows[column][row]) * load // 1_000 + 1 for column in SUMMED}
        if host == "cedar" and b"Fib" in rows["name"][row]:
            for column in SUMMED[1:]:
                values[column] *= 3
        values["wall_min_ns"] = int(rows["wall_min_ns"][row]) + chance.randrange(100)
        values["wall_max_ns"] = int(rows["wall_max_ns"][row]) + chance.randrange(1 << 20)
        for column, value in values.items():
            rows[column][row] = value
            methods[column][methods["function"] == row] = value
        drawn[(modules[rows["module"][row]].decode(), rows["name"][row].decode())] = values
    # h5py forgets that texts are UTF-8 when it makes an array of them.
    f["functions"][:] = rows.astype(f["functions"].dtype)
    f["methods"][:] = methods
    return drawn


def _break(folder, whole):
    (folder / "cut-short.h5").write_bytes(whole[: len(whole) // 2])
    (folder / "empty.h5").write_bytes(b"")
    with h5py.File(folder / "foreign.h5", "w") as f:
        f["numbers"] = [1, 2, 3]
    (folder / "newer.h5").write_bytes(whole)
    with h5py.File(folder / "newer.h5", "r+") as f:
        f.attrs.create("schema_version", np.bytes_(b"3.0.0"), dtype=h5py.string_dtype("utf-8", 5))


if __name__ == "__main__":
    make_many(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
