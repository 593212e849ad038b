#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How near the times of an adaptive session come to those of one that reads the clock always.

Each program runs once under bench_replay_record, which keeps every record with its clock reading,
and the thread's context switches. bench_replay_score then runs the recorded threads through a live
adaptive session (benchmarks/replay/live_replay.h): the real policy sets the control bytes, the
clock readings are left out as the stubs would leave them out, and the real replay estimates them.
What comes out stands beside the replay of the stream as it was recorded.

The recorded intervals hold what reading the clock costs, those of a live session without a reading
do not; so the replay is told that a clock reading costs nothing (timed_extra = 0), and both sides
hold the same. Taking that cost out is the compensation's work (benchmarks/truth).

  csc        the C# compiler on ten files, on one thread, Roslyn's own methods
  framework  the same with --framework
  fsharp     the F# compiler on one file
  server     an ASP.NET server and its clients over loopback, with --framework: mostly waits

Run it on an idle machine: interrupts and other people's processes make intervals of milliseconds
out of nothing, at random places, in the recording that counts as the truth.

  benchmarks/replay/run.py --umbra build/release/umbra
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "overhead"))
sys.path.insert(0, str(HERE.parent.parent / "tests" / "integration" / "support"))
import runtimes  # noqa: E402  (found beside the integration tests)
from run import machine_line  # noqa: E402  (benchmarks/overhead/run.py)


@dataclass
class Row:
    """One function, in nanoseconds: real and estimated."""

    calls: int
    self_real: int
    self_seen: int
    total_real: int
    total_seen: int
    clocked_share: float
    name: str


@dataclass
class Figure:
    name: str
    value: float  # percent
    limit: float

    def line(self):
        missed = "  MISSED" if self.value > self.limit else ""
        return f"  {self.name:32}{self.value:9.3f} %   limit {self.limit:6.2f} %{missed}"


def csc(folder):
    return [], runtimes.compiler(folder / "out.dll") + ["-parallel-"]


def framework(folder):
    options, command = csc(folder)
    return ["--framework"], command


def fsharp(folder):
    source = folder / "program.fs"
    source.write_text((HERE / "shapes.fs").read_text())
    sdk = runtimes.sdk_folder()
    return [], [runtimes.dotnet(), str(sdk / "FSharp" / "fsc.dll"), "--nologo", "--noframework",
                "--targetprofile:netcore", "--optimize+", f"-o:{folder / 'fsharp.dll'}",
                f"-r:{sdk / 'FSharp' / 'FSharp.Core.dll'}",
                *(f"-r:{path}" for path in runtimes.reference_assemblies()), str(source)]


def server(folder):
    """Compiles the server, once."""
    packs = Path(runtimes.dotnet()).resolve().parent / "packs" / "Microsoft.AspNetCore.App.Ref"
    references = sorted(sorted(packs.glob("*/ref/net*"))[-1].glob("*.dll"))
    output = folder / "server.dll"
    subprocess.run(runtimes.compiler(output, [HERE / "server.cs"])
                   + [f"-r:{path}" for path in references], check=True)
    frameworks = [{"name": name, "version": "10.0.0"}
                  for name in ("Microsoft.NETCore.App", "Microsoft.AspNetCore.App")]
    (folder / "server.runtimeconfig.json").write_text(json.dumps(
        {"runtimeOptions": {"tfm": "net10.0", "frameworks": frameworks}}))
    return ["--framework"], [runtimes.dotnet(), str(output), "4", "4000"]


PROGRAMS = {"csc": csc, "framework": framework, "fsharp": fsharp, "server": server}


def record_and_score(tools, name, folder, keep):
    """The scorer's facts, and its Rows."""
    options, command = PROGRAMS[name](folder)
    stream = folder / "stream"
    subprocess.run([tools / "bench_replay_record", "--stream", stream, "--output",
                    folder / "profile.h5", *options, "--", *command], check=True,
                   stdout=subprocess.DEVNULL)
    stripped = [keep / f"{name}.stripped"] if keep else []
    output = subprocess.run([tools / "bench_replay_score", stream, *stripped], check=True,
                            capture_output=True, text=True).stdout
    stream.unlink()
    facts, rows = {}, []
    for line in output.splitlines():
        words = line.split(None, 9)
        if words[0] == "function":
            rows.append(Row(*map(int, words[1:6]), float(words[6]), words[9]))
        else:
            facts[words[0]] = float(words[1])
    return facts, rows


def errors(rows, real, seen, count):
    """(error in percent, Row) of the `count` largest by `real`."""
    largest = sorted(rows, key=lambda row: -getattr(row, real))[:count]
    return [(abs(getattr(row, seen) / getattr(row, real) - 1) * 100, row) for row in largest]


def figures(facts, rows):
    own = errors(rows, "self_real", "self_seen", 50)
    inclusive = errors(rows, "total_real", "total_seen", 200)
    mean = lambda scored: sum(error for error, _ in scored) / len(scored)
    return [Figure("events timed", 100 * facts["timed"] / facts["events"], 20),
            Figure("self time, top 50, mean error", mean(own), 3),
            Figure("self time, top 50, worst", max(error for error, _ in own), 12),
            Figure("inclusive, top 200, mean error", mean(inclusive), 0.1),
            Figure("inclusive, top 200, worst", max(error for error, _ in inclusive), 2)], own


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", metavar="|".join(PROGRAMS), help="default: all")
    parser.add_argument("--umbra", default=os.environ.get("UMBRA", "umbra"),
                        help="the build to measure; bench_replay_* lie beside it")
    parser.add_argument("--folder", help="for the recordings, gigabytes; default: a temporary one")
    parser.add_argument("--keep", type=Path, metavar="FOLDER",
                        help="keep the streams without clock readings there, for "
                             "bench_collector_replay (UMBRA_STREAM)")
    parser.add_argument("--worst", type=int, default=3, help="functions to name; default: 3")
    parser.add_argument("--json", metavar="FILE", help="write the figures there as well")
    parser.add_argument("--check", action="store_true", help="exit status 1 if a limit is missed")
    arguments = parser.parse_args()
    if unknown := set(arguments.what) - set(PROGRAMS):
        parser.error(f"nothing is known to record as {', '.join(sorted(unknown))}")
    tools = Path(arguments.umbra).resolve().parent
    machine = machine_line()
    print(machine, flush=True)
    table = {}
    for name in arguments.what or PROGRAMS:
        with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
            facts, rows = record_and_score(tools, name, Path(folder), arguments.keep)
        table[name], own = figures(facts, rows)
        print(f"{name}: {facts['events'] / 1e6:.1f} million events, {facts['arcs']:.0f} arcs, "
              f"{facts['kinds']:.0f} kinds of intervals, {facts['functions_without_clock']:.0f} "
              f"functions without clock")
        print(*(figure.line() for figure in table[name]), sep="\n", flush=True)
        for error, row in sorted(own, key=lambda scored: -scored[0])[:arguments.worst]:
            print(f"    {error:5.1f} % of {row.self_real / 1e6:.2f} ms in {row.calls} calls, "
                  f"{row.clocked_share:.0%} clocked: {row.name[:60]}")
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(
            {"machine": machine, "figures": {name: [asdict(figure) for figure in group]
                                             for name, group in table.items()}}, indent=2))
    missed = any(figure.value > figure.limit for group in table.values() for figure in group)
    return 1 if arguments.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
