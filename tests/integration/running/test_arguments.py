# SPDX-License-Identifier: MIT
"""Calls by the values of their arguments: what umbra tells is what the program has tallied itself."""
import json
import math
import re
from collections import Counter, defaultdict

import pytest

from gated import Gated
from profile_file import Profile
from running_program import Capture
from targets import agent_variables, umbra
from umbra_runner import TIERING, TIMEOUT_SECONDS, check_sound, on_runtimes, run_umbra

INTEGERS = ("a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "return")
REQUESTS = [
    f"Told.Integers({', '.join(INTEGERS)})", "Told.Reals(x,y,return)", "Told.Single( x , return )",
    "Told.Letters(on, letter, return)",
    "Told.Enums(colour, access, day, wide, negative, nested, return)",
    "Told.Text(text, text.Length, return, other)",
    "Told.Lengths(items.Length, letters.Length, numbers.Length, memory.Length, text.Length, grid.Length,"
    " list.Count, map.Count)",
    "Told.Buffer(size, return.Length)", "Told.Overwrites(id, return)", "Told.Recurses(depth)",
    "Told.Throws(id, return)", "Told.Awaits(id)", "Told.Iterates(count)",
    "Told.Refused(by_reference, when, result, date, thing, maybe, some, some.Count, items, missing, "
    "items.Count)",
    "Told.Over*(id)", "arguments!Told.Overloaded(name)", "Point.Scale(factor, return)",
    "Shop.Price(name, count)", "Kept.Keep(id, value, other, all.Count)", "Told.Missing(id)",
]
REFUSED = {
    ("Told.Text", "other"): "its type is a class",
    ("Told.Refused", "by_reference"): "it is passed by reference",
    ("Told.Refused", "when"): "it is passed by reference",
    ("Told.Refused", "result"): "it is passed by reference",
    ("Told.Refused", "date"): "its type is a struct",
    ("Told.Refused", "thing"): "its type is a class",
    ("Told.Refused", "maybe"): "its type is a struct; of a span or memory .Length can be told",
    ("Told.Refused", "some"): "its type is a class; of a collection .Count can be told",
    ("Told.Refused", "some.Count"): "its type has no Count that can be told",
    ("Told.Refused", "items"): "its type is an array; its .Length can be told",
    ("Told.Refused", "items.Count"): "its type has no Count that can be told",
    ("Told.Refused", "missing"): "it has no parameter of this name; it has by_reference, when, result, date, thing",
    ("Told.Overloaded", "name"): "it has no parameter of this name; it has id",  # the overload with an id
    ("Kept.Keep", "value"): "its type is a type parameter",
    ("Kept.Keep", "other"): "its type is a type parameter",
    (None, "Told.Missing(id)"): "no call of a timed method of this name was seen (see --include)",
}
KEPT_BYTES = 64
ESCAPES = {0: "\\0", 9: "\\t", 10: "\\n", 13: "\\r", 0x5c: "\\\\"}


def is_unseen(c):
    """Those of docs/arguments.md that the program passes."""
    return c < 0x20 or 0x7f <= c <= 0x9f or 0x200b <= c <= 0x200f or 0x2028 <= c <= 0x202e


def escaped(c, quote):
    if c == ord(quote):
        return "\\" + quote
    if c in ESCAPES:
        return ESCAPES[c]
    return f"\\u{c:04x}" if is_unseen(c) or 0xd800 <= c <= 0xdfff else chr(c)


def characters(units):
    """Of UTF-16: halves of pairs stay what they are."""
    text = b"".join(unit.to_bytes(2, "little") for unit in units).decode("utf-16-le", "surrogatepass")
    return [ord(c) for c in text]


def shown(value):
    """A tallied value as a report shows it."""
    kind, _, numbers = value.partition(" ")
    if kind == "c":
        return "'" + escaped(int(numbers), "'") + "'"
    if kind != "u":
        return value
    units = [int(number) for number in numbers.split()]
    text, used, told = '"', 0, 0
    for c in characters(units):
        used += len(chr(c).encode("utf-8", "surrogatepass"))
        if used > KEPT_BYTES:
            break
        told += 2 if c > 0xffff else 1
        text += escaped(c, '"')
    return text + '"' + (f"... ({len(units)} chars)" if told < len(units) else "")


def as_real(value):
    number = float(re.sub(r"NaN.*", "nan", value))
    return "NaN" if math.isnan(number) else repr(number)


def grouped(profile):
    """Calls by method, argument and value; the sums of what was left unfinished and of the rest."""
    methods = profile.methods()
    groups = defaultdict(lambda: defaultdict(dict))
    arguments = profile["arguments"]
    unfinished = rest = 0
    for row in profile["argument_values"]:
        argument = arguments[row["argument"]]
        method = re.sub(r"<[^<>]*>", "", methods[argument["function"]])
        name = argument["name"].decode()
        value = row["value"].decode()
        if argument["type"] in (b"float", b"double"):
            value = as_real(value)
        unfinished += int(row["unfinished"])
        rest += int(row["calls"]) if row["rest"] else 0
        by_value = groups[method][name]
        by_value[value] = by_value.get(value, 0) + int(row["calls"])
        assert row["wall_min_ns"] <= row["wall_p50_ns"] * 1.25 + 1 and row["wall_p50_ns"] <= row["wall_p99_ns"]
        assert row["wall_min_ns"] <= row["wall_max_ns"]
    return groups, unfinished, rest


def check_groups(profile, tallied):
    reals = {("Told.Reals", name) for name in ("x", "y", "return")} | {
        ("Told.Single", name) for name in ("x", "return")}
    expected = {}
    for method, by_argument in tallied.items():
        for argument, by_value in by_argument.items():
            values = expected.setdefault((method, argument), {})
            for value, calls in by_value.items():
                text = as_real(value) if (method, argument) in reals else shown(value)
                values[text] = values.get(text, 0) + calls
    groups, unfinished, rest = grouped(profile)
    told = {(method, argument): by_value for method, by_argument in groups.items()
            for argument, by_value in by_argument.items()}
    for key in expected | told:
        assert told.get(key) == expected.get(key), key
    assert (unfinished, rest, profile.lost_rows) == (0, 0, 0)


def refusals(profile):
    methods = [re.sub(r"<[^<>]*>", "", name) for name in profile.methods()] + [None]
    return {(methods[row["function"]], row["name"].decode()): row["refusal"].decode()
            for row in profile["arguments"] if row["refusal"]}


def asked(requests):
    return [option for request in requests for option in ("--args", request)]


@pytest.mark.parametrize("setting", ["optimised", "tiered", "prepared"])
def test_groups_are_the_programs_own_tallies(file, runtime, setting):
    """Eight threads, while a ninth has garbage collected and moved without end."""
    environment = {"DOTNET_TieredCompilation": "0" if setting == "optimised" else "1"}
    if setting == "prepared":  # it would have hooks, but for the arguments
        environment |= agent_variables()
    with Gated(runtime, "arguments", 8, 400, environment=environment) as running:
        capture = Capture(running.pid, file, *asked(REQUESTS))
        status, output = running.run(TIMEOUT_SECONDS)
        profile = capture.wait(status=1)  # not all of it could be told
    assert status == 0, output
    check_told(profile, output)
    check_refusals_said(capture.rest)


def check_told(profile, output):
    check_sound(profile)
    check_groups(profile, json.loads(output.splitlines()[-1]))
    told = refusals(profile)
    assert sorted(map(str, told)) == sorted(map(str, REFUSED))
    for key, reason in REFUSED.items():
        assert told[key].startswith(reason), (key, told[key])


def check_refusals_said(stderr):
    """At once, and not in the report alone; of overloads one that tells an argument is enough."""
    said = Counter(re.findall(r"^umbra: --args: nothing was recorded of '(.*?)': .*: ", stderr, re.MULTILINE))
    assert said == Counter(name for method, name in REFUSED if method and (method, name) != ("Told.Overloaded", "name"))


@on_runtimes(TIERING)
def test_a_program_that_umbra_runs_tells_from_its_first_call_on(file, runtime, setting):
    done = run_umbra(file, runtime.command("arguments", 8, 400), *asked(REQUESTS), environment=setting)
    assert done.status == 1, done.stdout + done.stderr  # a request has met nothing
    assert "umbra: --args 'Told.Missing(id)' matches none of" in done.stderr
    check_refusals_said(done.stderr)
    check_told(done.profile, done.stdout)
    assert done.profile.calls("arguments.dll")["Program.Main"] == 1


@pytest.mark.parametrize("command", [("start", 1), ("run",)], ids=["start", "run"])
def test_hooks_know_no_arguments(file, command):
    program = ["--", "true"] if command[0] == "run" else []
    done = umbra(*command, "-o", file, "--probe=hooks", "--args", "Told.Text(text)", *program)
    assert (done.returncode, done.stdout) == (1, "")
    assert "--args needs probes in the methods' IL" in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.parametrize("request_, error", [
    ("Told.Text", "names no arguments"), ("(id)", "names no arguments"),
    ("Told.Text()", "names no argument"), ("Told.Text(id,)", "names no argument"),
    ("Told.Text(id.Size)", "names no argument"), ("Told.Text(" + ",".join("x" * 17) + ")", "more than 16"),
])
def test_what_is_no_request_is_refused(request_, error):
    done = umbra("start", 1, "--args", request_)
    assert done.returncode == 2 or done.returncode == 1
    assert error in done.stderr, done.stderr
