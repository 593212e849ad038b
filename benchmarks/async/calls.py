#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What following async calls costs one call: tests/managed/suspends under `umbra run` and `umbra run --no-async`, in
turn, and alone (the floor).

A call that never suspends: nanoseconds with the calls followed to without. A suspension: what it takes longer with the
calls followed, in nanoseconds of the thread that is suspended. Calls that wait at once: what umbra's own memory grows by,
until all have begun. Medians of --repeats. Run it on an idle machine:

  benchmarks/async/calls.py --umbra build/release/umbra
"""
import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "overhead"))
sys.path.insert(0, str(HERE.parent.parent / "tests" / "integration" / "support"))
import runtimes  # noqa: E402  (found beside the integration tests)
from run import machine_line  # noqa: E402  (benchmarks/overhead/run.py)

ROUNDS = 100
LIVE = 1_000_000
LIMITS = {"never": 1.05, "suspension": 45, "live": 200}


def command(umbra, profile, options, *what):
    program = [str(word) for word in runtimes.NET10.command("suspends", *what)]
    return program if umbra is None else [umbra, "run", "-q", "--force", "-o", profile, *options, "--", *program]


def nanoseconds(what, line):
    told = subprocess.run(line(what, ROUNDS), check=True, capture_output=True, text=True).stdout
    return float(re.fullmatch(r"ns (\S+)", told.strip()).group(1))


def peak_mb(line, calls):
    """Of umbra's process, in 10^6 bytes, when so many calls wait."""
    with subprocess.Popen(line("live", calls), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as umbra:
        assert umbra.stdout.readline() == f"live {calls}\n"
        subprocess.run(["sleep", "2"], check=True)  # it has read all of them
        status = Path(f"/proc/{umbra.pid}/status").read_text(encoding="ascii")
        umbra.communicate("\n")
        assert umbra.returncode == 0
    return int(re.search(r"VmHWM:\s+(\d+) kB", status).group(1)) * 1024 / 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--umbra", default=os.environ.get("UMBRA", "umbra"))
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--check", action="store_true", help="exit status 1 if a limit is missed")
    arguments = parser.parse_args()
    print(machine_line(), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        profile = str(Path(folder, "calls.h5"))

        def line(umbra, *options):
            return lambda *what: command(umbra, profile, options, *what)

        ways = {"alone": line(None), "not followed": line(arguments.umbra, "--no-async"),
                "followed": line(arguments.umbra)}
        found = {}
        for what in ("never", "always"):
            runs = [{way: nanoseconds(what, one) for way, one in ways.items()} for _ in range(arguments.repeats)]
            found[what] = {way: statistics.median(run[way] for run in runs) for way in ways}
            print(what, ", ".join(f"{way} {ns:.1f} ns" for way, ns in found[what].items()), flush=True)
        live = statistics.median(peak_mb(ways["followed"], LIVE) - peak_mb(ways["followed"], 1) for _ in range(3))
    told = {"never": found["never"]["followed"] / found["never"]["not followed"],
            "suspension": found["always"]["followed"] - found["always"]["not followed"], "live": live}
    print(f"a call that never suspends: {told['never']:.3f} x (limit {LIMITS['never']}); "
          f"a suspension: {told['suspension']:.1f} ns (limit {LIMITS['suspension']}); "
          f"{LIVE:,} live calls: {live:.0f} MB (limit {LIMITS['live']})")
    return 1 if arguments.check and any(told[what] > limit for what, limit in LIMITS.items()) else 0


if __name__ == "__main__":
    sys.exit(main())
