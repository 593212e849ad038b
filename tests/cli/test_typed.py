# SPDX-License-Identifier: MIT
"""Commands as people type them: without a file."""

import os

import pytest


@pytest.fixture
def dated(sample, tmp_path):
    """Profiles of this folder, the oldest first."""

    def make(*variants):
        for number, variant in enumerate(variants):
            os.utime(sample(variant), (1000 + number, 1000 + number))

    return make


def test_umbra_alone_prints_its_help(umbra):
    alone = umbra()
    assert (alone.returncode, alone.stderr) == (0, "")
    assert alone.stdout == umbra("--help").stdout


@pytest.mark.parametrize("command", ["report", "info"])
def test_without_a_file_the_newest_profile_is_taken(umbra, dated, tmp_path, command):
    dated("plain", "wall")
    (tmp_path / "notes.h5").write_text("no profile")
    ran = umbra(command)
    assert (ran.returncode, ran.stderr) == (0, "umbra: wall.h5 is the newest profile in this folder\n")
    assert ran.stdout == umbra(command, "wall.h5").stdout


@pytest.mark.parametrize("command", ["report", "info", "view", "diff"])
def test_a_folder_without_profiles_says_so(umbra, command):
    assert "there is no profile in this folder; 'umbra run -- PROGRAM' writes one" in umbra.fails(1, command)


def test_of_one_profile_there_is_no_diff(umbra, sample):
    sample()
    assert "there is only one profile in this folder" in umbra.fails(1, "diff")


def test_of_several_files_the_newest_is_named(umbra, dated):
    dated("wall", "plain", "empty")
    said = umbra.fails(2, "report", "empty.h5", "plain.h5", "wall.h5")
    assert said.startswith("umbra: report shows one profile, 3 were given; the newest is 'empty.h5'; see")
