# SPDX-License-Identifier: MIT
"""The marks of tests/managed/names and names_fs: where in the source functions begin.

A mark ends the line on which functions begin: `//@ CONSTRUCT: FUNCTION; FUNCTION`. Behind `//@` may stand
`{`: a build without optimization begins at the brace that opens the block; `R`: with optimization only;
`0`: the functions have no line; `=FILE:LINE `: they begin there, as #line says.
"""
import json
import re
import shutil
import subprocess
from dataclasses import dataclass, field

import runtimes

LANGUAGES = {"names": "*.cs", "names_fs": "*.fs"}
MARK = re.compile(r"//@(?P<kind>[{R0]?|=\S+) (?P<construct>[^:]+): (?P<functions>.+)$")
# What may stand between the brace that opens a block and its first statement.
NO_STATEMENT = re.compile(r"\s*(\{|try|do|checked|//.*|int twice;|)")


@dataclass
class Mark:
    """Functions that begin at one place; file without folders, line 0: nowhere."""

    construct: str
    functions: list = field(default_factory=list)
    place: tuple = ("", 0)


def marks(program, optimized):
    """All marks of a program that hold for such a build."""
    found = []
    for path in sorted((runtimes.SOURCES / program).glob(LANGUAGES[program])):
        lines = path.read_text().splitlines()
        for number, line in enumerate(lines, 1):
            if "//@" not in line:
                continue
            mark = MARK.search(line)
            assert mark, f"{path.name}:{number}: no mark as line_marks.py says"
            if mark["kind"] == "R" and not optimized:
                continue
            found.append(Mark(mark["construct"], mark["functions"].split("; "),
                              place_of(path.name, lines, number, mark["kind"], optimized)))
    return found


def place_of(file, lines, number, kind, optimized):
    if kind == "0":
        return "", 0
    if kind.startswith("="):
        file, _, line = kind[1:].rpartition(":")
        return file, int(line)
    return file, brace_above(lines, number) if kind == "{" and not optimized else number


def brace_above(lines, number):
    """The line of the outermost brace that opens a block whose first statement is on line `number`."""
    brace = number
    for at in range(number - 1, 0, -1):
        if not NO_STATEMENT.fullmatch(lines[at - 1]):
            break
        if lines[at - 1].strip() == "{":
            brace = at
    assert brace != number, f"no brace above {lines[number - 1]}"
    return brace


def compiled(program, folder, *options):
    """Compiles it into `folder`. Returns the command that starts it."""
    sdk, library = runtimes.sdk_folder(), folder / f"{program}.dll"
    common = ["-target:exe", "-deterministic+", *options, f"-out:{library}"]
    references = [f"-r:{path}" for path in runtimes.reference_assemblies()]
    folder.mkdir(parents=True, exist_ok=True)
    if program == "names":
        generators = sorted((runtimes.reference_assemblies()[0].parents[2] / "analyzers" / "dotnet" / "cs")
                            .glob("System.Text.*.dll"))
        command = [sdk / "Roslyn" / "bincore" / "csc.dll", "-nologo", "-noconfig", "-langversion:14",
                   "-unsafe+", "-nullable:enable", *(f"-analyzer:{path}" for path in generators),
                   f"-generatedfilesout:{folder}"]
    else:
        command = [sdk / "FSharp" / "fsc.dll", "--nologo", "--noframework", "--targetprofile:netcore",
                   f"-r:{sdk / 'FSharp' / 'FSharp.Core.dll'}"]
        common = [f"-{option}" for option in common]  # the same, with two dashes
        shutil.copy(sdk / "FSharp" / "FSharp.Core.dll", folder)
    sources = sorted((runtimes.SOURCES / program).glob(LANGUAGES[program]))  # F# wants them in this order
    done = subprocess.run([runtimes.dotnet(), *command, *common, *references, *sources], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=runtimes.build_environment())
    assert done.returncode == 0, done.stdout
    version = runtimes.reference_assemblies()[0].parent.name.removeprefix("net")
    library.with_suffix(".runtimeconfig.json").write_text(json.dumps({"runtimeOptions": {
        "framework": {"name": "Microsoft.NETCore.App", "version": f"{version}.0"}}}))
    return [runtimes.dotnet(), library]
