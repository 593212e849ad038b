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


def build(project, profiles, *options):
    profiles.mkdir()
    return subprocess.run([UMBRA, "run", *options, "--", runtimes.dotnet(), "build", str(project),
                           "-nologo", "-nodeReuse:false"], cwd=profiles, capture_output=True,
                          text=True, timeout=300, env=runtimes.sdk_environment())


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
