# SPDX-License-Identifier: MIT
"""Probes in IL: every method of large libraries, rewritten and read back by a library that knows
nothing of umbra, and compiled by the runtime."""
import os
import subprocess
from pathlib import Path

import pytest

from running_program import Program, Capture
from runtimes import SOURCES, build_environment, dotnet, sdk_folder
from umbra_runner import FULL, output_of

REWRITE = os.environ.get("UMBRA_IL_REWRITE", "")
MUTATIONS = 1_000_000 if FULL else 100_000
# The greatest part of its methods that a library may have which cannot take probes.
MOST_REFUSED = 0.001


def libraries():
    """By name; what each has of its own is beside it in the comment."""
    shared = sorted((Path(dotnet()).resolve().parent / "shared" / "Microsoft.NETCore.App")
                    .glob("10.*"))[-1]
    sdk = sdk_folder()
    return {
        "System.Private.CoreLib": shared / "System.Private.CoreLib.dll",  # everything low-level
        "System.Linq": shared / "System.Linq.dll",  # generics, iterators
        "Microsoft.CodeAnalysis.CSharp": sdk / "Roslyn" / "bincore" / "Microsoft.CodeAnalysis.CSharp.dll",
        "FSharp.Core": sdk / "FSharp" / "FSharp.Core.dll",  # tail calls
    }


@pytest.fixture(scope="module")
def il_check(tmp_path_factory):
    """The command that reads back; it needs a package, so it is built apart from the others."""
    folder = tmp_path_factory.mktemp("il_check")
    built = subprocess.run(
        [dotnet(), "build", SOURCES / "il_check" / "il_check.csproj", "-nologo", "-v:quiet",
         "-nodeReuse:false", f"-p:UmbraOut={folder}/"],
        env=build_environment(), capture_output=True, text=True)
    if built.returncode != 0 and any(code in built.stdout for code in ("NU1101", "NU1301")):
        pytest.skip("the package dnlib cannot be restored here")
    assert built.returncode == 0, built.stdout
    return [dotnet(), folder / "bin" / "il_check.dll"]


@pytest.mark.parametrize("values", [(), ("--arguments",)])
@pytest.mark.parametrize("name", ["System.Private.CoreLib", "System.Linq",
                                  "Microsoft.CodeAnalysis.CSharp", "FSharp.Core"])
def test_every_method_is_rewritten_and_read_back(name, values, il_check, tmp_path):
    library = libraries()[name]
    rewritten = output_of(REWRITE, *values, library, tmp_path / "records")
    read = subprocess.run([*il_check, *values, library, tmp_path / "records"],
                          capture_output=True, text=True)
    assert (read.returncode, read.stderr) == (0, ""), read.stderr
    words = read.stdout.split()
    bodies, refused = int(words[0]), int(words[4])
    print(name, rewritten, read.stdout)
    assert bodies > 500
    assert refused <= MOST_REFUSED * bodies, rewritten


def test_mutated_methods_are_refused_or_the_same(net10):
    for name in ("System.Private.CoreLib", "FSharp.Core"):
        told = output_of(REWRITE, "--mutate", MUTATIONS // 2, libraries()[name])
        assert int(told.split()[0]) > MUTATIONS / 20, told


def test_the_runtime_compiles_what_was_rewritten(runtime, tmp_path):
    with Program(runtime, program="il_prepare", prepared=False) as program:
        for name in ("System.Linq", "System.Private.CoreLib"):
            capture = Capture(program.pid, tmp_path / f"{name}.h5", "--include", f"{name}!*")
            compiled, refused = map(int, program.ask(name).split())
            profile = capture.stop()
            assert "umbra: process" not in capture.rest, "the runtime has refused some"
            modules = profile.column("modules", "name")
            rewritten = sum(row["module"] >= 0 and modules[row["module"]] == f"{name}.dll"
                            for row in profile["functions"])
            print(runtime.name, name, compiled, refused, rewritten)
            assert compiled > 10 * refused
            # PrepareMethod leaves most explicit implementations of interfaces by generic types as they
            # were born; a call would not.
            assert rewritten > 0.7 * compiled
            assert profile.lost_events == 0
        program.end()
