#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What captures of running programs cost: by hooks, in programs that were prepared with the variables of
umbra env, and by probes in the IL, in programs that were not.

  csc_library, fsc, formatter, decompiler
          programs of benchmarks/programs, held in front of their Main until umbra has come: seconds from
          there to their end, bare, by hooks, by hooks with --inlining, by probes in the IL; the last
          in times of either of the hooks. And the events: with --inlining hooks count those calls that
          are left when the JIT has inlined; so also the time that an event adds
  kestrel a web server that nobody prepared, under eight connections; --cycles captures of a second, by
          turns of its own code and with ASP.NET Core (Microsoft.AspNetCore.*): the time that 99 of 100
          requests took at most, while a capture begins and while it goes on, in times of that between
          captures; requests a second after the last capture in times of those of a server that never
          had one, by turns with it, and the same before the first (what two servers differ by
          anyway); what the server's memory grows by a capture; requests that failed

The programs' variants run in turn, --repeats times; medians are compared. With --check a missed limit
makes the exit status 1. Run it on an idle machine with two cores or more:

  benchmarks/captures/run.py --umbra build/release/umbra
"""
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import h5py

BENCHMARKS = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(BENCHMARKS), str(BENCHMARKS / "programs")]
from measuring import Arguments, Capture, figure, machine_line, runtimes  # noqa: E402  (beside the folders)
from gated import Gated  # noqa: E402
from web_server import WebLoad, WebServer  # noqa: E402
from workloads import FOLDER, PROGRAMS  # noqa: E402  (benchmarks/programs)

GATED = ["csc_library", "fsc", "formatter", "decompiler"]
LIMIT_OF_HOOKS = 1.10
KINDS = {"bare": None, "hooks": [], "hooks, inlined": ["--inlining"], "IL": []}
LIMIT_P99 = 1.5
WARM_SECONDS = 15  # until the runtime has compiled what is hot for the last time
TURNS = 10


def prepared(umbra):
    """The variables of umbra env."""
    told = subprocess.run([umbra, "env"], check=True, capture_output=True, text=True).stdout
    return dict(line.split("=", 1) for line in told.splitlines())


def gated_seconds(umbra, workload, kind, folder):
    by_hooks = kind.startswith("hooks")
    environment = dict(workload.environment, **(prepared(umbra) if by_hooks else {}))
    file = folder / "capture.h5"
    with Gated.of_command(runtimes.NET10, workload.command, environment) as running:
        capture = None if kind == "bare" else Capture(umbra, running.pid, file, KINDS[kind])
        begin = time.monotonic()
        status, printed = running.run()
        seconds = time.monotonic() - begin
        if capture:
            capture.wait()
        if status != 0:
            raise SystemExit(f"status {status} under '{kind}'\n{printed[-2000:]}")
    if not capture:
        return seconds, 0
    with h5py.File(file) as profile:
        return seconds, int(profile.attrs["events"])


def measure_program(umbra, name, repeats, folder):
    workload = PROGRAMS[name](FOLDER)
    samples = {kind: [] for kind in KINDS}
    events = {kind: [] for kind in samples}
    gated_seconds(umbra, workload, "bare", folder)  # fills the page cache
    for _ in range(repeats):
        for kind, of_kind in samples.items():
            seconds, counted = gated_seconds(umbra, workload, kind, folder)
            of_kind.append(seconds)
            events[kind].append(counted)
    bare = figure(f"{name} bare", "s", samples.pop("bare"))
    figures = [bare]
    whole = {kind: figure(f"{name} by {kind}", "s", seconds, bare) for kind, seconds in samples.items()}
    figures += whole.values()
    figures += [figure(f"{name} IL beside {kind}", "s", samples["IL"], whole[kind], LIMIT_OF_HOOKS)
                for kind in ("hooks", "hooks, inlined")]
    figures += [figure(f"{name} events, {kind}", "M", [count / 1e6 for count in events[kind]])
                for kind in samples]
    figures += [figure(f"{name} added by an event, {kind}", "ns",
                       [(seconds - bare.median) * 1e9 / counted
                        for seconds, counted in zip(samples[kind], events[kind])])
                for kind in samples]
    return figures


def by_turns(bare_load, load):
    """Stretches of a server that has no captures, and of the one that has."""
    bare_load.stretch(WARM_SECONDS)
    load.stretch(WARM_SECONDS)
    both = [(bare_load.stretch(1), load.stretch(1)) for _ in range(TURNS)]
    return tuple(zip(*both))


def measure_kestrel(umbra, cycles, folder):
    between, beginning, going = [], {"own": [], "ASP.NET": []}, {"own": [], "ASP.NET": []}
    with WebServer() as server, WebLoad(server) as load, WebServer() as other, \
            WebLoad(other) as bare_load:
        before = by_turns(bare_load, load)
        memory = None
        for cycle in range(cycles):
            kind = "ASP.NET" if cycle % 2 else "own"
            options = ["--include", "Microsoft.AspNetCore.*", "--include", "server!*"] if cycle % 2 else []
            between.append(load.stretch(1))
            load.go()
            capture = Capture(umbra, server.pid, folder / "server.h5", options)
            time.sleep(1)
            beginning[kind].append(load.rest())
            going[kind].append(load.stretch(1))
            capture.stop()
            if cycle == 1:
                memory = server.resident_bytes()  # each kind has been there once
        after = by_turns(bare_load, load)
        grown = server.resident_bytes() - memory
        everything = [*between, *before[1], *after[1]] + [one for kind in (beginning, going)
                                        for some in kind.values() for one in some]
        failed = sum(one.failed for one in everything)
        answered = sum(one.answered for one in everything)
        for one in (load, bare_load, server, other):
            one.end()
    p99 = lambda stretches: [one.p99_ms for one in stretches]  # noqa: E731
    floor = figure("kestrel p99 between captures", "ms", p99(between))
    figures = [floor]
    for kind in beginning:
        figures += [figure(f"kestrel p99, {kind}, at the start", "ms", p99(beginning[kind]), floor),
                    figure(f"kestrel p99, {kind}, going on", "ms", p99(going[kind]), floor, LIMIT_P99)]
    for when, (bare, captured) in (("before the first", before), ("after the last", after)):
        speed = figure(f"kestrel never captured, {when}", "/s", [one.per_second for one in bare])
        figures += [speed, figure(f"kestrel {when}", "/s", [one.per_second for one in captured], speed)]
    print(f"{cycles} captures, {answered} requests, {failed} failed; "
          f"memory grew by {grown / 1024 / max(1, cycles - 2):.0f} KiB a capture", flush=True)
    if failed:
        raise SystemExit("requests have failed")
    return figures


def main():
    known = [*GATED, "kestrel"]
    parser = Arguments(__doc__, known, "program")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each variant; default: 3")
    parser.add_argument("--cycles", type=int, default=100, help="captures of the server; default: 100")
    arguments = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    print(machine_line(), flush=True)
    missed = False
    with tempfile.TemporaryDirectory() as folder:
        for name in arguments.what or known:
            measured = (measure_kestrel(arguments.umbra, arguments.cycles, Path(folder)) if name == "kestrel"
                        else measure_program(arguments.umbra, name, arguments.repeats, Path(folder)))
            print(*(one.line() for one in measured), sep="\n", flush=True)
            missed = missed or any(one.missed for one in measured)
    return 1 if arguments.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
