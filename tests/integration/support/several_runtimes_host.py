# SPDX-License-Identifier: MIT
"""A host of several runtimes in one process: several_runtimes_host.py turn|parallel RUN...

Each RUN is "RUNTIME-FOLDER PROGRAM.dll ARGUMENT...", one word for the shell: the program is executed by
the libcoreclr.so of that folder, in turn or each on a thread of its own. The exit status is the greatest
of the programs'; 255 if a runtime does not start. No host does this officially, but it works: the
libraries are loaded apart (RTLD_LOCAL), and each has its own list of trusted assemblies.
"""
import ctypes
import os
import shlex
import sys
import threading
from pathlib import Path

FAILED = 255


def strings(values):
    return (ctypes.c_char_p * len(values))(*(os.fsencode(value) for value in values))


def execute(folder, program, *arguments):
    """The program's exit status."""
    library = ctypes.CDLL(str(Path(folder) / "libcoreclr.so"))
    beside = Path(program).parent
    assemblies = {}
    for place in (Path(folder), beside):
        for path in sorted(place.glob("*.dll")):
            assemblies.setdefault(path.name, str(path))
    properties = {"TRUSTED_PLATFORM_ASSEMBLIES": ":".join(assemblies.values()),
                  "NATIVE_DLL_SEARCH_DIRECTORIES": f"{folder}/:{beside}/",
                  "APP_PATHS": f"{beside}/"}
    if hooks := os.environ.get("DOTNET_STARTUP_HOOKS"):  # a host's to pass on
        properties["STARTUP_HOOKS"] = hooks
    runtime, domain, code = ctypes.c_void_p(), ctypes.c_uint(), ctypes.c_uint()
    status = library.coreclr_initialize(os.fsencode(sys.executable), b"host", len(properties),
                                        strings(properties.keys()), strings(properties.values()),
                                        ctypes.byref(runtime), ctypes.byref(domain))
    if status == 0:
        status = library.coreclr_execute_assembly(runtime, domain, len(arguments), strings(arguments),
                                                  os.fsencode(program), ctypes.byref(code))
        last = ctypes.c_int()
        library.coreclr_shutdown_2(runtime, domain, ctypes.byref(last))
    if status != 0:
        print(f"{folder}: {status & 0xFFFFFFFF:#x}", file=sys.stderr)
        return FAILED
    return code.value


def main(order, *runs):
    codes = [FAILED] * len(runs)

    def run(number):
        codes[number] = execute(*shlex.split(runs[number]))

    threads = [threading.Thread(target=run, args=(number,)) for number in range(len(runs))]
    for thread in threads:
        thread.start()
        if order == "turn":
            thread.join()
    for thread in threads:
        thread.join()
    sys.stdout.flush()
    os._exit(max(codes))  # the interpreter's own end is none of theirs


if __name__ == "__main__":
    main(*sys.argv[1:])
