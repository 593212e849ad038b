#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a runtime costs that umbra leaves alone, beside one that it profiles.

Two real runtimes in one process, in turn (tests/integration/support/several_runtimes_host.py): the first
runs tests/managed/registers, the second the naive Fibonacci numbers (tests/managed/fib), whose best time
of many is compared:

bare      without umbra
refused   the first is profiled, the second is left out (--runtimes=first)
profiled  both are (--runtimes=all)

Ratios to bare in one process pair each, medians over --repeats; the order of the three turns with each
repeat. With --check, a median of refused above the limit makes the exit status 1. Run it on an idle
machine:

  benchmarks/several_runtimes/run.py --umbra build/release/umbra
"""
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from measuring import ROOT, Arguments, in_turn, machine_line, recorder, runtimes  # noqa: E402  (beside the folders)

PAIRS = [("net10", "net9"), ("net10", "net8"), ("net9", "net8")]
BY_NAME = {runtime.name: runtime for runtime in runtimes.ALL}
LIMIT = 1.02
FIB = (30, 40)  # which number, how often


def seconds_of(prefix, runs):
    """The best time that the second program says."""
    host = ROOT / "tests" / "integration" / "support" / "several_runtimes_host.py"
    output = subprocess.run([*prefix, sys.executable, host, "turn", *runs], check=True,
                            capture_output=True, text=True,
                            env=os.environ | {"DOTNET_TieredPGO": "0"}).stdout
    return next(float(line.split()[1]) for line in output.splitlines()
                if line.startswith("seconds "))


def main():
    parser = Arguments(__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    print(machine_line())
    missed = False
    with tempfile.TemporaryDirectory() as folder:
        ways = {"bare": [], **{way: recorder(arguments.umbra, f"{folder}/profile.h5", f"--runtimes={which}")
                               for way, which in (("refused", "first"), ("profiled", "all"))}}
        print(f"{'second runtime':16}{'bare':>12}{'refused':>10}{'profiled':>10}")
        for pair in PAIRS:
            first, second = (BY_NAME[name] for name in pair)
            runs = [first.hosted("registers", 2000), second.hosted("fib", *FIB)]
            seconds = {way: [] for way in ways}
            for repeat in range(arguments.repeats):
                for way in in_turn(ways, repeat):
                    seconds[way].append(seconds_of(ways[way], runs))
            ratio = {way: statistics.median(mine / bare for mine, bare in
                                            zip(seconds[way], seconds["bare"])) for way in ways}
            missed = missed or ratio["refused"] > LIMIT
            print(f"{'+'.join(pair):16}{statistics.median(seconds['bare']) * 1e3:9.2f} ms"
                  f"{ratio['refused']:9.3f}x{ratio['profiled']:9.2f}x", flush=True)
    return 1 if arguments.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
