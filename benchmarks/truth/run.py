#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How near umbra's times come to what methods are known to burn (tests/managed/truth).

Each method spins on the clock for 200 ns, 1 us, 10 us or 1 ms, alone and nested, and adds up what
it burned; what a call takes beside that is measured on twins without probes. The table gives
the median over --repeats runs of (self time / calls) / truth - 1, compensated and raw, and the
number of runs whose compensated value is no further off than half of what the probes took. Run it on
an idle machine:

  benchmarks/truth/run.py --umbra build/release/umbra
"""
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import h5py

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from measuring import Arguments, machine_line, recorder, runtimes  # noqa: E402  (beside the folders)

LIMITS = {"For200Ns": 5, "For1Us": 1, "For10Us": 1, "For1Ms": 1,
          "For200NsInside": 5, "Nested1Us": 1, "Nested10Us": 1}


def one_run(umbra, rounds, folder):
    """By method: (truth in ns, compensated and raw self ns a call)."""
    profile = folder / "truth.h5"
    output = subprocess.run(
        recorder(umbra, profile, "--exclude", "truth!Truth.Twin.*")
        + runtimes.NET10.command("truth", rounds), check=True, capture_output=True, text=True).stdout
    truth = {words[1]: float(words[2]) for words in map(str.split, output.splitlines())
             if words[:1] == ["truth"]}
    with h5py.File(profile) as file:
        functions = file["functions"][:]
    rows = {}
    for row in functions:
        name = row["method"].decode()
        if name in truth and row["calls"]:
            calls = row["calls"]
            rows[name] = (truth[name], row["wall_self_ns"] / calls, row["wall_self_raw_ns"] / calls)
    return rows


def main():
    parser = Arguments(__doc__, check=None)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=10)
    arguments = parser.parse_args()
    print(machine_line(), flush=True)
    print(f"{'method':<16}{'truth ns':>12}{'raw':>9}{'comp.':>9}{'limit':>8}{'half':>9}")
    with tempfile.TemporaryDirectory() as folder:
        runs = [one_run(arguments.umbra, arguments.rounds, Path(folder))
                for _ in range(arguments.repeats)]
    for name, limit in LIMITS.items():
        rows = [run[name] for run in runs]
        raw = statistics.median(row[2] / row[0] - 1 for row in rows)
        compensated = statistics.median(row[1] / row[0] - 1 for row in rows)
        within = sum(abs(row[1] - row[0]) <= (row[2] - row[1]) / 2 for row in rows)
        missed = "  MISSED" if abs(compensated) * 100 > limit else ""
        print(f"{name:<16}{statistics.median(r[0] for r in rows):12.1f}{raw:9.2%}{compensated:9.2%}"
              f"{limit:7}%{within:6}/{len(rows)}{missed}")


if __name__ == "__main__":
    main()
