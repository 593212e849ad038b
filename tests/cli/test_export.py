# SPDX-License-Identifier: MIT
"""Every export is read back by the rules of its format, and its sums are those of the profile."""

import base64
import csv
import gzip
import io
import json
import os
import re
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from conftest import UMBRA

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from protobuf import grouped, packed, stacks_of  # noqa: E402

h5py = pytest.importorskip("h5py")

FORMATS = ("speedscope", "perfetto", "pprof", "callgrind", "folded", "csv")


@pytest.fixture(name="profile", params=["plain", "shared", "truncated"])
def _profile(sample, request):
    return sample(request.param)


def export(profile, name, *options):
    out = profile.parent / f"out.{name}"
    subprocess.run([UMBRA, "export", f"--{name}", out, *options, profile], check=True)
    return out.read_bytes()


def tree(profile):
    """(names of the path from the outside in, self wall, self CPU, calls, thread) by row."""
    with h5py.File(profile) as f:
        names = [name.decode() for name in f["functions"]["name"]]
        threads = [row["name"].decode() or f"thread {row['os_tid']}" for row in f["threads"][:]]
        threads.append("all threads")  # number -1
        rows = []
        for node in f["calltree"][:]:
            above = rows[node["parent"]][0] if node["parent"] >= 0 else ()
            rows.append((above + (names[node["function"]],), int(node["wall_self_ns"]),
                         int(node["cpu_self_ns"]), int(node["calls"]), threads[node["thread"]]))
    return rows


def test_folded_stacks_have_the_self_times(profile):
    lines = export(profile, "folded").decode().splitlines()
    expected = Counter()
    for path, wall, _, _, thread in tree(profile):
        expected[";".join((thread,) + path)] += wall
    found = Counter()
    for line in lines:
        stack, _, ns = line.rpartition(" ")
        found[stack] += int(ns)
    assert found == +expected
    cpu = export(profile, "folded", "--cpu").decode().splitlines()
    assert sum(int(line.rpartition(" ")[2]) for line in cpu) == sum(row[2] for row in tree(profile))


def test_small_paths_leave_their_time_to_their_callers(profile):
    def total(*options):
        lines = export(profile, "folded", *options).decode().splitlines()
        return len(lines), sum(int(line.rpartition(" ")[2]) for line in lines)

    lines, ns = total()
    fewer, same_ns = total("--min", "20")
    assert fewer < lines
    assert same_ns == ns
    most, still_ns = total("--min", "100")
    assert 1 <= most <= fewer
    assert still_ns == ns


def speedscope_stacks(profile):
    """(measure, names from the outside in, time until the next event) of every event, which nest."""
    document = json.loads(export(profile, "speedscope"))
    assert document["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    names = [frame["name"] for frame in document["shared"]["frames"]]
    for thread in document["profiles"]:
        assert thread["type"] == "evented"
        measure = thread["name"].rpartition("(")[2].rstrip(")")
        stack, last = [], thread["startValue"]
        for event in thread["events"]:
            assert event["at"] >= last, "events go back in time"
            yield measure, tuple(stack), event["at"] - last
            last = event["at"]
            if event["type"] == "O":
                stack.append(names[event["frame"]])
            else:
                assert stack.pop() == names[event["frame"]], "closes what is not on top"
        assert not stack
        assert last == thread["endValue"]


def test_speedscope_events_nest_and_add_up(profile):
    sums, expected = Counter(), Counter()
    for measure, stack, ns in speedscope_stacks(profile):
        sums[measure, stack[-1] if stack else None] += ns
    for path, wall, cpu, _, _ in tree(profile):
        expected["wall", path[-1]] += wall
        expected["cpu", path[-1]] += cpu
    assert +sums == +expected


def test_callgrind_has_self_times_and_calls(profile):
    lines = export(profile, "callgrind").decode().splitlines()
    names, function, callee, calls = {}, None, None, 0
    selfs, edges = Counter(), Counter()

    def name_of(text):
        number, _, name = text.partition(" ")
        return names.setdefault(number, name)

    for line in lines:
        if line.startswith("fn="):
            function = name_of(line[3:])
        elif line.startswith("cfn="):
            callee = name_of(line[4:])
        elif line.startswith("calls="):
            calls = int(line[6:].split()[0])
        elif re.match(r"\d+ \d", line):
            if callee:
                edges[function, callee] += calls
                callee = None
            else:
                selfs[function] += int(line.split()[1])
    expected, expected_edges = Counter(), Counter()
    with h5py.File(profile) as f:  # what has no path has its caller all the same
        methods = [name.decode() for name in f["functions"]["name"]]
        for name, row in zip(methods, f["functions"][:]):
            expected[name] += int(row["wall_self_ns"])
        for row in f["edges"][:]:
            if row["caller"] >= 0:
                expected_edges[methods[row["caller"]], methods[row["callee"]]] += int(row["calls"])
    assert selfs == +expected
    assert edges == +expected_edges
    assert sum(selfs.values()) == sum(row[1] for row in tree(profile))
    assert f"totals: {sum(expected.values())} " in lines[-1]


def inclusive(stacks):
    """Of each method the time of the stacks that it is in, itself and all below it."""
    sums = Counter()
    for stack, ns in stacks:
        for name in set(stack):
            sums[name] += ns
    return +sums


def test_trees_and_exports_agree_on_inclusive_times(umbra, profile):
    """Of each path, and of each method on the paths there are. What the hot list has more of a method is
    on paths without a row."""
    rows = tree(profile)
    expected = inclusive((path, wall) for path, wall, *_ in rows)
    outermost = sum(row[1] for row in rows)

    lines = [line.rpartition(" ") for line in export(profile, "folded").decode().splitlines()]
    assert inclusive((stack.split(";")[1:], int(ns)) for stack, _, ns in lines) == expected

    stacks = [(stack, ns) for measure, stack, ns in speedscope_stacks(profile) if measure == "wall"]
    assert inclusive(stacks) == expected

    samples = stacks_of(gzip.decompress(export(profile, "pprof")), "wall")
    assert inclusive(samples) == expected

    done = umbra("report", "--tree", "--pieces", "--json", "--min", "0", "--depth", "1000", profile)
    shown = [row for row in json.loads(done.stdout)["tree"] if row["depth"] == 0]
    assert sum(row["wall_total_ns"] for row in shown) == outermost

    with h5py.File(profile) as f:
        hot = {row["name"].decode(): int(row["wall_total_ns"]) for row in f["functions"][:]}
        named = {path[-1] for path, *_ in rows}
        assert ("(paths without a row)" in named) == (int(f.attrs["truncated_ns"]) > 0)
    for name, ns in expected.items():
        if name != "(paths without a row)":
            assert hot[name] >= ns
            assert hot[name] == ns or "(paths without a row)" in named
    assert sum(hot[path[0]] for path in {row[0][:1] for row in rows}) >= outermost


def test_each_format_has_the_source_lines(profile):
    with h5py.File(profile) as f:
        expected = {row["name"].decode(): (row["file"].decode(), int(row["line"]))
                    for row in f["functions"][:] if row["line"]}
    assert len(expected) == 3

    strings = [text.decode() for text in grouped(gzip.decompress(export(profile, "pprof")))[6]]
    functions = map(grouped, grouped(gzip.decompress(export(profile, "pprof")))[5])
    assert {strings[f[2][0]]: (strings[f[4][0]], f[5][0]) for f in functions if 5 in f} == expected

    frames = json.loads(export(profile, "speedscope"))["shared"]["frames"]
    assert {f["name"]: (f["file"], f["line"]) for f in frames if "line" in f} == expected

    found = {}
    for packet in grouped(export(profile, "perfetto"))[1]:
        for interned in grouped(packet).get(12, []):
            for place in map(grouped, grouped(interned).get(4, [])):
                found[place[3][0].decode()] = (place[2][0].decode(), place[4][0])
    assert found == expected

    found, names = {}, {}
    for line in export(profile, "callgrind").decode().splitlines():
        kind, _, rest = line.partition("=")
        if kind in ("fl", "fn"):
            number, _, name = rest.partition(" ")
            current = names.setdefault((kind, number), name)
            file, function = (current, None) if kind == "fl" else (file, current)
        elif kind in ("cfl", "cfn"):
            number, _, name = rest.partition(" ")
            names.setdefault((kind[1:], number), name)
        elif re.match(r"[1-9]\d* \d", line):
            found[function] = (file, int(line.split()[0]))
    with h5py.File(profile) as f:
        seen = {row["name"].decode() for row in f["functions"][:] if row["calls"]}
    assert found == {name: place for name, place in expected.items() if name in seen}


def test_each_format_says_what_was_lost(sample):
    profile = sample("losses")
    lost = [line for line in subprocess.run([UMBRA, "report", profile, "--details"],
                                            capture_output=True, text=True,
                                            check=True).stdout.splitlines() if line.startswith("lost ")]
    note = "lost: " + lost[0].split(None, 1)[1].partition(",")[0]
    assert re.search(r"\d", note)

    message = grouped(gzip.decompress(export(profile, "pprof")))
    comments = [message[6][number].decode() for number in message[13]]
    assert comments[0].startswith(note) and any(line.startswith("clock: ") for line in comments)
    speedscope = json.loads(export(profile, "speedscope"))
    assert note in speedscope["name"] and "; clock: " in speedscope["name"]
    assert all(" events lost, " in thread["name"] for thread in speedscope["profiles"])
    assert f"\ndesc: {note}" in export(profile, "callgrind").decode()
    labels = [label.decode() for packet in grouped(export(profile, "perfetto"))[1]
              for track in map(grouped, grouped(packet).get(60, []))
              for process in map(grouped, track.get(3, [])) for label in process.get(8, [])]
    assert labels[0].startswith(note)
    (instant,) = [event for packet in grouped(export(profile, "perfetto"))[1]
                  for event in map(grouped, grouped(packet).get(11, [])) if event[9][0] == 3]
    assert instant[23][0].decode().startswith(note)
    arguments = {a[10][0].decode(): a[6][0].decode() for a in map(grouped, instant[4])}
    assert f"lost: {arguments['lost']}" == labels[0] and arguments["clock"]
    for name in ("csv", "folded"):
        export(profile, name)
        assert (profile.parent / f"out.{name}.notes.txt").read_text().startswith(note)
        piped = subprocess.run([UMBRA, "export", f"--{name}", "-", profile], capture_output=True, text=True,
                               check=True)
        assert piped.stderr.startswith(f"umbra: {note}") and "lost" not in piped.stdout


def test_pprof_has_every_path(profile):
    message = grouped(gzip.decompress(export(profile, "pprof")))
    strings = [text.decode() for text in message[6]]
    assert strings[0] == ""
    types = [(strings[t[1][0]], strings[t[2][0]]) for t in map(grouped, message[1])]
    assert types == [("calls", "count"), ("wall", "nanoseconds"), ("cpu", "nanoseconds")]
    assert strings[message[14][0]] == "wall"
    functions = {f[1][0]: strings[f[2][0]] for f in map(grouped, message[5])}
    locations = {loc[1][0]: functions[grouped(loc[4][0])[1][0]]
                 for loc in map(grouped, message[4])}
    found = Counter()
    for sample_message in map(grouped, message[2]):
        path = tuple(locations[number] for number in reversed(packed(sample_message[1][0])))
        calls, wall, cpu = packed(sample_message[2][0])
        thread = "all threads"
        for label in map(grouped, sample_message[3]):
            assert strings[label[1][0]] == "thread"
            thread = strings[label[2][0]]
        found[path, thread, wall, cpu, calls] += 1
    assert found == Counter((path, thread, wall, cpu, calls)
                            for path, wall, cpu, calls, thread in tree(profile))


def slices(trace):
    """(thread, names from the outside in, begin, end) of a Perfetto trace, in order of their ends."""
    packets = [grouped(packet) for packet in grouped(trace)[1]]
    names = {grouped(name)[1][0]: grouped(name)[2][0].decode()
             for packet in packets for table in packet[12] for name in grouped(table)[2]}
    tracks, stacks, ended = {}, defaultdict(list), []
    for packet in packets:
        for descriptor in map(grouped, packet[60]):
            if descriptor[4]:
                tracks[descriptor[1][0]] = grouped(descriptor[4][0])[5][0].decode()
            elif descriptor[2]:
                tracks[descriptor[1][0]] = descriptor[2][0].decode()
        for event in map(grouped, packet[11]):
            if event[9][0] not in (1, 2):  # begins and ends
                continue
            stack, now = stacks[event[11][0]], packet[8][0]
            if event[9][0] == 1:
                stack.append((names[event[10][0]], now))
            else:
                path = tuple(name for name, _ in stack)
                ended.append((tracks[event[11][0]], path, stack.pop()[1], now))
    assert not any(stacks.values())
    return ended


def test_perfetto_has_the_calls_of_a_time_line(sample):
    profile = sample("timeline")
    paths = [(thread, path) for path, _, _, _, thread in tree(profile)]
    with h5py.File(profile) as f:
        calls = f["timeline"][:]
    expected = [(*paths[call["node"]], int(call["start_ns"]),
                 int(call["start_ns"] + call["duration_ns"])) for call in calls]
    shown = slices(export(profile, "perfetto"))
    assert sorted(shown) == sorted(expected)
    for thread in {call[0] for call in expected}:
        assert ([call for call in shown if call[0] == thread]
                == [call for call in expected if call[0] == thread])
    # Without the paths below 20 % the rest keeps its callers.
    some = slices(export(profile, "perfetto", "--min", "20"))
    assert 0 < len(some) < len(shown) and {call[1:] for call in some} <= {call[1:] for call in shown}


def test_perfetto_slices_nest_and_add_up(profile):
    sums, expected = Counter(), Counter()
    for thread, path, begin, end in slices(export(profile, "perfetto")):
        sums[thread, path[-1]] += end - begin
        if path[1:]:
            sums[thread, path[-2]] -= end - begin
    for path, wall, _, _, thread in tree(profile):
        expected[thread, path[-1]] += wall
    assert sums == +expected


def test_csv_is_the_table_of_functions(profile):
    rows = list(csv.DictReader(io.StringIO(export(profile, "csv").decode())))
    with h5py.File(profile) as f:
        functions = f["functions"][:]
    assert [row["name"] for row in rows] == [name.decode() for name in functions["name"]]
    assert [int(row["wall_self_ns"]) for row in rows] == list(functions["wall_self_ns"])
    assert rows[0]["module"] == "shop.dll"


def test_short_names_are_told_apart(sample):
    names = {line.rpartition(" ")[0].split(";")[-1]
             for line in export(sample("plain"), "folded", "--names", "short").decode().splitlines()}
    assert names == {"Cart<Item>.Add", "Pricing.Fib", "Orders.Receive", "Program.Main"}
    copies = export(sample("copies"), "folded").decode().splitlines()
    short = export(sample("copies"), "folded", "--names", "short").decode().splitlines()
    assert len(short) == len(copies)  # no two have become one
    assert len({line.rpartition(" ")[0] for line in short}) == len(short)


@pytest.mark.parametrize("folder, mask, mode", [(0o755, 0o022, 0o644), (0o750, 0o022, 0o640),
                                                (0o700, 0o022, 0o600), (0o755, 0o077, 0o600)])
def test_who_may_read_the_folder_of_the_profile_may_read_exports(sample, folder, mask, mode):
    profile = sample("plain")
    profile.parent.chmod(folder)
    before = os.umask(mask)
    try:
        for name in ("csv", "pprof"):
            export(profile, name)
    finally:
        os.umask(before)
    for made in ("out.csv", "out.csv.notes.txt", "out.pprof"):
        assert (profile.parent / made).stat().st_mode & 0o777 == mode, made


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("variant", ["empty", "wall", "long"])
def test_every_profile_can_be_exported(sample, name, variant):
    export(sample(variant), name)


def test_what_cannot_be_written_leaves_no_file(umbra, profile):
    line = umbra.fails(1, "export", "--speedscope", "missing/out.json", profile)
    assert "missing" in line
    assert [path.name for path in profile.parent.iterdir()] == [profile.name]


def test_there_are_no_cpu_times_where_none_were_measured(umbra, sample):
    assert "cpu_source" in umbra.fails(1, "export", "--cpu", "--folded", "out", sample("wall"))


def page(profile, *options):
    """(text of the page, the profile in it); skips where umbra has none."""
    out = profile.parent / "out.html"
    ran = subprocess.run([UMBRA, "export", "--html", out, *options, profile], text=True,
                         stderr=subprocess.PIPE)
    if "built without its page" in ran.stderr:
        pytest.skip("umbra was built without its page: node or npm is missing")
    assert ran.returncode == 0, ran.stderr
    text = out.read_text(encoding="utf-8")
    packed = re.search(r'<script type="text/plain" id="profile">([A-Za-z0-9+/=]*)</script>', text)
    return text, json.loads(gzip.decompress(base64.b64decode(packed[1])))


def test_the_page_holds_the_profile(profile):
    _, data = page(profile)
    with h5py.File(profile) as f:
        for name, table in data["tables"].items():
            for column, values in table.items():
                if column in ("mean_ns", "p50_ns", "p90_ns", "p99_ns"):
                    continue
                stored = f[name][column]
                if stored.dtype.kind == "S":
                    assert values == [text.decode() for text in stored], (name, column)
                else:
                    assert values == pytest.approx([float(v) for v in stored]), (name, column)
        for key, value in data["session"].items():
            stored = f.attrs[key]
            if isinstance(value, str):
                assert value == (stored.decode() if isinstance(stored, bytes) else stored), key
            else:
                assert value == pytest.approx(float(stored)), key
    report = json.loads(subprocess.run([UMBRA, "report", "--json", "--pieces", profile],
                                       capture_output=True, check=True).stdout)
    functions = data["tables"]["functions"]
    for function in report["functions"]:
        row = functions["name"].index(function["name"])
        assert functions["wall_self_ns"][row] == function["wall_self_ns"]


def test_the_page_names_nothing_outside_itself(profile):
    text, _ = page(profile)
    licences = text.index("<!--\n")  # their texts name their authors' sites
    for address in re.findall(r"""(?:https?:)?//[a-z0-9.-]+\.[a-z]{2,}[^"' )]*""", text[:licences]):
        # Names of vocabularies, which nothing loads.
        assert address.startswith("http://www.w3.org/"), address
    assert not re.search(r"<(?:script|img|iframe)[^>]* src=", text)
    assert "default-src 'none'" in text


def test_small_paths_of_the_page_leave_their_time_to_their_callers(profile):
    def tree_of(*options):
        table = page(profile, *options)[1]["tables"]["calltree"]
        return len(table["parent"]), sum(table["wall_self_ns"]), sum(table["cpu_self_ns"])

    rows, *times = tree_of()
    fewer, *same_times = tree_of("--min", "20")
    assert fewer < rows and same_times == times


def test_a_page_and_another_format_at_once(profile):
    both = profile.parent / "both.folded"
    subprocess.run([UMBRA, "export", "--folded", both, profile], check=True)
    alone = both.read_bytes()
    _, data = page(profile, "--folded", str(both))
    assert both.read_bytes() == alone
    assert len(data["tables"]["calltree"]["parent"]) == len(tree(profile))


@pytest.mark.parametrize("option", ["--csv", "--html", "--pprof"])
def test_a_profile_is_not_written_over(profile, option):
    """The order of arguments is easily mistaken, and a profile that is lost cannot be had again."""
    before = profile.read_bytes()
    other = profile.parent / "other.h5"
    other.write_bytes(before)
    for out in (profile, other):
        refused = subprocess.run([UMBRA, "export", option, out, profile], capture_output=True, text=True)
        assert refused.returncode == 1 and refused.stderr.startswith(f"umbra: '{out}' is a profile")
        assert out.read_bytes() == before


@pytest.mark.parametrize("out", ["-", "same.out"])
def test_two_formats_take_two_places(profile, out):
    place = out if out == "-" else profile.parent / out
    refused = subprocess.run([UMBRA, "export", "--folded", place, "--csv", place, profile],
                             capture_output=True, text=True)
    assert refused.returncode == 2 and f"cannot both be written to '{place}'" in refused.stderr
    assert not refused.stdout and not (profile.parent / "same.out").exists()


def test_without_a_format_they_are_named(umbra, profile):
    told = umbra.fails(2, "export", profile)
    assert "name a format and its file: one or more of --html, --speedscope" in told
