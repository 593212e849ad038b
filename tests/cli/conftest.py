# SPDX-License-Identifier: MIT
"""What the tests of the command line share: running umbra, and files to show it."""

import os
import subprocess

import pytest

UMBRA = os.environ["UMBRA"]
WRITE_SAMPLE = os.environ["UMBRA_WRITE_SAMPLE"]


class Umbra:
    """Runs umbra in a folder, without a terminal."""

    def __init__(self, folder):
        self.folder = folder

    def __call__(self, *arguments, **options):
        return subprocess.run(
            [UMBRA, *map(str, arguments)],
            cwd=self.folder,
            text=True,
            timeout=60,
            **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options},
        )

    def fails(self, status, *arguments):
        """Answers the one line that umbra says about its failure."""
        ran = self(*arguments)
        assert ran.returncode == status, ran
        assert ran.stdout == ""
        assert ran.stderr.startswith("umbra: ") and ran.stderr.count("\n") == 1, ran.stderr
        return ran.stderr


@pytest.fixture
def umbra(tmp_path):
    return Umbra(tmp_path)


@pytest.fixture
def sample(tmp_path):
    """Makes a profile in the folder of the test and answers its path."""

    def make(variant="plain"):
        path = tmp_path / f"{variant}.h5"
        subprocess.run([WRITE_SAMPLE, str(path), variant], check=True)
        return path

    return make
