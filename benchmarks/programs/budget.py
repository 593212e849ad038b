#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a real program costs under `umbra run --max-overhead PERCENT` once its first seconds are over.

  formatter    CSharpier on generated libraries
  csc_library  the C# compiler on them

Each runs on an input of --files files and on one of three times as many, bare, with hooks that do
nothing, and under the budget, in turn, --repeats times. What the larger input takes longer is work
that came later: the smaller one has had all that happens once (start, compilation, the windows in
which the budget is found exceeded and hooks are taken out), and must take more than 2 s under umbra
for this to be so. The figure is this difference under umbra in times of the same difference bare, of
medians; the floor is 1. Writing of the profile is included on both sides of it.

  bare s, budget s   medians of the smaller and of the larger input
  after              difference under the budget in times of the bare one (limit: the budget and 10
                     points of noise and of umbra's own; 1.3 at 20 %), and of the worst and
                     the best pairing of runs
  cpu                the same of the CPU time of program and umbra together: what `after` is near
                     to where nothing is idle, and what other work on the machine disturbs less
  hooks              `after` with hooks that do nothing, all of them kept
  deinstrumented     functions without hooks at the end, of those seen; events in millions

With --check a missed limit makes the exit status 1. Run it on an idle machine:

  benchmarks/programs/budget.py --umbra build/release/umbra
"""
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import h5py

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from measuring import Arguments, machine_line, recorder, runtimes  # noqa: E402  (beside the folders)
from workloads import FOLDER, compiled_library, formatter  # noqa: E402  (beside this file)

PROGRAMS = {"formatter": formatter,
            "csc_library": lambda folder, files: compiled_library(folder, files, parallel=True)}
TIMES = 3  # the larger input is so many smaller ones
FIRST_S = 2.0
WALL, CPU = 0, 1


def run_once(umbra, options, workload, environment=None):
    """(wall seconds, CPU seconds), outcome, and the root attributes of the profile with the number of
    functions."""
    with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
        file = Path(folder) / "profile.h5"
        prefix = recorder(umbra, file, *options) if umbra else []
        begin, before = time.monotonic(), os.times()
        done = subprocess.run(prefix + workload.command, stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.STDOUT, cwd=workload.folder,
                              env=dict(os.environ, **workload.environment, **(environment or {})))
        after = os.times()
        seconds = (time.monotonic() - begin, after.children_user + after.children_system
                   - before.children_user - before.children_system)
        if done.returncode != 0:
            raise SystemExit(f"status {done.returncode}: {done.stdout[-2000:]}")
        facts = {}
        if umbra:
            with h5py.File(file) as profile:
                facts = dict(profile.attrs, functions=len(profile["functions"]))
        return seconds, workload.outcome(done.stdout), facts


@dataclass
class Row:
    """Medians of one program."""

    name: str
    seconds: dict  # by variant: of the smaller, of the larger input, (wall, CPU) of each run
    limited: int
    functions: int
    events: int
    limit: float

    HEAD = (f"{'program':14}{'files':>6}{'bare s':>15}{'budget s':>16}{'after':>7}{'[best .. worst]':>17}"
            f"{'cpu':>6}{'hooks':>7}{'deinstrumented':>16}{'events':>8}")

    def median(self, variant, input_at, kind=WALL):
        return statistics.median(run[kind] for run in self.seconds[variant][input_at])

    def longer(self, variant, kind=WALL):
        return self.median(variant, 1, kind) - self.median(variant, 0, kind)

    def after(self, variant="budget", kind=WALL):
        return self.longer(variant, kind) / self.longer("bare", kind)

    def line(self, files):
        of = lambda variant: " ".join(f"{self.median(variant, at):6.2f}" for at in (0, 1))  # noqa: E731
        pairs = [(large[WALL] - small[WALL]) / self.longer("bare")
                 for small, large in zip(*self.seconds["budget"])]
        between = f"[{min(pairs):.2f} .. {max(pairs):.2f}]"
        missed = f"  MISSED (limit {self.limit:.2f})" if self.after() > self.limit else ""
        short = "  TOO SHORT" if self.median("budget", 0) < FIRST_S else ""
        return (f"{self.name:14}{files:6}{of('bare'):>15}{of('budget'):>16}{self.after():7.2f}{between:>17}"
                f"{self.after(kind=CPU):6.2f}{self.after('hooks'):7.2f}"
                f"{f'{self.deinstrumented} of {self.functions}':>16}{self.events / 1e6:8.1f}{missed}{short}")


def measure(umbra, name, files, percent, repeats):
    options = ["--max-overhead", f"{percent:g}"]
    variants = {"bare": (None, [], None), "hooks": (umbra, [], {"UMBRA_PROBES": "empty"}),
                "budget": (umbra, options, None)}
    workloads = [PROGRAMS[name](FOLDER, count) for count in (files, TIMES * files)]
    outcomes = [run_once(None, [], workload)[1] for workload in workloads]  # fills the page cache
    if None in outcomes:
        raise SystemExit(f"{name}: bare, it has not done its work")
    seconds = {variant: ([], []) for variant in variants}
    facts = {}
    for _ in range(repeats):
        for variant, (program, more, environment) in variants.items():
            for at, workload in enumerate(workloads):
                took, outcome, facts[variant] = run_once(program, more, workload, environment)
                if outcome != outcomes[at]:
                    raise SystemExit(f"{name}: its outcome is another under '{variant}'")
                seconds[variant][at].append(took)
    last = facts["budget"]
    return Row(name, seconds, int(last["deinstrumented_functions"]), last["functions"], int(last["events"]),
               1 + percent / 100 + 0.1)


def main():
    parser = Arguments(__doc__, PROGRAMS, what="default: both")
    parser.add_argument("--files", type=int, default=210, help="of the smaller input; default: 210")
    parser.add_argument("--percent", type=float, default=20, help="the budget; default: 20")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each variant; default: 3")
    arguments = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    print(machine_line(), Row.HEAD, sep="\n", flush=True)
    rows = []
    for name in arguments.what or PROGRAMS:
        try:
            rows.append(measure(arguments.umbra, name, arguments.files, arguments.percent, arguments.repeats))
        except runtimes.Unavailable as reason:
            parser.error(f"{name} cannot be set up here: {reason}")
        print(rows[-1].line(arguments.files), flush=True)
    return 1 if arguments.check and any(row.after() > row.limit for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
