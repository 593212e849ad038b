# SPDX-License-Identifier: MIT
"""What the tests of the Python package share: the package itself, and files to open."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("h5py")
pytest.importorskip("pandas")

SOURCE = Path(os.environ["UMBRA_SOURCE"])
PACKAGE = SOURCE / "python"
# The package here and in every process that a test starts.
sys.path[:0] = [str(PACKAGE), str(SOURCE / "tests/support")]
os.environ["PYTHONPATH"] = os.pathsep.join(
    filter(None, [str(PACKAGE), os.environ.get("PYTHONPATH")])
)


def write_sample(path, variant="plain"):
    subprocess.run([os.environ["UMBRA_WRITE_SAMPLE"], str(path), variant], check=True)
    return path


@pytest.fixture
def sample(tmp_path):
    """Makes a profile in the folder of the test and answers its path."""

    def make(variant="plain", name=None):
        return write_sample(tmp_path / (name or f"{variant}.h5"), variant)

    return make


@pytest.fixture
def with_page(sample):
    """For tests of what shows the page: skips where umbra has none."""
    command = [os.environ["UMBRA"], "export", "--html", "-", sample("empty")]
    if b"built without its page" in subprocess.run(command, capture_output=True).stderr:
        pytest.skip("umbra was built without its page: node or npm is missing")


def rewrite(path, table, **columns):
    """Changes columns of a table in a file: a function of the old values, or new ones."""
    import h5py
    import numpy as np

    with h5py.File(path, "r+") as f:
        dataset = f[table]
        rows = dataset[:]
        fields = []
        for name in rows.dtype.names:
            change = columns.get(name)
            values = change(rows[name]) if callable(change) else change
            values = rows[name] if values is None else np.asarray(values)
            kind = dataset.dtype[name]
            if values.dtype.kind == "S":
                kind = h5py.string_dtype("utf-8", max(values.dtype.itemsize, 1))
            fields.append((name, kind, values))
        new = np.empty(len(rows), dtype=[(name, kind) for name, kind, _ in fields])
        for name, _, values in fields:
            new[name] = values
        del f[table]
        f.create_dataset(table, data=new, chunks=True, compression="gzip", maxshape=(None,))


def set_text(path, attribute, value):
    """Sets an attribute the way umbra does: UTF-8 of fixed length."""
    import h5py
    from made_up_files import as_text

    with h5py.File(path, "r+") as f:
        as_text(f, attribute, value)
