#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The licences of everything that is linked into the programs of a build folder.

Usage: licences.py BUILD-FOLDER >FILE

Asks the build what it has read: every header of the system that a source has included, every
archive that a program is linked with, and the packages in the page. What Debian's packages say of
these is printed, package by package. Of the C libraries, which are not linked in, nothing is, but of
the first and last instructions of the agent for musl, which are musl's.
"""
import collections
import pathlib
import re
import subprocess
import sys

AGENT_FOR_MUSL = "musl/libumbra_agent.so"
PROGRAMS = ["umbra", "libumbra_agent.so", AGENT_FOR_MUSL, "umbra-demo-target", "umbra-runsxs"]
# Headers of the system itself: programs made with them are subject to no licence of theirs.
OF_THE_SYSTEM = {"libc6-dev", "linux-libc-dev"}
# A list of licences longer than this names every file of a library of which little is used.
LONG = 100_000


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def headers_read(folder):
    """The files outside the tree on which the objects of the build depend."""
    found = run("ninja", "-C", folder, "-t", "deps")
    return set(re.findall(r"^    (/usr/\S+)$", found, re.M))


def archives_linked(folder):
    """The archives of the system in the programs, the compiler's own among them."""
    commands = run("ninja", "-C", folder, "-t", "commands", *PROGRAMS)
    found = set(re.findall(r"(?<=\s)(/usr/\S+\.a)(?=\s)", commands))
    specs = re.search(r"(?<=-specs=)\S+", run("ninja", "-C", folder, "-t", "commands", AGENT_FOR_MUSL))
    found |= {str(pathlib.Path(specs[0]).with_name(name)) for name in ("crti.o", "crtn.o")}
    return found | {run("g++", f"-print-file-name={name}").strip()
                    for name in ("libstdc++.a", "libgcc.a", "libgcc_eh.a")}


def owners(files):
    """The package of each file; what no package has was made here."""
    paths = {str(pathlib.Path(file).resolve()): file for file in files}
    asked = subprocess.run(["dpkg-query", "-S", *paths], capture_output=True, text=True)
    found = collections.defaultdict(set)
    for line in asked.stdout.splitlines():
        package, _, path = line.partition(": ")
        found[package.partition(":")[0]].add(path)
    missing = set(paths) - set().union(*found.values())
    if missing:
        sys.exit(f"licences.py: no package owns {sorted(missing)}")
    return found


def only_of(text, files):
    """Of a machine-readable copyright file the paragraphs on these files, and their licences."""
    paragraphs = re.split(r"\n\s*\n", text)
    # Sources lie elsewhere than what is installed of them; their last folders are the same.
    tails = tuple("/" + path.partition("/include/")[2] for path in files)
    names, kept = set(), []
    for paragraph in paragraphs:
        licence = re.search(r"^License:\s*(.+)$", paragraph, re.M)
        if not paragraph.startswith("Files:") or not licence:
            continue
        listed, _, rest = paragraph.partition("\nCopyright:")
        if any(path.endswith(tails) for path in listed.split()):
            kept.append("Copyright:" + rest)
            names.update(re.split(r"\s+(?:and|or)\s+", licence.group(1)))
    kept = sorted(set(kept))
    for name in sorted(names):
        texts = [one for one in paragraphs if re.match(rf"License:\s*{re.escape(name)}\n.", one)]
        if not texts:
            sys.exit(f"licences.py: the text of the licence {name} is missing")
        kept += texts[:1]
    return "\n\n".join(kept)


def section(title, text):
    line = "=" * 80
    return f"{line}\n{title}\n{line}\n\n{text.strip()}\n\n"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = sys.argv[1]
    packages = owners(headers_read(folder) | archives_linked(folder))
    texts = {}
    for package in sorted(set(packages) - OF_THE_SYSTEM):
        source, version = run("dpkg-query", "-W", "-f", "${source:Package} ${source:Version}",
                              package).split()
        text = pathlib.Path(f"/usr/share/doc/{package}/copyright").read_text(encoding="utf-8")
        if len(text) > LONG:
            text = only_of(text, packages[package])
        # Packages of one source have one text.
        texts.setdefault(f"{source} {version}", text)
    print("umbra is made with the software below, and parts of it are in its programs.\n")
    for title, text in texts.items():
        print(section(title, text), end="")
    page = pathlib.Path(folder, "page", "page.html").read_text(encoding="utf-8")
    licences = page.rpartition("<!--")[2].partition("-->")[0]
    if "preact" not in licences:
        sys.exit("licences.py: the page says nothing of what it is made of")
    print(section("In the page of umbra export --html and umbra view", licences), end="")


if __name__ == "__main__":
    main()
