# SPDX-License-Identifier: MIT
"""Hosts that start the user's code themselves: dotnet test, the test console, dotnet watch."""
import re
import subprocess

import pytest

import runtimes
from profile_file import Profile
from umbra_runner import UMBRA, report, wait_until

PACKAGES = {"Microsoft.NET.Test.Sdk": "17.14.1", "xunit": "2.9.3",
            "xunit.runner.visualstudio": "3.1.5", "NUnit": "4.2.2", "MSTest.TestFramework": "3.8.3"}
PROPERTIES = """<TargetFramework>net10.0</TargetFramework><NuGetAudit>false</NuGetAudit>
<UseSharedCompilation>false</UseSharedCompilation>"""
TESTS = """
using System.Runtime.CompilerServices;
using System.Threading.Tasks;
using Microsoft.VisualStudio.TestTools.UnitTesting;
using Xunit;
using Assert = Xunit.Assert;
public sealed class OwnFactAttribute : FactAttribute { }
public class Tests
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Step(int i) => i & 7;
    [Fact]
    public void Calls()
    {
        int sum = 0;
        for (int i = 0; i < 1000; i++) { sum += Step(i); }
        Assert.Equal(3500, sum);
    }
    [Theory, InlineData(1), InlineData(2)]
    public void Twice(int i) => Assert.Equal(i, Step(i));
    [Fact]
    public async Task Waits()
    {
        Step(1);
        await Task.Delay(1);
        Step(2);
    }
    [OwnFact] public void OwnAttribute() => Step(1);
    // No test of xUnit, but such as other frameworks run.
    [NUnit.Framework.TestCase(1)] public void Case(int i) => Step(i);
    [NUnit.Framework.Combinatorial] public void Combines() => Step(2);
    [DataTestMethod] public void Data() => Step(3);
    public void Helps() => Step(4);
    [Fact]
    public void OfOthers()
    {
        Case(1);
        Combines();
        Data();
        Helps();
    }
    public class Inner : Base { }
    public abstract class Base
    {
        [Fact] public void Inherited() => Step(1);
    }
}
"""
# Calls of Step below each test, with the framework; calls of the test.
BELOW = {"Calls()": (1000, "xUnit", 1), "Twice(int)": (2, "xUnit", 2), "Waits()": (2, "xUnit", 1),
         "OwnAttribute()": (1, "xUnit", 1), "Case(int)": (1, "NUnit", 1),
         "Combines()": (1, "NUnit", 1), "Data()": (1, "MSTest", 1), "OfOthers()": (4, "xUnit", 1),
         "Base.Inherited()": (1, "xUnit", 1)}
PASSED = 7  # of xUnit, the two cases of Twice among them
STEPS = sum(steps for name, (steps, _, _) in BELOW.items()) - 3  # three are below two tests


@pytest.fixture(name="tests", scope="module")
def _tests(tmp_path_factory):
    """A built test project."""
    folder = tmp_path_factory.mktemp("tests")
    packages = "".join(f'<PackageReference Include="{name}" Version="{version}" />'
                       for name, version in PACKAGES.items())
    (folder / "tests.csproj").write_text(
        f'<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup>{PROPERTIES}</PropertyGroup>'
        f"<ItemGroup>{packages}</ItemGroup></Project>")
    (folder / "Tests.cs").write_text(TESTS)
    built = subprocess.run([runtimes.dotnet(), "build", "-nologo", "-nodeReuse:false"], cwd=folder,
                           env=runtimes.build_environment(), text=True, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT)
    if re.search(r"NU1\d\d\d: Unable|NU1301", built.stdout):
        pytest.skip("the packages of the test host cannot be restored here")
    assert built.returncode == 0, built.stdout
    return folder


COMMANDS = {"dotnet test": ["test", "--no-build", "-nologo"],
            "dotnet vstest": ["vstest", "bin/Debug/net10.0/tests.dll"]}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_test_host(tests, tmp_path, command):
    """One profile a process; that of the host has every call of the tests, and is the one shown."""
    profiles = tmp_path / "profiles"
    profiles.mkdir()
    done = subprocess.run([UMBRA, "run", "--tree=full", "-o", profiles / "a.h5", "--",
                           runtimes.dotnet(), *COMMANDS[command]], cwd=tests, text=True,
                          env=runtimes.sdk_environment(), capture_output=True, timeout=300)
    assert done.returncode == 0, done.stdout
    assert re.search(rf"Passed!.*Passed:\s+{PASSED}|Passed: {PASSED}", done.stdout), done.stdout
    opened = {path: Profile(path) for path in profiles.iterdir()}
    (host,) = [path for path, profile in opened.items()
               if "tests.dll" in profile.column("modules", "name")]
    assert "-testhost-" in host.name and "testhost" in opened[host].program
    assert opened[host].lost_events == 0 and opened[host].complete
    assert opened[host].calls("tests.dll")["Tests.Step"] == STEPS
    assert len(opened) > 1
    assert re.search(r"^\w+.* of CPU on", done.stderr, re.MULTILINE)[0].startswith("testhost")
    assert re.findall(r"umbra report (\S+) --details", done.stderr) == [str(host)]
    assert not re.findall(r"^umbra: (?!wrote |tests ran in ).*", done.stderr, re.MULTILINE), "nothing is amiss"
    check_tests(host)


def check_tests(path):
    """Each test is a root, with what it called below it."""
    # As measured: what probes cost is taken out of self times path by path, of inclusive ones as a whole.
    found = {}
    for test in report(path, "--by", "test", "--no-compensation")["tests"]:
        steps = sum(row["calls"] for row in test["below"] if row["name"] == "Tests.Step(int)")
        found[test["name"].removeprefix("Tests.")] = (steps, test["framework"], test["calls"])
        below_ns = sum(row["wall_self_ns"] for row in test["below"])
        assert below_ns <= test["wall_total_ns"] + len(test["below"]), test  # each rounded for itself
    assert found == BELOW


WATCHED = """
using System.Runtime.CompilerServices;
static class Program
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    static string Say(int i) => "before " + i;
    static void Main()
    {
        for (int i = 0; !System.IO.File.Exists("stop"); i++)
        {
            System.Console.WriteLine(Say(i));
            System.Threading.Thread.Sleep(50);
        }
    }
}
"""


def test_hot_reload(tmp_path):
    """dotnet watch: a method whose body is exchanged while it is timed is counted through."""
    folder, output = tmp_path / "watched", tmp_path / "output"
    folder.mkdir()
    (folder / "watched.csproj").write_text(
        f'<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup>{PROPERTIES}'
        "<OutputType>Exe</OutputType></PropertyGroup></Project>")
    source = folder / "Program.cs"
    source.write_text(WATCHED)
    with open(output, "w", encoding="utf-8") as out, \
            subprocess.Popen([UMBRA, "run", "-q", "-o", tmp_path / "a.h5", "--", runtimes.dotnet(),
                              "watch", "--non-interactive"], cwd=folder, stdin=subprocess.DEVNULL,
                             stdout=out, stderr=subprocess.STDOUT,
                             env=runtimes.sdk_environment()) as umbra:
        try:
            wait_for(output, r"^before 9$")
            wait_for(output, r"Waiting for changes$")  # it misses what is written before
            source.write_text(WATCHED.replace("before", "after"))
            wait_for(output, r"^after \d+$")
            (folder / "stop").touch()
            wait_for(output, r"Exited")
        finally:
            umbra.terminate()  # which it hands on
            umbra.wait(timeout=60)
    said = re.findall(r"^(before|after) (\d+)$", output.read_text(), re.MULTILINE)
    assert [int(number) for _, number in said] == list(range(len(said)))
    (profile,) = [profile for profile in map(Profile, tmp_path.glob("a*.h5"))
                  if "watched.dll" in profile.column("modules", "name")
                  and profile.calls("watched.dll")["Program.Main"]]
    assert profile.complete and profile.lost_events == 0
    assert profile.calls("watched.dll")["Program.Say"] == len(said)


def wait_for(path, pattern):
    if not wait_until(lambda: re.search(pattern, path.read_text(), re.MULTILINE), 120, step=0.1):
        pytest.fail(f"no '{pattern}' in:\n{path.read_text()}")
