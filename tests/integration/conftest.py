# SPDX-License-Identifier: MIT
"""Fixtures of all integration tests."""
import os
import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "support"))
import runtimes  # noqa: E402
from umbra_runner import UMBRA  # noqa: E402


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


@pytest.fixture(params=[True, False], ids=["prepared", "unprepared"])
def prepared(request):
    """Whether the program was started with the agent, which then times by hooks; else by rewritten
    IL."""
    return request.param


def pytest_sessionstart(session):
    if shutil.which(UMBRA) is None and not os.access(UMBRA, os.X_OK):
        raise pytest.UsageError(f"no umbra at {UMBRA}; set UMBRA to the program to test")
