# SPDX-License-Identifier: MIT
"""Reads a profile file with h5py alone, as a stranger would: docs/file_format.md is its guide."""
from collections import Counter

import h5py

# What a thread was doing when a capture began, as far as it was in no timed call yet.
BEFORE = "(running before start)"


class Profile:
    """Tables as numpy arrays and root attributes, by the names of the file format."""

    def __init__(self, path):
        with h5py.File(path) as file:
            self.attributes = {name: plain(value) for name, value in file.attrs.items()}
            self.tables = {name: file[name][:] for name in file}

    def __getitem__(self, table):
        return self.tables[table]

    def __getattr__(self, name):
        try:
            return self.attributes[name]
        except KeyError:
            raise AttributeError(name) from None

    def column(self, table, name):
        return [plain(value) for value in self.tables[table][name]]

    def methods(self):
        """For each function "Type.Method", without namespace and parameters."""
        return [f"{kind}.{method}" if kind else method
                for kind, method in zip(self.column("functions", "type"),
                                        self.column("functions", "method"))]

    def calls(self, module=None):
        """Calls by "Type.Method"; a method's state machine counts as the method."""
        modules = self.column("modules", "name")
        counts = Counter()
        functions = self["functions"]
        for method, calls, at in zip(self.methods(), functions["calls"], functions["module"]):
            if module is None or (at >= 0 and modules[at] == module):
                counts[method] += int(calls)
        return counts

    def calls_of_no_module(self):
        """Name and calls of what has no module: native code, and functions that got no name."""
        return [(method, int(calls)) for method, calls, at in zip(
            self.methods(), self["functions"]["calls"], self["functions"]["module"]) if at < 0]

    def times_by_thread(self, column):
        """For each thread name the time of each "Type.Method", from a column of thread_functions."""
        threads = self.column("threads", "name")
        methods = self.methods()
        times = {}
        for row in self["thread_functions"]:
            of_thread = times.setdefault(threads[row["thread"]], {})
            name = methods[row["function"]]
            of_thread[name] = of_thread.get(name, 0) + int(row[column])
        return times

    def nodes(self, module=None):
        """Every Node of the call tree. With a module, only the calls of its methods: what others
        called in between counts as called by the method above them."""
        methods = self.methods()
        modules = self.column("modules", "name")
        ours = [module is None or (at >= 0 and modules[at] == module)
                for at in self["functions"]["module"].tolist()]
        nodes, at_row = [], []
        for parent, function, calls in zip(
                *(self["calltree"][name].tolist() for name in ("parent", "function", "calls"))):
            above = at_row[parent] if parent >= 0 else None
            if not ours[function]:
                at_row.append(above)
                continue
            node = Node(methods[function], calls)
            if above is not None:
                above.children.append(node)
            nodes.append(node)
            at_row.append(node)
        return nodes

    def subtree(self, root, module=None):
        """What a method called, wherever in the tree it stands, as one Node; None without it."""
        found = [node for node in self.nodes(module) if node.method == root]
        return merged(found) if found else None


class Node:
    """A method in its calling context."""

    def __init__(self, method, calls):
        self.method = method
        self.calls = calls
        self.children = []

    def lines(self, depth=0):
        """The node and what it calls as text, one method a line, callees in order of name."""
        yield f"{'  ' * depth}{self.method} {self.calls}"
        for child in sorted(self.children, key=lambda node: node.method):
            yield from child.lines(depth + 1)


def merged(nodes):
    """One Node in place of several of the same method; their callees are merged as well."""
    total = Node(nodes[0].method, sum(node.calls for node in nodes))
    by_method = {}
    for node in nodes:
        for child in node.children:
            by_method.setdefault(child.method, []).append(child)
    total.children = [merged(same) for same in by_method.values()]
    return total


def parse_tree(text):
    """A Node from text as Node.lines() writes it, callees in any order."""
    path = []
    for line in text.splitlines():
        depth = (len(line) - len(line.lstrip())) // 2
        method, calls = line.rsplit(maxsplit=1)
        node = Node(method.strip(), int(calls))
        if depth:
            path[depth - 1].children.append(node)
        path[depth:] = [node]
    return path[0]


def plain(value):
    """Python's own type in place of numpy's or h5py's."""
    if isinstance(value, bytes):
        return value.decode()
    return value.item() if hasattr(value, "item") else value
