# SPDX-License-Identifier: MIT
"""check_tidy.py BUILD-FOLDER [--budget SECONDS]: clang-tidy over hotpath, src and export.

A file that passed is looked at again only when it, a header it includes, its options, the
configuration or clang-tidy changed: a stamp in $XDG_CACHE_HOME/umbra/tidy, which all clones share,
says so. Most of a run's time goes to the headers of libraries, so files that compile alike are looked
at together, in one translation unit; where that finds anything, or its parts do not go together, its
halves are looked at, down to the single file, which alone decides. Files for which the budget leaves
no time are named, and fail.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("arch", "hotpath", "src", "export")
# The folder of an ABI is an include directory; of which one does not matter for a digest.
INCLUDE_FOLDERS = (ROOT, *sorted(ROOT.glob("arch/*/")))
SKIPPED_STATUS = 77
TYPE = re.compile(r"(?:template <.*> )?(?:struct|class|enum class|enum|union) (\w+)")
OTHER_LINE = re.compile(r"[\s#/})]|namespace|using|public|private|protected|template <|extern|$")
TIDY = "clang-tidy-14"
TOGETHER = 8  # sources in one translation unit
# The static analyzer follows calls into small functions only: half of its time, on 267 sources.
ANALYSIS = ("-Xclang", "-analyzer-config", "-Xclang", "mode=shallow")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def sources_of(file):
    """The source itself, or those that a source of CMake's unity builds includes."""
    if file.suffix == ".cpp":
        return [file]
    if file.parent.name == "Unity":
        return [Path(name) for name in INCLUDE.findall(file.read_text())]
    return []


def compile_commands(build):
    """For each C++ source of the layers, how the build compiles it."""
    commands = json.loads((build / "compile_commands.json").read_text())
    paths = {source: entry["command"] for entry in commands
             for source in sources_of(Path(entry["file"]))}
    return {path: command for path, command in sorted(paths.items())
            if path.is_relative_to(ROOT) and path.relative_to(ROOT).parts[0] in FOLDERS}


def stamps_folder():
    """Where the verdicts of earlier runs lie, those of other clones too."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(cache) / "umbra" / "tidy"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def with_headers(path, seen):
    """The file and every header of ours it includes, into `seen`."""
    if path in seen or not path.is_file():
        return
    seen.add(path)
    for name in INCLUDE.findall(path.read_text()):
        for folder in INCLUDE_FOLDERS:
            with_headers(folder / name, seen)


def digest(path, command, version):
    """Changes whenever the verdict on the file could, and is the same in every clone."""
    read = set()
    with_headers(path, read)
    read.update(folder / ".clang-tidy" for folder in (ROOT, *path.parents)
                if folder.is_relative_to(ROOT) and (folder / ".clang-tidy").is_file())
    total = hashlib.sha256()
    total.update(f"{version}\n{path.relative_to(ROOT)}\n{command}".replace(str(ROOT), "").encode())
    for name in sorted(read):
        total.update(name.read_bytes())
    return total.hexdigest()


def options_of(command):
    """What a command of the build says of how to compile, without what it compiles into what, and
    without what GCC alone knows."""
    words = shlex.split(command)[1:]
    return tuple(word for word, before in zip(words, ["", *words])
                 if word not in ("-o", "-c") and before not in ("-o", "-c")
                 and not word.startswith(("--param=", "-fno-devirtualize")))


def configuration_of(path):
    """The file whose checks hold for this one."""
    return next(folder for folder in path.parents if (folder / ".clang-tidy").is_file())


def names_of(path):
    """What the source defines in its namespaces, as far as the first column tells."""
    found = set()
    for line in path.read_text().splitlines():
        if OTHER_LINE.match(line):
            continue
        declared = TYPE.match(line) or re.search(r"([\w:~]+)\s*(?:\(|=|\{|;|\[)", line)
        if declared and "::" not in declared[1]:
            found.add(declared[1])
    return found


def units(files, commands):
    """The files in groups that one translation unit can be: compiled alike, TOGETHER at most, and
    without two of one name."""
    alike = {}
    for path in files:
        names = names_of(path)
        groups = alike.setdefault((options_of(commands[path]), configuration_of(path)), [])
        group = next((one for one in groups if len(one[0]) < TOGETHER and not one[1] & names), None)
        if group is None:
            group = ([], set())
            groups.append(group)
        group[0].append(path)
        group[1].update(names)
    return [paths for groups in alike.values() for paths, _ in groups]


def findings_in(source, options, end):
    """What clang-tidy says of one source: "" if nothing, None if no time was left for it."""
    left = end - time.monotonic()
    if left <= 0:
        return None
    try:
        done = subprocess.run([TIDY, "--quiet", source, "--", *options, *ANALYSIS], text=True, timeout=left,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode == 0:
        return ""
    return done.stdout or f"{TIDY} ended with status {done.returncode}\n"


def check(files, options, stamp_of, end):
    """For each file its findings: "" if it passes, None if there was no time left."""
    if len(files) == 1:
        found = findings_in(files[0], options, end)
    else:
        # Beside the configuration that holds for its parts.
        with tempfile.NamedTemporaryFile("w", suffix=".cpp", prefix=".tidy-",
                                         dir=configuration_of(files[0])) as unit:
            unit.write("".join(f'#include "{path}"  // NOLINT(bugprone-suspicious-include)\n'
                               for path in files))
            unit.flush()
            found = findings_in(unit.name, options, end)
        if found:
            half = len(files) // 2
            return {**check(files[:half], options, stamp_of, end),
                    **check(files[half:], options, stamp_of, end)}
    if found == "":
        for path in files:
            stamp_of[path].touch()
    elif found:
        print(found, end="", flush=True)
    return dict.fromkeys(files, found)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path)
    parser.add_argument("--budget", type=float, default=2700)
    options = parser.parse_args()
    if shutil.which(TIDY) is None:
        print(f"skipped: {TIDY} is not installed")
        return SKIPPED_STATUS
    stamps = stamps_folder()
    version = subprocess.run([TIDY, "--version"], capture_output=True, text=True).stdout
    end = time.monotonic() + options.budget
    commands = compile_commands(options.build)
    stamp_of = {path: stamps / digest(path, command, version)
                for path, command in commands.items()}
    files = [path for path in commands if not stamp_of[path].exists()]
    verdicts = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for part in pool.map(lambda unit: check(unit, options_of(commands[unit[0]]), stamp_of, end),
                             units(files, commands)):
            verdicts.update(part)
    findings = [verdict for verdict in verdicts.values() if verdict]
    unseen = [path for path, verdict in verdicts.items() if verdict is None]
    for path in unseen:
        print(f"no time left for {path.relative_to(ROOT)}")
    print(f"{len(commands)} files, {len(commands) - len(files)} as when they passed, "
          f"{len(findings)} with findings, {len(unseen)} not looked at")
    return 1 if findings or unseen else 0


if __name__ == "__main__":
    sys.exit(main())
