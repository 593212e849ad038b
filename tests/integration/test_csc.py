# SPDX-License-Identifier: MIT
"""A large real program, the C# compiler, compiles the same bytes with umbra and without."""
import pytest

from runtimes import compiler
from umbra_runner import check_sound, run_bare, run_umbra


@pytest.mark.parametrize("options", [["--include", "csc!*"], [], ["--framework"]],
                         ids=["csc", "roslyn", "whole"])
def test_the_compiler_writes_the_same_bytes(tmp_path, file, options):
    output = tmp_path / "shapes.dll"
    bare = run_bare(compiler(output))
    assert (bare.returncode, bare.stdout, bare.stderr) == (0, "", "")
    bytes_without = output.read_bytes()
    output.unlink()

    done = run_umbra(file, compiler(output), *options, timeout=300)
    assert done.status == 0, done.stdout + done.stderr
    assert done.stdout == bare.stdout
    assert output.read_bytes() == bytes_without
    check_sound(done.profile)
    assert sum(done.profile["functions"]["calls"]) > 0
