# SPDX-License-Identifier: MIT
"""The diagnoser of BenchmarkDotNet: what it times, shows and leaves behind, and what without umbra."""
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree
import zipfile

import pytest

import benchmarks
import runtimes
from profile_file import Profile
from umbra_runner import FULL, UMBRA, output_of

# Two iterations of so many calls of the benchmark, and nothing that depends on the machine's speed.
CALLS = 64
JOB = ["--invocationCount", str(CALLS), "--unrollFactor", "1", "--iterationCount", "2",
       "--warmupCount", "1", "--launchCount", "1"]
JOB_NAME = f"InvocationCount={CALLS},IterationCount=2,LaunchCount=1,UnrollFactor=1,WarmupCount=1"
ARTICLES = 1000
PLANTED = "Acme.Baskets.FindInList(int)"


def recorded(folder):
    """A program umbra that keeps its command lines, and the file it keeps them in."""
    program, log = folder / "umbra", folder / "commands"
    program.write_text(f'#!/bin/sh\necho "$@" >> {log}\nexec {UMBRA} "$@"\n')
    program.chmod(0o755)
    return program, log


@pytest.fixture(name="ran", scope="module")
def _ran(tmp_path_factory):
    """One run of all benchmarks: its output, its folder of artifacts, and what umbra was asked."""
    folder = tmp_path_factory.mktemp("benchmarks")
    program, log = recorded(tmp_path_factory.mktemp("recorded"))
    job = ["--job", "short"] if FULL else JOB
    which = ["*"] if FULL else ["*Baskets*", "*Steps*", "*Trees*"]
    output = benchmarks.run(folder, "--filter", *which, *job, UMBRA_PATH=str(program))
    return output, folder, log.read_text().splitlines()


def rows(output):
    """The summary's rows of all benchmarks, by method: text by column."""
    found = {}
    for table in re.findall(r"^\| Method .*\n\|-.*\n(?:\|.*\n)+", output, re.MULTILINE):
        header, _, *lines = [[cell.strip() for cell in line.split("|")[1:-1]]
                             for line in table.splitlines()]
        found.update({line[0]: dict(zip(header, line)) for line in lines})
    return found


def profile(folder, benchmark):
    return folder / "umbra" / f"{benchmark}-{'ShortRun' if FULL else JOB_NAME}.h5"


def test_the_hottest_method_is_the_planted_one(ran):
    output, _, _ = ran
    row = rows(output)["PriceByList"]
    assert row["hottest method"] == PLANTED, output
    assert row["calls/op of hottest"] == f"{ARTICLES:,}"


def test_the_workload_stage_alone_is_timed(ran):
    """Neither warm-up, overhead and the stage of memory, nor setup, nor BenchmarkDotNet itself."""
    _, folder, _ = ran
    timed = Profile(profile(folder, f"Acme.Baskets.PriceByList(Articles={ARTICLES})"))
    assert timed.complete and timed.lost_events == 0
    calls = timed.calls("benchmarks.dll")
    invocations = calls["Baskets.PriceByList"]
    assert invocations == 2 * CALLS or (FULL and invocations > 0), calls
    assert calls["Baskets.FindInList"] == ARTICLES * invocations
    assert not calls["Baskets.Fill"]
    others = {method for module in timed.column("modules", "name") if module != "benchmarks.dll"
              for method, count in timed.calls(module).items() if count}
    assert all("Runnable_" in method and "lambda" in method for method in others), others


def test_operations_of_any_benchmark(ran):
    """In a generic class, asynchronous, several operations a call; a method left out."""
    _, folder, _ = ran
    (file,) = folder.glob("umbra/Acme.More.Steps_Int32_.Awaits-*.h5")
    calls = Profile(file).calls("benchmarks.dll")
    (steps,) = [count for name, count in calls.items() if name.endswith("Step")]
    assert not sum(count for name, count in calls.items() if name.endswith("LeftOut"))
    (text,) = [path.read_text() for path in folder.glob("results/*Steps*-report-umbra.md")]
    assert f"{steps // 3:,} operations." in text and steps % (12 * 2) == 0
    assert re.search(r"^And 1 method more\.$", text, re.MULTILINE), text


def test_what_is_no_operation(ran):
    """Methods of the benchmark's name that it calls, and what prepares and ends an iteration."""
    output, folder, _ = ran
    (text,) = [path.read_text() for path in folder.glob("results/*Trees*-report-umbra.md")]
    found = {cells[6].strip(): cells for cells in (line.split("|") for line in text.splitlines())
             if len(cells) > 6 and cells[6].strip().startswith("Acme.")}
    leaf = "Acme.More.Trees.Leaf(Dictionary&lt;string, List&lt;int>>, (int, string)?)"
    assert {name: cells[5].strip() for name, cells in found.items()} == {
        "Acme.More.Trees.Count()": "1", "Acme.More.Trees.Count(int)": "63", leaf: "32"}, text
    if not FULL:
        assert f"\n{2 * CALLS} operations.\n" in text
        assert found[leaf][4].strip() == f"{2 * CALLS * 32:,}"
    # As many of its characters as the summary has room for.
    assert rows(output)["Count"]["hottest method"] == "Acme.More.Trees.Leaf(..)"


@pytest.mark.skipif(not FULL, reason="takes longer than a second: UMBRA_FULL=1")
def test_a_capture_ends_in_time(ran):
    output, folder, _ = ran
    assert rows(output)["Nap"]["calls/op of hottest"] == "~1", output
    (text,) = [path.read_text() for path in folder.glob("results/*Naps*-report-umbra.md")]
    assert "The capture ended before the workload stage did" in text


def test_measured_runs_have_nothing_of_umbra(ran):
    """Each benchmark is captured once, in its last run; only that process has the variables."""
    output, _, commands = ran
    asked = "".join(command.split()[0] + " " for command in commands)
    # The capture of Naps has ended by itself.
    assert asked.count("env start stop report report ") == 4 and asked.count("env ") == (5 if FULL else 4)
    # Where set-ups have to be told apart, the paths of calls are asked for.
    assert asked.count("env start stop report report report ") == 1
    assert asked.count("env start report report ") == (1 if FULL else 0)
    told = re.findall(r"^profiler: (.*)\.$", output, re.MULTILINE)
    assert len(told) == 2 and told[0] == "" and told[1].endswith(".so"), told


def test_the_report(ran):
    _, folder, _ = ran
    text = (folder / "results" / "Acme.Baskets-report-umbra.md").read_text()
    (row,) = [line.split("|") for line in text.splitlines() if PLANTED in line]
    self_share, calls_each = row[1].strip(), row[5].strip()
    assert float(self_share.split()[0]) > 50 and calls_each == f"{ARTICLES:,}"
    assert str(profile(folder, f"Acme.Baskets.PriceByList(Articles={ARTICLES})")) in text


def test_two_versions_compare(ran):
    _, folder, _ = ran
    files = [profile(folder, f"Acme.Baskets.{name}(Articles={ARTICLES})")
             for name in ("PriceByList", "PriceByDictionary")]
    assert "FindInList" in output_of(UMBRA, "diff", *files)


@pytest.mark.parametrize("path", ["", "/nowhere/umbra"])
def test_without_umbra(ran, tmp_path, path):
    """One line in validation, and the benchmarks run."""
    del ran  # the program is built
    folders = [folder for folder in os.environ["PATH"].split(os.pathsep)
               if shutil.which("umbra", path=folder) is None]
    output = benchmarks.run(tmp_path, "--filter", "*ByList", "--inProcess", *JOB, UMBRA_PATH=path,
                            PATH=os.pathsep.join(folders))
    said = [line for line in output.splitlines() if "UmbraDiagnoser:" in line]
    assert len(said) == 1 and "the benchmarks run without profiles" in said[0], output
    assert ("'/nowhere/umbra'" if path else "PATH") in said[0]
    row = rows(output)["PriceByList"]
    assert row["Mean"].endswith("s") and "hottest method" not in row
    assert not (tmp_path / "umbra").exists()
    (text,) = [file.read_text() for file in tmp_path.glob("results/*-report-umbra.md")]
    assert f"No profile: {said[0].split('UmbraDiagnoser: ')[1].split(';')[0]}" in text


def test_in_process_benchmarks_run_unprofiled(ran, tmp_path):
    del ran
    output = benchmarks.run(tmp_path, "--filter", "*ByList", "--inProcess", *JOB, UMBRA_PATH=UMBRA)
    said = [line for line in output.splitlines() if "UmbraDiagnoser:" in line]
    assert len(said) == 1 and "runs in this process" in said[0], output
    assert rows(output)["PriceByList"]["Mean"].endswith("s")


def test_the_package(ran, tmp_path):
    """What was restored is enough to make it; it has the library, its documentation and a readme."""
    del ran
    packed = subprocess.run([runtimes.dotnet(), "pack", "-c", "Release", "--no-build", "-nologo",
                             "-nodeReuse:false", "-o", tmp_path], cwd=benchmarks.PACKAGE, text=True,
                            env=runtimes.build_environment(), capture_output=True)
    assert packed.returncode == 0, packed.stdout
    (file,) = tmp_path.glob("Umbra.BenchmarkDotNet.*.nupkg")
    with zipfile.ZipFile(file) as package:
        names = set(package.namelist())
        assert {"README.md", "lib/net8.0/Umbra.BenchmarkDotNet.dll",
                "lib/net8.0/Umbra.BenchmarkDotNet.xml"} <= names
        about = xml.etree.ElementTree.fromstring(package.read("Umbra.BenchmarkDotNet.nuspec"))
    needed = [(one.get("id"), one.get("version")) for one in about.iter() if one.tag.endswith("}dependency")]
    assert needed == [("BenchmarkDotNet", "0.14.0")]
