# SPDX-License-Identifier: MIT
"""File and line of functions, from the PDBs that compilers write: of the constructs of names and names_fs,
and of programs whose PDB is within them, elsewhere, another build's or missing."""
import shutil
import subprocess
from pathlib import Path

import pytest

import names_table
from profile_file import Profile
from runtimes import build_environment, dotnet
from umbra_runner import UMBRA, run_umbra

# Constructs that are the compiler's own code alone, which no line of the source stands for.
MADE_UP = ("record", "event", "anonymous", "union", "struct", "exception", "holds captured variables",
           "that nothing matches", "for a read-only list", "call of base from an async method")


def places(profile, module):
    """By name: file without its folders, and line."""
    functions, modules = profile["functions"], profile.column("modules", "name")
    return {name: (Path(file).name, int(line))
            for name, file, line, of in zip(profile.column("functions", "name"),
                                            profile.column("functions", "file"),
                                            functions["line"], functions["module"])
            if of >= 0 and modules[of] == module}


def is_at(construct, file, line):
    """A constructor begins with the initializers of fields, wherever they are."""
    return file == construct.file and (line in construct.lines or "constructor" in construct.title)


@pytest.mark.parametrize("program", names_table.PROGRAMS)
def test_lines_are_those_of_the_constructs(file, runtime, program):
    found = places(run_umbra(file, runtime.command(program)).profile, f"{program}.dll")
    wrong, right = [], 0
    for construct in names_table.constructs(program):
        known = [name for name in construct.calls if found.get(name, ("", 0))[1]]
        right += bool(known)
        if not known and not any(word in construct.title for word in MADE_UP):
            wrong.append(f"{construct.title}: no line for {list(construct.calls)}")
        wrong += [f"{construct.title}: {name} is at {found[name]}, not in {construct.file}, {construct.lines}"
                  for name in known if not is_at(construct, *found[name])]
    assert not wrong, "\n".join(wrong)
    assert right >= (60 if program == "names" else 25), right


CODE = """class P
{
    static int Twice(int n)
    {
        return 2 * n;
    }
#line 700 "Made.tt"
    static void Main() => System.Console.WriteLine(Twice(21));
}
"""
EXPECTED = {"P.Twice(int)": ("P.cs", 5), "P.Main()": ("Made.tt", 700)}
NONE = dict.fromkeys(EXPECTED, ("", 0))


def built(folder, *properties):
    """A program of its own, with its PDB as the properties of the build say."""
    folder.mkdir()
    (folder / "P.cs").write_text(CODE)
    (folder / "p.csproj").write_text("""<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup>
<OutputType>Exe</OutputType><TargetFramework>net10.0</TargetFramework><UseAppHost>false</UseAppHost>
<AssemblyName>p</AssemblyName><NuGetAudit>false</NuGetAudit></PropertyGroup></Project>""")
    subprocess.run([dotnet(), "build", folder, "-c", "Release", "-o", folder / "out", "-v:quiet", "-nologo",
                    "-nodeReuse:false", "-p:UseSharedCompilation=false", *properties],
                   check=True, env=build_environment(), stdout=subprocess.DEVNULL)
    return folder / "out"


def lines_of(tmp_path, folder, *options):
    """What a run of it says of its functions, and umbra info of its PDB."""
    file = tmp_path / "profile.h5"
    outcome = run_umbra(file, [dotnet(), folder / "p.dll"], "--no-inlining", *options)
    assert (outcome.status, outcome.stdout) == (0, "42\n")
    info = subprocess.run([UMBRA, "info", file], capture_output=True, text=True, check=True).stdout
    told = [line.split(None, 3) for line in info.splitlines() if "source lines" in line and " p.dll:" in line]
    assert len(told) == 1, info
    return places(Profile(file), "p.dll"), " ".join(told[0][2:] if told[0][0] == "source" else told[0][3:])


def test_pdbs_in_all_places(net10, tmp_path):
    folder = built(tmp_path / "beside")
    pdb = folder / "p.pdb"
    assert lines_of(tmp_path, folder) == (EXPECTED, f"p.dll: {pdb}")

    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    pdb.rename(elsewhere / "p.pdb")
    assert lines_of(tmp_path, folder) == (NONE, "p.dll: no PDB")
    assert lines_of(tmp_path, folder, "--symbols", tmp_path, "--symbols", elsewhere) == (
        EXPECTED, f"p.dll: {elsewhere / 'p.pdb'}")

    shutil.copy(Path(net10.command("fib")[-1]).with_suffix(".pdb"), pdb)
    assert lines_of(tmp_path, folder) == (NONE, f"p.dll: {pdb} is of another build")


@pytest.mark.parametrize("properties", [("-p:DebugType=embedded",), ("-p:Deterministic=false",),
                                        ("-p:DebugType=none", "-p:DebugSymbols=false")])
def test_pdbs_of_all_kinds(tmp_path, properties):
    folder = built(tmp_path / "built", *properties)
    lines, told = lines_of(tmp_path, folder)
    if "none" in properties[0]:
        assert lines == NONE and told in ("p.dll: no PDB", "p.dll: the module names no PDB")
    else:
        assert lines == EXPECTED
        assert told == ("p.dll: embedded" if "embedded" in properties[0] else f"p.dll: {folder / 'p.pdb'}")
