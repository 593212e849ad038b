# SPDX-License-Identifier: MIT
"""python/umbra installs with pip, without a network, and works from where it was installed."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import PACKAGE, SOURCE

for needed in ("pip", "setuptools", "wheel"):
    if importlib.util.find_spec(needed) is None:
        pytest.skip(f"python3-{needed} is not installed", allow_module_level=True)


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The folder of packages that pip filled. pip builds beside the sources: of a copy."""
    folder = tmp_path_factory.mktemp("pip")
    shutil.copytree(PACKAGE, folder / "python", ignore=shutil.ignore_patterns("__pycache__"))
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", "--no-index", "--no-build-isolation", "--quiet",
         "--disable-pip-version-check", "--root-user-action=ignore", "--no-warn-script-location",
         "--prefix", str(folder / "prefix"), "./python"],
        cwd=folder, env=environment, text=True, capture_output=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    (package,) = folder.glob("prefix/**/umbra/__init__.py")
    return package.parent.parent


def test_the_installed_package_opens_a_profile(installed, sample):
    code = (
        "import sys, umbra; p = umbra.open(sys.argv[1]);"
        "print(umbra.__file__, len(p.hot()), umbra.aggregate([sys.argv[1]]).hot(1)['name'][0])"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {str(installed)!r}); {code}",
         str(sample())],
        text=True, capture_output=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    file, count, first = done.stdout.strip().split(" ", 2)
    assert Path(file).parent.parent == installed
    assert (count, first) == ("4", "Acme.Cart<Item>.Add(Item, int)")


def test_all_of_it_was_installed_and_nothing_is_compiled(installed):
    sources = {path.name for path in (PACKAGE / "umbra").iterdir() if path.is_file()}
    there = {path.name for path in (installed / "umbra").iterdir() if path.is_file()}
    assert there == sources
    assert {Path(name).suffix for name in there} == {".py", ".typed"}


def test_the_package_has_the_version_of_umbra():
    project = re.search(r'^version = "(.*)"', (PACKAGE / "pyproject.toml").read_text(), re.M)[1]
    version = re.search(
        r"project\(\s*umbra\s+VERSION\s+([\d.]+)", (SOURCE / "CMakeLists.txt").read_text()
    )
    assert project == version[1]


def test_everything_public_says_what_it_does():
    import umbra

    for name in umbra.__all__:
        thing = getattr(umbra, name)
        assert (thing.__doc__ or "").strip(), name
        for member in vars(thing) if isinstance(thing, type) else ():
            value = getattr(thing, member)
            if not member.startswith("_") and callable(value):
                assert (value.__doc__ or "").strip(), f"{name}.{member}"
                assert "return" in value.__annotations__, f"{name}.{member} has no type"
