#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Records streams of real programs for bench_collector_replay and holds the shapes of the call tree
against each other on them.

For each program NAME.stream has every record (bench_replay_record). Then

  without --check   it is kept;
  with --check      bench_replay_tree_check replays the stream under --tree=full and --tree=folded:
                    calls by function, edge and thread must be equal, times within 1 ns, self times
                    must sum to the time covered. Nothing is kept. Status 1 if anything differs.

The programs are those of run.py on smaller inputs, so that a stream is complete below --max-mb: what
they do at the start, they do at any size, and the paths are nearly as many. A longer one is cut off
there, which is good enough for --check.

  benchmarks/programs/record.py --umbra build/release/umbra FOLDER
  UMBRA_STREAM=FOLDER/formatter.stream build/release/bench_collector_replay
  benchmarks/programs/record.py --umbra build/release/umbra --check --max-mb 1000 FOLDER
"""
import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import workloads  # beside this file; it finds `runtimes` beside the integration tests

runtimes = workloads.runtimes


def server(folder):
    """Kestrel and its clients in one process: benchmarks/replay/server.cs, framework code too."""
    packs = Path(runtimes.dotnet()).resolve().parent / "packs" / "Microsoft.AspNetCore.App.Ref"
    references = sorted(sorted(packs.glob("*/ref/net*"))[-1].glob("*.dll"))
    output = folder / "server.dll"
    workloads.required(runtimes.compiler(output, [workloads.HERE.parent / "replay" / "server.cs"])
                       + [f"-r:{path}" for path in references], "the server cannot be compiled")
    (folder / "server.runtimeconfig.json").write_text(json.dumps({"runtimeOptions": {
        "tfm": "net10.0",
        "frameworks": [{"name": name, "version": "10.0.0"}
                       for name in ("Microsoft.NETCore.App", "Microsoft.AspNetCore.App")]}}))
    return workloads.Workload([runtimes.dotnet(), str(output), "4", "4000"],
                              options=["--framework"])


KEPT = {"formatter": lambda folder: workloads.formatter(folder, files=60),
        "csc_library": lambda folder: workloads.csc_library(folder, files=12),
        "fsc": lambda folder: workloads.fsc(folder, modules=2)}
PROGRAMS = {**KEPT,
            "csc_library_serial": lambda folder: workloads.csc_library_serial(folder, files=12),
            "csc_small_roslyn": workloads.csc_small_roslyn,
            "csc_small_framework": workloads.csc_small_framework,
            "msbuild": workloads.msbuild,  # its first process
            "decompiler": workloads.decompiler,
            "visitor": lambda folder: workloads.visitor(folder, rounds=1),
            "server": server}


def record(tools, name, folder, max_mb, whole):
    """The file of records; `whole`: fails if it is cut off."""
    workload = PROGRAMS[name](workloads.FOLDER)
    stream = folder / f"{name}.stream"
    recorder = [tools / "bench_replay_record", "--stream", stream, "--max-mb", str(max_mb),
                *([] if whole else ["--may-be-cut-off"]),
                "--output", folder / f"{name}.h5", *workload.options, "--"]
    subprocess.run([*recorder, *workload.command], check=True, stdout=subprocess.DEVNULL,
                   cwd=workload.folder, env=dict(os.environ, **workload.environment))
    return stream


def keep(tools, name, folder, max_mb):
    """Answers what was recorded, as text."""
    stream = record(tools, name, folder, max_mb, True)
    return f"{name}: {stream.stat().st_size / 1e6:.0f} MB"


def check(tools, name, folder, max_mb):
    """Answers what the comparison of the trees said; raises CalledProcessError if they differ."""
    stream = record(tools, name, folder, max_mb, False)
    try:
        done = subprocess.run([tools / "bench_replay_tree_check", stream], text=True,
                              stdout=subprocess.PIPE)
        print(done.stdout.replace(str(stream), name), end="", flush=True)
        done.check_returncode()
    finally:
        stream.unlink()
        (folder / f"{name}.h5").unlink(missing_ok=True)
    return f"{name}: the same"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="for the streams: 1 to 2 GB each")
    parser.add_argument("what", nargs="*", metavar="|".join(PROGRAMS),
                        help="default: all with --check, else the first three")
    parser.add_argument("--umbra", default=os.environ.get("UMBRA", "umbra"),
                        help="the build to record with; bench_replay_* lie beside it")
    parser.add_argument("--check", action="store_true", help="compare the shapes of the tree")
    parser.add_argument("--max-mb", type=int, default=2048, help="of a stream; default: 2048")
    arguments = parser.parse_args()
    if unknown := set(arguments.what) - set(PROGRAMS):
        parser.error(f"nothing is known to record as {', '.join(sorted(unknown))}")
    tools = Path(arguments.umbra).resolve().parent
    folder = arguments.folder.resolve()
    for each in (folder, workloads.FOLDER):
        each.mkdir(parents=True, exist_ok=True)
    failed = False
    for name in arguments.what or (PROGRAMS if arguments.check else KEPT):
        try:
            step = check if arguments.check else keep
            print(step(tools, name, folder, arguments.max_mb), flush=True)
        except runtimes.Unavailable as reason:
            print(f"{name}: skipped: {reason}", flush=True)
            failed = True
        except subprocess.CalledProcessError as error:
            print(f"{name}: failed: {Path(error.cmd[0]).name} answered {error.returncode} "
                  f"{error.stderr or ''}", flush=True)
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
