#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How near umbra's CPU times, pauses and compilations come to the figures of kernel and runtime.

cpu     tests/managed/burn: a method that sleeps, one that holds a lock and burns, one that waits
        for that lock, one that burns while another process fights for its processor. Each asks the
        kernel for the CPU time of its thread and for the time. Both sources of CPU times, and where
        the CPU time of the process went: timed calls, the rest of their threads (start, compilation,
        probes), threads without a timed call (the runtime's own).
pauses  tests/managed/pauses: suspensions beside GC.GetTotalPauseDuration, compilations beside
        JitInfo.GetCompilationTime, selective and with --framework.

The kernel's figures contain the probes, so here umbra's do too. Medians over --repeats runs. With
--check, a missed limit makes the exit status 1. Run it on an idle machine:

  benchmarks/cpu/run.py --umbra build/release/umbra
"""
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from measuring import Arguments, machine_line, recorder, runtimes  # noqa: E402  (beside the folders)
from profile_file import Profile  # noqa: E402

CASES = ("Cases.Sleeps", "Cases.Holds", "Cases.Waits", "Cases.Fights")
NO_CPU = 0.05  # a method that uses less of its time: its CPU time is compared with its wall time


def profiled(umbra, folder, options, program):
    """The profile, and what the program says, as lines of words."""
    file = folder / "profile.h5"
    output = subprocess.run([*recorder(umbra, file, *options), *program], check=True, capture_output=True,
                            text=True).stdout
    return Profile(file), [line.split() for line in output.splitlines()]


def cpu_run(umbra, source, milliseconds, folder):
    """By case (kernel's CPU, ours, kernel's wall, ours), and where the process's CPU time went."""
    program = runtimes.NET10.command("burn", milliseconds, max(os.sched_getaffinity(0)))
    profile, told = profiled(umbra, folder, ["--cpu", source], program)
    if profile.cpu_source != source:
        raise SystemExit(f"no {source} here: {profile.cpu_refusal}")
    functions = dict(zip(profile.methods(), profile["functions"]))
    cases = {}
    for _, name, cpu, wall in (words for words in told if words[:1] == ["UMBRA-CPU"]):
        row = functions[name]
        probes = int(row["wall_total_raw_ns"]) - int(row["wall_total_ns"])
        cases[name] = (int(cpu), int(row["cpu_total_ns"]) + probes,
                       int(wall), int(row["wall_total_raw_ns"]))
    process = next(int(words[1]) for words in told if words[:1] == ["UMBRA-PROCESS"])
    inside = int(profile["functions"]["cpu_self_ns"].sum())
    threads = int(profile["threads"]["kernel_cpu_ns"].sum())
    return cases, {"the process told": process, "umbra says of it": profile.process_cpu_ns,
                   "timed calls": inside, "rest of their threads": threads - inside,
                   "threads without timed calls": profile.process_cpu_ns - threads}


class Table:
    """Prints lines, and remembers whether a limit was missed."""

    missed = False

    def line(self, name, unit, pairs, share, limit, scale=1e6):
        """`pairs`: (theirs, ours) of each run; `share`: the deviation of one pair."""
        theirs, ours = (statistics.median(pair[at] for pair in pairs) / scale for at in (0, 1))
        deviations = [share(*pair) for pair in pairs]
        median = statistics.median(deviations)
        beyond = abs(median) > limit
        self.missed = self.missed or beyond
        print(f"{name:40}{theirs:11.3f}{ours:11.3f} {unit}{median:+9.2%}  "
              f"[{min(deviations):+.2%} .. {max(deviations):+.2%}] (limit {limit:.0%}"
              f"{', MISSED' if beyond else ''})", flush=True)


def measure_cpu(table, umbra, repeats, folder):
    print(f"{'CPU and wall time of a method':40}{'kernel':>11}{'umbra':>11}    deviation")
    for source in ("perf", "schedstat"):
        runs = [cpu_run(umbra, source, 1000, folder) for _ in range(repeats)]
        for case in CASES:
            rows = [cases[case] for cases, _ in runs]
            idle = statistics.median(row[0] / row[2] for row in rows) < NO_CPU
            walls = iter([row[2] for row in rows])
            table.line(f"{source} {case} cpu{' (of wall)' if idle else ''}", "ms",
                       [row[:2] for row in rows],
                       (lambda theirs, ours, walls=walls: (ours - theirs) / next(walls)) if idle
                       else lambda theirs, ours: ours / theirs - 1, 0.01)
            table.line(f"{source} {case} wall", "ms", [row[2:] for row in rows],
                       lambda theirs, ours: ours / theirs - 1, 0.01)
        parts = {name: statistics.median(process[name] for _, process in runs) / 1e6
                 for name in runs[0][1]}
        print(f"{source}: CPU time, ms: " +
              ", ".join(f"{name} {value:.1f}" for name, value in parts.items()), flush=True)


def measure_pauses(table, umbra, repeats, folder):
    print(f"{'Pauses and compilations':40}{'runtime':>11}{'umbra':>11}    deviation")
    for name, options in (("selective", []), ("framework", ["--framework"])):
        pauses, compilations = [], []
        for _ in range(repeats):
            profile, words = profiled(umbra, folder, options, runtimes.NET10.command("pauses", 20))
            told = dict(line[:2] for line in words if len(line) == 2)
            pauses.append((int(told["pauses_ns"]), int(profile["pauses"]["duration_ns"].sum())))
            compilations.append((int(told["compilation_ns"]),
                                 int(profile["compilations"]["duration_ns"].sum())))
        for what, pairs, limit in (("pauses", pauses, 0.05), ("compilations", compilations, 0.1)):
            table.line(f"{name} {what}", "ms", pairs, lambda theirs, ours: ours / theirs - 1, limit)


MEASUREMENTS = {"cpu": measure_cpu, "pauses": measure_pauses}


def main():
    parser = Arguments(__doc__, MEASUREMENTS, what="default: both")
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    print(machine_line(), flush=True)
    table = Table()
    with tempfile.TemporaryDirectory() as folder:
        for name in arguments.what or MEASUREMENTS:
            MEASUREMENTS[name](table, arguments.umbra, arguments.repeats, Path(folder))
    return 1 if arguments.check and table.missed else 0


if __name__ == "__main__":
    sys.exit(main())
