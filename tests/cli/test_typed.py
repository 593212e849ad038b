# SPDX-License-Identifier: MIT
"""Commands as people type them: without a file, with a name for a number, with a pattern copied from a report."""

import json
import os
from pathlib import Path

import pytest


@pytest.fixture
def dated(sample, tmp_path):
    """Profiles of this folder, the oldest first."""

    def make(*variants):
        for number, variant in enumerate(variants):
            os.utime(sample(variant), (1000 + number, 1000 + number))

    return make


def test_umbra_alone_prints_its_help(umbra):
    alone = umbra()
    assert (alone.returncode, alone.stderr) == (0, "")
    assert alone.stdout == umbra("--help").stdout


@pytest.mark.parametrize("command", ["report", "info"])
def test_without_a_file_the_newest_profile_is_taken(umbra, dated, tmp_path, command):
    dated("plain", "wall")
    (tmp_path / "notes.h5").write_text("no profile")
    ran = umbra(command)
    assert (ran.returncode, ran.stderr) == (0, "umbra: wall.h5 is the newest profile in this folder\n")
    assert ran.stdout == umbra(command, "wall.h5").stdout


@pytest.mark.parametrize("command", ["report", "info", "view", "diff"])
def test_a_folder_without_profiles_says_so(umbra, command):
    assert "there is no profile in this folder; 'umbra run -- PROGRAM' writes one" in umbra.fails(1, command)


def test_of_one_profile_there_is_no_diff(umbra, sample):
    sample()
    assert "there is only one profile in this folder" in umbra.fails(1, "diff")


def test_of_several_files_the_newest_is_named(umbra, dated):
    dated("wall", "plain", "empty")
    said = umbra.fails(2, "report", "empty.h5", "plain.h5", "wall.h5")
    assert said.startswith("umbra: report shows one profile, 3 were given; the newest is 'empty.h5'; see")


@pytest.mark.parametrize("command", ["start", "stop", "detach", "attach", "top"])
def test_a_process_that_does_not_run_is_said(umbra, command):
    assert "there is no .NET process called 'no-such-shop'" in umbra.fails(1, command, "no-such-shop")
    assert "no process can have the number 99999999999" in umbra.fails(1, command, "99999999999")


@pytest.mark.parametrize(
    ("pattern", "method"),
    [
        ("Acme.Pricing.Fib(int)", "Acme.Pricing.Fib(int)"),
        ("Fib", "Acme.Pricing.Fib(int)"),
        ("Pricing.*", "Acme.Pricing.Fib(int)"),
        ("acme.pricing.fib", "Acme.Pricing.Fib(int)"),
        ("Acme.Cart<Item>.Add(Item, int)", "Acme.Cart<Item>.Add(Item, int)"),
        ("Cart.add", "Acme.Cart<Item>.Add(Item, int)"),
    ],
)
def test_names_copied_from_a_report_match(umbra, sample, pattern, method):
    ran = umbra("report", sample(), "--json", "--include", pattern)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert [row["name"] for row in json.loads(ran.stdout)["functions"]] == [method]


def test_a_pattern_that_matches_nothing_says_what_is_near(umbra, sample):
    sample()
    said = umbra.fails(1, "report", "plain.h5", "--include", "Acme.Pricng.*")
    assert said == "umbra: --include 'Acme.Pricng.*' matches no method of 'plain.h5'; nearest: Acme.Pricing.*\n"
    assert "nearest: Fib" in umbra.fails(1, "report", "plain.h5", "--callers", "Fbi")
    left = umbra("report", "plain.h5", "--json", "--exclude", "Acme.Pricng.*")
    assert left.returncode == 0 and "--exclude 'Acme.Pricng.*' matches no method" in left.stderr
    assert left.stdout == umbra("report", "plain.h5", "--json").stdout


def test_output_replaces_no_file_that_is_no_profile(umbra, tmp_path):
    (tmp_path / "precious.txt").write_text("mine")
    for options in [], ["--force"]:
        said = umbra.fails(1, "run", *options, "-o", "precious.txt", "--", "true")
        assert said == ("umbra: 'precious.txt' is there and is no profile: umbra does not replace it; "
                        "name another file with -o\n")
    assert (tmp_path / "precious.txt").read_text() == "mine"


@pytest.mark.parametrize("command", [["run", "--", "true"], ["start", "1"], ["attach", "1"], ["demo"]])
def test_output_replaces_a_profile_when_told_to(umbra, sample, command):
    before = sample().read_bytes()
    said = umbra.fails(1, command[0], "-o", "plain.h5", *command[1:])
    assert said.startswith("umbra: 'plain.h5' is a profile that is there already: --force replaces it")
    assert (umbra.folder / "plain.h5").read_bytes() == before


def test_a_demo_replaces_what_it_may(umbra, sample):
    before = sample().read_bytes()
    assert umbra("demo", "-q", "--force", "-o", "plain.h5").returncode == 0
    assert (umbra.folder / "plain.h5").read_bytes() != before


def test_what_is_no_program_is_said_before_anything_starts(umbra, tmp_path):
    (tmp_path / "shop.dll").write_text("MZ")
    for name in "shop.dll", "./shop.dll":
        assert umbra.fails(127, "run", "--", name) == (
            f"umbra: '{name}' is a .NET assembly, no program: umbra run -- dotnet {name}\n")
    (tmp_path / "Ann's shop.dll").write_text("MZ")
    assert umbra.fails(127, "run", "--", "Ann's shop.dll").endswith(
        "umbra run -- dotnet 'Ann'\\''s shop.dll'\n")
    assert umbra.fails(127, "run", "--", "dotnet", "missing.dll") == (
        "umbra: there is no file 'missing.dll' for dotnet to run\n")
    assert "cannot start './nosuch'" in umbra.fails(127, "run", "--", "./nosuch")


def test_a_script_may_end_before_what_it_leaves_behind_has_connected(umbra):
    target = Path(os.environ["UMBRA"]).with_name("umbra-demo-target")
    assert umbra("run", "-q", "-o", "left.h5", "--", "sh", "-c", f"(sleep 0.1; {target}) &").returncode == 0
    assert "umbra-demo-target" in umbra("info", "left.h5").stdout


def test_what_keeps_a_profiler_out_is_named(umbra):
    ran = umbra("run", "--", "true", env=dict(os.environ, DOTNET_EnableDiagnostics="0"))
    assert "(DOTNET_EnableDiagnostics=0 is set, which keeps every profiler out;" in ran.stderr
    ran = umbra("run", "--", "env", "-i", "true")
    assert "'env -i' takes away the variables by which the runtime finds umbra" in ran.stderr
    ran = umbra("run", "--", "sh", "-c", "kill -SEGV $$")
    assert "(it ended with signal 11 (SIGSEGV); NativeAOT" in ran.stderr
    ran = umbra("run", "--", "true")
    assert "(NativeAOT" in ran.stderr
    assert "one that another user runs, as behind su and sudo, cannot reach umbra" in ran.stderr
