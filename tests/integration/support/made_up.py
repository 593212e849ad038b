# SPDX-License-Identifier: MIT
"""Builds and runs made-up programs (exception_programs.py), and compares what they say they called
with what a profile says."""
import hashlib
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy

import exception_programs
from runtimes import build_environment, dotnet, locked, sdk_folder

# What is timed of a process. The programs' own methods alone: the rest only takes time.
OPTIONS = ("--tree=full", "--include", "*!Shown.*")


def assembly(runtime, seed):
    """The path of a pool of methods, compiled for one runtime; made once."""
    host = Path(runtime.command("exceptions")[-1]).with_suffix(".dll")  # builds it
    source = exception_programs.source(seed)
    named = hashlib.sha256(source.encode() + host.read_bytes()).hexdigest()[:16]
    path = runtime.folder / "made-up" / f"{named}.dll"
    path.parent.mkdir(exist_ok=True)
    with locked(path.parent / "lock"):
        if not path.exists():
            text = path.with_suffix(".cs")
            text.write_text(source)
            compile_library(path, text, [host, *sorted(runtime.libraries().glob("System.*.dll"))])
    return path


def compile_library(path, text, references):
    made = path.with_suffix(".part")
    done = subprocess.run(
        [dotnet(), str(sdk_folder() / "Roslyn" / "bincore" / "csc.dll"), "-nologo", "-noconfig",
         "-deterministic+", "-optimize+", "-target:library", "-langversion:12", "-warn:0", f"-out:{made}",
         *(f"-r:{reference}" for reference in references), str(text)],
        env=build_environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    made.rename(path)


@dataclass
class Programs:
    """Some programs of one pool: how they are started, and where they say what they called."""

    command: list
    numbers: range
    file: Path

    @classmethod
    def of(cls, runtime, seed, numbers, file):
        command = runtime.command("exceptions", assembly(runtime, seed), numbers.start, len(numbers), file)
        return cls(command, numbers, file)

    def check(self, profile):
        """Each program's tree of calls is the one it knows, to the last call."""
        expected = self.expected()
        found = places(profile)
        assert len(expected) == len(self.numbers)
        wrong = [f"p{program}: {differences(expected[program], found.get(program, {}))}"
                 for program in self.numbers if expected[program] != found.get(program, {})]
        assert not wrong, f"{len(wrong)} of {len(expected)} programs\n" + "\n".join(wrong[:20])
        return sum(sum(tree.values()) for tree in expected.values())

    def expected(self):
        """For each program its calls by path, a tuple of methods."""
        trees = {program: {} for program in self.numbers}
        paths = {}
        rows = numpy.loadtxt(self.file, dtype=numpy.int64, ndmin=2)
        for program, place, caller, method, calls in rows.tolist():
            path = paths[program, place] = paths.get((program, caller), ()) + (method,)
            trees[program][path] = calls
        return trees


def places(profile):
    """The same of a profile, whose threads are named by their programs."""
    names = profile.column("threads", "name")
    methods = [number_of(method) for method in profile.column("functions", "method")]
    trees, paths = {}, []
    for thread, parent, function, calls in zip(*(
            profile["calltree"][column].tolist() for column in ("thread", "parent", "function", "calls"))):
        path = (paths[parent] if parent >= 0 else ()) + (methods[function],)
        paths.append(path)
        if names[thread].startswith("p"):
            trees.setdefault(int(names[thread][1:]), {})[path] = calls
    return trees


def number_of(method):
    """M12 -> 12, C12, a static constructor, -> 1012; others by their names."""
    if method[0] not in "MC" or not method[1:].isdigit():
        return method
    return int(method[1:]) + (exception_programs.STATIC_CONSTRUCTORS if method[0] == "C" else 0)


def differences(expected, found):
    return ", ".join(f"{'>'.join(map(str, path))} {expected.get(path, 0)} expected, not {found.get(path, 0)}"
                     for path in sorted(expected.keys() | found.keys(), key=str)
                     if expected.get(path, 0) != found.get(path, 0))[:300]
