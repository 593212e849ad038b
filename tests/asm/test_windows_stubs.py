# SPDX-License-Identifier: MIT
"""The probes for Windows, built with mingw-w64 and run under wine: registers, records, unwinding.

windows_stubs.cpp is what runs. Here it is run, with faults put into the stubs too, which it has to
find, and the instructions of the probes are counted.
"""
import os
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parents[2]
ABI = ROOT / "arch/x86_64_windows"
STUBS = "hotpath/stubs.S"
COMPILER = "x86_64-w64-mingw32-g++"
OBJDUMP = "x86_64-w64-mingw32-objdump"
PROBES = ["umbra_enter", "umbra_leave", "umbra_tailcall", "umbra_il_enter", "umbra_il_leave"]
MOST_INSTRUCTIONS = 20


def wine():
    """Debian's wine64 lies outside PATH, where the package wine is not installed too."""
    return shutil.which("wine64") or shutil.which("wine64", path="/usr/lib/wine")


@pytest.fixture(scope="session")
def objects(tmp_path_factory):
    """What is linked with the stubs, compiled once."""
    if shutil.which(COMPILER) is None:
        pytest.skip(f"{COMPILER} is not installed (scripts/packages-windows.txt)")
    folder = tmp_path_factory.mktemp("objects")
    flags = ["-std=c++20", "-O2", "-fno-omit-frame-pointer", "-Wall", "-Wextra", "-Wno-array-bounds",
             "-Werror", f"-I{ROOT}", f"-I{ABI}"]
    made = []
    for source in ("tests/asm/windows_stubs.cpp", "src/fakeclr/register_check.cpp",
                   "arch/x86_64_windows/src/fakeclr/register_file.cpp",
                   "arch/x86_64_windows/src/fakeclr/checked_call.S",
                   "arch/x86_64_sysv/hotpath/vector_save.cpp"):
        made.append(folder / (source.replace("/", "_") + ".o"))
        compiled = subprocess.run([COMPILER, *flags, "-c", ROOT / source, "-o", made[-1]],
                                  capture_output=True, text=True)
        assert compiled.returncode == 0, compiled.stderr
    return made


def link(objects, folder, stubs):
    (folder / "stubs.S").write_text(stubs)
    program = folder / "stubs.exe"
    linked = subprocess.run([COMPILER, "-static", f"-I{ROOT}", f"-I{ABI}", folder / "stubs.S",
                             *objects, "-o", program], capture_output=True, text=True)
    assert linked.returncode == 0, linked.stderr
    return program


@pytest.fixture(scope="session")
def prefix(tmp_path_factory):
    """A folder for wine's own files, which wine fills at its first start."""
    return tmp_path_factory.mktemp("wine")


def run(program, prefix):
    if wine() is None:
        pytest.skip("wine64 is not installed (scripts/packages-windows.txt)")
    environment = {**os.environ, "WINEPREFIX": str(prefix), "HOME": str(prefix), "WINEDEBUG": "-all",
                   "WINEDLLOVERRIDES": "mscoree=d;mshtml=d;winemenubuilder.exe=d"}
    environment.pop("DISPLAY", None)
    return subprocess.run([wine(), program], env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=120)


def test_the_probes_keep_registers_record_and_can_be_unwound(objects, tmp_path, prefix):
    done = run(link(objects, tmp_path, (ABI / STUBS).read_text()), prefix)
    assert done.returncode == 0, done.stdout
    places = int(re.search(r"unwound from (\d+) places", done.stdout).group(1))
    assert places > 1000, done.stdout


FAULTS = {
    "the return value is lost": ("    mov     rax, r9\n", "", "umbra_leave, room: changes rax"),
    "the caller SP is lost": ("    mov     rdx, r8\n", "", "umbra_enter, room: slot 0"),
    "the slow path loses a register": ("    pop     rcx\n    pop     rax\n.endm",
                                       "    pop     rcx\n    pop     r11\n.endm",
                                       "umbra_leave, no room: changes rax"),
    "the clock loses a vector": ("    movaps  xmm3, xmmword ptr [rsp + UMBRA_HOME_BYTES + 48]\n", "",
                                 "umbra_enter_os, room: changes xmm3"),
    "the slow path has no home area": ("    sub     rsp, UMBRA_HOME_BYTES\n    call    umbra_slow_path\n"
                                       "    add     rsp, UMBRA_HOME_BYTES\n",
                                       "    call    umbra_slow_path\n", "changes mxcsr"),
    "a push without unwind data": (".macro PUSH_VOLATILE reg\n    push    \\reg\n    .seh_stackalloc 8\n",
                                   ".macro PUSH_VOLATILE reg\n    push    \\reg\n",
                                   "does not arrive at the caller"),
    "a saved register without unwind data": ("    push    rbp\n    .seh_pushreg rbp\n",
                                             "    push    rbp\n    .seh_stackalloc 8\n",
                                             "a callee-saved register is not the caller's"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found(fault, objects, tmp_path, prefix):
    right, wrong, said = FAULTS[fault]
    stubs = (ABI / STUBS).read_text()
    assert right in stubs
    done = run(link(objects, tmp_path, stubs.replace(right, wrong)), prefix)
    assert done.returncode != 0
    assert said in done.stdout, done.stdout


def instructions(program, symbol):
    """The instructions of a function, each with its address."""
    text = subprocess.run([OBJDUMP, "-d", "--no-show-raw-insn", "-M", "intel",
                           f"--disassemble={symbol}", program],
                          check=True, capture_output=True, text=True).stdout
    return [(int(match.group(1), 16), match.group(2).strip())
            for match in re.finditer(r"^\s+([0-9a-f]+):\s+(.*)$", text, re.M)]


def fast_path(body):
    """The instructions of an event: up to the first return."""
    end = next(at for at, (_, text) in enumerate(body) if text.startswith("ret"))
    return [text for _, text in body[:end + 1]]


def test_the_probes_have_so_many_instructions(objects, tmp_path):
    program = link(objects, tmp_path, (ABI / STUBS).read_text())
    clock = len(instructions(program, "umbra_read_os_clock"))
    counted = []
    for probe in PROBES:
        path = fast_path(instructions(program, probe))
        system = fast_path(instructions(program, f"{probe}_os"))
        for text in path:
            assert not re.match(r"(push|pop|call|lock|xchg|[ml]fence|cpuid)\b", text), (probe, text)
        assert sum(text.startswith("rdtsc") for text in path) == 1
        assert len(path) <= MOST_INSTRUCTIONS
        counted.append(f"{probe} {len(path)} {len(system) + clock}")
    golden = (ABI / "tests/asm/probe_instructions.txt").read_text().splitlines()
    assert counted == [line for line in golden if not line.startswith("#")]
