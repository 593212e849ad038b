#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What --slowest costs: the server of tests/managed/server/Tail.cs with it and without it, in turn.

Each pair of runs gives a ratio of requests a second and one of the process's CPU time; the medians of
the ratios are compared with the limit, as a busy machine slows both runs of a pair down. Before the
pairs one run of each is thrown away. Two loads: requests that are slow for their calls make a hundred
thousand of them, or two million, ten times as many as all other requests together.

  benchmarks/slowest/run.py --umbra build/release/umbra --pairs 11
"""
import re
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from measuring import Arguments, in_turn, machine_line, recorder, runtimes  # noqa: E402  (beside the folders)

LIMIT_PERCENT = 5
REQUEST = "Tail.Orders.Handle=20"


def one_run(umbra, options, arguments, extra, folder):
    """Requests a second, and CPU seconds of the program and umbra together."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    output = subprocess.run(
        recorder(umbra, folder / "tail.h5", *options)
        + runtimes.NET10.command("server", "tail", arguments.requests, arguments.connections,
                                  extra),
        check=True, capture_output=True, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = float(re.search(r"requests in ([\d.]+) s", output).group(1))
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return arguments.requests / seconds, cpu


def measure(arguments, extra):
    """Prints what one load costs; whether the limit is missed."""
    print(f"{extra:,} calls in a request that is slow for them:", flush=True)
    speed, cpu = [], []
    kinds = {"without": [], "with": ["--slowest", REQUEST]}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for options in kinds.values():
            one_run(arguments.umbra, options, arguments, extra, folder)
        for pair in range(arguments.pairs):
            done = {kind: one_run(arguments.umbra, kinds[kind], arguments, extra, folder)
                    for kind in in_turn(kinds, pair)}
            speed.append(done["without"][0] / done["with"][0])
            cpu.append(done["with"][1] / done["without"][1])
            print(f"pair {pair + 1}: {done['without'][0]:,.0f} requests/s without, "
                  f"{done['with'][0]:,.0f} with; CPU {done['without'][1]:.2f} s and "
                  f"{done['with'][1]:.2f} s", flush=True)
    missed = False
    for what, ratios in (("time of a request", speed), ("CPU time", cpu)):
        percent = (statistics.median(ratios) - 1) * 100
        bad = percent > LIMIT_PERCENT
        missed = missed or bad
        print(f"{what}: {percent:+.1f} % (median of {len(ratios)} pairs, "
              f"{(min(ratios) - 1) * 100:+.1f} to {(max(ratios) - 1) * 100:+.1f} %), "
              f"limit {LIMIT_PERCENT} %{'  MISSED' if bad else ''}")
    return missed


def main():
    parser = Arguments(__doc__)
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--requests", type=int, default=20_000)
    parser.add_argument("--connections", type=int, default=8)
    parser.add_argument("--extra", type=int, nargs="+", default=[100_000, 2_000_000],
                        help="calls in a request that is slow for its calls")
    arguments = parser.parse_args()
    print(machine_line(), flush=True)
    missed = [measure(arguments, extra) for extra in arguments.extra]
    return 1 if arguments.check and any(missed) else 0


if __name__ == "__main__":
    sys.exit(main())
