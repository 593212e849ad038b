# SPDX-License-Identifier: MIT
"""Files that are no profiles, or that somebody made up: one exception of one line."""

import os
import random

import numpy as np
import pytest
from conftest import set_text

h5py = pytest.importorskip("h5py")
import umbra  # noqa: E402
from made_up_files import CASES, made_up, with_column  # noqa: E402
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


@pytest.mark.parametrize("case", CASES)
def test_a_file_that_was_made_up_gives_one_line(sample, case):
    path = sample()
    read_everything(path)
    _, said = made_up(path, case)
    if said is None:
        read_everything(path)
    else:
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
    set_text(path, "schema_version", "2.99.0")
    with h5py.File(path, "r+") as f:
        f.create_dataset("colours", data=np.zeros(3))
        with_column(f, "modules", "colour", "i4")
    read_everything(path)
    assert umbra.open(path).modules["name"].tolist()[0] == "shop.dll"
