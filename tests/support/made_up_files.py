# SPDX-License-Identifier: MIT
"""Files that somebody made up: what is done to a sound profile, and what its two readers say of it."""

import h5py
import numpy as np


def replace(f, name, rows=None, dtype=None, **options):
    """Stores a table anew, as umbra would but for the options."""
    rows = f[name][:] if rows is None else rows
    rows = rows if dtype is None else rows.astype(dtype)
    del f[name]
    storage = {"chunks": True, "compression": "gzip", "shuffle": True, "maxshape": (None,)}
    f.create_dataset(name, data=rows, **{**storage, **options})


def utf8(f, name, rows):
    """h5py forgets that texts are UTF-8 when it makes an array of them."""
    return rows.astype(f[name].dtype)


def changed(f, name, column, value, row=0):
    rows = f[name][:]
    rows[column][row] = value
    replace(f, name, utf8(f, name, rows))


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


def claiming(f, name, rows, chunk, compression="gzip"):
    """A table of rows that nobody has written."""
    dtype = f[name].dtype
    del f[name]
    storage = {"maxshape": (None,), "chunks": (chunk,), "compression": compression}
    f.create_dataset(name, shape=(rows,), dtype=dtype, **storage)


def as_text(f, name, value):
    """Sets an attribute the way umbra does: UTF-8 of fixed length."""
    data = value.encode()
    f.attrs.create(name, np.bytes_(data), dtype=h5py.string_dtype("utf-8", max(len(data), 1)))


def with_attribute(f, name, value):
    f.attrs.create(name, value)


def without_attribute(f, name):
    del f.attrs[name]


def without_table(f, name):
    del f[name]


def with_group(f, name):
    del f[name]
    f.create_group(name)


def with_link(f, name, link):
    f["elsewhere"] = f[name]
    del f[name]
    f[name] = link


def long_string(f, *cells):
    replace(f, "long_strings", np.array([cells], dtype=f["long_strings"].dtype))


def flat(f, name):
    replace(f, name, chunks=None, compression=None, shuffle=False, maxshape=None)


def square(f, name):
    replace(f, name, f[name][:4].reshape(2, 2), maxshape=(None, None))


SAME = "the same words as umbra"
READ = "nothing: Python takes what it needs"

NO_EDGES = "table edges is missing"
NO_ROW, NO_ROW_PYTHON = "points at no row of table", "names a row that"
SOFT, EXTERNAL = h5py.SoftLink("/elsewhere"), h5py.ExternalLink("/etc/passwd", "/edges")
VARIABLE, WIDE = h5py.string_dtype(), h5py.string_dtype("utf-8", 5000)

# What it is: what umbra says, what the Python package says, and how it is made.
CASES = {
    "another format": ("not a profile of umbra", SAME, as_text, "format", "other"),
    "no format": ("not a profile of umbra", SAME, without_attribute, "format"),
    "newer major": ("update umbra", "update the Python package", as_text, "schema_version", "3.0.0"),
    "older major": ("record the program anew", SAME, as_text, "schema_version", "1.11.0"),
    "no version": ("is not a version", SAME, as_text, "schema_version", "new\n"),
    "version overflows": ("is not a version", SAME, as_text, "schema_version", "99999999999.0"),
    "version of many": ("is not a single value", "is missing or not", with_attribute, "schema_version", [1.0, 2.0]),
    "attribute missing": ("attribute wall_ns is missing", SAME, without_attribute, "wall_ns"),
    "text missing": ("attribute host is missing", SAME, without_attribute, "host"),
    "number is a text": ("wall_ns is not of type int64", "wall_ns is missing or not of", as_text, "wall_ns", "long"),
    "text is a number": ("host is not fixed-length", "host is missing or not of its", with_attribute, "host", 7),
    "attribute of another type": ("events is not of type int64", "events is missing", with_attribute, "events", 1.5),
    "attribute of variable length": ("program is not fixed", "program is missing", with_attribute, "program", "x"),
    "attribute is an array": ("is not a single value", "is missing", with_attribute, "events", np.zeros(3, "i8")),
    "attribute negative": ("events is negative", READ, with_attribute, "events", np.int64(-1)),
    "attribute of no use to Python missing": ("attribute cpu_source is missing", READ, without_attribute, "cpu_source"),
    "table missing": (NO_EDGES, SAME, without_table, "edges"),
    "table behind a soft link": (NO_EDGES, SAME, with_link, "edges", SOFT),
    "table in another file": (NO_EDGES, SAME, with_link, "edges", EXTERNAL),
    "table is a group": ("edges", "edges is not a table", with_group, "edges"),
    "table of plain numbers": ("edges is not a table", SAME, replace, "edges", np.arange(4)),
    "two dimensions": ("edges is not", "edges is not one-dimensional", square, "edges"),
    "column missing": ("table functions has no column token", SAME, without_column, "functions", "token"),
    "column unknown": ("table functions has a column", READ, with_column, "functions", "colour", "i4"),
    "column of another type": ("calls is not of type int64", SAME, retyped, "functions", "calls", "f8"),
    "column big endian": ("calls is not of type int64", SAME, retyped, "functions", "calls", ">i8"),
    "column is a text": ("framework is not of type bool", SAME, retyped, "modules", "framework", "S5"),
    "column of variable length": ("name is", "is not text of fixed length", retyped, "functions", "name", VARIABLE),
    "column too wide": ("name is too long", "name is not text of fixed length", retyped, "functions", "name", WIDE),
    "not in chunks": ("edges is not stored in chunks", SAME, flat, "edges"),
    "another filter": ("unknown filter", SAME, claiming, "edges", 0, 9, "lzf"),
    "more rows than can be": ("claims more rows", SAME, claiming, "edges", 1 << 40, 1024),
    "more rows than storage": ("claims more rows", SAME, claiming, "edges", 1 << 20, 1024),
    "huge chunks": ("too large chunks", SAME, claiming, "edges", 1, 1 << 22),
    "row beyond the table": (f"table edges, row 0: callee {NO_ROW}", f"edges.callee {NO_ROW_PYTHON} functions",
                             changed, "edges", "callee", 6),
    "row negative": (f"table edges, row 0: caller {NO_ROW}", "edges.caller", changed, "edges", "caller", -2),
    "row required": (f"table calltree, row 1: function {NO_ROW}", f"calltree.function {NO_ROW_PYTHON} functions",
                     changed, "calltree", "function", -1, 1),
    "paths of one thread among those of all": ("table calltree, row 2: thread is -1, that of row 0 is one", READ,
                                               changed, "calltree", "thread", -1, 2),
    "pause of no thread": (f"table pauses, row 0: thread {NO_ROW} threads", f"pauses.thread {NO_ROW_PYTHON} threads",
                           changed, "pauses", "thread", 77),
    "parent is itself": ("parent is not a smaller row", SAME, changed, "calltree", "parent", 2, 2),
    "parent comes later": ("parent is not a smaller row", SAME, changed, "calltree", "parent", 3, 2),
    "time negative": ("wall_self_ns is negative", SAME, changed, "functions", "wall_self_ns", -5),
    "continues a text that is not there": ("continues a text that does not exist", READ,
                                           long_string, b"f", b"n", 99, b"x"),
}


def made_up(path, case):
    """Makes a sound profile such a file; answers what umbra and what the Python package says of it, where
    None is nothing."""
    umbra, python, change, *arguments = CASES[case]
    with h5py.File(path, "r+") as f:
        change(f, *arguments)
    return umbra, {SAME: umbra, READ: None}.get(python, python)
