# SPDX-License-Identifier: MIT
"""The example project of the BenchmarkDotNet diagnoser, built once and kept until a source changes.

BenchmarkDotNet writes and builds projects beside the one that it runs, so this is a copy.
"""
import functools
import hashlib
import re
import shutil
import subprocess
from pathlib import Path

import runtimes

ROOT = runtimes.SOURCES.parent.parent
FOLDERS = ("examples/benchmarks", "dotnet/Umbra.BenchmarkDotNet")
# More benchmarks, for tests alone.
MORE = Path(__file__).with_name("MoreBenchmarks.cs")
COPY = runtimes.WORK_FOLDER / "benchmarks"
PROJECT = COPY / FOLDERS[0]
PACKAGE = COPY / FOLDERS[1]


@functools.cache
def built():
    """Path of the program, which has to run in PROJECT."""
    COPY.mkdir(parents=True, exist_ok=True)
    stamp = COPY / "built-from"
    with runtimes.locked(COPY / "lock"):
        sources = digest()
        if not stamp.exists() or stamp.read_text() != sources:
            for folder in FOLDERS:
                shutil.rmtree(COPY / folder, ignore_errors=True)
                shutil.copytree(ROOT / folder, COPY / folder, ignore=shutil.ignore_patterns("bin", "obj"))
            shutil.copy(MORE, PROJECT)
            build()
            stamp.write_text(sources)
    return PROJECT / "bin" / "Release" / "net10.0" / "benchmarks.dll"


def build():
    made = subprocess.run([runtimes.dotnet(), "build", "-c", "Release", "-nologo", "-v:quiet",
                           "-nodeReuse:false"], cwd=PROJECT, env=runtimes.build_environment(),
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if re.search(r"NU1101|NU1102|NU1301", made.stdout):
        raise runtimes.Unavailable("the packages of BenchmarkDotNet cannot be restored here")
    if made.returncode != 0:
        raise AssertionError(f"the example of BenchmarkDotNet does not build:\n{made.stdout}")


def digest():
    total = hashlib.sha256()
    for path in [MORE, *(path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*")))]:
        if path.is_file() and not {"bin", "obj"} & set(path.relative_to(ROOT).parts):
            total.update(str(path.relative_to(ROOT)).encode())
            total.update(path.read_bytes())
    return total.hexdigest()


def run(artifacts, *options, **variables):
    """The whole of what a run prints."""
    done = subprocess.run([runtimes.dotnet(), built(), "--artifacts", artifacts, *options], cwd=PROJECT,
                          env=dict(runtimes.sdk_environment(), **variables),
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600)
    assert done.returncode == 0, done.stdout
    return done.stdout
