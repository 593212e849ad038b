# SPDX-License-Identifier: MIT
"""packaging/release in a tree with stand-ins for ./test and packaging/build: what it refuses, and what it leaves."""
import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHELL = "#!/bin/sh\n"
BUILD = SHELL + """mkdir -p build/packages
for name in umbra-1.2.3-linux-x86_64.tar.gz umbra_1.2.3_amd64.deb umbra.1.2.3.nupkg umbra.linux-x64.1.2.3.nupkg; do
    echo "$name" >build/packages/$name
done
echo old >build/packages/umbra_1.2.2_amd64.deb
"""


class Tree:
    """A repository with a version."""

    def __init__(self, folder):
        self.folder = folder
        (folder / "packaging").mkdir()
        shutil.copy(ROOT / "packaging" / "release", folder / "packaging" / "release")
        self.write("CMakeLists.txt", "project(umbra VERSION 1.2.3 LANGUAGES CXX)\n")
        self.write("CHANGELOG.md", "# Changelog\n\n## 1.2.3, 2026-11-26\n")
        self.write(".gitignore", "/build\n")
        self.write("test", SHELL)
        self.write("packaging/build", BUILD)
        self.git("init", "-q")
        self.commit()

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        path.chmod(0o755 if text.startswith(SHELL) else 0o644)

    def git(self, *words):
        subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@invalid", *words], cwd=self.folder,
                       check=True, capture_output=True)

    def commit(self, tag="v1.2.3"):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "all")
        if tag:
            self.git("tag", "-f", tag)

    def release(self, *options, environment=None):
        return subprocess.run([self.folder / "packaging" / "release", *options], capture_output=True, text=True,
                              env=environment, timeout=60)


@pytest.fixture(name="tree")
def _tree(tmp_path):
    return Tree(tmp_path)


def files(tree):
    return sorted(path.name for path in (tree.folder / "build" / "release-1.2.3").iterdir())


def test_the_packages_of_the_version_and_their_sums(tree):
    done = tree.release()
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "== build/release-1.2.3: 4 files of umbra 1.2.3\n"
    assert files(tree) == ["SHA256SUMS", "umbra-1.2.3-linux-x86_64.tar.gz", "umbra.1.2.3.nupkg",
                           "umbra.linux-x64.1.2.3.nupkg", "umbra_1.2.3_amd64.deb"]
    subprocess.run(["sha256sum", "--strict", "--quiet", "-c", "SHA256SUMS"],
                   cwd=tree.folder / "build" / "release-1.2.3", check=True)


def refused(done, *words):
    assert done.returncode == 1 and all(word in done.stderr for word in words), done.stderr
    assert done.stderr.startswith("packaging/release: ") and done.stdout == ""


def test_what_is_not_committed_is_refused(tree):
    tree.write("forgotten", "text")
    refused(tree.release(), "not as HEAD has them", "forgotten")


def test_a_commit_without_the_tag_is_refused(tree):
    tree.git("tag", "-d", "v1.2.3")
    refused(tree.release(), "no tag v1.2.3")


def test_a_tag_elsewhere_is_refused(tree):
    tree.write("more", "text")
    tree.commit(tag="")
    refused(tree.release(), "tag v1.2.3 is at another commit")


def test_a_version_without_its_changes_is_refused(tree):
    tree.write("CHANGELOG.md", "# Changelog\n\n## Unreleased\n")
    tree.commit()
    refused(tree.release(), "no section '## 1.2.3")


@pytest.mark.parametrize("failing", ["test", "packaging/build"])
def test_nothing_is_left_where_a_step_fails(tree, failing):
    tree.write(failing, SHELL + "exit 5\n")
    tree.commit()
    assert tree.release().returncode == 5
    assert not (tree.folder / "build" / "release-1.2.3").exists()


def test_a_signature_that_is_asked_for(tree, tmp_path_factory):
    if shutil.which("gpg") is None:
        pytest.skip("gpg is not installed")
    home = tmp_path_factory.mktemp("gpg")  # short enough for its socket
    home.chmod(0o700)
    environment = os.environ | {"GNUPGHOME": str(home)}
    subprocess.run(["gpg", "--batch", "--passphrase", "", "--quick-generate-key", "umbra <t@invalid>", "ed25519",
                    "sign"], env=environment, check=True, capture_output=True, timeout=60)
    done = tree.release("--sign", "t@invalid", environment=environment)
    assert done.returncode == 0, done.stderr
    subprocess.run(["gpg", "--batch", "--verify", "SHA256SUMS.asc", "SHA256SUMS"], env=environment, check=True,
                   capture_output=True, cwd=tree.folder / "build" / "release-1.2.3", timeout=60)
    subprocess.run(["gpgconf", "--kill", "all"], env=environment, check=False, timeout=60)


def test_a_wrong_command_line_says_how(tree):
    for words in (["--sign"], ["now"]):
        assert tree.release(*words).returncode == 2
