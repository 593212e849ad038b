# SPDX-License-Identifier: MIT
"""docs/file_format.md and a real file say the same, and notebooks open it unaided."""

import os
import re
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

h5py = pytest.importorskip("h5py")
pd = pytest.importorskip("pandas")

DOCUMENT = Path(os.environ["UMBRA_SOURCE"]) / "docs" / "file_format.md"
WRITE_SAMPLE = os.environ["UMBRA_WRITE_SAMPLE"]


def write_sample(path, variant="plain"):
    subprocess.run([WRITE_SAMPLE, str(path), variant], check=True)
    return path


@pytest.fixture(scope="module", params=["plain", "empty", "losses", "long", "wall"])
def path(request, tmp_path_factory):
    return write_sample(tmp_path_factory.mktemp("file") / "p.h5", request.param)


def sections():
    """Heading -> rows of its Markdown table, each a list of cells."""
    found, heading = {}, None
    for line in DOCUMENT.read_text().splitlines():
        if line.startswith("#"):
            heading = line.lstrip("# ")
            found[heading] = []
        elif line.startswith("| `"):
            found[heading].append([cell.strip(" `") for cell in line.strip("|").split(" | ")])
    return found


def documented_tables():
    return {
        match[1]: rows
        for heading, rows in sections().items()
        if (match := re.fullmatch(r"Table `(\w+)`", heading))
    }


def type_name(dtype):
    return "string" if dtype.kind == "S" else dtype.name


def test_the_document_holds_the_listing_of_the_schema():
    listing = subprocess.run(
        [WRITE_SAMPLE, "--listing"], check=True, capture_output=True, text=True
    ).stdout
    assert listing in DOCUMENT.read_text(), "replace the end of the document by write_sample --listing"


def test_every_attribute_of_the_root_is_documented_and_there(path):
    documented = {row[0]: row[1] for row in sections()["Attributes of the root"]}
    with h5py.File(path) as f:
        actual = {name: type_name(f.attrs.get_id(name).dtype) for name in f.attrs}
    assert actual == documented
    assert len(actual) > 40


def test_every_column_its_type_unit_and_meaning_are_documented_and_there(path):
    documented = documented_tables()
    with h5py.File(path) as f:
        assert set(f) == set(documented)
        for name, table in f.items():
            actual = [
                [column, type_name(table.dtype[column]), units.decode(), meaning.decode()]
                for column, units, meaning in zip(
                    table.dtype.names,
                    table.attrs["units"],
                    table.attrs["column_descriptions"],
                    strict=True,
                )
            ]
            assert actual == documented[name], name


def test_every_attribute_of_a_table_is_documented_and_there(path):
    documented = {row[0] for row in sections()["Attributes of each table"]}
    text = DOCUMENT.read_text()
    with h5py.File(path) as f:
        for name, table in f.items():
            assert set(table.attrs) == documented, name
            assert table.attrs["description"].decode() in text


def test_tables_are_stored_as_the_document_says(path):
    with h5py.File(path) as f:
        for table in f.values():
            assert table.ndim == 1
            has_text = any(table.dtype[name].kind == "S" for name in table.dtype.names)
            assert table.compression == "gzip" and table.shuffle == (not has_text)
            assert table.maxshape == (None,)


def test_h5py_makes_data_frames_of_every_table(tmp_path):
    with h5py.File(write_sample(tmp_path / "p.h5")) as f:
        frames = {name: pd.DataFrame(table[:]) for name, table in f.items()}
        assert f.attrs["program"].decode() == "shop.dll"
        assert f.attrs["complete"] == 1
    functions = frames["functions"]
    assert functions["calls"].tolist() == [1, 5000, 635621, 0, 0, 400]
    assert functions[functions["instrumented"]].shape[0] == 5
    assert frames["modules"]["name"][functions["module"]].tolist()[2] == b"Acme.Core.dll"
    assert frames["calltree"]["parent"].tolist() == [-1, 0, 1, -1, 0]
    assert frames["functions"]["wall_self_ns"].sub(10**12).lt(0).all(), "differences must not wrap"
    waiting = functions[functions["cpu_self_ns"] < functions["wall_self_ns"] / 2]
    assert waiting["name"][waiting["calls"] > 0].tolist() == [b"Acme.Orders.Receive()"]
    pauses = frames["pauses"].groupby("reason")["duration_ns"].sum()
    assert pauses.to_dict() == {b"gc": 32_000_000, b"rejit": 400_000}


def test_texts_longer_than_a_cell_are_whole_with_their_rest(tmp_path):
    with h5py.File(write_sample(tmp_path / "p.h5", "long")) as f:
        rest = pd.DataFrame(f["long_strings"][:])
        name = f["functions"]["name"][1] + b"".join(
            rest[(rest.table == b"functions") & (rest.column == b"name") & (rest.row == 1)].text
        )
        assert name.decode() == "Acme." + "x" * 300 + "\u20ac.Add(Item, int)"
        assert len(f.attrs["command_line"]) == 100_000


def test_pytables_opens_every_table_without_a_warning(path):
    tables = pytest.importorskip("tables")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with tables.open_file(str(path)) as f:
            nodes = {node._v_name: node for node in f.root}
            assert set(nodes) == set(documented_tables())
            for node in nodes.values():
                assert isinstance(node, tables.Table)
                node.read()
            assert f.root._v_attrs.format == "umbra profile"


def test_pandas_reads_a_table_unaided(tmp_path):
    pytest.importorskip("tables")
    frame = pd.read_hdf(write_sample(tmp_path / "p.h5"), "calltree")
    assert frame["calls"].tolist() == [1, 5000, 625619, 10002, 400]


def test_the_example_of_the_document_runs(tmp_path):
    write_sample(tmp_path / "umbra-app-4711.h5")
    code = re.search(r"```python\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)[1]
    printed = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, check=True, capture_output=True, text=True
    ).stdout
    assert printed.splitlines()[1].endswith("Acme.Cart<Item>.Add(Item, int)")
