#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Shares of CPU time on real programs as umbra tells them, beside those that `perf` sees in the same run.

The program runs under `umbra run` with its default options, and `perf record` samples both. A sample
belongs to the nearest timed function on its stack: along the frame pointers, with the caller of code
that has no frame (stubs, helpers of the runtime, memcpy), which those pass over, looked up in a copy
of the stack. Instantiations and overloads of a method are one function here.

  umbra %   the function's CPU self time, the probes' cost taken out, of that of all functions
  perf %    its samples of all that have a timed function on the stack, those in probes left out
  +-        standard error of perf's share
  doubt     what the probes' cost leaves in doubt of umbra's share: half of what they took
  of it     of its samples, percent in the JIT compiler (c) and in the garbage collector (g)

Samples in probes count on neither side: umbra takes their cost out. Those in the compiler and in the
garbage collector count at the function in which they happen, as in umbra's CPU times. How many there
are of each is told above the table. The program has the garbage collector in a library of its own
(DOTNET_GCName), which is the same code, so that its samples can be told apart.

A function of the top --top agrees if the shares are within 0.3 points or two standard errors of the
sampling. Beyond that the verdict says what would explain it: `probes`, their cost leaves more in
doubt; `with NAME`, a caller or callee is off by as much the other way, so that the
two together agree: the clock is read while loads before it are still on their way, while a sample
waits for them. Else it is `BEYOND`; with --check that makes the exit status 1.

With --bare the program runs under umbra alone, and twice under `perf` alone: what a user wants to know is
the program as it is when nobody looks. Rows are the methods with 1 % or more of the samples in the
first of these two runs, recursion counted once; a method whose row is off by more than 1.5 x is `far`, and
the second run tells how many are for perf itself. A method that the compiler inlines there has no frame,
and so fewer samples than calls.

It takes `perf`, as root or with kernel.perf_event_paranoid at 1 or less, and an idle machine:

  benchmarks/perf_shares/run.py --umbra build/release/umbra fsc
"""
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

BENCHMARKS = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(BENCHMARKS), str(BENCHMARKS / "programs")]
from measuring import Arguments, machine_line, recorder, runtimes  # noqa: E402  (beside the folders)
from bare import measure_bare  # noqa: E402  (beside this file)
from perf_map import map_of, profiled_methods, remove_map  # noqa: E402  (beside this file)
from profile_file import Profile  # noqa: E402
from stacks import Stacks  # noqa: E402
from workloads import FOLDER, PROGRAMS  # noqa: E402  (benchmarks/programs)

POINTS = 0.3
STACK_BYTES = 32768  # the compiler's frames are large
GC_LIBRARY = "libclrgcexp.so"  # the one that is built into the runtime too
NEIGHBOUR_CALLS = 0.1  # of the calls of either: fewer do not make a neighbour


@dataclass
class Row:
    """A function; shares in percent."""

    name: str
    calls: int
    umbra: float
    perf: float
    error: float
    doubt: float
    compiler: float
    gc: float
    verdict: str = ""

    HEAD = (f"{'function':58}{'calls':>11}{'umbra %':>9}{'perf %':>8}{'diff':>7}{'+-':>6}"
            f"{'doubt':>8}{'of it':>10}  verdict")

    @property
    def difference(self):
        return self.umbra - self.perf

    def within(self, difference):
        return abs(difference) <= max(POINTS, 2 * self.error)

    def line(self):
        part = f"c{self.compiler:.0f} g{self.gc:.0f}"
        return (f"{self.name[-56:]:58}{self.calls:>11,}{self.umbra:9.2f}{self.perf:8.2f}"
                f"{self.difference:+7.2f}{self.error:6.2f}{self.doubt:8.2f}{part:>10}  {self.verdict}")


def record(umbra, workload, rate, folder):
    """Runs the program under both; answers umbra's profile and the samples' file."""
    data, file = folder / "perf.data", folder / "profile.h5"
    environment = dict(os.environ, **workload.environment, DOTNET_PerfMapEnabled="1",
                       DOTNET_EnableWriteXorExecute="0", DOTNET_GCName=GC_LIBRARY)
    done = subprocess.run(
        ["perf", "record", "-q", "-F", str(rate), "-e", "cpu-clock", "-m", "4096", "--call-graph",
         f"dwarf,{STACK_BYTES}", "-o", str(data), "--", *recorder(umbra, file, *workload.options), *workload.command],
        cwd=workload.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True)
    if done.returncode != 0 or not file.exists():
        raise SystemExit(f"status {done.returncode}: {done.stdout[-2000:]}")
    return Profile(file), data


class Shares:
    """One run: what umbra and perf say of each function. Keys are those of perf_map.py."""

    def __init__(self, profile, data):
        self.functions = profile["functions"]
        self.keys = profiled_methods(profile)
        self.cpu, self.calls, self.doubt = Counter(), Counter(), Counter()
        for key, row in zip(self.keys, self.functions):
            if row["calls"]:
                self.cpu[key] += int(row["cpu_self_ns"])
                self.calls[key] += int(row["calls"])
                self.doubt[key] += (int(row["wall_self_raw_ns"]) - int(row["wall_self_ns"])) / 2
        self.kinds, self.samples, self.kinds_of = Counter(), Counter(), {}
        self.outside = 0
        for key, kind in Stacks(data, map_of(profile.pid), profile.pid, set(self.calls)).places():
            if key is None:
                self.outside += 1
                continue
            self.kinds[kind] += 1
            if kind != "probes":
                self.samples[key] += 1
                self.kinds_of.setdefault(key, Counter())[kind] += 1
        remove_map(profile.pid)
        self.total, self.all_cpu = sum(self.samples.values()), sum(self.cpu.values())
        if not self.total or not self.all_cpu:
            raise SystemExit("no sample is inside a timed function, or there are no CPU times")
        self.neighbours = self.find_neighbours(profile)

    def find_neighbours(self, profile):
        """Of each function the callers and callees that take part in enough of its calls."""
        calls = Counter()
        for row in profile["edges"]:
            if row["caller"] >= 0:
                calls[self.keys[row["caller"]], self.keys[row["callee"]]] += int(row["calls"])
        found = {}
        for (caller, callee), count in calls.items():
            if caller != callee and count >= NEIGHBOUR_CALLS * min(self.calls[caller], self.calls[callee]):
                found.setdefault(caller, set()).add(callee)
                found.setdefault(callee, set()).add(caller)
        return found

    def row(self, key):
        share = self.samples[key] / self.total
        kinds = self.kinds_of.get(key, Counter())
        of = lambda kind: 100 * kinds[kind] / max(self.samples[key], 1)  # noqa: E731
        return Row(key[1], self.calls[key], 100 * self.cpu[key] / self.all_cpu, 100 * share,
                   100 * math.sqrt(share * (1 - share) / self.total),
                   100 * self.doubt[key] / self.all_cpu, of("compiler"), of("gc"))

    def judged(self, key):
        row = self.row(key)
        if row.within(row.difference):
            row.verdict = "agrees"
            return row
        near = [self.row(other) for other in self.neighbours.get(key, ())]
        best = min(near, key=lambda other: abs(row.difference + other.difference), default=None)
        if best and abs(row.difference + best.difference) <= POINTS / 2:
            row.verdict = f"with {best.name[-40:]} ({best.difference:+.2f})"
        elif abs(row.difference) <= row.doubt:
            row.verdict = "probes"
        else:
            row.verdict = "BEYOND"
        return row

    def top(self, count):
        """The functions with the largest shares in umbra."""
        return [self.judged(key) for key, _ in self.cpu.most_common(count)]


def measure(umbra, name, rate, count):
    workload = PROGRAMS[name](FOLDER)
    with tempfile.TemporaryDirectory() as folder:
        profile, data = record(umbra, workload, rate, Path(folder))
        shares = Shares(profile, data)
    inside = shares.total + shares.kinds["probes"]
    kinds = ", ".join(f"{kind} {100 * number / inside:.1f}" for kind, number in shares.kinds.most_common())
    print(f"{name}: {inside:,} samples in timed functions ({kinds} %), {shares.outside:,} elsewhere; CPU "
          f"self time without probes {shares.all_cpu / 1e9:.2f} s, perf {shares.total / rate:.2f} s")
    print(Row.HEAD)
    rows = shares.top(count)
    print(*(row.line() for row in rows), sep="\n")
    verdicts = Counter(row.verdict.split()[0] for row in rows)
    worst = max(rows, key=lambda row: abs(row.difference))
    print(f"{name}: {verdicts['agrees']} of {len(rows)} agree, {verdicts['BEYOND']} beyond without "
          f"explanation; mean difference "
          f"{sum(abs(row.difference) for row in rows) / len(rows):.2f} points, worst "
          f"{worst.difference:+.2f} ({worst.name}); these are {sum(row.umbra for row in rows):.0f} % of "
          f"umbra's time", flush=True)
    return {"program": name, "samples": inside, "kinds": shares.kinds, "rows": [asdict(row) for row in rows]}


def main():
    parser = Arguments(__doc__, PROGRAMS, "program", "of benchmarks/programs; default: fsc csc_library formatter",
                       check="exit status 1 if a function is beyond without explanation")
    parser.add_argument("--rate", type=int, default=499, help="samples a second; default: 499")
    parser.add_argument("--top", type=int, default=50, help="functions to compare; default: 50")
    parser.add_argument("--bare", action="store_true", help="beside the program without umbra")
    parser.add_argument("--json", metavar="FILE", help="write the rows there as well")
    arguments = parser.parse_args()
    if not shutil.which("perf"):
        parser.error("perf is not installed (Debian: linux-perf)")
    FOLDER.mkdir(parents=True, exist_ok=True)
    machine = machine_line()
    print(machine, flush=True)
    try:
        measured = [measure_bare(arguments.umbra, name, PROGRAMS[name](FOLDER), arguments.rate) if arguments.bare
                    else measure(arguments.umbra, name, arguments.rate, arguments.top)
                    for name in arguments.what or ("fsc", "csc_library", "formatter")]
    except runtimes.Unavailable as reason:
        parser.error(f"cannot be set up here: {reason}")
    if arguments.json:
        Path(arguments.json).write_text(json.dumps({"machine": machine, "programs": measured}, indent=2))
    beyond = any(row.get("verdict") == "BEYOND" for one in measured for row in one["rows"])
    return 1 if arguments.check and beyond else 0


if __name__ == "__main__":
    sys.exit(main())
