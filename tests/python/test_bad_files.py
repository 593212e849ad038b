# SPDX-License-Identifier: MIT
"""Files that are no profiles, or that somebody made up: one exception of one line."""

import os
import random

import numpy as np
import pytest
from conftest import rewrite, set_text

h5py = pytest.importorskip("h5py")
import umbra  # noqa: E402
from umbra import _schema  # noqa: E402


def read_everything(path):
    with umbra.open(path) as profile:
        for name in _schema.TABLES:
            if name != "long_strings":
                getattr(profile, name)
        profile.hot()
        profile.callers("Fib")


def refused(path):
    """What is said of the file: one line that names it."""
    with pytest.raises(umbra.ProfileError) as caught:
        read_everything(path)
    text = str(caught.value)
    assert text.startswith(f"cannot read '{path}': ") and text.isprintable(), text
    return text


def with_rows(path, table, count, **options):
    with h5py.File(path, "r+") as f:
        dtype = f[table].dtype
        del f[table]
        f.create_dataset(table, shape=(count,), dtype=dtype, **options)


def with_link(path, link):
    with h5py.File(path, "r+") as f:
        f["elsewhere"] = f["edges"]
        del f["edges"]
        f["edges"] = link


def without_column(path, table, column):
    with h5py.File(path, "r+") as f:
        rows = f[table][:]
        kept = [name for name in rows.dtype.names if name != column]
        new = np.empty(rows.shape, dtype=[(name, f[table].dtype[name]) for name in kept])
        del f[table]
        f.create_dataset(table, data=new, chunks=(1,))


def without(path, name):
    with h5py.File(path, "r+") as f:
        del f[name]


def attribute(path, name, value):
    with h5py.File(path, "r+") as f:
        del f.attrs[name]
        if value is not None:
            f.attrs[name] = value


CHUNKS = {"chunks": (1024,), "compression": "gzip"}
CASES = {
    "another format": (lambda p: set_text(p, "format", "other"), "not a profile of umbra"),
    "newer schema": (lambda p: set_text(p, "schema_version", "2.0.0"), "update the Python package"),
    "no version": (lambda p: set_text(p, "schema_version", "new\n"), "is not a version"),
    "time is a text": (lambda p: set_text(p, "wall_ns", "long"), "wall_ns is missing or not of"),
    "no host": (lambda p: attribute(p, "host", None), "host is missing"),
    "host is a number": (lambda p: attribute(p, "host", 7), "host is missing or not of its type"),
    "version of many": (lambda p: attribute(p, "schema_version", [1.0, 2.0]), "is missing or not"),
    "table missing": (lambda p: without(p, "edges"), "table edges is missing"),
    "soft link": (lambda p: with_link(p, h5py.SoftLink("/elsewhere")), "edges is missing"),
    "other file": (lambda p: with_link(p, h5py.ExternalLink("/x", "/y")), "edges is missing"),
    "column missing": (lambda p: without_column(p, "edges", "calls"), "edges has no column calls"),
    "text is a number": (
        lambda p: rewrite(p, "modules", framework=[b"yes", b"no", b"no"]),
        "modules.framework is not of type bool",
    ),
    "huge table": (lambda p: with_rows(p, "edges", 1 << 40, **CHUNKS), "claims more rows"),
    "rows without data": (lambda p: with_rows(p, "edges", 1 << 20, **CHUNKS), "claims more rows"),
    "huge chunks": (
        lambda p: with_rows(p, "edges", 1, maxshape=(None,), chunks=(1 << 22,)),
        "too large chunks",
    ),
    "unknown filter": (
        lambda p: with_rows(p, "edges", 0, maxshape=(None,), chunks=(9,), compression="lzf"),
        "unknown filter",
    ),
    "no such caller": (lambda p: rewrite(p, "edges", caller=lambda r: r + 100), "edges.caller"),
    "caller below -1": (lambda p: rewrite(p, "edges", caller=lambda r: r - 2), "edges.caller"),
    "path of nothing": (
        lambda p: rewrite(p, "calltree", function=lambda r: r * 0 - 1),
        "calltree.function names a row that functions has not",
    ),
    "parents in a ring": (
        lambda p: rewrite(p, "calltree", parent=[4, 0, 1, 2, 3]),
        "calltree.parent is not a smaller row",
    ),
    "negative time": (
        lambda p: rewrite(p, "calltree", wall_self_ns=lambda ns: -ns),
        "calltree.wall_self_ns is negative",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_file_that_was_made_up_gives_one_line(sample, name):
    change, said = CASES[name]
    path = sample()
    read_everything(path)
    change(path)
    assert said in refused(path)


def test_what_is_no_file_gives_one_line(tmp_path):
    assert "No such file or directory" in refused(tmp_path / "none.h5")
    assert "not a regular file" in refused(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    assert "not a regular file" in refused(tmp_path / "pipe")
    for content in (b"", b"hello\n", b"\x89HDF\r\n\x1a\n" + bytes(100)):
        (tmp_path / "x.h5").write_bytes(content)
        refused(tmp_path / "x.h5")


def test_the_line_is_one_whatever_the_name_of_the_file(tmp_path):
    with pytest.raises(umbra.ProfileError) as caught:
        umbra.open(tmp_path / "a\nb\x1b[31m.h5")
    assert str(caught.value).isprintable()


def test_a_file_cut_short_gives_one_line(sample):
    path = sample()
    whole = path.read_bytes()
    for size in range(0, len(whole) * 9 // 10, 997):
        path.write_bytes(whole[:size])
        refused(path)


def test_a_damaged_file_gives_one_line_or_a_profile(sample):
    path = sample()
    whole = path.read_bytes()
    chance = random.Random(11)
    failed = 0
    for number in range(300):
        damaged = bytearray(whole)
        for _ in range(1 + number % 3):
            damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
        # A file of its own each time: HDF5 keeps what it knows of an open one.
        at = path.with_name(f"{number}.h5")
        at.write_bytes(damaged)
        try:
            read_everything(at)
        except umbra.ProfileError as error:
            failed += 1
            assert str(error).isprintable()
        at.unlink()
    assert failed > 20, "the damage is nowhere where it is read"


def test_a_newer_minor_version_is_read(sample):
    path = sample()
    set_text(path, "schema_version", "1.99.0")
    with h5py.File(path, "r+") as f:
        f.create_dataset("colours", data=np.zeros(3))
        rows = f["modules"][:]
        fields = [(name, f["modules"].dtype[name]) for name in rows.dtype.names]
        wider = np.zeros(len(rows), dtype=[*fields, ("colour", "i4")])
        for name in rows.dtype.names:
            wider[name] = rows[name]
        del f["modules"]
        f.create_dataset("modules", data=wider, chunks=(3,))
    read_everything(path)
    assert umbra.open(path).modules["name"].tolist()[0] == "shop.dll"
