# SPDX-License-Identifier: MIT
"""Whole real programs, set up from nothing, to run bare or under something.

Each function of PROGRAMS installs and generates what its program needs in a folder that is kept, and
answers a Workload. It raises runtimes.Unavailable with the reason if that cannot be had.
"""
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "tests" / "integration" / "support"))
import runtimes  # noqa: E402  (found beside the integration tests)
from csharp_library import write_library  # noqa: E402
from fsharp_program import write_program  # noqa: E402

# Not in the build folder: the formatter leaves alone what git ignores.
FOLDER = Path(tempfile.gettempdir()) / f"umbra-programs-{os.getuid()}"
LIBRARY_FILES = 210
PROGRAM_MODULES = 80
CSHARPIER = "1.3.0"
DECOMPILER = "11.0.0.9375"
VISITOR_ROUNDS = 40
DECOMPILED = "System.Text.Json"  # every DECOMPILED_EVERY-th type of it
DECOMPILED_EVERY = 8


@dataclass
class Workload:
    """A program to run once. `options` are umbra's; `result` names the file whose contents are the
    program's outcome, without one it is what the program prints; `times` is what to leave out of that."""

    command: list
    options: list = field(default_factory=list)
    environment: dict = field(default_factory=dict)
    folder: Path = None  # it runs there
    result: Path = None
    times: str = "$^"  # a pattern
    says: str = ""  # it must have printed this, or has not done its work
    least_events: int = 1  # fewer, and it has not been timed

    def outcome(self, printed):
        """The same after each run that did its work; nothing if it did not."""
        if self.says not in printed:
            return None
        text = (self.result.read_bytes() if self.result
                else re.sub(self.times, "", printed).encode())
        return hashlib.sha256(text).hexdigest()


def required(command, what, **options):
    """Runs a step of a set-up; Unavailable with the last it said if it fails."""
    done = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, env=runtimes.build_environment(), **options)
    if done.returncode != 0:
        lines = done.stdout.strip().splitlines() or ["it said nothing"]
        raise runtimes.Unavailable(f"{what}: {next((one for one in lines if 'error' in one), lines[-1])}")


def fresh(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def library(folder, files):
    """The generated C# library of so many files."""
    return write_library(fresh(folder / f"library-{files}"), files)


def compiled_library(folder, files, parallel):
    output = folder / f"library{'' if parallel else '-serial'}.dll"
    command = ["-target:library" if word == "-target:exe" else word
               for word in runtimes.compiler(output, library(folder, files))]
    return Workload(command + ([] if parallel else ["-parallel-"]), result=output,
                    least_events=10_000_000)


def csc_library(folder, files=LIBRARY_FILES):
    return compiled_library(folder, files, parallel=True)


def csc_library_serial(folder, files=LIBRARY_FILES):
    return compiled_library(folder, files, parallel=False)


def csc_small(folder, options=("--include", "csc!*")):
    output = folder / "small.dll"
    return Workload(runtimes.compiler(output, [HERE.parent / "overhead" / "small.cs"]),
                    options=list(options), result=output)


def csc_small_roslyn(folder):
    return csc_small(folder, ())


def csc_small_framework(folder):
    return csc_small(folder, ("--framework",))


def fsc(folder, modules=PROGRAM_MODULES):
    sources = write_program(fresh(folder / f"fsharp-{modules}"), modules)
    sdk = runtimes.sdk_folder()
    output = folder / "fsharp.exe"
    return Workload([runtimes.dotnet(), str(sdk / "FSharp" / "fsc.dll"), "--nologo",
                     "--noframework", "--targetprofile:netcore", "--optimize+", "--deterministic+",
                     f"-o:{output}", f"-r:{sdk / 'FSharp' / 'FSharp.Core.dll'}",
                     *(f"-r:{path}" for path in runtimes.reference_assemblies()),
                     *map(str, sources)], result=output, least_events=10_000_000)


PROJECT = """<Project Sdk="{sdk}">
  <PropertyGroup>
    <TargetFramework>net10.0</TargetFramework>
    <Nullable>enable</Nullable>
    <UseAppHost>false</UseAppHost>
    {properties}
  </PropertyGroup>
  <ItemGroup>
    {items}
  </ItemGroup>
</Project>
"""

WEB_MAIN = """WebApplication app = WebApplication.CreateSlimBuilder(args).Build();
app.MapGet("/", () => "hello");
app.Run();
"""


BUILD_OPTIONS = ["-nologo", "-v:quiet", "-nodeReuse:false", "-p:UseSharedCompilation=false"]
NO_SERVERS = {"MSBUILDDISABLENODEREUSE": "1", "DOTNET_CLI_USE_MSBUILD_SERVER": "0"}


def write_project(folder, name, sdk, items=(), properties=()):
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.csproj"
    path.write_text(PROJECT.format(sdk=sdk, items="\n    ".join(items),
                                   properties="\n    ".join(properties)))
    return path


def msbuild(folder, libraries=2, files=4):
    """Rebuilds a web project and the libraries it refers to; nodes and compilers are processes."""
    root = fresh(folder / "web")
    references = []
    for number in range(1, libraries + 1):
        project = write_project(root / f"Part{number}", f"Part{number}", "Microsoft.NET.Sdk")
        write_library(project.parent, files, seed=number)
        references.append(f'<ProjectReference Include="../Part{number}/Part{number}.csproj" />')
    web = write_project(root / "Web", "Web", "Microsoft.NET.Sdk.Web", references,
                        ["<ImplicitUsings>enable</ImplicitUsings>"])
    (web.parent / "Program.cs").write_text(WEB_MAIN)
    required([runtimes.dotnet(), "restore", web], "the project cannot be restored", cwd=root)
    return Workload([runtimes.dotnet(), "build", str(web), "-t:Rebuild", "--no-restore", "-m:2",
                     "-clp:NoSummary;ErrorsOnly", *BUILD_OPTIONS], environment=NO_SERVERS, folder=root,
                    result=web.parent / "bin" / "Debug" / "net10.0" / "Web.dll")


SMALL_MAIN = """int sum = 0;
for (int i = 0; i < 10; i++) { sum += Part.Of(i); }
System.Console.WriteLine(sum);
static class Part { public static int Of(int i) => i * i; }
"""


def dotnet_build(folder):
    root = fresh(folder / "small")
    project = write_project(root, "small", "Microsoft.NET.Sdk", (), ["<OutputType>Exe</OutputType>"])
    (root / "Program.cs").write_text(SMALL_MAIN)
    required([runtimes.dotnet(), "restore", project], "the project cannot be restored", cwd=root)
    return Workload([runtimes.dotnet(), "build", str(project), "-t:Rebuild", "--no-restore",
                     "-clp:NoSummary;ErrorsOnly", *BUILD_OPTIONS], environment=NO_SERVERS, folder=root,
                    result=root / "bin" / "Debug" / "net10.0" / "small.dll")


TEST_PACKAGES = {"Microsoft.NET.Test.Sdk": "17.14.1", "xunit": "2.9.3",
                 "xunit.runner.visualstudio": "3.1.5"}
SMALL_TESTS = """public class SmallTests
{
    static int Weight(string word)
    {
        int sum = 0;
        foreach (char letter in word) { sum = sum * 31 + letter; }
        return sum;
    }

    [Xunit.Theory, Xunit.InlineData(1), Xunit.InlineData(2), Xunit.InlineData(3)]
    public void Repeats(int number) =>
        Xunit.Assert.Equal(Weight(new string('a', number)), Weight("aaa".Substring(0, number)));

    [Xunit.Fact]
    public void Differs() => Xunit.Assert.NotEqual(Weight("ab"), Weight("ba"));
}
"""


def dotnet_test(folder):
    root = fresh(folder / "small-tests")
    packages = [f'<PackageReference Include="{name}" Version="[{version}]" />'
                for name, version in TEST_PACKAGES.items()]
    project = write_project(root, "small-tests", "Microsoft.NET.Sdk", packages,
                            ["<NuGetAudit>false</NuGetAudit>"])
    (root / "SmallTests.cs").write_text(SMALL_TESTS)
    required([runtimes.dotnet(), "build", project, *BUILD_OPTIONS], "the tests cannot be built", cwd=root)
    return Workload([runtimes.dotnet(), "test", str(project), "--no-build", "-nologo",
                     "-nodeReuse:false"], environment=NO_SERVERS, folder=root, times="Duration: .*",
                    says="Passed!")


def hello(folder):
    output = fresh(folder / "hello") / "hello.dll"
    source = output.with_suffix(".cs")
    source.write_text('System.Console.WriteLine("hello");\n')
    required(runtimes.compiler(output, [source]), "the program cannot be compiled")
    write_runtime_config(output)
    return Workload([runtimes.dotnet(), str(output)], says="hello")


def write_runtime_config(program):
    framework = {"name": "Microsoft.NETCore.App", "version": "10.0.0"}
    program.with_suffix(".runtimeconfig.json").write_text(json.dumps(
        {"runtimeOptions": {"tfm": "net10.0", "framework": framework}}))


def formatter(folder, files=LIBRARY_FILES):
    """Formats the library, and writes nothing."""
    tool = folder / f"csharpier-{CSHARPIER}"
    if not (tool / "csharpier").exists():
        required([runtimes.dotnet(), "tool", "install", "csharpier", "--version", CSHARPIER,
                  "--tool-path", tool], f"CSharpier {CSHARPIER} cannot be installed")
    sources = library(folder, files)[0].parent
    return Workload([str(tool / "csharpier"), "format", "--no-cache", "--skip-write",
                     str(sources)], times=r"in \d+ms", says=f"Formatted {files} files in",
                    least_events=10_000_000)


def decompiler(folder):
    """Types of a framework assembly, on two threads."""
    program = folder / f"decompile-{DECOMPILER}"
    project = write_project(
        program, "decompile", "Microsoft.NET.Sdk",
        [f'<PackageReference Include="ICSharpCode.Decompiler" Version="[{DECOMPILER}]" />',
         f'<Compile Include="{HERE / "decompile.cs"}" />'],
        ["<OutputType>Exe</OutputType>",
         "<EnableDefaultCompileItems>false</EnableDefaultCompileItems>"])
    required([runtimes.dotnet(), "build", project, "-c", "Release", "-nologo", "-o",
              program / "out"], "the decompiler cannot be built")
    assembly = next(path for path in shared_framework().glob(f"{DECOMPILED}.dll"))
    return Workload([runtimes.dotnet(), str(program / "out" / "decompile.dll"), str(assembly), "2",
                     str(DECOMPILED_EVERY)], least_events=10_000_000)


def shared_framework():
    """The folder of the runtime that `dotnet` uses."""
    listed = subprocess.run([runtimes.dotnet(), "--list-runtimes"], check=True, text=True,
                            capture_output=True).stdout
    name, version, folder = [line.split(None, 2) for line in listed.splitlines()
                             if line.startswith("Microsoft.NETCore.App ")][-1]
    return Path(folder.strip("[]")) / version


def visitor(folder, threads=16, rounds=VISITOR_ROUNDS):
    output = folder / "visitor.dll"
    required(runtimes.compiler(output, [HERE / "visitor.cs"]), "the visitor cannot be compiled")
    write_runtime_config(output)
    return Workload([runtimes.dotnet(), str(output), str(threads), str(rounds)],
                    least_events=10_000_000)


PROGRAMS = {"csc_small": csc_small, "csc_small_roslyn": csc_small_roslyn,
            "csc_small_framework": csc_small_framework, "csc_library": csc_library,
            "csc_library_serial": csc_library_serial, "fsc": fsc, "msbuild": msbuild,
            "dotnet_build": dotnet_build, "dotnet_test": dotnet_test, "hello": hello,
            "formatter": formatter, "decompiler": decompiler, "visitor": visitor}
