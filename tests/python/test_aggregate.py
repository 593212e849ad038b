# SPDX-License-Identifier: MIT
"""umbra.aggregate: hundreds of files (2,000 with UMBRA_FULL=1) on two worker processes come to what was
put into them."""

import os
import shutil
import time

import numpy as np
import pytest
from conftest import rewrite, set_text, write_sample
from full import FULL
from many_files import BROKEN, make_many

h5py = pytest.importorskip("h5py")
pd = pytest.importorskip("pandas")
import umbra  # noqa: E402

COUNT = 2_000 if FULL else 300


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """Files of many runs, and what their functions sum up to."""
    folder = tmp_path_factory.mktemp("runs")
    return folder, make_many(write_sample(folder / "sample.h5"), folder / "runs", COUNT)


@pytest.fixture(scope="module")
def client():
    """Two processes, as a cluster of several machines would have them."""
    distributed = pytest.importorskip("distributed")
    dask = pytest.importorskip("dask")
    dask.config.set({"distributed.scheduler.allowed-failures": 1})
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster, distributed.Client(cluster) as client:
        yield client


def check_sums(total, expected):
    functions = total.functions.set_index(["module_name", "name"])
    assert set(functions.index) == set(expected)
    for key, sums in expected.items():
        actual = functions.loc[key]
        for column, value in sums.items():
            assert actual[column] == value, (key, column)


def test_hundreds_of_files_on_two_workers_are_the_sum_of_all(many, client):
    folder, expected = many
    total = umbra.aggregate(f"{folder}/runs/*.h5", client)
    check_sums(total, expected)
    assert len(total.files) == COUNT
    assert len(total.files["path"].unique()) == COUNT
    # What cannot be read is named, each with its reason.
    failed = dict(zip(map(os.path.basename, total.failed["path"]), total.failed["error"]))
    assert set(failed) == set(BROKEN)
    for name, reason in BROKEN.items():
        assert reason in failed[name]
    # One hot list.
    hot = total.hot(3)
    order = sorted(expected, key=lambda key: -expected[key]["wall_self_ns"])
    assert hot["name"].tolist() == [name for _, name in order[:3]]
    assert f"{COUNT} files" in repr(total) and f"{len(BROKEN)} files failed" in repr(total)


def test_one_process_comes_to_the_same(many, client):
    folder, _ = many
    some = sorted(map(str, (folder / "runs").glob("*.h5")))[:300]
    here, there = umbra.aggregate(some), umbra.aggregate(some, client, batch=7)
    pd.testing.assert_frame_equal(here.functions, there.functions)
    pd.testing.assert_frame_equal(here.files, there.files)
    pd.testing.assert_frame_equal(here.failed, there.failed)


def test_hosts_can_be_kept_apart(many):
    folder, _ = many
    some = sorted(map(str, (folder / "runs").glob("*.h5")))[:40]
    whole, apart = umbra.aggregate(some), umbra.aggregate(some, by="host")
    assert set(apart.functions["host"]) == {"alder", "birch", "cedar", "doum"}
    summed = apart.functions.groupby(["module_name", "name"])["wall_self_ns"].sum()
    assert (
        summed.to_dict()
        == whole.functions.set_index(["module_name", "name"])["wall_self_ns"].to_dict()
    )
    missing = umbra.aggregate(some, by=["host", "colour"])
    assert len(missing.failed) == len(some) and len(missing.functions) == 0


def test_a_file_that_ends_its_worker_is_named_and_the_others_count(tmp_path, client, monkeypatch):
    paths = [str(write_sample(tmp_path / f"{number}.h5")) for number in range(6)]

    def read_or_die(batch, by):
        if any(path.endswith("3.h5") for path in batch):
            # One that ends while its nanny still waits for it to start is never started again
            # (distributed 2022.12).
            time.sleep(2)
            os._exit(1)
        return umbra._aggregate.read_batch(batch, by)

    monkeypatch.setattr(umbra._aggregate, "read_batch", read_or_die)
    total = umbra.aggregate(paths, client, batch=4)
    assert total.files["path"].tolist() == [path for path in paths if not path.endswith("3.h5")]
    assert total.failed["path"].tolist() == [paths[3]]
    assert "worker" in total.failed["error"][0]
    assert set(total.functions["files"]) == {5}


def test_sums_are_exact_beyond_what_a_float_holds(tmp_path):
    paths = [write_sample(tmp_path / f"{number}.h5") for number in range(3)]
    for path in paths:
        rewrite(path, "methods", wall_self_ns=lambda ns: ns * 0 + (1 << 60) + 1)
    assert set(umbra.aggregate(paths).functions["wall_self_ns"]) == {3 * ((1 << 60) + 1)}


def test_functions_of_one_name_in_a_file_are_one(tmp_path):
    path = write_sample(tmp_path / "a.h5")
    rewrite(path, "functions", name=[b"A.B()"] * 6, module=[1] * 6)
    row = umbra.aggregate([path]).functions
    assert len(row) == 1 and row["files"][0] == 1
    with umbra.open(path) as profile:
        called = profile.functions[profile.functions["calls"] > 0]
        assert row["calls"][0] == called["calls"].sum()
        assert row["wall_min_ns"][0] == called["wall_min_ns"].min()
        assert row["wall_max_ns"][0] == called["wall_max_ns"].max()


def test_names_tell_modules_and_overloads_apart(tmp_path):
    paths = [write_sample(tmp_path / name) for name in ("a.h5", "b.h5", "c.h5")]
    rewrite(paths[1], "modules", name=[b"shop.dll", b"Acme.Other.dll", b"x.dll"])
    rewrite(
        paths[2],
        "functions",
        name=lambda n: np.where(n == b"Acme.Pricing.Fib(int)", b"Acme.Pricing.Fib(long)", n),
    )
    functions = umbra.aggregate(paths).functions
    fib = functions[functions["name"].str.startswith("Acme.Pricing.Fib")]
    assert sorted(zip(fib["module_name"], fib["name"], fib["files"])) == [
        ("Acme.Core.dll", "Acme.Pricing.Fib(int)", 1),
        ("Acme.Core.dll", "Acme.Pricing.Fib(long)", 1),
        ("Acme.Other.dll", "Acme.Pricing.Fib(int)", 1),
    ]


def test_nothing_to_read_or_a_file_named_twice_is_an_error(tmp_path):
    path = write_sample(tmp_path / "a.h5")
    with pytest.raises(ValueError, match="no file matches"):
        umbra.aggregate(f"{tmp_path}/*.none")
    with pytest.raises(ValueError, match="no files"):
        umbra.aggregate([])
    with pytest.raises(ValueError, match="named twice"):
        umbra.aggregate([path, path])


def test_files_that_all_fail_leave_an_empty_list(tmp_path):
    (tmp_path / "x.h5").write_text("no profile")
    total = umbra.aggregate(str(tmp_path / "x.h5"))
    assert len(total.failed) == 1 and len(total.hot()) == 0
    assert "not an HDF5 file" in total.failed["error"][0]
    assert "0 files" in repr(total)


def test_a_sample_among_newer_files_is_not_lost(tmp_path):
    paths = [write_sample(tmp_path / "a.h5"), tmp_path / "b.h5"]
    shutil.copy(paths[0], paths[1])
    set_text(paths[1], "schema_version", "3.0.0")
    total = umbra.aggregate(paths)
    assert total.files["path"].tolist() == [str(paths[0])]
    assert "update the Python package" in total.failed["error"][0]
