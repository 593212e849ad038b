# SPDX-License-Identifier: MIT
"""File and line of functions, from the PDBs that compilers write: of every construct of tests/managed/names
and names_fs as the marks there say, and of a program whose PDB is within it, elsewhere, another build's or
missing."""
import functools
import re
import shutil
import subprocess
from collections import defaultdict
from pathlib import Path

import pytest

import line_marks
from runtimes import SOURCES, build_environment, compiler, dotnet
from umbra_runner import UMBRA, report, run_umbra, run_well

# Of each program a build for a debugger and one for release. The latter holds its PDB itself, and
# its paths begin with what a deterministic build has for the folder of the sources.
BUILDS = {
    "debug": ("-debug:portable", "-optimize-"),
    "release": ("-debug:embedded", "-optimize+", f"-pathmap:{SOURCES}=/_"),
}


def report_of(file):
    """The functions of `umbra report --json`."""
    return report(file, "--pieces")["functions"]


def places(functions, module):
    """By name: file without its folders, and line."""
    return {row["name"]: (Path(row["file"]).name, row["line"]) for row in functions if row["module"] == module}


@pytest.fixture(scope="module", name="work")
def _work(tmp_path_factory):
    return tmp_path_factory.mktemp("lines")


@functools.cache
def run_of(program, build, work):
    folder = work / f"{program}-{build}"
    command = line_marks.compiled(program, folder, *BUILDS[build])
    outcome = run_well(folder / "profile.h5", command, "--trivial")
    return program, build, folder, [row for row in report_of(outcome.file) if row["module"] == f"{program}.dll"]


@pytest.fixture(params=[(program, build) for program in line_marks.LANGUAGES for build in BUILDS], ids="-".join,
                name="run")
def _run(request, work):
    """(program, build, folder of the built program, its functions in the report)."""
    return run_of(*request.param, work)


def test_each_construct_begins_at_its_mark(run):
    program, build, _, functions = run
    expected, found = defaultdict(set), defaultdict(set)
    marks = line_marks.marks(program, optimized=build == "release")
    for mark in marks:
        for name in mark.functions:
            expected[name].add(mark.place)
    for row in functions:
        found[re.sub(r" \[body[^]]*\]", "", row["name"])].add((Path(row["file"]).name, row["line"]))
    wrong = [f"{name} is at {sorted(found[name])}, not at {sorted(places)}"
             for name, places in expected.items() if not found[name] <= places]
    wrong += [f"{mark.construct}: nothing is at {mark.place}" for mark in marks
              if not any(mark.place in found[name] for name in mark.functions)]
    assert not wrong, "\n".join(wrong + ["all:"] + [f"{name}: {places}" for name, places in sorted(found.items())])
    assert len({mark.construct for mark in marks}) >= (90 if program == "names" else 40)


def test_paths_are_those_the_compiler_was_given(run):
    program, build, _, functions = run
    folder = "/_" if build == "release" else str(SOURCES)
    sources = {path.name: f"{folder}/{program}/{path.name}"
               for path in (SOURCES / program).glob(line_marks.LANGUAGES[program])}
    known = [row["file"] for row in functions if Path(row["file"]).name in sources]
    assert len(known) >= 50
    assert [file for file in known if file != sources[Path(file).name]] == []


@pytest.mark.parametrize("run", [("names", build) for build in BUILDS], ids="-".join, indirect=True)
def test_generated_code_begins_in_the_file_of_its_generator(run):
    _, _, folder, functions = run
    for name, text in (("Names.Written.Word()", "Regex Word() =>"), ("Names.OrderJson.Default.get", " Default ")):
        row = next(row for row in functions if row["name"] == name)
        (source,) = folder.rglob(Path(row["file"]).name)
        assert text in source.read_text().splitlines()[row["line"] - 1], row


def test_every_method_with_code_in_the_source_has_a_line(run):
    _, _, _, functions = run
    without = {row["name"] for row in functions if row["line"] == 0}
    made_up = ("AnonymousType", "Names.Defaulted.", "closure", "<", "$", "Names.Shape.")
    assert {name for name in without if not any(word in name for word in made_up)} == set()


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
    outcome = run_umbra(file, [dotnet(), folder / "p.dll"], "--trivial", *options)
    assert (outcome.status, outcome.stdout) == (0, "42\n")
    info = subprocess.run([UMBRA, "info", file], capture_output=True, text=True, check=True).stdout
    told = [line.split(None, 3) for line in info.splitlines() if "source lines" in line and " p.dll:" in line]
    assert len(told) == 1, info
    return places(report_of(file), "p.dll"), " ".join(told[0][2:] if told[0][0] == "source" else told[0][3:])


def test_pdbs_in_all_places(tmp_path):
    folder = built(tmp_path / "beside")
    pdb = folder / "p.pdb"
    assert lines_of(tmp_path, folder) == (EXPECTED, f"p.dll: {pdb}")

    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    pdb.rename(elsewhere / "p.pdb")
    assert lines_of(tmp_path, folder) == (NONE, "p.dll: no PDB")
    assert lines_of(tmp_path, folder, "--symbols", tmp_path, "--symbols", elsewhere) == (
        EXPECTED, f"p.dll: {elsewhere / 'p.pdb'}")

    other = tmp_path / "other.dll"
    subprocess.run([*compiler(other, [tmp_path / "beside" / "P.cs"]), "-debug:portable", "-define:OTHER"], check=True)
    shutil.copy(other.with_suffix(".pdb"), pdb)
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
