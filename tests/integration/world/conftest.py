# SPDX-License-Identifier: MIT
"""Fixtures of the tests of the user's world."""
import pytest

from world import native_library


@pytest.fixture
def library(tmp_path):
    """Environment in which the world program finds its native part."""
    return native_library(tmp_path)
