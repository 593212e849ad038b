# SPDX-License-Identifier: MIT
"""What code the runtime has put where, by the map it writes for `perf` (DOTNET_PerfMapEnabled=1)."""
import bisect
import re
from pathlib import Path

# "instance int32 [Assembly] Space.Type`1+Inner[Argument]::Method[Argument](int32)[Tier1]"
METHOD = re.compile(r"\[([A-Za-z_][^\[\]]*)\] (.+?)::([^\[(]+)")
ARITY = re.compile(r"`\d+")
# The parameters of a generic type, but not what compilers put before a name. umbra's raw names have them with any
# type, the map has those of an interface that a method implements by name.
PARAMETERS = re.compile(r"(?<=[\w@>])<[^<>]*>(?=[./>,&*\[\]]|$)")


def without_arguments(name):
    """`List`1+Enumerator[System.Int32]` is `List`1+Enumerator`, whatever stands in the brackets."""
    kept, depth = [], 0
    for letter in name:
        depth += letter == "["
        if depth == 0:
            kept.append(letter)
        depth -= letter == "]"
    return "".join(kept)


def without_parameters(name):
    """`List`1<T>.Add` is `List.Add`."""
    name = ARITY.sub("", name)
    while (shorter := PARAMETERS.sub("", name)) != name:
        name = shorter
    return name


def mapped_method(text):
    """(assembly, type and method) of a line of the map; None: a stub."""
    found = METHOD.search(text)
    if not found:
        return None
    assembly, kind, method = found.groups()
    return assembly, without_parameters(f"{without_arguments(kind).replace('+', '/')}.{method}")


def profiled_method(module, raw_name):
    """The same of a function of umbra's file."""
    return module.removesuffix(".dll").removesuffix(".exe"), without_parameters(raw_name)


def profiled_methods(profile):
    """The same of all functions of a profile, by row."""
    modules = profile.column("modules", "name")
    return [profiled_method(modules[module], name) for module, name
            in zip(profile["functions"]["module"], profile.column("functions", "raw_name"))]


def map_of(pid):
    """Where the runtime puts the map of a process."""
    return Path(f"/tmp/perf-{pid}.map")


def remove_map(pid):
    """The map, and the companion that the runtime gives it."""
    map_of(pid).unlink()
    Path(f"/tmp/perfinfo-{pid}.map").unlink(missing_ok=True)


class PerfMap:
    """Method by address. Instantiations, overloads and tiers of a method have the same key."""

    def __init__(self, path):
        entries = {}
        for line in Path(path).read_text(errors="replace").splitlines():
            begin, size, text = line.split(" ", 2)
            if key := mapped_method(text):
                entries[int(begin, 16)] = (int(begin, 16) + int(size, 16), key)
        self.begins = sorted(entries)
        self.entries = [entries[begin] for begin in self.begins]

    def find(self, address):
        """The key of the method whose code lies there; None: no method's."""
        at = bisect.bisect_right(self.begins, address) - 1
        if at >= 0 and address < self.entries[at][0]:
            return self.entries[at][1]
        return None
