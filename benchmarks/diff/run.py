#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `umbra diff` names between runs of the same program, and whether it names the method that was
made slower.

  same      pairs of sides of the same program: the C# compiler, the F# compiler, CSharpier, Kestrel.
            Whatever is named is wrong. Limit: one pair of twenty.
  slower    steady.cs beside this file, seven methods, one of them 5 % slower by a constant, each
            in turn. Limit: it is named first in 19 of 20 pairs.

Runs of both sides are recorded in turn, so that both see the machine in the same states; no run
belongs to two pairs. A row a pair; status 1 if a limit is missed and --check is given. A program that
cannot be set up here is skipped, with the reason.

  benchmarks/diff/run.py --umbra build/release/umbra              # 40 pairs, 240 runs
  benchmarks/diff/run.py --umbra build/release/umbra --pairs 4    # of each kind: 10 to 15 minutes
"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "programs")]
import workloads  # noqa: E402  (benchmarks/programs)
from measuring import Arguments, machine_line, recorder, runtimes  # noqa: E402  (beside the folders)
from web_server import WebLoad, WebServer  # noqa: E402  (tests/integration/support)

ROUNDS = 300
SLOWER_PERMILLE = 50
METHODS = ["Multiply", "Divide", "Sieve", "Collatz", "Newton", "Search", "Hash"]
SERVED_SECONDS = 3


def record_workload(workload):
    def record(umbra, file):
        subprocess.run(recorder(umbra, file, *workload.options) + workload.command, check=True,
                       cwd=workload.folder, env=dict(os.environ, **workload.environment),
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return record


def record_kestrel(umbra, file):
    with WebServer({}, recorder(umbra, file)) as server, WebLoad(server) as load:
        load.stretch(SERVED_SECONDS)
        server.end()


def steady(folder, method, permille):
    """Both sides have arguments of one form: what lies where in memory is the same."""
    output = folder / "steady.dll"
    if not output.exists():
        workloads.required(runtimes.compiler(output, [HERE / "steady.cs"]),
                           "steady.cs cannot be compiled")
        workloads.write_runtime_config(output)
    return workloads.Workload([runtimes.dotnet(), str(output), str(ROUNDS), method,
                               f"{permille:02d}"])


# What records a run, made once for each program.
SAME = {"csc": lambda folder: record_workload(workloads.csc_library(folder, 12)),
        "fsc": lambda folder: record_workload(workloads.fsc(folder, 2)),
        "formatter": lambda folder: record_workload(workloads.formatter(folder, 40)),
        "kestrel": lambda folder: record_kestrel}


def record_sides(umbra, folder, runs, old, new):
    """Files of both sides, recorded in turn."""
    folder.mkdir(parents=True)
    sides = [], []
    for number in range(runs):
        for side, name, record in zip(sides, ("old", "new"), (old, new)):
            side.append(folder / f"{name}{number}.h5")
            record(umbra, side[-1])
    return sides


def judged(umbra, sides):
    """The functions `umbra diff` names, first ones first."""
    old, new = [list(map(str, side)) for side in sides]
    done = subprocess.run([umbra, "diff", "--json", *old, "--against", *new], check=True,
                          capture_output=True, text=True)
    return [row for row in json.loads(done.stdout)["functions"] if row["verdict"] != "same"]


def text_of(row):
    change = row["total" if "below" in row["verdict"] else "self"]
    return f"{row['verdict']} {100 * change['relative']:+.1f}% {row['name']}"


def same_pairs(arguments, folder):
    """Pairs in which something is named, and all pairs."""
    makers = {}
    for name, make in SAME.items():
        try:
            makers[name] = make(workloads.FOLDER)
            makers[name](arguments.umbra, folder / f"first-{name}.h5")  # what only a first run does
        except runtimes.Unavailable as reason:
            print(f"same    {name:10} skipped: {reason}", flush=True)
            makers.pop(name, None)
    wrong = pairs = 0
    for number in range(arguments.pairs if makers else 0):
        name = list(makers)[number % len(makers)]
        named = judged(arguments.umbra, record_sides(
            arguments.umbra, folder / f"same-{number}", arguments.runs, makers[name], makers[name]))
        pairs += 1
        wrong += bool(named)
        print(f"same    {name:10} {number + 1:3}  " +
              (f"{len(named)} named: {text_of(named[0])}" if named else "nothing named"), flush=True)
    return wrong, pairs


def slower_pairs(arguments, folder):
    """Pairs in which the slower method is named first, and all pairs."""
    right = 0
    for number in range(arguments.pairs):
        method = METHODS[number % len(METHODS)]
        old, new = [record_workload(steady(workloads.FOLDER, method, permille))
                    for permille in (0, SLOWER_PERMILLE)]
        named = judged(arguments.umbra, record_sides(
            arguments.umbra, folder / f"slower-{number}", arguments.runs, old, new))
        found = bool(named) and named[0]["verdict"] == "slower" and f".{method}(" in named[0]["name"]
        right += found
        print(f"slower  {method:10} {number + 1:3}  {'first' if found else 'NOT FIRST'}: " +
              ("; ".join(map(text_of, named[:3])) if named else "nothing named"), flush=True)
    return right, arguments.pairs


def main():
    parser = Arguments(__doc__, ("same", "slower"), what="default: both")
    parser.add_argument("--pairs", type=int, default=20, help="of each kind; default: 20")
    parser.add_argument("--runs", type=int, default=3, help="of each side; default: 3")
    parser.add_argument("--keep", metavar="FOLDER", help="leave the profiles there")
    arguments = parser.parse_args()
    workloads.FOLDER.mkdir(parents=True, exist_ok=True)
    print(machine_line(), flush=True)
    missed = False
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(arguments.keep or temporary).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        if not arguments.what or "same" in arguments.what:
            wrong, pairs = same_pairs(arguments, folder)
            print(f"same: something is named in {wrong} of {pairs} pairs (limit: one in twenty)")
            missed = missed or pairs == 0 or wrong > pairs / 20
        if not arguments.what or "slower" in arguments.what:
            right, pairs = slower_pairs(arguments, folder)
            print(f"slower: named first in {right} of {pairs} pairs (limit: 19 of 20)")
            missed = missed or right < pairs * 19 / 20
    return 1 if arguments.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
