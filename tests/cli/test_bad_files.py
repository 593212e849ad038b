# SPDX-License-Identifier: MIT
"""Files that are no profiles, or that somebody made up: one clear line, never a crash."""

import os

import pytest

h5py = pytest.importorskip("h5py")
np = pytest.importorskip("numpy")


def replace(f, name, rows=None, dtype=None, **options):
    """Stores a table anew, as umbra would but for the options."""
    rows = f[name][:] if rows is None else rows
    rows = rows if dtype is None else rows.astype(dtype)
    del f[name]
    storage = {"chunks": True, "compression": "gzip", "shuffle": True, "maxshape": (None,)}
    f.create_dataset(name, data=rows, **{**storage, **options})


def changed(f, name, column, value, row=0):
    rows = f[name][:]
    rows[column][row] = value
    replace(f, name, utf8(f, name, rows))


def utf8(f, name, rows):
    """h5py forgets that texts are UTF-8 when it makes an array of them."""
    return rows.astype(f[name].dtype)


def with_column(f, name, column, kind):
    rows = f[name][:]
    fields = [(n, f[name].dtype[n]) for n in rows.dtype.names] + [(column, kind)]
    wider = np.zeros(rows.shape, dtype=fields)
    for n in rows.dtype.names:
        wider[n] = rows[n]
    replace(f, name, wider)


def without_column(f, name, column):
    rows = f[name][:]
    fields = [(n, f[name].dtype[n]) for n in rows.dtype.names if n != column]
    replace(f, name, rows[[n for n, _ in fields]].astype(fields))


def retyped(f, name, column, kind):
    fields = [(n, kind if n == column else f[name].dtype[n]) for n in f[name].dtype.names]
    replace(f, name, dtype=fields)


def huge(f, name):
    dtype = f[name].dtype
    del f[name]
    f.create_dataset(name, shape=(1 << 40,), dtype=dtype, chunks=(1024,), compression="gzip")


def huge_chunks(f, name):
    dtype = f[name].dtype
    del f[name]
    f.create_dataset(
        name, shape=(1,), maxshape=(None,), dtype=dtype, chunks=(1 << 22,), compression="gzip"
    )


def as_text(f, name, value):
    """Sets an attribute the way umbra does: UTF-8 of fixed length."""
    data = value.encode()
    f.attrs.create(name, np.bytes_(data), dtype=h5py.string_dtype("utf-8", max(len(data), 1)))


def soft_link(f):
    f["elsewhere"] = f["edges"]
    del f["edges"]
    f["edges"] = h5py.SoftLink("/elsewhere")


def external_link(f):
    del f["edges"]
    f["edges"] = h5py.ExternalLink("/etc/passwd", "/edges")


CASES = {
    "another format": (lambda f: as_text(f, "format", "other"), "not a profile of umbra"),
    "no format": (lambda f: f.attrs.__delitem__("format"), "not a profile of umbra"),
    "newer major": (lambda f: as_text(f, "schema_version", "2.0.0"), "update umbra"),
    "no version": (lambda f: as_text(f, "schema_version", "new"), "is not a version"),
    "version overflows": (lambda f: as_text(f, "schema_version", "99999999999.0"), "not a version"),
    "attribute missing": (lambda f: f.attrs.__delitem__("wall_ns"), "attribute wall_ns is missing"),
    "attribute of another type": (
        lambda f: f.attrs.create("events", 1.5),
        "events is not of type int64",
    ),
    "attribute of variable length": (
        lambda f: f.attrs.create("program", "x"),
        "program is",
    ),
    "attribute is an array": (
        lambda f: f.attrs.create("events", np.zeros(3, "i8")),
        "attribute events is not a single value",
    ),
    "attribute negative": (lambda f: f.attrs.create("events", np.int64(-1)), "events is negative"),
    "table missing": (lambda f: f.__delitem__("edges"), "table edges is missing"),
    "table behind a soft link": (soft_link, "table edges is missing"),
    "table in another file": (external_link, "table edges is missing"),
    "table is a group": (
        lambda f: (f.__delitem__("edges"), f.create_group("edges")),
        "edges",
    ),
    "table of plain numbers": (
        lambda f: replace(f, "edges", np.arange(4)),
        "edges is not a table",
    ),
    "column missing": (
        lambda f: without_column(f, "functions", "token"),
        "table functions has no column token",
    ),
    "column of this version missing": (
        lambda f: without_column(f, "calltree", "cpu_self_ns"),
        "table calltree has no column cpu_self_ns",
    ),
    "table of this version missing": (lambda f: f.__delitem__("pauses"), "table pauses is missing"),
    "attribute of this version missing": (
        lambda f: f.attrs.__delitem__("cpu_source"),
        "attribute cpu_source is missing",
    ),
    "columns newer than its version": (
        lambda f: as_text(f, "schema_version", "1.0.0"),
        "has a column its version of the schema does not know",
    ),
    "column unknown": (
        lambda f: with_column(f, "functions", "colour", "i4"),
        "table functions has a column",
    ),
    "column of another type": (
        lambda f: retyped(f, "functions", "calls", "f8"),
        "calls is not of type int64",
    ),
    "column big endian": (
        lambda f: retyped(f, "functions", "calls", ">i8"),
        "calls is not of type int64",
    ),
    "column of variable length": (
        lambda f: retyped(f, "functions", "name", h5py.string_dtype()),
        "name is",
    ),
    "column too wide": (
        lambda f: retyped(f, "functions", "name", h5py.string_dtype("utf-8", 5000)),
        "name is too long",
    ),
    "not in chunks": (
        lambda f: replace(
            f, "edges", chunks=None, compression=None, shuffle=False, maxshape=None
        ),
        "edges is not stored in chunks",
    ),
    "another filter": (lambda f: replace(f, "edges", compression="lzf"), "unknown filter"),
    "more rows than storage": (lambda f: huge(f, "edges"), "claims more rows"),
    "huge chunks": (lambda f: huge_chunks(f, "edges"), "too large chunks"),
    "two dimensions": (
        lambda f: replace(f, "edges", f["edges"][:4].reshape(2, 2), maxshape=(None, None)),
        "edges is not",
    ),
    "row beyond the table": (
        lambda f: changed(f, "edges", "callee", 6),
        "table edges, row 0: callee points at no row of table functions",
    ),
    "row negative": (
        lambda f: changed(f, "edges", "caller", -2),
        "table edges, row 0: caller points at no row",
    ),
    "row required": (
        lambda f: changed(f, "calltree", "function", -1, 1),
        "table calltree, row 1: function points at no row",
    ),
    "paths of one thread among those of all": (
        lambda f: changed(f, "calltree", "thread", -1, 2),
        "table calltree, row 2: thread is -1, that of row 0 is one",
    ),
    "pause of no thread": (
        lambda f: changed(f, "pauses", "thread", 77),
        "table pauses, row 0: thread points at no row of table threads",
    ),
    "parent is itself": (
        lambda f: changed(f, "calltree", "parent", 2, 2),
        "parent is not a smaller row",
    ),
    "parent comes later": (
        lambda f: changed(f, "calltree", "parent", 3, 2),
        "parent is not a smaller row",
    ),
    "time negative": (
        lambda f: changed(f, "functions", "wall_self_ns", -5),
        "wall_self_ns is negative",
    ),
    "continues a text that is not there": (
        lambda f: replace(
            f,
            "long_strings",
            np.array([(b"f", b"n", 99, b"x")], dtype=f["long_strings"].dtype),
        ),
        "continues a text that does not exist",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_made_up_file_is_one_clear_line(umbra, sample, case):
    path = sample()
    change, message = CASES[case]
    with h5py.File(path, "r+") as f:
        change(f)
    said = umbra.fails(1, "report", path)
    assert said.startswith(f"umbra: cannot read '{path}': ")
    assert message in said


def test_a_newer_minor_version_is_read_for_what_it_shares(umbra, sample):
    path = sample()
    expected = umbra("report", path).stdout
    with h5py.File(path, "r+") as f:
        as_text(f, "schema_version", "1.99.0")
        f.attrs["mood"] = 3
        f.create_dataset("weather", data=np.arange(3))
        with_column(f, "functions", "colour", "i4")
    ran = umbra("report", path)
    assert (ran.returncode, ran.stdout) == (0, expected)


def test_another_hdf5_file_is_named_as_such(umbra, tmp_path):
    with h5py.File(tmp_path / "other.h5", "w") as f:
        f["x"] = [1, 2, 3]
    assert "it is an HDF5 file, but not a profile of umbra" in umbra.fails(1, "report", "other.h5")
    assert "it is an HDF5 file, but not a profile of umbra" in umbra.fails(1, "info", "other.h5")


def test_what_is_no_hdf5_file_is_named_as_such(umbra, tmp_path):
    (tmp_path / "notes.txt").write_text("hello\n")
    assert "it is not an HDF5 file" in umbra.fails(1, "report", "notes.txt")
    assert "it is not a regular file" in umbra.fails(1, "report", ".")
    assert "No such file or directory" in umbra.fails(1, "info", "none.h5")
    os.mkfifo(tmp_path / "pipe")
    assert "it is not a regular file" in umbra.fails(1, "report", "pipe")


def test_a_file_cut_short_is_named_as_such(umbra, sample):
    path = sample()
    os.truncate(path, path.stat().st_size // 2)
    assert "damaged or cut short" in umbra.fails(1, "report", path)


VIEWS = [
    ["--by", "type"], ["--by", "thread"], ["--callers", "Fib"], ["--callees", "Main"], ["--tree"],
    ["--csv"], ["--thread", "Main", "--percentiles"], ["--include", "*", "--sort", "mean"],
]


@pytest.mark.parametrize("seed", range(12))
def test_odd_but_sound_numbers_crash_no_view(umbra, sample, seed):
    """Times that do not add up, strange names, greatest numbers: shown, whatever they mean."""
    random = np.random.default_rng(seed)
    path = sample()
    odd = np.array([0, 1, 2**31, 2**53, 2**63 - 1])
    with h5py.File(path, "r+") as f:
        for name in ("functions", "calltree", "histograms", "threads"):
            rows = f[name][:]
            for column in rows.dtype.names:
                if rows.dtype[column] == np.int64 and random.random() < 0.4:
                    rows[column][random.integers(len(rows))] = random.choice(odd)
                if rows.dtype[column].kind == "f" and random.random() < 0.4:
                    rows[column][random.integers(len(rows))] = random.choice([np.nan, np.inf, -1])
                if rows.dtype[column].kind == "S" and random.random() < 0.4:
                    width = rows.dtype[column].itemsize
                    rows[column][random.integers(len(rows))] = bytes(random.bytes(width))
            replace(f, name, utf8(f, name, rows))
    for view in VIEWS:
        ran = umbra("report", path, *view)
        assert ran.returncode in (0, 1), (view, ran)
        assert ran.returncode == 0 or ran.stderr.count("\n") == 1, (view, ran)
        assert "\x1b" not in ran.stdout
    other = sample("slower")
    for both in [(path, other), (other, path), (path, path)]:
        for arguments in [[], ["--json", "--min", "0", "--absolute", "--pauses"]]:
            ran = umbra("diff", *both, *arguments, "--fail-above", "5")
            assert ran.returncode in (0, 3) and ran.stderr == "", ran


def test_a_made_up_tree_of_any_depth_is_shown(umbra, sample):
    path = sample()
    with h5py.File(path, "r+") as f:
        deep = np.repeat(f["calltree"][:1], 20_000)
        deep["parent"] = np.arange(-1, len(deep) - 1)
        deep["function"] = np.arange(len(deep)) % 2
        replace(f, "calltree", deep)
    for view in [*VIEWS, ["--tree", "--depth", "65536", "--min", "0"]]:
        ran = umbra("report", path, *view)
        assert ran.returncode == 0 or "more than one" in ran.stderr or "no method" in ran.stderr
    assert ran.stdout.count("Shop.Program.Main(string[])") == 10_000
