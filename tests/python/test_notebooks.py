# SPDX-License-Identifier: MIT
"""The notebooks of examples/ run from top to bottom and show what they promise."""

import json
import os
import subprocess
import sys

import pytest
from conftest import SOURCE, rewrite, write_sample
from many_files import BROKEN, make_many

sys.path.insert(0, str(SOURCE / "tests/integration/support"))
from sample_program import build_shop  # noqa: E402

nbformat = pytest.importorskip("nbformat")
preprocessors = pytest.importorskip("nbconvert.preprocessors")
pytest.importorskip("ipykernel")

RUNS = 3
CELL_SECONDS = 120


@pytest.fixture(autouse=True)
def quiet_home(tmp_path, monkeypatch):
    """Kernels leave their files in the folder of the test."""
    for variable in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR"):
        monkeypatch.setenv(variable, str(tmp_path / variable))
    monkeypatch.setenv("PYDEVD_DISABLE_FILE_VALIDATION", "1")  # else it warns


def notebook(name):
    return nbformat.read(SOURCE / "examples" / name, as_version=4)


def executed(name, folder, appended=""):
    """The notebook after all its cells ran; whatever a cell raises fails the test."""
    book = notebook(name)
    if appended:
        book.cells.append(nbformat.v4.new_code_cell(appended))
    runner = preprocessors.ExecutePreprocessor(timeout=CELL_SECONDS, kernel_name="python3")
    runner.preprocess(book, {"metadata": {"path": str(folder)}})
    return book


def outputs(book, kind):
    """All outputs of a kind, in their order."""
    return [
        output["data"][kind]
        for cell in book.cells
        for output in cell.get("outputs", ())
        if kind in output.get("data", ())
    ]


def shown(book):
    return "\n".join(outputs(book, "text/plain"))


@pytest.fixture
def shop():
    command, reason = build_shop()
    if command is None:
        pytest.skip(reason)
    return command


def record(command, folder):
    """Runs of the shop as it is and of the mended one, taking turns."""
    for number in range(1, RUNS + 1):
        for name, taxes in (("before", ""), ("after", "dictionary")):
            subprocess.run(
                [os.environ["UMBRA"], "run", "-o", folder / f"{name}-{number}.h5", "--",
                 *command],
                env={**os.environ, "SHOP_TAXES": taxes},
                check=True,
                capture_output=True,
            )


def test_hot_functions_finds_what_is_slow_in_the_shop(shop, with_page, tmp_path):
    record(shop, tmp_path)
    book = executed("hot_functions.ipynb", tmp_path)
    assert sum("<iframe srcdoc=" in text for text in outputs(book, "text/html")) == 1
    last = [cell for cell in book.cells if "umbra.diff" in cell.source and cell.get("outputs")][-1]
    changes = last.outputs[0]["data"]["text/plain"]
    gone = [line for line in changes.splitlines() if "CountryTax.AppliesTo" in line]
    assert len(gone) == 1 and " gone " in gone[0], changes
    calls_old, calls_new = map(int, gone[0].split()[-2:])
    assert calls_old > 100_000 and calls_new == 0, changes
    callers = [text for text in outputs(book, "text/plain") if "caller_name" in text]
    assert any("HelloShop.TaxTable.RateOf(Order)" in text for text in callers)


@pytest.mark.parametrize("variant", ["plain", "wall", "losses"])
def test_hot_functions_takes_any_profile(with_page, tmp_path, monkeypatch, variant):
    """Files of other programs, without CPU times, with losses; hostile names stay text."""
    old, new = (write_sample(tmp_path / name, variant) for name in ("old.h5", "new.h5"))
    hostile = b"A.B(</td><script>alert(1)</script>)"
    rewrite(new, "functions", name=lambda names: [hostile, *names[1:].tolist()])
    monkeypatch.setenv("UMBRA_BEFORE", str(old))
    monkeypatch.setenv("UMBRA_AFTER", str(new))
    book = executed("hot_functions.ipynb", tmp_path)
    assert "Acme.Pricing.Fib(int)" in shown(book)
    page = "".join(text for text in outputs(book, "text/html") if "<iframe" not in text)
    assert "&lt;script&gt;" in page and "<script" not in page


def test_many_runs_comes_to_the_sum_of_all_files(tmp_path, monkeypatch):
    pytest.importorskip("distributed")
    expected = make_many(write_sample(tmp_path / "sample.h5"), tmp_path / "runs", 200)
    keep = "total.functions.to_json('sums.json', orient='records')"
    book = executed("many_runs.ipynb", tmp_path, keep)
    rows = json.loads((tmp_path / "sums.json").read_text())
    assert {(row["module_name"], row["name"]) for row in rows} == set(expected)
    for row in rows:
        for column, value in expected[(row["module_name"], row["name"])].items():
            assert row[column] == value, (row["name"], column)
    text = shown(book)
    assert "<umbra.Aggregate of 200 files" in text
    for name in BROKEN:
        assert name in text
    # The table of hosts: Fib on cedar, and nothing else, takes three times as long.
    hosts = next(
        text for text in outputs(book, "text/plain") if "cedar" in text and "birch" in text
    )
    first = next(line for line in hosts.splitlines() if "(" in line)
    assert first.startswith("Acme.Pricing.Fib(int)") and " 3.0" in first


@pytest.mark.parametrize("name", ["hot_functions.ipynb", "many_runs.ipynb"])
def test_what_is_kept_was_run_in_order_and_names_no_machine(name):
    book = notebook(name)
    cells = [cell for cell in book.cells if cell.cell_type == "code"]
    for number, cell in enumerate(cells, 1):
        if "page" in cell.metadata.get("tags", ()):  # larger than the notebook
            assert not cell.outputs
        else:
            assert cell.execution_count == number
    kept = json.dumps([cell.outputs for cell in cells])
    for private in ("/tmp/", "/home/", "/root/", "tcp://", "127.0.0.1", "Traceback"):
        assert private not in kept
