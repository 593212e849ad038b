# SPDX-License-Identifier: MIT
"""Rules of what is built: which symbols the hot path and the agent ask for and show, and what a probe does
for an event. policy.py runs them."""
import os
import pathlib
import re
import subprocess

# All that the hot path may ask of libc: system calls, the clock, the thread's own key, what the processor
# can do, and what compilers call for copies (the slow path keeps every vector register).
HOTPATH_MAY_USE = {
    "__errno_location", "clock_gettime", "mmap", "mprotect", "munmap", "syscall",
    "getauxval", "pthread_atfork", "pthread_key_create", "pthread_setspecific",
    "_GLOBAL_OFFSET_TABLE_", "memcpy", "memset",
}
# Atomic instructions of libgcc's, which picks those of the processor that it runs on.
OUTLINE_ATOMIC = re.compile(r"__aarch64_(?:cas|swp|ldadd|ldclr|ldset|ldeor)\d+_")

AGENT_MAY_NEED = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2",
                  "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def check_hotpath_symbols(archive):
    """Code under a probe calls nothing that allocates, locks, throws or prints."""
    lines = run("nm", "--undefined-only", "--format=posix", archive).splitlines()
    asked = {line.split()[0] for line in lines if " U" in line}
    defined_here = {line.split()[0] for line in
                    run("nm", "--defined-only", "--format=posix", archive).splitlines()
                    if " " in line}
    for symbol in sorted(asked - defined_here - HOTPATH_MAY_USE):
        if not OUTLINE_ATOMIC.match(symbol):
            yield f"hot path uses {symbol}"


def check_exported(agent):
    """The agent shows one function to its host."""
    exported = {line.split()[0].split("@")[0] for line in
                run("nm", "-D", "--defined-only", "--format=posix", agent).splitlines()}
    if exported != {"DllGetClassObject"}:
        yield f"{agent}: exports {sorted(exported)} instead of DllGetClassObject alone"


def check_exports(agent):
    """The agent shows one function to its host and needs nothing but the C library."""
    yield from check_exported(agent)
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-d", agent)))
    for library in sorted(needed - AGENT_MAY_NEED):
        yield f"needs {library}"


def dynamic_symbols(library, which):
    """Names and versions in the dynamic symbol table of what must be found (`which`: --undefined-only) or
    is there; weak ones that may be missing are left out. The version is "" where there is none."""
    lines = run("nm", "-D", "--with-symbol-versions", which, "--format=posix", library).splitlines()
    symbols = (line.split()[:2] for line in lines)
    return {(name.partition("@")[0], name.rpartition("@")[2] if "@" in name else "")
            for name, kind in symbols if kind != "w"}


def glibc_version(symbol_version):
    return tuple(map(int, symbol_version.removeprefix("GLIBC_").split(".")))


def check_musl_agent(agent, libc):
    """What musl's dlopen wants of a library: no glibc beside it, nothing that musl has not, no static TLS."""
    dynamic = run("readelf", "-dW", agent)
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)
    if needed != ["libc.so"]:
        yield f"{agent}: needs {needed}, not musl's libc.so alone"
    yield from check_exported(agent)
    there = {name for name, _ in dynamic_symbols(libc, "--defined-only")}
    for name, _ in sorted(dynamic_symbols(agent, "--undefined-only")):
        if name not in there:
            yield f"{agent}: asks for {name}, which {libc} has not"
        if name.endswith("64"):
            yield f"{agent}: asks for {name}, a name of glibc's that musl 1.2.4 took out of its headers"
    if "STATIC_TLS" in dynamic or "TPOFF64" in run("readelf", "-rW", agent):
        yield f"{agent}: has initial-exec variables, with which musl loads no library late"


def check_libc(listed, agent, musl_agent=None, musl_libc=None):
    """The agents ask of libc what the list says: of glibc with the versions, and so the oldest that serves."""
    lines = [line.split() for line in pathlib.Path(listed).read_text(encoding="utf-8").splitlines()
             if line[:1] != "#"]
    asked = dynamic_symbols(agent, "--undefined-only")
    oldest = max((version for _, version in asked if version), key=glibc_version, default="none")
    found = {("oldest", oldest), *(("glibc", name, version) for name, version in asked)}
    if musl_agent:
        yield from check_musl_agent(musl_agent, musl_libc)
        found |= {("musl", name) for name, _ in dynamic_symbols(musl_agent, "--undefined-only")}
    kept = {tuple(line) for line in lines if musl_agent or line[0] != "musl"}
    for line in sorted(found - kept):
        yield f"{listed}: lacks '{' '.join(line)}'"
    for line in sorted(kept - found):
        yield f"{listed}: '{' '.join(line)}' is asked for no more"


def instructions(agent, symbol):
    """The instructions of a function, each with its address."""
    text = run(os.environ.get("OBJDUMP") or "objdump", "-d", "--no-show-raw-insn",
               f"--disassemble={symbol}", agent)
    return [(int(match.group(1), 16), " ".join(match.group(2).split("//")[0].split()))
            for match in re.finditer(r"^\s+([0-9a-f]+):\s+(.*)$", text, re.M)]


# Of each ABI: what a fast path must not do, how it reads the clock, what is a mere move between registers,
# and how often a probe must publish by a store-release.
ABI_PROBES = {
    "x86_64_sysv": (r"push|pop|call|lock|xchg|[ml]fence|cpuid", r"rdtsc", r"mov %r\w+,%r\w+$", 0),
    "aarch64": (r"bl|blr|svc|d[ms]b|isb|ld\w*xr|st\w*xr|cas|ldadd|swp|.*\[sp", r"mrs x\d+, cntvct_el0",
                r"mov x\d+, x\d+$", 1),
}
# How the probes for musl find the cursor: the one call they make.
TLS_DESCRIPTOR = "call *(%rax)"
PROBES = ("umbra_enter", "umbra_leave", "umbra_tailcall", "umbra_il_enter", "umbra_il_leave")
MOST_INSTRUCTIONS = 20


def fast_path(body):
    """The instructions that run for an event: up to the first return. None: there is none."""
    returns = [at for at, (_, text) in enumerate(body) if text.startswith("ret")]
    return body[:returns[0] + 1] if returns else None


def check_probes(agent, abi, for_musl=None):
    """One probe body: a fast path that pushes and calls nothing, of one form, of so many instructions. Those
    for musl call a TLS descriptor, once: their numbers are in a file of their own."""
    folder = pathlib.Path(abi)
    forbidden, clock, move, releases = ABI_PROBES[folder.name]
    shapes, counts = {}, []
    for probe in PROBES:
        path = fast_path(instructions(agent, probe))
        if path is None:
            yield f"{probe}: not found in {agent}, or without an end"
            continue
        path = [text for _, text in path]
        if for_musl and path.count(TLS_DESCRIPTOR) != 1:
            yield f"{probe}: does not call a TLS descriptor once"
        for text in set(path) - ({TLS_DESCRIPTOR} if for_musl else set()):
            if re.match(rf"(?:{forbidden})\b", text):
                yield f"{probe}: '{text}' on the fast path"
        if sum(bool(re.match(clock, text)) for text in path) != 1:
            yield f"{probe}: does not read the clock once"
        stores = [text.split()[0] for text in path if re.match(r"stl?r\b", text)]
        if stores.count("stlr") != releases or (releases and stores.index("stlr") != len(stores) - 2):
            yield f"{probe}: slot 0 is not the one store-release, behind the clock: {stores}"
        # Register saves are moves between registers, and an enter has nothing to add to its client id; what
        # is left must be the same.
        shapes[probe] = [text.split()[0] for text in path
                         if not re.match(move, text) and not re.match(r"lea", text)]
        clock_call = instructions(agent, "umbra_read_os_clock")
        os_path = fast_path(instructions(agent, probe + "_os"))
        counts.append((probe, len(path), len(os_path) + len(clock_call) if os_path else 0))
        if len(path) > MOST_INSTRUCTIONS and not for_musl:
            yield f"{probe}: {len(path)} instructions for an event, more than {MOST_INSTRUCTIONS}"
    for probe, shape in shapes.items():
        if shape != shapes.get("umbra_enter"):
            yield f"{probe}: not the same instructions as umbra_enter: {shape}"
    golden = pathlib.Path(for_musl) if for_musl else folder / "tests/asm/probe_instructions.txt"
    kept = {tuple(line.split()) for line in golden.read_text().splitlines() if line[:1] != "#"}
    found = {tuple(map(str, row)) for row in counts}
    for row in sorted(found - kept):
        yield f"{golden}: is now: {' '.join(row)}"
