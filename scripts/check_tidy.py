# SPDX-License-Identifier: MIT
"""check_tidy.py BUILD-FOLDER [--budget SECONDS]: clang-tidy over hotpath, src and export.

A file that passed is looked at again only when it, a header it includes, its options, the
configuration or clang-tidy changed: a stamp in $XDG_CACHE_HOME/umbra/tidy, which all clones share,
says so. Files that differ from the main branch come first. Files for which the budget leaves no
time are named, and fail.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("arch", "hotpath", "src", "export")
# The folder of an ABI is an include directory; of which one does not matter for a digest.
INCLUDE_FOLDERS = (ROOT, *sorted(ROOT.glob("arch/*/")))
SKIPPED_STATUS = 77
TIDY = "clang-tidy-14"
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def compile_commands(build):
    """For each C++ source of the layers, how the build compiles it."""
    commands = json.loads((build / "compile_commands.json").read_text())
    paths = {Path(entry["file"]): entry["command"] for entry in commands
             if entry["file"].endswith(".cpp")}
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


def changed():
    """What differs from the main branch; nothing where git cannot tell."""
    for base in ("origin/main", "main"):
        found = subprocess.run(["git", "diff", "--name-only", "--merge-base", base], cwd=ROOT,
                               capture_output=True, text=True)
        if found.returncode == 0 and found.stdout:
            return {ROOT / name for name in found.stdout.split()}
    return set()


def check(path, build, stamp, end):
    """None if the file passes, its findings if not, "" if there was no time left."""
    if stamp.exists():
        return None
    left = end - time.monotonic()
    if left <= 0:
        return ""
    try:
        done = subprocess.run([TIDY, "--quiet", "-p", build, path], text=True, timeout=left,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return ""
    if done.returncode == 0:
        stamp.touch()
        return None
    findings = done.stdout or f"{TIDY} ended with status {done.returncode}\n"
    print(findings, end="", flush=True)
    return findings


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
    first = changed()
    commands = compile_commands(options.build)
    files = sorted(commands, key=lambda path: path not in first)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        verdicts = list(pool.map(
            lambda path: check(path, options.build,
                               stamps / digest(path, commands[path], version), end), files))
    findings = [verdict for verdict in verdicts if verdict]
    unseen = [path for path, verdict in zip(files, verdicts) if verdict == ""]
    for path in unseen:
        print(f"no time left for {path.relative_to(ROOT)}")
    print(f"{len(files)} files, {len(findings)} with findings, {len(unseen)} not looked at")
    return 1 if findings or unseen else 0


if __name__ == "__main__":
    sys.exit(main())
