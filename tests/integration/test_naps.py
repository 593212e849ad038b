# SPDX-License-Identifier: MIT
"""Sleeps among calls that read no clock belong to the method that slept."""
import pytest

from measured import measured
from umbra_runner import check_sound, run_umbra


@pytest.mark.parametrize("cpu", ["perf", "schedstat"])
@measured
def test_sleeps_are_found_where_they_were(file, runtime, cpu):
    done = run_umbra(file, runtime.command("naps", 300_000, 1), f"--cpu={cpu}")
    assert done.status == 0, done.stderr
    if cpu == "perf" and done.profile.cpu_source == "none":
        pytest.skip(f"context switches: {done.profile.cpu_refusal}")
    assert done.profile.cpu_source == cpu
    check_sound(done.profile)
    rows = dict(zip(done.profile.methods(), done.profile["functions"]))
    told = [line.split() for line in done.stdout.splitlines() if line.startswith("slept ")]
    assert [words[1] for words in told] == ["MayNapLong", "MayNapShort"]
    for _, name, naps, slept, *_ in told:
        assert int(naps) > 0
        assert rows[f"Nap.{name}"]["wall_self_ns"] == pytest.approx(int(slept), rel=0.25)
    # The two never sleep; without clock readings they are the likeliest to get what others slept.
    slept = sum(int(words[3]) for words in told)
    for name in ("Nap.Before", "Nap.After"):
        assert rows[name]["wall_self_ns"] < 0.1 * slept
