# SPDX-License-Identifier: MIT
"""Inclusive shares of CPU time under umbra, beside those that `perf` sees in the program without it."""
import os
import subprocess
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from measuring import recorder  # beside the folders
from perf_map import map_of, profiled_methods, remove_map  # beside this file
from profile_file import Profile
from stacks import Stacks

STACK_BYTES = 65528  # the most that perf keeps: a method whose frame lies beyond is not seen
LEAST_PERCENT = 1.0
FACTOR = 1.5  # shares that differ by less are close


@dataclass
class BareRow:
    """A method; inclusive shares in percent of the time in timed methods."""

    name: str
    calls: int
    perf: float
    again: float
    umbra: float

    HEAD = f"{'method':58}{'calls':>13}{'bare perf %':>13}{'again %':>9}{'umbra %':>9}"

    @staticmethod
    def close(share, other):
        return max(share, other) <= FACTOR * min(share, other)

    def line(self):
        far = "" if self.close(self.perf, self.umbra) else "  far"
        return (f"{self.name[-56:]:58}{self.calls:>13,}{self.perf:13.2f}{self.again:9.2f}"
                f"{self.umbra:9.2f}{far}")


def environment_of(workload, **more):
    return dict(os.environ, **workload.environment, **more)


def profiled(umbra, workload, folder):
    """The profile of a run. Every path is kept, so that methods that share a key can be added up along the tree;
    times of methods are those of the default options, as `benchmarks/programs/record.py --check` shows. Async calls
    are not followed: a sample of perf has the stack of the thread, and not what awaits it."""
    file = folder / "profile.h5"
    options = ("--tree=full", "--no-async", *workload.options)
    subprocess.run(recorder(umbra, file, *options) + workload.command, cwd=workload.folder,
                   env=environment_of(workload), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return Profile(file)


class UmbraShares:
    """By key of perf_map.py: calls, and inclusive CPU time with recursion counted once."""

    def __init__(self, profile):
        functions, keys = profile["functions"], profiled_methods(profile)
        self.calls, self.total, rows = Counter(), Counter(), Counter()
        for key, row in zip(keys, functions):
            if row["calls"]:
                self.calls[key] += int(row["calls"])
                self.total[key] += int(row["cpu_total_ns"])
                rows[key] += 1
        self.all_ns = sum(int(row["cpu_self_ns"]) for row in functions)
        # Overloads call each other: their times are added up along the tree, outermost calls alone.
        several = {key for key, count in rows.items() if count > 1}
        for key in several:
            self.total[key] = 0
        if profile.attributes["tree"] != "full":
            raise SystemExit("methods that share a key can be added up along a full call tree alone")
        tree = profile["calltree"]
        parents, functions = tree["parent"].tolist(), tree["function"].tolist()
        above = []  # by row: those of `several` that its path has, its own among them
        for parent, function, ns in zip(parents, functions, tree["cpu_total_ns"].tolist()):
            key = keys[function] if function >= 0 else None
            path = above[parent] if parent >= 0 else frozenset()
            if key in several and key not in path:
                self.total[key] += ns
                path = path | {key}
            above.append(path)

    def percent(self, key):
        return 100 * self.total[key] / self.all_ns


class PerfShares:
    """By key of perf_map.py: percent of the samples with a timed method on the stack that have this one
    there. `timed`: the keys that count."""

    def __init__(self, workload, rate, timed, folder):
        data, told = folder / "perf.data", folder / "pid"
        command = ["perf", "record", "-q", "-F", str(rate), "-e", "cpu-clock", "-m", "4096",
                   "--call-graph", f"dwarf,{STACK_BYTES}", "-o", str(data), "--", "/bin/sh", "-c",
                   'echo $$ > "$0" && exec "$@"', str(told), *workload.command]
        done = subprocess.run(command, cwd=workload.folder, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, env=environment_of(
                                  workload, DOTNET_PerfMapEnabled="1", DOTNET_EnableWriteXorExecute="0"))
        if done.returncode != 0:
            raise SystemExit(f"status {done.returncode}: {done.stdout[-2000:]}")
        pid = int(told.read_text())
        stacks = Stacks(data, map_of(pid), pid, timed)
        self.samples, self.inside, self.cut = Counter(), 0, 0
        for sample in stacks.data.samples(pid):
            methods = stacks.methods(sample)
            self.samples.update(methods)
            self.inside += bool(methods)
            self.cut += bool(methods) and stacks.is_cut(sample)
        data.unlink()
        remove_map(pid)
        if not self.inside:
            raise SystemExit("no sample is inside a timed method")

    def percent(self, key):
        return 100 * self.samples[key] / self.inside


def measure_bare(umbra, name, workload, rate):
    """Prints the rows and their sum; answers what goes into --json."""
    with tempfile.TemporaryDirectory() as folder:
        ours = UmbraShares(profiled(umbra, workload, Path(folder)))
        first, second = (PerfShares(workload, rate, set(ours.calls), Path(folder)) for _ in range(2))
    rows = [BareRow(key[1], ours.calls[key], first.percent(key), second.percent(key), ours.percent(key))
            for key in first.samples if first.percent(key) >= LEAST_PERCENT]
    rows.sort(key=lambda row: -row.perf)
    print(BareRow.HEAD)
    print(*(row.line() for row in rows), sep="\n")
    near = sum(BareRow.close(row.perf, row.umbra) for row in rows)
    ceiling = sum(BareRow.close(row.perf, row.again) for row in rows)
    print(f"{name}: of {len(rows)} methods with {LEAST_PERCENT:g} % or more without umbra, {near} are within "
          f"{FACTOR} x under umbra, {ceiling} in a second run of perf; {first.inside:,} and {second.inside:,} "
          f"samples, stack cut off in {100 * first.cut / first.inside:.1f} %", flush=True)
    return {"program": name, "methods": len(rows), "near": near, "ceiling": ceiling,
            "rows": [vars(row) for row in rows]}
