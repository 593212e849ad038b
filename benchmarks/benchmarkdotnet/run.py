#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whether BenchmarkDotNet measures the same with the diagnoser as without.

examples/benchmarks runs three times a round, and the order turns with each round:

without  the diagnoser finds no umbra and does nothing
again    the same once more: what two runs of the same program differ by
with     each benchmark is profiled, in a run of its own after those that BenchmarkDotNet measures

What BenchmarkDotNet says of each benchmark is compared: the means, and its error, the half width of the
99.9 % confidence interval. The interval is of one process; "again" shows what is between processes.
With --check, a benchmark whose median ratio of the means lies further from 1 than the median of the
errors of both makes the exit status 1. Run it on an idle machine:

  benchmarks/benchmarkdotnet/run.py --umbra build/release/umbra
"""
import json
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from measuring import Arguments, in_turn, machine_line  # noqa: E402  (beside the folders)
import benchmarks  # noqa: E402  (found beside the integration tests)


def measured(folder, umbra):
    """What BenchmarkDotNet says by benchmark: mean and half width of its interval, in nanoseconds."""
    benchmarks.run(folder, "--filter", "*Baskets*", "--iterationCount", "10", "--warmupCount", "3",
                   "--exporters", "json", UMBRA_PATH=umbra)
    (report,) = Path(folder).glob("results/*Baskets-report-full*.json")
    rows = json.loads(report.read_text(encoding="utf-8"))["Benchmarks"]
    return {row["Method"]: (row["Statistics"]["Mean"], row["Statistics"]["ConfidenceInterval"]["Margin"])
            for row in rows}


def main():
    parser = Arguments(__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    print(machine_line())
    ways = {"without": "/nowhere/umbra", "again": "/nowhere/umbra", "with": arguments.umbra}
    found = {way: [] for way in ways}
    for turn in range(arguments.rounds):
        for way in in_turn(ways, turn):
            with tempfile.TemporaryDirectory() as folder:
                found[way].append(measured(folder, ways[way]))
    missed = False
    for method in found["with"][0]:
        plain = [run[method] for run in found["without"]]
        print(f"{method}: {statistics.median(mean for mean, _ in plain) / 1e3:.2f} us without")
        for way in ("again", "with"):
            runs = [run[method] for run in found[way]]
            ratios = [mean / other for (mean, _), (other, _) in zip(runs, plain)]
            error = statistics.median((margin + others) / other for (_, margin), (other, others)
                                      in zip(runs, plain))
            ratio = statistics.median(ratios)
            missed = missed or (way == "with" and abs(ratio - 1) > error)
            print(f"  {way:8}{ratio:7.3f} x ({min(ratios):.3f} to {max(ratios):.3f}), "
                  f"errors of both {100 * error:.1f} %", flush=True)
    return 1 if arguments.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
