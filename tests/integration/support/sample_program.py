# SPDX-License-Identifier: MIT
"""The sample program of examples/hello-shop, built once."""
import functools
import os
import shutil
import subprocess
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[3] / "examples" / "hello-shop"


@functools.cache
def build_shop():
    """The command that starts it; where it cannot be built, None and the reason."""
    dotnet = shutil.which("dotnet")
    sdk = dotnet and subprocess.run([dotnet, "--version"], capture_output=True)
    if not sdk or sdk.returncode:
        return None, "no .NET SDK is installed"
    folder = os.path.join(os.environ["UMBRA_TEST_FOLDER"], "hello-shop")
    done = subprocess.run(
        [dotnet, "build", SOURCE, "-c", "Release", "-o", f"{folder}/bin", "-nologo",
         "-nodeReuse:false", "-p:UseSharedCompilation=false",
         f"-p:BaseIntermediateOutputPath={folder}/obj/"],
        text=True, capture_output=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    return [dotnet, f"{folder}/bin/hello-shop.dll"], ""
