# SPDX-License-Identifier: MIT
"""Children of the program are profiled too: `umbra run -- dotnet build`, one profile a process."""
import subprocess

import pytest

import runtimes
from profile_file import Profile
from umbra_runner import UMBRA

PROJECT = """
<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <OutputType>Exe</OutputType>
    <TargetFramework>net10.0</TargetFramework>
    <UseAppHost>false</UseAppHost>
    <UseSharedCompilation>false</UseSharedCompilation>
    <NuGetAudit>false</NuGetAudit>
  </PropertyGroup>
</Project>
"""
SOURCE = 'System.Console.WriteLine("built under umbra");'


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "small"
    folder.mkdir()
    (folder / "small.csproj").write_text(PROJECT)
    (folder / "Program.cs").write_text(SOURCE)
    return folder


def under_umbra(profiles, *command, options=()):
    profiles.mkdir()
    return subprocess.run([UMBRA, "run", *options, "--", runtimes.dotnet(), *command],
                          cwd=profiles, capture_output=True, text=True, timeout=300,
                          env=runtimes.sdk_environment())


def build(project, profiles, *options):
    return under_umbra(profiles, "build", str(project), "-nologo", "-nodeReuse:false",
                       options=options)


def check_program(project):
    (program,) = project.glob("bin/*/net10.0/small.dll")
    done = subprocess.run([runtimes.dotnet(), str(program)], capture_output=True, text=True)
    assert done.stdout == "built under umbra\n"


def test_a_build_succeeds_and_leaves_a_profile_a_process(tmp_path, project):
    profiles = tmp_path / "profiles"
    done = build(project, profiles)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 Warning(s)" in done.stdout and "0 Error(s)" in done.stdout, done.stdout
    check_program(project)

    opened = [Profile(path) for path in profiles.iterdir()]
    assert len({profile.pid for profile in opened}) == len(opened)
    assert all(profile.complete for profile in opened)
    assert all(profile.lost_events == 0 for profile in opened)
    programs = [profile.program for profile in opened]
    assert {"csc", "csc.dll"} & set(programs), programs
    assert len(opened) >= 2


def test_no_follow_profiles_the_first_process_alone(tmp_path, project):
    profiles = tmp_path / "profiles"
    done = build(project, profiles, "--no-follow")
    assert done.returncode == 0, done.stdout + done.stderr
    check_program(project)
    (only,) = profiles.iterdir()
    assert "csc" not in Profile(only).program


def test_dotnet_run_ends_with_the_hot_list_of_the_program_it_has_built(tmp_path, project):
    profiles = tmp_path / "profiles"
    done = under_umbra(profiles, "run", "--project", str(project))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("built under umbra\n")

    (shown,) = [line for line in done.stderr.splitlines() if line.endswith(" (shown above)")]
    name = shown.removeprefix("umbra: wrote ").removesuffix(" (shown above)")
    assert Profile(profiles / name).program == "small.dll"
    assert "Program.Main" in done.stderr, done.stderr
    assert f"umbra view {name}" in done.stderr, done.stderr
    assert "Microsoft.Build" not in done.stderr, done.stderr

    report = subprocess.run([UMBRA, "report"], cwd=profiles, capture_output=True, text=True)
    assert f"{name} is the newest profile" in report.stderr, report.stderr
