#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Records streams of real programs for bench_collector_replay, and keeps them.

For each program NAME.stream has every record with its clock reading (bench_replay_record), and
NAME.stripped has those that a live adaptive session would have left (bench_replay_score). The
programs are those of run.py on smaller inputs, so that a stream is complete below --max-mb: what
they do at the start, they do at any size, and the paths are nearly as many.

  benchmarks/programs/record.py --umbra build/release/umbra FOLDER
  UMBRA_STREAM=FOLDER/formatter.stripped build/release/bench_collector_replay
"""
import argparse
import os
import subprocess
import sys
from pathlib import Path

import workloads  # beside this file; it finds `runtimes` beside the integration tests

PROGRAMS = {"formatter": lambda folder: workloads.formatter(folder, files=100),
            "csc_library": lambda folder: workloads.csc_library(folder, files=12),
            "fsc": lambda folder: workloads.fsc(folder, modules=2)}


def record(tools, name, folder, max_mb):
    """Answers what the scorer counted, as text."""
    workload = PROGRAMS[name](workloads.FOLDER)
    stream = folder / f"{name}.stream"
    recorder = [tools / "bench_replay_record", "--stream", stream, "--max-mb", str(max_mb),
                "--output", folder / f"{name}.h5", *workload.options, "--"]
    subprocess.run([*recorder, *workload.command], check=True, stdout=subprocess.DEVNULL,
                   cwd=workload.folder, env=dict(os.environ, **workload.environment))
    scored = subprocess.run([tools / "bench_replay_score", stream, folder / f"{name}.stripped"],
                            check=True, capture_output=True, text=True).stdout
    facts = dict(line.split()[:2] for line in scored.splitlines()
                 if line.split()[:1] and line.split()[0] != "function")
    return (f"{name}: {int(facts['events']) / 1e6:.1f} million events, {stream.stat().st_size / 1e6:.0f}"
            f" MB, timed when stripped {int(facts['timed']) / int(facts['events']):.1%}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="for the streams: 2 to 3 GB each")
    parser.add_argument("what", nargs="*", metavar="|".join(PROGRAMS), help="default: all")
    parser.add_argument("--umbra", default=os.environ.get("UMBRA", "umbra"),
                        help="the build to record with; bench_replay_* lie beside it")
    parser.add_argument("--max-mb", type=int, default=2048, help="of a stream; default: 2048")
    arguments = parser.parse_args()
    if unknown := set(arguments.what) - set(PROGRAMS):
        parser.error(f"nothing is known to record as {', '.join(sorted(unknown))}")
    tools = Path(arguments.umbra).resolve().parent
    folder = arguments.folder.resolve()
    for each in (folder, workloads.FOLDER):
        each.mkdir(parents=True, exist_ok=True)
    failed = False
    for name in arguments.what or PROGRAMS:
        try:
            print(record(tools, name, folder, arguments.max_mb), flush=True)
        except workloads.runtimes.Unavailable as reason:
            print(f"{name}: skipped: {reason}", flush=True)
            failed = True
        except subprocess.CalledProcessError as error:
            print(f"{name}: failed: {Path(error.cmd[0]).name} answered {error.returncode} "
                  f"{error.stderr or ''}", flush=True)
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
