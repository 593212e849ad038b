# SPDX-License-Identifier: MIT
"""The .NET runtimes the tests run on, and the test programs built for each of them.

The programs of tests/managed are built once for a runtime and kept in the build folder until one
of their sources changes.
"""
import contextlib
import fcntl
import functools
import hashlib
import os
import shlex
import shutil
import subprocess
import unittest
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[2] / "managed"
WORK_FOLDER = Path(os.environ.get("UMBRA_TEST_FOLDER",
                                  SOURCES.parent.parent / "build" / "integration"))


class Unavailable(unittest.SkipTest):
    """What a test needs cannot be had here; pytest skips the test and shows the reason."""


@dataclass(frozen=True)
class Runtime:
    """One runtime: the installed one, or a version that self-contained programs bring along."""

    name: str
    framework: str  # what the programs are compiled for
    version: str = ""  # empty: the installed runtime, started by `dotnet`

    @property
    def release(self):
        """How its version begins: "10.0"."""
        return f"{self.name.removeprefix('net')}.0"

    @property
    def folder(self):
        return WORK_FOLDER / "managed" / "-".join(filter(None, (self.name, self.version)))

    def command(self, program, *arguments):
        """The command line that starts a test program; builds the programs first if need be."""
        if reason := build(self):
            raise Unavailable(reason)
        path = self.folder / "bin" / program
        start = [str(path)] if self.version else [dotnet(), str(path.with_suffix(".dll"))]
        return start + [str(argument) for argument in arguments]

    def hosted(self, program, *arguments):
        """What several_runtimes_host.py takes to run a test program on this runtime, in one word."""
        self.command(program)  # builds it
        return self.hosts(self.folder / "bin" / f"{program}.dll", *arguments)

    def hosts(self, path, *arguments):
        """What several_runtimes_host.py takes to run any program, by its path; the test programs have been built."""
        return shlex.join([str(self.libraries()), str(path), *map(str, arguments)])

    def libraries(self):
        """The folder of its base library. Self-contained programs bring it, once they are built."""
        if self.version:
            return self.folder / "bin"
        shared = Path(dotnet()).resolve().parent / "shared" / "Microsoft.NETCore.App"
        return max(shared.glob(f"{self.release}.*"))


# The installed SDK knows no net11.0: what it compiles for net10.0 runs on the runtime of .NET 11.
NET11 = Runtime("net11", "net10.0", "11.0.0")
NET10 = Runtime("net10", "net10.0")
NET9 = Runtime("net9", "net9.0", "9.0.23")
NET8 = Runtime("net8", "net8.0", "8.0.34")
ALL = [NET11, NET10, NET9, NET8]


def dotnet():
    """Path of the installed dotnet."""
    path = shutil.which("dotnet")
    if path is None:
        raise Unavailable("dotnet is not installed")
    return path


def sdk_folder():
    """Folder of the SDK that `dotnet` uses."""
    version = subprocess.run([dotnet(), "--version"], capture_output=True, text=True, check=True,
                             cwd=SOURCES).stdout.strip()
    return Path(dotnet()).resolve().parent / "sdk" / version


def reference_assemblies():
    """The framework's reference assemblies, from the newest installed targeting pack."""
    packs = Path(dotnet()).resolve().parent / "packs" / "Microsoft.NETCore.App.Ref"
    folders = sorted(packs.glob("*/ref/net*"))
    if not folders:
        raise Unavailable("no targeting pack is installed beside dotnet")
    return sorted(folders[-1].glob("*.dll"))


def sources_of(*folders):
    """The C# sources of test programs."""
    return [path for folder in folders for path in sorted((SOURCES / folder).glob("*.cs"))]


def compiler(output, sources=None):
    """The command line of the C# compiler, deterministic; by default on a test program of ten files."""
    sources = sources or sources_of("shapes", "common")
    return [dotnet(), str(sdk_folder() / "Roslyn" / "bincore" / "csc.dll"), "-nologo", "-noconfig",
            "-deterministic+", "-optimize+", "-unsafe+", "-nullable:enable", "-target:exe",
            f"-out:{output}", *(f"-r:{path}" for path in reference_assemblies()),
            *map(str, sources)]


def sdk_environment():
    """No servers that outlive a command, no greetings."""
    return dict(os.environ, DOTNET_CLI_USE_MSBUILD_SERVER="0", MSBUILDDISABLENODEREUSE="1",
                DOTNET_NOLOGO="1", DOTNET_CLI_TELEMETRY_OPTOUT="1")


def build_environment():
    """Of a build that nobody measures: MSBuild and the compilers run for seconds, of which the runtime spends a
    third on compiling their methods again."""
    return dict(sdk_environment(), DOTNET_TieredPGO="0", DOTNET_TC_CallCountThreshold="300")


@functools.cache
def build(runtime):
    """Builds the programs unless that was done already. Returns why it cannot be, or nothing.
    Those of the other runtimes are built beside them: whoever tests one tests most."""
    sources = digest(dotnet())
    if is_built(runtime, sources):
        return None
    order = [runtime, *(other for other in ALL if other != runtime)]
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        return list(pool.map(lambda one: build_from(sources, one), order))[0]


def is_built(runtime, sources):
    """From these sources, as digest() has them."""
    stamp = runtime.folder / "built-from"
    return stamp.exists() and stamp.read_text() == sources


def build_from(sources, runtime):
    """As build(), of one runtime."""
    runtime.folder.mkdir(parents=True, exist_ok=True)
    with locked(runtime.folder / "lock"):
        if is_built(runtime, sources):
            return None
        compiler_server = f"umbra-{os.getpid()}-{runtime.name}"
        command = [dotnet(), "build", "all.proj", "-nologo", "-v:quiet", "-nodeReuse:false",
                   f"-p:SharedCompilationId={compiler_server}",
                   f"-p:UmbraOut={runtime.folder}/", f"-p:UmbraFramework={runtime.framework}"]
        if runtime.version:
            command.append(f"-p:UmbraRuntime={runtime.version}")
        built = subprocess.run(command, cwd=SOURCES, env=build_environment(), text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        subprocess.run([dotnet(), sdk_folder() / "Roslyn" / "bincore" / "VBCSCompiler.dll",
                        f"-pipename:{compiler_server}", "-shutdown"], stdout=subprocess.DEVNULL, check=False)
        if built.returncode == 0:
            (runtime.folder / "built-from").write_text(sources)
            return None
    if any(code in built.stdout for code in ("NU1101", "NU1102", "NU1301", "NETSDK1112")):
        return f"the packages for {runtime.name} {runtime.version} cannot be restored here"
    raise AssertionError(f"the test programs do not build for {runtime.name}:\n{built.stdout}")


def digest(dotnet_path):
    """Changes with every source of the programs and with the installed SDK."""
    total = hashlib.sha256(str(Path(dotnet_path).resolve()).encode())
    for path in sorted(SOURCES.rglob("*")):
        if path.is_file():
            total.update(str(path.relative_to(SOURCES)).encode())
            total.update(path.read_bytes())
    return total.hexdigest()


@contextlib.contextmanager
def locked(path):
    """One builder at a time, also when ctest runs several test files at once."""
    with open(path, "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
