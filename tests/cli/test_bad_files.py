# SPDX-License-Identifier: MIT
"""Files that are no profiles, or that somebody made up: one clear line, never a crash."""

import os
import sys
from pathlib import Path

import pytest

h5py = pytest.importorskip("h5py")
np = pytest.importorskip("numpy")
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from made_up_files import CASES, as_text, made_up, replace, utf8, with_column  # noqa: E402


@pytest.mark.parametrize("case", CASES)
def test_a_made_up_file_is_one_clear_line(umbra, sample, case):
    path = sample()
    message, _ = made_up(path, case)
    said = umbra.fails(1, "report", path)
    assert said.startswith(f"umbra: cannot read '{path}': ")
    assert message in said


def test_a_newer_minor_version_is_read_for_what_it_shares(umbra, sample):
    path = sample()
    expected = umbra("report", path).stdout
    with h5py.File(path, "r+") as f:
        as_text(f, "schema_version", "2.99.0")
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
    there = path.stat().st_size // 2
    os.truncate(path, there)
    told = f"the file is damaged or cut short: {there} of its "
    assert told in umbra.fails(1, "report", path)


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
