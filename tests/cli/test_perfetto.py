# SPDX-License-Identifier: MIT
"""Slow calls in a Perfetto trace, read by protoc with the format's public schema."""

import ast
import json
import subprocess
from collections import defaultdict

from conftest import UMBRA
from perfetto import DECODE, needs_protoc


def message(lines):
    """The fields of one message of `protoc --decode`, up to its brace: lists of texts and messages."""
    found = defaultdict(list)
    for line in lines:
        line = line.strip()
        if line == "}":
            break
        key, colon, value = line.partition(": ")
        if colon:
            found[key].append(ast.literal_eval("b" + value).decode() if value[0] == '"' else value)
        else:
            found[key.removesuffix(" {")].append(message(lines))
    return found


def decoded(trace):
    """The packets of a Perfetto trace, as protoc reads them by the public schema."""
    needs_protoc()
    done = subprocess.run(DECODE, input=trace, capture_output=True, check=True)
    return message(iter(done.stdout.decode().splitlines()))["packet"]


def track_slices(packets, uuid):
    """(name, depth, begin, duration, calls) of each slice of a track, in order of their begins."""
    names = {name["iid"][0]: name["name"][0] for packet in packets
             for table in packet["interned_data"] for name in table["event_names"]}
    begun, stack = [], []
    for packet in packets:
        for event in packet["track_event"]:
            if event["track_uuid"] != [uuid]:
                continue
            now = int(packet["timestamp"][0])
            if event["type"] == ["TYPE_SLICE_BEGIN"]:
                numbers = [int(note["uint_value"][0]) for note in event["debug_annotations"]]
                begun.append([names[event["name_iid"][0]], len(stack), now, None, *(numbers or [1])])
                stack.append(begun[-1])
            else:
                assert event["type"] == ["TYPE_SLICE_END"]
                stack[-1][3] = now - stack[-1][2]
                stack.pop()
    assert not stack
    return [tuple(slice_) for slice_ in begun]


def test_perfetto_has_a_track_of_each_slow_call_below_its_thread(sample):
    profile = sample("slow")
    told = json.loads(subprocess.run([UMBRA, "report", "--slowest", "--json", profile], check=True,
                                     capture_output=True).stdout)["slowest"]
    trace = profile.parent / "slow.pftrace"
    subprocess.run([UMBRA, "export", "--perfetto", trace, profile], check=True)
    packets = decoded(trace.read_bytes())
    tracks = {track["uuid"][0]: track for packet in packets for track in packet["track_descriptor"]}
    shown = {}
    for uuid, track in tracks.items():
        if track["name"] and track["name"][0].startswith("slowest "):
            thread = tracks[track["parent_uuid"][0]]["thread"][0]
            key = (track["name"][0], thread["thread_name"][0])
            assert key not in shown
            shown[key] = track_slices(packets, uuid)
    expected = {}
    for method in told:
        for rank, call in enumerate(method["calls"], 1):
            name = f"slowest {rank}: {method['name']}"
            thread = call["thread"].rsplit(" ", 1)[0]
            rows = [(row["name"], row["depth"], row["start_ns"], row["duration_ns"], row["calls"],
                     row["kind"]) for row in call["slices"]]
            of_runtime = ("paused", "compiling")
            expected[name, thread] = [row[:5] for row in rows if row[5] not in of_runtime]
            if any(row[5] in of_runtime for row in rows):
                # These stand beside each other, whatever call they were in.
                expected[f"{name}, runtime", thread] = [(row[0], 0, *row[2:5]) for row in rows
                                                        if row[5] in of_runtime]
    assert shown == expected
    assert len(expected) == 3 and {5, 1, 2} == {len(rows) for rows in expected.values()}
    names = {slice_[0] for rows in shown.values() for slice_ in rows}
    assert {"(compiling System.String.Concat(string, string))", "(paused: gc of generation 1)",
            "(off the processors)", "(waited for umbra)"} <= names
