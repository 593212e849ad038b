# SPDX-License-Identifier: MIT
"""Other people's tools open the exports, and their totals are those of the report.

A real program (the C# compiler) and a large made-up profile. UMBRA_FULL=1 takes the whole compiler
and a million paths, which `go tool pprof` needs minutes and gigabytes for.
"""
import ast
import functools
import json
import os
import re
import shutil
import subprocess
from collections import Counter, defaultdict
from pathlib import Path

import pytest

import umbra_runner
from perfetto import DECODE, needs_protoc
from runtimes import compiler
from umbra_runner import FULL, UMBRA, run_umbra

TESTS = Path(__file__).resolve().parent.parent
PATHS = 1_000_000 if FULL else 50_000
# Leaves out the smallest paths, in percent: whole these are 12 GB of text, 1.5 GB of text, and what
# pprof takes 10 GB of memory for.
LEFT_OUT = {("compiler", "folded"): 0.01, ("synthetic", "folded"): 0.02,
            ("compiler", "pprof"): 0.01} if FULL else {}
output_of = functools.partial(umbra_runner.output_of, timeout=900)


def needs(tool, package):
    if shutil.which(tool) is None:
        pytest.skip(f"there is no {tool} here (apt-get install {package})")


class Exported:
    """A profile, what the report says of it, and its exports."""

    def __init__(self, kind, file):
        self.kind, self.file = kind, file
        functions = json.loads(output_of(UMBRA, "report", "--json", file))["functions"]
        assert functions
        self.report = {column: self._sums(functions, column)
                       for column in ("wall_self_ns", "cpu_self_ns", "calls")}

    @staticmethod
    def _sums(functions, column):
        sums = Counter()
        for function in functions:
            sums[function["name"]] += function[column]
        return +sums

    def export(self, name):
        out = self.file.parent / f"{self.file.stem}.{name}"
        if not out.exists():
            options = [] if self.is_whole(name) else ["--min", LEFT_OUT[self.kind, name]]
            output_of(UMBRA, "export", f"--{name}", out, *options, self.file)
        return out

    def is_whole(self, name):
        return (self.kind, name) not in LEFT_OUT


@pytest.fixture(scope="module", params=["compiler", "synthetic"], name="exported")
def _exported(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    file = folder / f"{request.param}.h5"
    if request.param == "compiler":
        options = [] if FULL else ["--include", "Microsoft.CodeAnalysis.CSharp!*Parser*"]
        done = run_umbra(file, compiler(folder / "shapes.dll"), *options, timeout=300)
        assert done.status == 0, done.stdout + done.stderr
    else:
        output_of(os.environ["UMBRA_WRITE_SYNTHETIC"], PATHS, file)
    yield Exported(request.param, file)
    shutil.rmtree(folder)


def opened_in_speedscope(*files):
    """What speedscope_import.mjs says of each file."""
    needs("node", "nodejs")
    done = subprocess.run(["node", TESTS / "page" / "speedscope_import.mjs", *files], text=True,
                          capture_output=True, timeout=900)
    if done.returncode == 77:
        pytest.skip(done.stdout.strip())
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("index, column", [("calls", "calls"), ("wall", "wall_self_ns"),
                                           ("cpu", "cpu_self_ns")])
def test_go_tool_pprof(exported, tmp_path, index, column):
    needs("go", "golang-go")
    whole = exported.is_whole("pprof")
    if index == "calls" and not whole:
        pytest.skip("the calls of paths below --min are left out with them")
    top = output_of("go", "tool", "pprof", "-top", "-unit=ns", "-nodecount=10000000",
                    "-nodefraction=0", "-edgefraction=0", f"-sample_index={index}",
                    exported.export("pprof"), env=dict(os.environ, HOME=str(tmp_path)))
    expected = exported.report[column]
    total = int(re.search(r"Total samples = (\d+)ns", top)[1])
    assert total == sum(expected.values())
    found = Counter()
    for flat, name in re.findall(r"^ *(\d+)(?:ns)? +\S+% +\S+% +\d+(?:ns)? +\S+%  (.*)$", top, re.M):
        found[name.removesuffix(" (inline)")] += int(flat)
    assert sum(found.values()) == total
    if whole:
        assert +found == expected


def test_callgrind_annotate(exported):
    needs("callgrind_annotate", "valgrind")
    text = output_of("callgrind_annotate", "--threshold=100", "--auto=no", "--show-percs=no",
                     exported.export("callgrind"))
    assert "Events recorded:  Wall Cpu" in text
    assert re.search(r"^lost: no events$", text, re.M), "its reader shows what was lost"
    rows = re.findall(r"^ *([\d,]+|\.) +([\d,]+|\.)  (.*)$", text, re.M)
    numbers = [[0 if cell == "." else int(cell.replace(",", "")) for cell in row[:2]]
               for row in rows]
    assert rows[0][2] == "PROGRAM TOTALS"
    expected = exported.report["wall_self_ns"], exported.report["cpu_self_ns"]
    assert numbers[0] == [sum(sums.values()) for sums in expected]
    found = Counter(), Counter()
    for row, pair in zip(rows[1:], numbers[1:]):
        name = re.sub(r" \[[^]]*\]$", "", row[2]).partition(":")[2]  # FILE:NAME [OBJECT]
        for sums, ns in zip(found, pair):
            sums[name] += ns
    assert tuple(map(Counter.__pos__, found)) == expected


def test_speedscope(exported):
    files = [exported.export(name) for name in ("speedscope", "pprof", "folded")]
    read = opened_in_speedscope(*files)
    speedscope, pprof, folded = (read[str(file)] for file in files)

    assert speedscope["schemaErrors"] == []
    assert "speedscope json" in speedscope["importer"]
    found = defaultdict(Counter)
    for profile in speedscope["profiles"]:
        assert profile["unit"] == "nanoseconds"
        found[profile["name"].rpartition("(")[2].rstrip(")")].update(profile["self"])
    assert found == {"wall": exported.report["wall_self_ns"], "cpu": exported.report["cpu_self_ns"]}

    total = sum(exported.report["wall_self_ns"].values())
    for name, file, importer in (("pprof", pprof, "pprof"), ("folded", folded, "collapsed stack")):
        assert importer in file["importer"]
        (profile,) = file["profiles"]
        assert profile["total"] == sum(profile["self"].values()) == total
        if exported.is_whole(name):
            assert profile["self"] == exported.report["wall_self_ns"]


def test_protoc_reads_perfetto_by_its_public_schema(exported):
    """Perfetto's own trace processor is in no package that is to be had here."""
    needs_protoc()
    names, stacks, last, sums, unknown = {}, defaultdict(list), {}, Counter(), set()
    with open(exported.export("perfetto"), "rb") as file:
        with subprocess.Popen(DECODE, stdin=file, stdout=subprocess.PIPE, text=True) as protoc:
            packet = {}
            for line in protoc.stdout:
                key, _, value = line.strip().partition(": ")
                if key[0].isdigit():
                    unknown.add(line)
                elif key == "name" and "iid" in packet:
                    names[packet.pop("iid")] = ast.literal_eval("b" + value).decode()
                elif line == "}\n":
                    take_slice(packet, stacks, last, sums)
                    packet = {}
                else:
                    packet[key] = value
    assert protoc.returncode == 0
    assert not unknown, "fields that the public schema does not have"
    assert not any(stacks.values())
    found = Counter()
    for iid, ns in sums.items():
        found[names[iid]] += ns
    assert +found == exported.report["wall_self_ns"]


def take_slice(packet, stacks, last, sums):
    """A begin or an end: the time since the one before is that of the slice that was on top."""
    if packet.get("type") not in ("TYPE_SLICE_BEGIN", "TYPE_SLICE_END"):
        return
    track, now = packet["track_uuid"], int(packet.get("timestamp", 0))
    if stacks[track]:
        assert now >= last[track]
        sums[stacks[track][-1]] += now - last[track]
    last[track] = now
    if packet["type"] == "TYPE_SLICE_BEGIN":
        stacks[track].append(packet["name_iid"])
    else:
        stacks[track].pop()


def test_pandas_reads_csv(exported):
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_csv(exported.export("csv"), keep_default_na=False)
    for column, expected in exported.report.items():
        found = Counter(frame.groupby("name")[column].sum().to_dict())
        assert +found == expected, column


class TestWhatWasLost:
    """A profile with losses: what the reader of each format shows of it, and of how its times came about."""

    @pytest.fixture(scope="class", name="lossy")
    def _lossy(self, tmp_path_factory):
        file = tmp_path_factory.mktemp("lossy") / "lossy.h5"
        output_of(os.environ["UMBRA_WRITE_SAMPLE"], file, "losses")
        return Exported("lossy", file)

    @pytest.fixture(scope="class", name="facts")
    def _facts(self, lossy):
        """What has to be found: each reason with its number, and the clock."""
        report = " ".join(output_of(UMBRA, "report", "--details", lossy.file).split())
        facts = re.findall(r"(?:ring full|no function slot|depth|decode errors): \d+", report)
        assert len(facts) == 4
        return [*facts, re.search(r"clock (tsc at \d+ MHz)", report)[1]]

    def test_pprof_lists_it_as_comments(self, lossy, facts, tmp_path):
        needs("go", "golang-go")
        text = output_of("go", "tool", "pprof", "-comments", lossy.export("pprof"),
                         env=dict(os.environ, HOME=str(tmp_path)))
        assert [fact for fact in facts if fact not in text] == []

    def test_callgrind_annotate_prints_it_above_its_table(self, lossy, facts):
        needs("callgrind_annotate", "valgrind")
        head = output_of("callgrind_annotate", lossy.export("callgrind")).partition("PROGRAM TOTALS")[0]
        assert [fact for fact in facts if fact not in head] == []

    def test_speedscope_shows_it_in_its_title_and_beside_the_thread(self, lossy, facts):
        file = lossy.export("speedscope")
        shown = opened_in_speedscope(file)[str(file)]
        assert shown["schemaErrors"] == []
        assert [fact for fact in facts if fact not in shown["title"]] == []
        lost = json.loads(output_of(UMBRA, "report", "--json", lossy.file))["summary"]["lost_events"]
        assert f"({lost} events lost, wall)" in shown["shown"]

    def test_perfetto_has_it_as_an_event_with_arguments(self, lossy, facts):
        needs_protoc()
        with open(lossy.export("perfetto"), "rb") as file:
            text = output_of(*DECODE, stdin=file)
        instant = re.search(r"  track_event \{(?:(?!\n  \}).)*TYPE_INSTANT.*?\n  \}", text, re.S)[0]
        assert [fact for fact in facts if fact not in instant] == []
        assert [fact for fact in facts if text.count(fact) < 2] == [], "in labels of the process as well"

    @pytest.mark.parametrize("name", ["csv", "folded"])
    def test_tables_have_a_file_beside_them(self, lossy, facts, name):
        notes = Path(f"{lossy.export(name)}.notes.txt").read_text()
        assert [fact for fact in facts if fact not in notes] == []
