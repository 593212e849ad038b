#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What following async calls costs one call: tests/managed/suspends under `umbra run` and `umbra run --no-async`, in
turn, and alone (the floor).

A call that never suspends: nanoseconds with the calls followed to without. A suspension: what it takes longer with the
calls followed, in nanoseconds of the thread that is suspended. Calls that wait at once: what umbra's own memory grows by,
until all have begun. Medians of --repeats. Run it on an idle machine:

  benchmarks/async/calls.py --umbra build/release/umbra
"""
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from measuring import Arguments, machine_line, peak_kb, recorder, runtimes  # noqa: E402  (beside the folders)

ROUNDS = 100
LIVE = 1_000_000
LIMITS = {"never": 1.05, "suspension": 45, "live": 200}


def command(umbra, profile, options, *what):
    program = [str(word) for word in runtimes.NET10.command("suspends", *what)]
    return program if umbra is None else [*recorder(umbra, profile, *options), *program]


def nanoseconds(what, line):
    told = subprocess.run(line(what, ROUNDS), check=True, capture_output=True, text=True).stdout
    return float(re.fullmatch(r"ns (\S+)", told.strip()).group(1))


def peak_mb(line, calls):
    """Of umbra's process, in 10^6 bytes, when so many calls wait."""
    with subprocess.Popen(line("live", calls), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as umbra:
        assert umbra.stdout.readline() == f"live {calls}\n"
        subprocess.run(["sleep", "2"], check=True)  # it has read all of them
        peak = peak_kb(umbra.pid)
        umbra.communicate("\n")
        assert umbra.returncode == 0
    return peak * 1024 / 1e6


def main():
    parser = Arguments(__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    print(machine_line(), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        profile = Path(folder, "calls.h5")

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
