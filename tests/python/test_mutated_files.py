# SPDX-License-Identifier: MIT
"""Files whose content somebody has changed with HDF5's own means: a profile or one line.

What h5py and HDF5 make of damaged structures of their own is not in here (test_bad_files.py has some
of it). UMBRA_FUZZ_SEED and UMBRA_FUZZ_ROUNDS choose other changes and more of them.
"""

import os
import random
import shutil

import numpy as np
import pytest

h5py = pytest.importorskip("h5py")
import umbra  # noqa: E402
from full import FULL  # noqa: E402
from umbra import _schema  # noqa: E402

ROUNDS = int(os.environ.get("UMBRA_FUZZ_ROUNDS", "20000" if FULL else "250"))
SEED = int(os.environ.get("UMBRA_FUZZ_SEED", "1"))

TABLES = list(_schema.TABLES)
NUMBERS = [-(1 << 63), -(1 << 31), -2, -1, 0, 1, 2, 3, 5, 6, 100, 255, 1 << 31, (1 << 63) - 1]
FLOATS = [float("nan"), float("inf"), -1.0, 0.0, 1e300, 5e-324]
TEXTS = [b"", b"Fib", b"\xff\xfe", b"a\nb\x1b[31m", "\u202e\ud83d".encode("utf-8", "surrogatepass")]
TYPES = ["i8", "i4", "u4", "f8", ">i8", "S7", "V3", "?", "u1", "c16", ("i4", (3,)), h5py.string_dtype(),
         h5py.string_dtype("utf-8", 300), h5py.string_dtype("ascii", 20), h5py.ref_dtype]
VERSIONS = ["1.11.0", "2.0.0", "2.1.0", "2.9.0", "3.0.0", "2", "2.", "-1.0", "\u0662.0"]


def number_of(dtype, chance):
    """A number that fits into a type, an edge as often as not."""
    kind = np.dtype(dtype)
    if kind.kind == "f":
        return chance.choice(FLOATS)
    limits = np.iinfo(kind) if kind.kind in "iu" else np.iinfo("i1")
    value = chance.choice(NUMBERS) if chance.random() < 0.7 else chance.getrandbits(64) - (1 << 63)
    return min(max(value, limits.min), limits.max)


def change_cells(f, chance):
    """Some numbers and texts of one table."""
    dataset = f[chance.choice(TABLES)]
    if not 0 < dataset.shape[0] <= 1_000 or dataset.dtype.names is None:
        return
    rows = dataset[:]
    for _ in range(chance.randrange(1, 6)):
        name = chance.choice(rows.dtype.names)
        kind = rows.dtype[name]
        if kind.kind == "S":
            value = chance.choice([*TEXTS, bytes(chance.randrange(256) for _ in range(9))])
        elif kind.kind in "iuf":
            value = number_of(kind, chance)
        elif kind.kind == "b":
            value = chance.random() < 0.5
        else:
            continue
        rows[name][chance.randrange(len(rows))] = value
    dataset[:] = rows.astype(dataset.dtype)


def claim_rows(f, chance):
    """Another number of rows than there are."""
    f[chance.choice(TABLES)].resize((chance.choice([0, 1, 2, 7, 1000, 1 << 20, 1 << 40]),))


def rebuild(f, chance):
    """Other columns, types or storage."""
    table = chance.choice(TABLES)
    old = f[table]
    if old.dtype.names is None or old.shape[0] > 1000:
        return
    rows = old[:]
    fields = [(name, old.dtype[name]) for name in rows.dtype.names]
    for _ in range(chance.randrange(4)):
        at = chance.randrange(len(fields))
        what = chance.randrange(4)
        if what == 0 and len(fields) > 1:
            del fields[at]
        elif what == 1:
            fields[at] = (fields[at][0], chance.choice(TYPES))
        elif what == 2:
            fields[at] = (f"column {chance.randrange(99)}", fields[at][1])
        else:
            chance.shuffle(fields)
    new = np.zeros(len(rows), dtype=fields)
    for name, kind in fields:
        if name in rows.dtype.names and rows.dtype[name] == np.dtype(kind):
            new[name] = rows[name]
    storage = chance.choice([
        {}, {"chunks": (1,)}, {"chunks": (3,), "maxshape": (None,)},
        {"chunks": (1000,), "maxshape": (None,), "compression": "gzip", "shuffle": True},
        {"chunks": (2,), "fletcher32": True}, {"chunks": (2,), "compression": "lzf"},
        {"chunks": (1 << 24,), "maxshape": (None,)}])
    del f[table]
    if storage.get("chunks", (1,))[0] > 1_000:  # HDF5 would make a whole chunk to write a row
        f.create_dataset(table, shape=new.shape, dtype=new.dtype, **storage)
    elif chance.random() < 0.1:
        f.create_dataset(table, data=new.reshape(-1, 1))
    else:
        f.create_dataset(table, data=new, **storage)


def change_link(f, chance):
    """Something else than a table where there should be one."""
    table = chance.choice(TABLES)
    del f[table]
    what = chance.choice([
        None, h5py.SoftLink("/functions"), h5py.SoftLink(f"/{table}"), 7, np.zeros(3), b"text",
        h5py.ExternalLink("/dev/null", "/functions"), f.get(chance.choice(TABLES))])
    if what is None:
        f.create_group(table)
    else:
        f[table] = what


def change_attribute(f, chance):
    """Another value or type, or none."""
    name = chance.choice(list(f.attrs))
    del f.attrs[name]
    value = chance.choice([
        None, 7, -1, np.int64(1 << 62), 1.5, float("nan"), "text", np.bytes_(b"x\xff\x1b"), b"", [1, 2],
        np.zeros((2, 2)), np.uint8(1), h5py.Empty("i8"), np.bool_(True), "x" * 60_000])
    if value is not None:
        f.attrs[name] = value


def change_version(f, chance):
    value = chance.choice(VERSIONS).encode()
    f.attrs.create("schema_version", np.bytes_(value), dtype=h5py.string_dtype("utf-8", len(value)))


CHANGES = [change_cells, change_cells, change_cells, claim_rows, rebuild, change_link,
           change_attribute, change_version]


def mutate(path, chance):
    with h5py.File(path, "r+") as f:
        for _ in range(chance.randrange(1, 4)):
            try:
                chance.choice(CHANGES)(f, chance)
            except (AttributeError, LookupError, NotImplementedError, OSError, RuntimeError,
                    TypeError, ValueError):
                pass  # HDF5 or numpy refuses this change, maybe because of the one before


def read_everything(path):
    with umbra.open(path) as profile:
        for name in TABLES:
            if name != "long_strings":
                getattr(profile, name)
        for by in (None, "self", "total", "cpu", "calls", "mean", "max"):
            profile.hot(by=by)
        profile.percentiles()
        for name in ("*Fib*", "*Add*"):
            profile.callers(name)
            profile.callees(name)


@pytest.mark.parametrize("variant", ["plain", "shared", "timeline", "long", "sampled"])
def test_a_mutated_file_gives_one_line_or_a_profile(sample, variant):
    whole = sample(variant)
    refused = accepted = 0
    for number in range(ROUNDS // 5):
        chance = random.Random(f"{SEED} {variant} {number}")
        path = whole.with_name(f"{number}.h5")
        shutil.copyfile(whole, path)
        mutate(path, chance)
        try:
            read_everything(path)
            accepted += 1
        except umbra.ProfileError as error:
            refused += 1
            said = str(error)
            assert said.isprintable(), f"seed {SEED}, {variant}, round {number}"
        except Exception as error:
            raise AssertionError(f"seed {SEED}, {variant}, round {number}") from error
        path.unlink()
    assert refused > ROUNDS // 50 and accepted > ROUNDS // 50, "both ways have to be tried"


def test_a_file_that_does_not_say_how_it_was_recorded_is_read(sample):
    path = sample()
    with h5py.File(path, "r+") as f:
        del f.attrs["mode"]
    read_everything(path)
