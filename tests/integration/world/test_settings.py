# SPDX-License-Identifier: MIT
"""Settings of the runtime that change how it collects, compiles and lays out memory."""
import pytest

from world import run_both, world

SETTINGS = {
    "server collector": {"DOTNET_gcServer": "1", "DOTNET_GCHeapCount": "2"},
    "no concurrent collector": {"DOTNET_gcConcurrent": "0"},
    "hard limit": {"DOTNET_GCHeapHardLimit": "0x8000000"},
    "no tiers": {"DOTNET_TieredCompilation": "0"},
    "no precompiled code": {"DOTNET_ReadyToRun": "0"},
    "no W^X": {"DOTNET_EnableWriteXorExecute": "0"},
}


@pytest.mark.parametrize("settings", SETTINGS)
def test_a_setting_of_the_runtime(net10, file, settings):
    both = run_both(file, world(net10, "plain"), environment=SETTINGS[settings])
    both.check_same().check_profile(ended="exit 0")


def test_a_full_heap(runtime, file):
    """The exception that says so is caught, on a heap of 128 MiB, with one collector and with two."""
    limited = SETTINGS["hard limit"]
    both = run_both(file, world(runtime, "full"), environment=limited)
    both.check_same().check_profile(ended="exit 0")
    server = run_both(file, world(runtime, "full"), environment=limited | SETTINGS["server collector"])
    server.check_same().check_profile(ended="exit 0")
