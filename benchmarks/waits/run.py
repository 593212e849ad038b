#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whether sleeps among calls without clock readings are found where they were (tests/managed/naps).

Two methods are called a million times and sleep now and then: 40 times for 2 to 50 ms, 1,000 times
for 0.1 to 2 ms. The program says how long they slept, the profile how long they took. All their
other calls took time too: as much as those of Nap.After, which never sleeps, is subtracted.

  benchmarks/waits/run.py --umbra build/release/umbra
"""
import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "overhead"))
sys.path.insert(0, str(HERE.parent.parent / "tests" / "integration" / "support"))
import runtimes  # noqa: E402  (found beside the integration tests)
from profile_file import Profile  # noqa: E402
from run import machine_line  # noqa: E402  (benchmarks/overhead/run.py)

LONG_LIMIT_MS = 0.2
SHORT_LIMIT_PERCENT = 10


def one_run(umbra, cpu, seed, rounds, folder):
    """By method: (naps, slept ns, ns the profile shows for them)."""
    file = folder / "naps.h5"
    output = subprocess.run(
        [umbra, "run", "-q", f"--cpu={cpu}", "-o", str(file), "--"]
        + runtimes.NET10.command("naps", rounds, seed),
        check=True, capture_output=True, text=True).stdout
    profile = Profile(file)
    rows = dict(zip(profile.methods(), profile["functions"]))
    short_ns = int(rows["Nap.After"]["wall_self_ns"]) / int(rows["Nap.After"]["calls"])
    shown = {name: int(row["wall_self_ns"]) - short_ns * int(row["calls"])
             for name, row in rows.items()}
    words = [line.split() for line in output.splitlines() if line.startswith("slept ")]
    return [(name, int(naps), int(slept), shown[f"Nap.{name}"]) for _, name, naps, slept, *_ in words]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--umbra", default=os.environ.get("UMBRA", "umbra"))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=1_000_000)
    parser.add_argument("--check", action="store_true", help="exit status 1 if a limit is missed")
    arguments = parser.parse_args()
    print(machine_line(), flush=True)
    missed = False
    with tempfile.TemporaryDirectory() as folder:
        for cpu in ("perf", "schedstat"):
            for seed in range(arguments.repeats):
                for name, naps, slept, shown in one_run(arguments.umbra, cpu, seed, arguments.rounds,
                                                        Path(folder)):
                    each_ms = (shown - slept) / naps / 1e6
                    percent = (shown / slept - 1) * 100
                    bad = (abs(each_ms) > LONG_LIMIT_MS if name == "MayNapLong"
                           else abs(percent) > SHORT_LIMIT_PERCENT)
                    missed = missed or bad
                    limit = (f"{LONG_LIMIT_MS} ms each" if name == "MayNapLong"
                             else f"{SHORT_LIMIT_PERCENT} % in sum")
                    print(f"{cpu:10}{name:12}{naps:5} naps {slept / 1e6:9.2f} ms  shown "
                          f"{shown / 1e6:9.2f} ms  {each_ms:+.4f} ms each {percent:+6.2f} %  limit "
                          f"{limit}{'  MISSED' if bad else ''}", flush=True)
    return 1 if arguments.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
