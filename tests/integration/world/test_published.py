# SPDX-License-Identifier: MIT
"""Programs in all the forms that `dotnet publish` gives them, and what is no CoreCLR at all."""
import shutil
import subprocess

import pytest

from published import published
from targets import AGENT, check_refused, umbra
from umbra_runner import FULL, output_of, run_umbra
from world import run_both

EXPENSIVE = ["trimmed single file", "composite"]


def need_full(kind):
    if not FULL and kind in EXPENSIVE:
        pytest.skip(f"publishing a {kind} program takes a minute and more; UMBRA_FULL=1 does")


@pytest.mark.parametrize("kind", ["single file", "trimmed single file", "composite"])
def test_a_published_program(file, kind):
    """Counts are exact. What a trimmed single file brings along of the framework counts as its own."""
    need_full(kind)
    profile = run_both(file, [published(kind), "plain"]).check_same().check_profile()
    own = {name for name, of_framework in zip(profile.column("modules", "name"),
                                              profile["modules"]["framework"]) if not of_framework}
    if kind == "trimmed single file":
        assert {"world.dll", "System.Console.dll"} <= own, "docs/troubleshooting.md says otherwise"
    else:
        assert own == {"world.dll"}


def test_a_program_compiled_to_native_code(file):
    """There is no runtime that could load an agent."""
    program = published("native")
    both = run_both(file, [program, "plain"])
    both.check_same().check_refused("nothing was profiled", "NativeAOT", str(program))


def test_a_program_that_is_no_dotnet(file, tmp_path):
    """umbra cannot know why no runtime came: it names what else may be the reason."""
    done = run_umbra(file, ["sh", "-c", "echo out; echo err >&2; exit 3"], "-q")
    assert (done.status, done.stdout) == (3, "out\n")
    program, said = done.stderr.splitlines()
    assert program == "err"
    assert said.startswith("umbra: nothing was profiled") and "NativeAOT" in said
    assert not file.exists()


LOADER = """
#include <dlfcn.h>
#include <stdio.h>
int main(int count, char** words) {
    void* agent = count == 2 ? dlopen(words[1], RTLD_NOW) : NULL;
    puts(agent == NULL ? dlerror() : "loaded");
    return agent == NULL ? 0 : 1;
}
"""


def test_the_agent_in_a_program_of_another_c_library(tmp_path):
    """musl: the library cannot be loaded, which is what the runtime then goes on without."""
    if shutil.which("musl-gcc") is None:
        pytest.skip("musl-gcc is not installed")
    source, program = tmp_path / "loader.c", tmp_path / "loader"
    source.write_text(LOADER)
    output_of("musl-gcc", "-o", program, source)
    done = subprocess.run([program, AGENT], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, ""), done
    assert "Error loading shared library" in done.stdout or "Error relocating" in done.stdout


@pytest.mark.parametrize("command", ["start", "attach"])
def test_a_running_program_of_native_code(command, tmp_path):
    program = published("native")
    with subprocess.Popen([program, "wait"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as running:
        try:
            assert running.stdout.readline() == "waiting\n"
            check_refused(umbra(command, running.pid, cwd=tmp_path), "is not a .NET program")
        finally:
            output, _ = running.communicate(timeout=60)
    assert (running.returncode, output) == (0, "")
