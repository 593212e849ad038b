# SPDX-License-Identifier: MIT
"""What the benchmarks share: their arguments, the line about the machine, figures beside their floors, runs and
captures of umbra. Who imports it finds the modules beside the integration tests, too."""
import argparse
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "integration" / "support"))
import runtimes  # noqa: E402


class Arguments(argparse.ArgumentParser):
    """Of a benchmark: --umbra, which parse_args() answers as a whole path, --check unless that is None, and `known`,
    the things of which some may be named. None of them named: the list is empty."""

    def __init__(self, text, known=(), metavar=None, what="default: all", check="exit status 1 if a limit is missed"):
        super().__init__(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
        self.known = set(known)
        if known:
            self.add_argument("what", nargs="*", metavar=metavar or "|".join(known), help=what)
        self.add_argument("--umbra", default=os.environ.get("UMBRA", "umbra"),
                          help="the program to measure; default: $UMBRA, else umbra in PATH")
        if check:
            self.add_argument("--check", action="store_true", help=check)

    def parse_args(self):
        arguments = super().parse_args()
        if unknown := set(getattr(arguments, "what", ())) - self.known:
            self.error(f"nothing is known to measure as {', '.join(sorted(unknown))}")
        found = shutil.which(arguments.umbra) or self.error(f"there is no program {arguments.umbra}")
        arguments.umbra = str(Path(found).resolve())
        return arguments


@dataclass
class Figure:
    """One measured value beside its floor."""

    name: str
    unit: str
    median: float
    low: float
    high: float
    floor: str = ""
    ratio: float = 0.0
    limit: float = 0.0

    @property
    def missed(self):
        return bool(self.limit) and self.ratio > self.limit

    def line(self):
        text = f"{self.name:34} {self.median:9.3f} {self.unit:2}  [{self.low:.3f} .. {self.high:.3f}]"
        if self.floor:
            text += f"  {self.ratio:5.2f} x {self.floor}"
        if self.limit:
            text += f" (limit {self.limit:.2f}{', MISSED' if self.missed else ''})"
        return text


def figure(name, unit, samples, floor=None, limit=0.0):
    median = statistics.median(samples)
    return Figure(name, unit, median, min(samples), max(samples), floor.name if floor else "",
                  median / floor.median if floor else 0.0, limit)


def first_line(command):
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    return done.stdout.splitlines()[0].strip() if done.returncode == 0 and done.stdout else "?"


def machine_line():
    """CPU, kernel, compiler, runtime, commit: without it no figure means anything."""
    info = Path("/proc/cpuinfo").read_text()
    model = next((line.split(":", 1)[1].strip() for line in info.splitlines()
                  if line.startswith("model name")), "?")
    changed = subprocess.run(["git", "diff", "--quiet", "HEAD"], cwd=ROOT,
                             capture_output=True).returncode
    commit = first_line(["git", "rev-parse", "--short", "HEAD"]) + ("+changes" if changed else "")
    return (f"{model}, {os.cpu_count()} CPUs; Linux {platform.release()}; "
            f"{first_line(['cc', '--version'])}; .NET SDK {runtimes.sdk_folder().name}; "
            f"commit {commit}")


def in_turn(ways, turn):
    """The ways in another order at each turn, so that none always follows another."""
    first = turn % len(ways)
    return [*ways][first:] + [*ways][:first]


def recorder(umbra, file, *options):
    """What stands in front of a command so that umbra records it."""
    return [umbra, "run", "-q", "--force", "-o", str(file), *options, "--"]


def cpu_seconds(pid):
    """Processor time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def peak_kb(pid):
    """The most memory a process has had; 0 if it has ended."""
    found = re.search(r"^VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    return int(found.group(1)) if found else 0


class Capture:
    """`umbra start`, recording when this is."""

    def __init__(self, umbra, pid, file, options=()):
        self.umbra, self.pid = umbra, pid
        self.process = subprocess.Popen([umbra, "start", str(pid), "--force", "-o", str(file), *options],
                                        stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        while "timing process" not in (line := self.process.stderr.readline()):
            if not line:
                raise SystemExit(f"umbra start does not time process {pid}")

    def wait(self):
        self.process.communicate()
        if self.process.returncode != 0:
            raise SystemExit("umbra start has failed")

    def stop(self):
        subprocess.run([self.umbra, "stop", str(self.pid)], check=True, stdout=subprocess.DEVNULL)
        self.wait()
