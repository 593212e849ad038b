#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whether what umbra takes out of the times is what the probes cost a real program.

The C# compiler and the F# compiler run with hooks that do nothing and, in turn with that, under
`umbra run`, umbra and program together on one processor, so that neither makes
the other's instructions slower. The table gives the processor time of the program alone, what umbra
took out of the times for the probes, and the rest of the former: it should be that of hooks that do
nothing, less some 2 ns a call that these take. Medians of --repeats. A program that cannot be set up
here is skipped, with the reason.

  benchmarks/truth/programs.py --umbra build/release/umbra
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

BENCHMARKS = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(BENCHMARKS), str(BENCHMARKS / "programs")]
import workloads  # noqa: E402  (benchmarks/programs)
from measuring import Arguments, machine_line, recorder, runtimes  # noqa: E402  (beside the folders)

PROGRAMS = {"C# compiler, 40 files": lambda: workloads.csc_library_serial(workloads.FOLDER, 40),
            "F# compiler, 8 modules": lambda: workloads.fsc(workloads.FOLDER, 8)}
VARIANTS = {"hooks": {"UMBRA_PROBES": "empty"}, "umbra": {}}


def summary_of(umbra, workload, variant, processor, folder):
    """What the report's JSON says of one run."""
    profile = folder / "profile.h5"
    subprocess.run(["taskset", "-c", str(processor), *recorder(umbra, profile, *workload.options), *workload.command],
                   check=True, cwd=workload.folder, stdout=subprocess.DEVNULL,
                   env=dict(os.environ, **workload.environment, **VARIANTS[variant]))
    report = subprocess.run([umbra, "report", "--json", profile], check=True, capture_output=True)
    return json.loads(report.stdout)["summary"]


def table_of(umbra, name, workload, repeats, processor, folder):
    runs = {variant: [] for variant in VARIANTS}
    for _ in range(repeats):
        for variant, summaries in runs.items():
            summaries.append(summary_of(umbra, workload, variant, processor, folder))
    floor_ns = statistics.median(one["process_cpu_ns"] for one in runs["hooks"])
    for variant, summaries in runs.items():
        of = lambda what, of=summaries: statistics.median(one[what] for one in of)  # noqa: E731
        cpu_ns, taken_ns = of("process_cpu_ns"), of("probe_cost_ns")
        pairs = of("events") / 2
        line = f"{name:24}{variant:10}{cpu_ns / 1e9:8.2f} s"
        if variant != "hooks":
            line += (f"{taken_ns / 1e9:8.2f} s{(cpu_ns - taken_ns) / floor_ns:8.3f} x"
                     f"{pairs / 1e6:8.0f} M"
                     f"{(cpu_ns - floor_ns) / pairs:8.1f} ns{taken_ns / pairs:8.1f} ns")
        yield line


def main():
    parser = Arguments(__doc__, check=None)
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    processor = min(os.sched_getaffinity(0))
    workloads.FOLDER.mkdir(parents=True, exist_ok=True)
    print(machine_line(), flush=True)
    print(f"{'program':24}{'probes':10}{'cpu':>10}{'taken out':>10}{'rest':>10}{'calls':>10}"
          f"{'added':>11}{'taken':>11}")
    with tempfile.TemporaryDirectory() as folder:
        for name, make in PROGRAMS.items():
            try:
                workload = make()
            except runtimes.Unavailable as reason:
                print(f"{name:24}skipped: {reason}", flush=True)
                continue
            for line in table_of(arguments.umbra, name, workload, arguments.repeats, processor,
                                 Path(folder)):
                print(line, flush=True)


if __name__ == "__main__":
    main()
