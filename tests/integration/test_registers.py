# SPDX-License-Identifier: MIT
"""Registers survive: a program that passes and returns everything gets right values."""
import pytest

from umbra_runner import FULL, TIERING, check_counts, check_sound, on_runtimes, run_umbra

MODES = {"selective": [], "whole": ["--framework"], "trivial": ["--trivial"], "inlining": ["--inlining"]}
ROUNDS = 1_000_000 if FULL else 100_000


@on_runtimes(TIERING)
@pytest.mark.parametrize("options", MODES.values(), ids=MODES)
def test_values_come_through_probed_calls(file, runtime, options, setting):
    done = run_umbra(file, runtime.command("registers", ROUNDS), *options,
                     environment=setting, timeout=600)
    assert done.stdout.startswith("OK\n"), done.stdout + done.stderr
    assert done.status == 0
    check_sound(done.profile)
    check_counts(done.profile, done.expected, "registers.dll")
