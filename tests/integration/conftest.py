# SPDX-License-Identifier: MIT
"""Fixtures of all integration tests, and the answer 77 that tells ctest "skipped"."""
import os
import shutil

import pytest

import runtimes
from umbra_runner import UMBRA

SKIPPED_STATUS = 77


@pytest.fixture(params=runtimes.ALL, ids=lambda runtime: runtime.name)
def runtime(request):
    """Each of the runtimes in turn."""
    return request.param


@pytest.fixture
def net10():
    """The installed runtime alone, where the runtime makes no difference to what is tested."""
    return runtimes.NET10


@pytest.fixture
def file(tmp_path):
    """Where the profile shall be written."""
    return tmp_path / "profile.h5"


def pytest_sessionstart(session):
    if shutil.which(UMBRA) is None and not os.access(UMBRA, os.X_OK):
        raise pytest.UsageError(f"no umbra at {UMBRA}; set UMBRA to the program to test")


def pytest_sessionfinish(session, exitstatus):
    """A file whose tests were all skipped is skipped, not passed."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    stats = reporter.stats if reporter else {}
    if exitstatus == 0 and stats.get("skipped") and not stats.get("passed"):
        session.exitstatus = SKIPPED_STATUS
