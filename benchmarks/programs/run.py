#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What umbra costs whole real programs, the dear ones among them: deep, recursive, on many threads.

  csc_small            the C# compiler on one small file, its own code (--include 'csc!*')
  csc_small_roslyn     the same, all of Roslyn
  csc_small_framework  the same, --framework
  csc_library          the C# compiler on a generated library of 210 files
  csc_library_serial   the same with -parallel-
  fsc                  the F# compiler on a generated program of 80 modules
  msbuild              a rebuild of a web project and two libraries, with all children
  formatter            CSharpier on the library
  decompiler           ICSharpCode.Decompiler on types of a framework assembly
  visitor              a recursive-descent parser and visitors on 16 threads
  dotnet_build         `dotnet build` of a small console project, with all children
  dotnet_test          `dotnet test` of a small project of tests that is built, with all children
  hello                a program that prints one line
  kestrel              a web server under eight connections: milliseconds a request, once warm
  kestrel_basket       the same, with some 2,300 calls of small methods in each request

Each runs bare, under umbra with hooks that do nothing, with hooks that read the clock and write where nobody
reads, under `umbra run --inlining` and under `umbra run` with its default options, in turn, --repeats times.
A row has the medians: seconds bare; the others in times of that, writing of the profile included; and of the
default options

  write   seconds between the end of the program and that of umbra
  memory  peak of umbra's own process, looked at every 10 ms, MB
  events  millions; a second of umbra's wall time (M/s), and of the processor time that its own process
          took up to the end of the program (own M/s)
  lost    events; by reason, and what else was lost, below the row
  file    MB, rows of the call tree in thousands, of all processes
  report  seconds of the first `umbra report` of the largest file

Every outcome (the compiled file, what is printed) must be that of the bare run, and there must be
events; else the program has failed, and the exit status is 1. One that cannot be set up here is
skipped, with the reason. With --check a missed limit or a skipped program make the status 1 too.
What is set up stays in a temporary folder. Run it on an idle machine with two cores or more:

  benchmarks/programs/run.py --umbra build/release/umbra
"""
import contextlib
import json
import os
import select
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

import h5py

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from measuring import Arguments, cpu_seconds, machine_line, peak_kb, recorder, runtimes  # noqa: E402  (beside the folders)
from web_server import WebLoad, WebServer  # noqa: E402
from workloads import FOLDER, PROGRAMS  # noqa: E402  (beside this file)

# Variants: options of umbra beside the program's own, and environment; bare is without umbra.
VARIANTS = {"bare": None, "hooks": ([], {"UMBRA_PROBES": "empty"}),
            "writing": ([], {"UMBRA_PROBES": "discard"}), "inlining": (["--inlining"], {}),
            "umbra": ([], {})}
LIMITS = {"csc_small": 1.2, "csc_small_roslyn": 2.0, "csc_library": 3.0, "fsc": 2.0,
          "formatter": 2.2, "decompiler": 1.5, "msbuild": 1.5, "dotnet_build": 2.2, "dotnet_test": 1.9,
          "hello": 1.1, "kestrel": 1 / 0.95, "kestrel_basket": 1 / 0.55}
LEAST_OWN_RATE = {"csc_library": 150e6}  # events_per_cpu_s
INLINING_LIMITS = {"kestrel_basket": 1 / 0.93}
MORE_S = {"hello": 0.020}  # seconds beyond the times of bare
OTHER_LIMITS = {"write_s": 1.0, "memory_mb": 400, "file_mb": 30, "report_s": 0.5, "lost": 0}


class Failed(Exception):
    """A program did not do what it was measured for."""


@dataclass
class Facts:
    """One run under umbra: what is measured beside its time."""

    write_s: float = 0.0
    cpu_s: float = 0.0
    memory_mb: float = 0.0
    events: int = 0
    lost: int = 0
    losses: dict = field(default_factory=dict)  # by reason, switches and rows as well
    file_mb: float = 0.0
    rows: int = 0
    report_s: float = 0.0
    processes: int = 0


@dataclass
class Row:
    """A program, medians of all runs."""

    name: str
    bare_s: float
    hooks: float
    writing: float
    inlining: float
    umbra: float
    write_s: float
    memory_mb: float
    events: float
    events_per_s: float
    events_per_cpu_s: float
    lost: float
    file_mb: float
    rows: float
    report_s: float
    processes: float
    losses: dict
    samples: dict  # seconds of each run, by variant

    HEAD = (f"{'program':20}{'bare s':>8}{'hooks':>7}{'writing':>9}{'inlining':>10}{'umbra':>7}{'write s':>9}"
            f"{'memory':>8}{'events':>8}{'M/s':>7}{'own M/s':>9}{'lost':>10}{'file':>7}{'rows k':>8}{'report s':>10}")

    def missed(self):
        """The limits it misses, as text."""
        more = MORE_S.get(self.name, 0) / self.bare_s
        missed = [f"{variant} {ratio:.2f} x (limit {limits[self.name] + more:.2f})"
                  for variant, ratio, limits in (("umbra", self.umbra, LIMITS),
                                                 ("inlining", self.inlining, INLINING_LIMITS))
                  if self.name in limits and ratio > limits[self.name] + more]
        least = LEAST_OWN_RATE.get(self.name, 0)
        if self.events_per_cpu_s < least:
            missed.append(f"own M/s {self.events_per_cpu_s / 1e6:.0f} (limit {least / 1e6:.0f})")
        return missed + [f"{name} {getattr(self, name):.4g} (limit {limit:g})"
                         for name, limit in OTHER_LIMITS.items() if getattr(self, name) > limit]

    def lines(self):
        yield (f"{self.name:20}{self.bare_s:8.3f}{self.hooks:7.2f}{self.writing:9.2f}{self.inlining:10.2f}{self.umbra:7.2f}"
               f"{self.write_s:9.2f}{self.memory_mb:8.0f}{self.events / 1e6:8.1f}"
               f"{self.events_per_s / 1e6:7.1f}{self.events_per_cpu_s / 1e6:9.1f}{self.lost:10.0f}{self.file_mb:7.1f}"
               f"{self.rows / 1e3:8.0f}{self.report_s:10.2f}")
        if self.losses:
            yield "    lost: " + ", ".join(f"{name} {count}" for name, count in self.losses.items())
        if missed := self.missed():
            yield "    MISSED: " + ", ".join(missed)


class Watch:
    """Looks at umbra while it runs: the peak of its memory, and when its program ended."""

    EVERY_MS = 10

    def __init__(self, pid):
        self.pid = pid
        self.peak_kb = 0
        self.cpu_s = 0.0  # up to the end of the program
        self.program_end = None
        self.child_fd = None

    def wait(self):
        """Until umbra ends, which stays to be waited for. Answers the time of that."""
        own_fd = os.pidfd_open(self.pid)
        try:
            while True:
                self.child_fd = self.child_fd or self.find_program()
                watched = [own_fd] + ([self.child_fd] if self.child_fd and not self.program_end else [])
                ended, _, _ = select.select(watched, [], [], self.EVERY_MS / 1000)
                now = time.monotonic()
                if self.child_fd in ended:
                    self.program_end = now
                if own_fd in ended:
                    return now
                self.look()
        finally:
            os.close(own_fd)
            if self.child_fd:
                os.close(self.child_fd)

    def find_program(self):
        """A descriptor of the process that umbra started, as soon as there is one."""
        with contextlib.suppress(OSError):
            for task in Path(f"/proc/{self.pid}/task").iterdir():
                for child in (task / "children").read_text().split():
                    return os.pidfd_open(int(child))
        return None

    def facts(self, end):
        return Facts(write_s=end - (self.program_end or end), cpu_s=max(self.cpu_s, 0.01),
                     memory_mb=self.peak_kb / 1024)

    def look(self):
        with contextlib.suppress(OSError):
            self.peak_kb = max(self.peak_kb, peak_kb(self.pid))
            if not self.program_end:
                self.cpu_s = cpu_seconds(self.pid)


def profile_facts(umbra, facts, files):
    """Adds what the files of all processes say, and the time of reading the largest."""
    for path in files:
        with h5py.File(path) as file:
            facts.events += int(file.attrs["events"])
            facts.rows += len(file["calltree"])
            facts.lost += int(file.attrs["lost_events"])
            for name, value in file.attrs.items():
                if name.startswith("lost_") and name != "lost_events" and value:
                    facts.losses[name] = facts.losses.get(name, 0) + int(value)
        facts.file_mb += path.stat().st_size / 1e6
    facts.processes = len(files)
    if files:
        begin = time.monotonic()
        subprocess.run([umbra, "report", max(files, key=lambda path: path.stat().st_size)],
                       check=True, stdout=subprocess.DEVNULL)
        facts.report_s = time.monotonic() - begin
    return facts


def run_once(umbra, variant, workload, folder):
    """Seconds of wall time, the outcome, and Facts unless it runs bare."""
    more, environment = VARIANTS[variant] or ([], {})
    prefix = [] if variant == "bare" else recorder(umbra, folder / "profile.h5", *workload.options, *more)
    with open(folder / "printed", "w+") as printed:
        begin = time.monotonic()
        process = subprocess.Popen(prefix + workload.command, stdout=printed,
                                   stderr=subprocess.STDOUT, cwd=workload.folder,
                                   env=dict(os.environ, **workload.environment, **environment))
        watch = Watch(process.pid) if prefix else None
        end = watch.wait() if watch else None
        process.wait()
        seconds = (end or time.monotonic()) - begin
        printed.seek(0)
        text = printed.read()
    if process.returncode != 0:
        raise Failed(f"status {process.returncode} under '{variant}'\n{text[-2000:]}")
    facts = None
    if watch:
        facts = watch.facts(end)
    return seconds, workload.outcome(text), facts


class Samples:
    """Seconds of every run by variant, and the Facts of those with the default options."""

    def __init__(self):
        self.seconds = {name: [] for name in VARIANTS}
        self.facts = []

    def row(self, name):
        median = {variant: statistics.median(values) for variant, values in self.seconds.items()}
        of = lambda what: statistics.median(getattr(one, what) for one in self.facts)  # noqa: E731
        rate = statistics.median(one.events / seconds for one, seconds
                                 in zip(self.facts, self.seconds["umbra"]))
        own_rate = statistics.median(one.events / one.cpu_s for one in self.facts)
        losses = max(self.facts, key=lambda one: one.lost).losses
        ratio = {variant: value / median["bare"] for variant, value in median.items()}
        return Row(name, median["bare"], ratio["hooks"], ratio["writing"], ratio["inlining"], ratio["umbra"],
                   of("write_s"), of("memory_mb"), of("events"), rate, own_rate, of("lost"), of("file_mb"),
                   of("rows"), of("report_s"), of("processes"), losses, self.seconds)


def in_fresh_folder(measure):
    with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
        return measure(Path(folder))


def measure_program(umbra, name, repeats):
    workload = PROGRAMS[name](FOLDER)
    samples = Samples()

    def one(variant):
        def measured(folder):
            seconds, outcome, facts = run_once(umbra, variant, workload, folder)
            if variant == "umbra":
                profile_facts(umbra, facts, sorted(folder.glob("*.h5")))
            return seconds, outcome, facts
        return in_fresh_folder(measured)

    _, expected, _ = one("bare")  # fills the page cache
    if expected is None:
        raise Failed("bare, it has not done its work")
    for _ in range(repeats):
        for variant in VARIANTS:
            seconds, outcome, facts = one(variant)
            if outcome != expected:
                raise Failed(f"its outcome is another under '{variant}'")
            samples.seconds[variant].append(seconds)
            if variant == "umbra":
                if facts.events < workload.least_events:
                    raise Failed(f"{facts.events} events: it was not timed")
                samples.facts.append(facts)
    return samples.row(name)


def serve(umbra, what, variant, seconds, folder):
    """Seconds a request, warm, and the Facts of the server's run."""
    more, environment = VARIANTS[variant] or ([], {})
    prefix = [] if variant == "bare" else recorder(umbra, folder / "profile.h5", *more)
    with WebServer(environment, prefix, what) as server, WebLoad(server) as load:
        for length in (2, 2, seconds):
            seen = load.stretch(length)
            if seen.failed:
                raise Failed(f"{seen.failed} requests failed")
        if not prefix:
            server.end()
            return 1 / seen.per_second, None
        watch = Watch(server.pid)
        watch.child_fd = watch.find_program()
        watch.look()
        server.process.stdin.close()
        end = watch.wait()
        if server.process.wait() != 0:
            raise Failed(f"status {server.process.returncode}")
    facts = watch.facts(end)
    return 1 / seen.per_second, facts


def measure_kestrel(umbra, name, repeats, seconds=4):
    """Milliseconds a request in place of seconds; events a second are those of the whole run."""
    samples = Samples()
    length = seconds + 4

    def one(variant):
        def measured(folder):
            took, facts = serve(umbra, SERVERS[name], variant, seconds, folder)
            if variant == "umbra":
                profile_facts(umbra, facts, sorted(folder.glob("*.h5")))
            return took, facts
        return in_fresh_folder(measured)

    for _ in range(repeats):
        for variant in VARIANTS:
            took, facts = one(variant)
            samples.seconds[variant].append(took)
            if variant == "umbra":
                samples.facts.append(facts)
    row = samples.row(name)
    row.events_per_s = row.events / length
    row.bare_s *= 1000
    return row


SERVERS = {"kestrel": (), "kestrel_basket": ("basket",)}
MEASUREMENTS = {**{name: measure_program for name in PROGRAMS},
                **{name: measure_kestrel for name in SERVERS}}


def main():
    parser = Arguments(__doc__, MEASUREMENTS, "program", check="exit status 1 if a limit is missed or a program skipped")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each variant; default: 3")
    parser.add_argument("--json", metavar="FILE", help="write the rows there as well")
    arguments = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    machine = machine_line()
    print(machine, Row.HEAD, sep="\n", flush=True)
    rows, skipped, failed = [], {}, {}
    for name in arguments.what or MEASUREMENTS:
        try:
            row = MEASUREMENTS[name](arguments.umbra, name, arguments.repeats)
        except runtimes.Unavailable as reason:
            skipped[name] = str(reason)
            print(f"{name:20}skipped: {reason}", flush=True)
            continue
        except Failed as reason:
            failed[name] = str(reason)
            print(f"{name:20}FAILED: {reason}", flush=True)
            continue
        rows.append(row)
        print(*row.lines(), sep="\n", flush=True)
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(
            {"machine": machine, "rows": [asdict(row) for row in rows], "skipped": skipped,
             "failed": failed}, indent=2))
    missed = skipped or any(row.missed() for row in rows)
    return 1 if failed or (arguments.check and missed) else 0


if __name__ == "__main__":
    sys.exit(main())
