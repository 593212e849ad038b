# SPDX-License-Identifier: MIT
"""Rules of the source tree and of what is built from it, held by looking.

Usage: policy.py layers|abis|sizes|fields|sources|comments|locks|promises ROOT
       policy.py hotpath_symbols ARCHIVE
       policy.py exports AGENT
       policy.py libc SYMBOLS AGENT [MUSL-AGENT MUSL-LIBC]
       policy.py probes AGENT FOLDER-OF-THE-ABI [INSTRUCTIONS-FOR-MUSL]

Each prints what breaks the rule and answers 1 if anything does.
"""
import ast
import collections
import graphlib
import itertools
import json
import pathlib
import re
import sys

from built import check_exports, check_hotpath_symbols, check_libc, check_probes

# Which layers each layer may include from; every layer may include its own. A file belongs to the
# longest name that fits.
AGENT = ["src/base", "hotpath", "src/protocol", "src/clr", "src/agent/support", "src/agent/link"]
REPLAY = ["src/replay/tree", "src/replay/slowest", "src/replay/async"]
STATE = ["src/base", "hotpath", "src/protocol", "src/profile", "src/profile/names", "src/replay",
         *REPLAY]
COLLECTOR = [*STATE, "src/collector/state", "src/collector/tables", "src/collector/cpu",
             "src/collector/live", "src/collector/sampling"]
LAYERS = {
    "hotpath": [],
    "src/base": [],
    "src/clr": ["src/base"],
    "src/il": ["src/base", "src/clr"],
    "src/protocol": ["src/base", "hotpath"],
    "src/profile": ["src/base", "src/profile/model"],
    "src/profile/model": ["src/base"],
    "src/profile/async": ["src/base", "src/profile"],
    "src/profile/names": ["src/base", "src/profile"],
    "src/profile/diff": ["src/base", "src/profile"],
    "src/diagnostics": ["src/base"],
    "src/symbols": ["src/base", "src/clr", "src/il", "src/profile", "src/profile/names",
                    "src/diagnostics"],
    "src/agent/support": ["src/base", "src/clr", "src/protocol"],
    "src/agent/link": ["src/base", "hotpath", "src/protocol", "src/clr", "src/agent/support"],
    "src/agent/methods": ["src/base", "hotpath", "src/protocol", "src/clr", "src/il",
                          "src/agent/support"],
    "src/agent/il": ["src/base", "hotpath", "src/clr", "src/il", "src/agent/support",
                     "src/agent/methods"],
    "src/agent/async": ["src/base", "hotpath", "src/clr", "src/il", "src/agent/il"],
    "src/agent/sampling": [*AGENT, "src/agent/methods"],
    "src/agent": [*AGENT, "src/agent/methods", "src/agent/il", "src/agent/sampling",
                  "src/agent/async"],
    "src/agent/musl": ["src/older_glibc"],
    "src/older_glibc": [],
    "src/fakeclr": ["src/base", "src/clr", "src/il"],
    "src/runsxs": ["src/base", "src/clr", "src/fakeclr", "src/manual"],
    "src/replay/tree": ["src/base", "hotpath"],
    "src/replay/async": ["src/base", "hotpath", "src/replay/slowest", "src/replay/tree"],
    "src/replay/slowest": ["src/base", "hotpath", "src/replay/tree"],
    "src/replay": ["src/base", "hotpath", *REPLAY],
    "src/collector/state": STATE,
    "src/collector/tables": [*STATE, "src/collector/state"],
    "src/collector/cpu": [*STATE, "src/collector/state"],
    "src/collector/live": [*STATE, "src/collector/state"],
    "src/collector/sampling": [*STATE, "src/collector/state", "src/collector/live"],
    "src/collector": COLLECTOR,
    "export": ["src/base", "src/profile", "src/profile/async", "src/profile/names", "src/profile/diff"],
    "export/hdf5": ["src/base", "src/profile", "export"],
    "src/manual": ["src/base"],
    "src/cli/terminal": ["src/base", "src/profile/names"],
    "src/cli/text": ["src/base", "src/profile", "src/profile/names", "src/profile/diff",
                     "src/profile/async", "export", "src/cli/terminal"],
    "src/cli/record": [*COLLECTOR, "src/collector", "export", "export/hdf5", "src/diagnostics",
                       "src/symbols",
                       "src/cli/terminal", "src/cli/text"],
    "src/cli/live": ["src/base", "src/protocol", "src/profile", "export", "src/diagnostics",
                     "src/cli/terminal", "src/cli/text"],
    "src/cli": [*COLLECTOR, "src/collector", "export", "export/hdf5", "src/clr", "src/fakeclr",
                "src/diagnostics", "src/manual", "src/symbols", "src/profile/async",
                "src/profile/diff", "src/cli/terminal", "src/cli/text", "src/cli/record", "src/cli/live"],
}

# A folder or file beyond this has become hard to find one's way in.
MOST_FILES = 30
MOST_LINES = 500
# A class with more data members than this does several things, or says beside it why it does not.
MOST_FIELDS = 20

# The folder of an ABI in arch mirrors the source tree.
ABI_FOLDER = re.compile(r"^arch/\w+/")
# What it must hold, by the kind that arch/abis.txt says it is of, and that ABI's own besides.
STUB_PARTS = {
    "hotpath/stubs.S", "hotpath/abi_layout.inc", "src/fakeclr/register_file.h",
    "src/fakeclr/register_file.cpp", "src/fakeclr/register_layout.inc",
    "src/fakeclr/checked_call.S", "tests/asm/clobbered.h", "tests/asm/probe_instructions.txt",
}
ABI_PARTS = {
    "stubs": STUB_PARTS,
    "product": STUB_PARTS | {
        "hotpath/counter.h", "hotpath/fences.h", "hotpath/vector_save.cpp",
        "src/diagnostics/own_machine.h", "src/fakeclr/call_stub.S", "src/runsxs/thunks.S",
        "tests/fakeclr/mutant_hooks.S", "tests/fakeclr/mutants.h",
        "tests/fakeclr/test_profiler_hooks.S", "tests/fakeclr/wide_vectors_test.cpp",
    },
}

# What is one processor's alone: its macro, its header, its built-in functions, its instructions.
PROCESSOR = re.compile(r"__x86_64__|__aarch64__|__amd64__|<(?:\w*intrin|cpuid|arm_\w+)\.h>"
                       r"|__builtin_(?:ia32|aarch64)|\b_mm\d*_|\b(?:asm|__asm__)\b[\w\s]*\(\s*\"\s*[a-z]")
# Of an assembler's source: a directive, a label, a comment.
NO_INSTRUCTION = re.compile(r"\s*(?:\.|//|#|\w+:\s*$|$)")

SOURCE_ENDINGS = {".h", ".cpp", ".c", ".S", ".inc", ".py", ".cs", ".fs", ".ts", ".tsx", ".css",
                  ".mjs"}
SOURCE_FOLDERS = ["arch", "hotpath", "src", "export", "packaging", "python", "web", "dotnet", "examples", "tests",
                  "benchmarks"]


def sources(root, folders=SOURCE_FOLDERS):
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            built = {"bin", "obj", "__pycache__"} & set(path.relative_to(root).parts)
            if path.suffix in SOURCE_ENDINGS and path.is_file() and not built:
                yield path


def layer_of(path):
    """The layer of a file, by its path from the root; None: it is in none. The folder of an ABI
    mirrors the tree."""
    path = ABI_FOLDER.sub("", path)
    inside = [name for name in LAYERS if path.startswith(name + "/")]
    return max(inside, key=len, default=None)


def check_layers(root):
    """Includes follow the arrows between the layers."""
    root = pathlib.Path(root)
    for path in sources(root, {"arch", *(name.partition("/")[0] for name in LAYERS)}):
        layer = layer_of(str(path.relative_to(root)))
        for number, line in enumerate(path.read_text().splitlines(), 1):
            included = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
            if not included:
                continue
            target = included.group(1)
            owner = layer_of(target)
            if layer is None or re.match(r"arch/[^/]+$", target):  # what several ABIs share
                continue
            if owner != layer and owner not in LAYERS[layer]:
                yield f"{path.relative_to(root)}:{number}: {layer} must not include {target}"
    yield from import_circles(root / "python/umbra")


def import_circles(package):
    """Modules that import each other round about, anywhere in them: for types alone, in a function."""
    imported = {path.stem: {name for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
                            if isinstance(node, ast.ImportFrom) and node.level
                            for name in ([node.module] if node.module else [one.name for one in node.names])}
                for path in package.glob("*.py")}
    try:
        graphlib.TopologicalSorter(imported).prepare()
    except graphlib.CycleError as circle:
        yield f"{package}: {' is imported by '.join(circle.args[1])}"


def check_abis(root):
    """What knows the processor lies in one folder an ABI, which holds every part there is."""
    folder = pathlib.Path(root) / "arch"
    listed = {}
    for line in (folder / "abis.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, _, _, kind = line.split()
            listed[name] = kind
    there = {path.name for path in folder.iterdir() if path.is_dir()}
    for name in sorted(there ^ listed.keys()):
        yield f"arch/{name}: " + ("not in arch/abis.txt" if name in there else "no such folder")
    for name in sorted(there & listed.keys()):
        parts = {str(path.relative_to(folder / name)) for path in (folder / name).rglob("*")
                 if path.is_file()}
        wanted = ABI_PARTS[listed[name]]
        for part in sorted(wanted - parts):
            yield f"arch/{name}: no {part}"
        for part in sorted(parts - ABI_PARTS["product"]):
            yield f"arch/{name}: {part} is a part that no ABI has to have (ABI_PARTS)"
    for path in sources(pathlib.Path(root)):
        inside = path.relative_to(root)
        if inside.parts[0] == "arch" or path.suffix not in {".h", ".cpp", ".c", ".S", ".inc"}:
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if PROCESSOR.search(line) or path.suffix == ".S" and not NO_INSTRUCTION.match(line):
                yield f"{inside}:{number}: knows the processor outside arch: {line.strip()}"
                break


def check_sizes(root):
    """No folder has so many files, no source so many lines, that one gets lost in it."""
    root = pathlib.Path(root)
    files = collections.Counter()
    for path in sources(root):
        name = path.relative_to(root)
        files[name.parent] += 1
        lines = len(path.read_bytes().splitlines())
        if lines > MOST_LINES:
            yield f"{name}: {lines} lines, more than {MOST_LINES}"
    for folder, count in sorted(files.items()):
        if count > MOST_FILES:
            yield f"{folder}: {count} sources, more than {MOST_FILES}"


# What is no C++ of its own: comments, strings, characters, lines of the preprocessor.
BLANKED = re.compile(r'//[^\n]*|/\*.*?\*/|R"\(.*?\)"|"(?:\\.|[^"\\\n])*"'
                     r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'|^[ \t]*#(?:\\\n|[^\n])*", re.S | re.M)
CLASS = re.compile(r"(?<!enum )\b(?:class|struct|union)\b(?:\s+alignas\([^()]*\))?\s+([\w:]+)"
                   r"(?:\s*<[^{};()]*>)?(?:\s+final)?(?:\s*:(?!:)[^;{}]*)?\s*\{")
ATTRIBUTES = re.compile(r"\b(?:alignas|decltype|noexcept)\s*\((?:[^()]|\([^()]*\))*\)|\[\[.*?\]\]"
                        r"|\b(?:public|private|protected)\s*:(?!:)")
NO_FIELD = re.compile(r"(?:using|typedef|friend|static|template|extern|constexpr)\b"
                      r"|(?:class|struct|union|enum)(?:\s+class)?\s+[\w:]+\s*(?:|:.*)$", re.S)


def without_brackets(text, opening, closing):
    """The text without what stands in such brackets, however nested."""
    pattern = re.compile(rf"{re.escape(opening)}[^{opening}{closing};]*{re.escape(closing)}")
    changed = 1
    while changed:
        text, changed = pattern.subn("", text)
    return text


def fields_of(body):
    """How many data members a class declares itself, of the text between its braces."""
    count, statement, depth = 0, "", 0
    for char in body + ";":
        depth += (char == "{") - (char == "}")
        if depth or char not in ";}":
            # Of what is in braces nothing counts: bodies, nested classes, initial values.
            statement += char if not depth else "{" if char == "{" and statement[-1:] != "{" else ""
            continue
        code = ATTRIBUTES.sub("", statement).strip()
        head = without_brackets(re.split("[={]", code)[0], "<", ">")
        parenthesis = "operator" in head or re.search(r"\((?!\*)", head.partition("(*")[0])
        if char == "}":
            # A function has no semicolon behind its body, a nested class may have.
            statement = "" if parenthesis and code.count("(") == code.count(")") else statement
            continue
        statement = ""
        if code and not parenthesis and not NO_FIELD.match(code.partition("{")[0].strip()):
            count += 1 + head.partition("(")[0].count(",")
    return count


def has_reason(above):
    """Whether the comment that these lines end with says why a class has so many fields."""
    comment = itertools.takewhile(lambda line: line.lstrip().startswith("//"), reversed(above))
    return any(re.match(r"\s*// Fields: \S", line) for line in comment)


def check_fields(root):
    """No class has so many data members that it must be several, but with a reason beside it."""
    root = pathlib.Path(root)
    for path in sources(root, ["arch", "hotpath", "src", "export"]):
        if path.suffix not in {".h", ".cpp"}:
            continue
        text = path.read_text(encoding="utf-8")
        lines = text.splitlines()
        code = BLANKED.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)
        for found in CLASS.finditer(code):
            depth, end = 1, found.end()
            while depth and end < len(code):
                depth += (code[end] == "{") - (code[end] == "}")
                end += 1
            count = fields_of(code[found.end():end - 1])
            line = code.count("\n", 0, found.start()) + 1
            if count > MOST_FIELDS and not has_reason(lines[:line - 1]):
                yield (f"{path.relative_to(root)}:{line}: {found.group(1)} has {count} data members, "
                       f"more than {MOST_FIELDS}, and no '// Fields: REASON' above it")


def check_sources(root):
    """Sources are ASCII and begin with the licence."""
    root = pathlib.Path(root)
    for path in sources(root):
        data = path.read_bytes()
        name = path.relative_to(root)
        first_lines = b"\n".join(data.split(b"\n")[:2])
        if data and b"SPDX-License-Identifier: MIT" not in first_lines:
            yield f"{name}: does not begin with the SPDX line"
        for number, line in enumerate(data.split(b"\n"), 1):
            if not line.isascii():
                yield f"{name}:{number}: not ASCII"


# What says no more than the comment above it does.
LEANING = re.compile(r"(?://|#).*\b[Ll]ikewise\b|(?:///?<?|#) The same\b")


def check_comments(root):
    """Comments of the product stand alone: who opens a file at a declaration understands it."""
    root = pathlib.Path(root)
    for path in sources(root, ["arch", "hotpath", "src", "export", "python", "dotnet"]):
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
            if match := LEANING.search(line):
                yield f"{path.relative_to(root)}:{number}: leans on another comment: {match[0]}"


def check_locks(root):
    """Lock files pin packages by version and digest; where they come from is the machine's."""
    root = pathlib.Path(root)
    for path in sorted(root.rglob("package-lock.json")):
        if {"node_modules", "build"} & set(path.relative_to(root).parts):
            continue
        name = path.relative_to(root)
        for package, entry in json.loads(path.read_text(encoding="utf-8"))["packages"].items():
            if "resolved" in entry:
                yield f"{name}: {package} has a download address"
            if package and "integrity" not in entry:
                yield f"{name}: {package} has no digest"


PROMISES = ("docs/reliability.md", "docs/several_runtimes.md")


def check_promises(root):
    """Every test that the tables of promises name is there."""
    root = pathlib.Path(root)
    for document in PROMISES:
        listed = (root / document).read_text(encoding="utf-8")
        for file, name in re.findall(r"`(tests/[^`:]+)(?:::([^`]+))?`", listed):
            path = root / file
            if not path.is_file():
                yield f"{document}: there is no {file}"
                continue
            if name:
                suite, _, test = name.rpartition(".")
                test, _, case = test.removesuffix("]").partition("[")
                pattern = rf"TEST(_F|_P)?\({suite},\s*{test}\)" if suite else rf"def {test}\("
                text = path.read_text(encoding="utf-8")
                if not re.search(pattern, text) or (case and f'"{case}"' not in text):
                    yield f"{document}: there is no {name} in {file}"


CHECKS = {"layers": check_layers, "abis": check_abis, "sizes": check_sizes, "fields": check_fields,
          "sources": check_sources, "comments": check_comments, "locks": check_locks,
          "promises": check_promises, "exports": check_exports, "libc": check_libc,
          "hotpath_symbols": check_hotpath_symbols, "probes": check_probes}


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in CHECKS:
        sys.exit(__doc__)
    broken = list(CHECKS[sys.argv[1]](*sys.argv[2:]))
    for line in broken:
        print(line)
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
