# SPDX-License-Identifier: MIT
"""Test programs as `dotnet publish` makes them, kept until their sources change."""
import functools
import hashlib
import subprocess

import runtimes

SELF_CONTAINED = ["--self-contained"]
ONE_FILE = ["-p:PublishSingleFile=true"]

KINDS = {
    "debug": ["--self-contained", "false", "-p:Configuration=Debug", "-p:Optimize=false"],
    "ready to run": ["--self-contained", "false", "-p:PublishReadyToRun=true"],
    "single file": ["--self-contained", "false", *ONE_FILE],
    "trimmed single file": [*SELF_CONTAINED, *ONE_FILE, "-p:PublishTrimmed=true"],
    "composite": [*SELF_CONTAINED, "-p:PublishReadyToRun=true",
                  "-p:PublishReadyToRunComposite=true"],
    "native": ["-p:PublishAot=true", "-p:CppCompilerAndLinker=gcc"],
}


@functools.cache
def published(kind, program="world"):
    """The program's path."""
    folder = runtimes.WORK_FOLDER / "published" / f"{program}-{kind.replace(' ', '-')}"
    folder.mkdir(parents=True, exist_ok=True)
    stamp = folder / "built-from"
    with runtimes.locked(folder / "lock"):
        sources = digest(kind, program)
        if not stamp.exists() or stamp.read_text() != sources:
            publish(kind, program, folder)
            stamp.write_text(sources)
    return folder / "out" / program


def publish(kind, program, folder):
    command = [runtimes.dotnet(), "publish", runtimes.SOURCES / program / f"{program}.csproj", "-nologo",
               "-v:quiet", "-nodeReuse:false", "-r", "linux-x64", "-p:UseAppHost=true",
               f"-p:UmbraOut={folder}/", "-o", folder / "out", *KINDS[kind]]
    made = subprocess.run([str(word) for word in command], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=runtimes.SOURCES,
                          env=runtimes.build_environment())
    if made.returncode == 0:
        return
    if any(code in made.stdout for code in ("NU1100", "NU1101", "NU1102", "NU1301", "NETSDK1094",
                                            "NETSDK1112")):
        raise runtimes.Unavailable(f"what publishes a {kind} program cannot be restored here")
    raise AssertionError(f"no {kind} program could be published:\n{made.stdout}")


def digest(kind, program):
    total = hashlib.sha256(" ".join(KINDS[kind]).encode())
    for source in (runtimes.SOURCES / name for name in (program, "common", "Directory.Build.props")):
        for path in sorted(source.rglob("*")) if source.is_dir() else [source]:
            if path.is_file():
                total.update(path.read_bytes())
    return total.hexdigest()
