# SPDX-License-Identifier: MIT
"""The packages of packaging/build: what their programs need, and that each works where nothing else
is installed, and leaves nothing when it goes."""
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import urllib.request
import zipfile
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent / "support")]
from clean_root import CleanRoot, why_not  # noqa: E402
from full import FULL  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGES = ROOT / "build" / "packages"
VERSION = re.search(r"^project\(umbra VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(),
                    re.M)[1]
TARBALL = PACKAGES / f"umbra-{VERSION}-linux-x86_64.tar.gz"
DEB = PACKAGES / f"umbra_{VERSION}_amd64.deb"
NUGET = PACKAGES / f"umbra.linux-x64.{VERSION}.nupkg"
DOTNET = shutil.which("dotnet")
CANNOT = 77
GUEST = 4711

PROGRAMS = ("bin/umbra", "bin/umbra-runsxs", "lib/umbra/libumbra_agent.so", "lib/umbra/umbra-demo-target")
GLIBC = ("libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "ld-linux-x86-64.so.2")

# What Microsoft names as needed by .NET itself, but ICU, which it can do without.
NEEDED_BY_DOTNET = ("libssl3", "libstdc++6")


@pytest.fixture(scope="session", autouse=True)
def built():
    """The packages as the sources are now."""
    kinds = ["tarball", "deb"] + (["nuget"] if DOTNET else [])
    done = subprocess.run([ROOT / "packaging" / "build", *kinds], capture_output=True, text=True)
    if done.returncode == CANNOT:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="session")
def unpacked(tmp_path_factory):
    """The tarball's folder."""
    folder = tmp_path_factory.mktemp("tarball")
    subprocess.run(["tar", "-C", folder, "-xzf", TARBALL], check=True)
    return folder / TARBALL.name.removesuffix(".tar.gz")


@pytest.fixture(scope="session")
def root(tmp_path_factory):
    """A system with what no Debian lacks; no compiler, no library but libc's."""
    if why_not():
        pytest.skip(why_not())
    made = CleanRoot.make(tmp_path_factory.mktemp("root") / "root")
    assert not list(made.path.glob("usr/lib/*/libstdc++.so*"))
    assert not list(made.path.glob("usr/include/*.h")) and not (made.path / "usr/bin/cc").exists()
    yield made
    made.remove()


@pytest.fixture
def fresh_root(root, tmp_path):
    made = root.copy(tmp_path / "root")
    yield made
    made.remove()


@pytest.fixture(scope="session")
def dotnet_root(root, tmp_path_factory):
    """The same with what .NET needs; .NET itself is mounted."""
    if not DOTNET:
        pytest.skip("no dotnet is installed")
    made = root.copy(tmp_path_factory.mktemp("dotnet") / "root")
    made.add_packages(*NEEDED_BY_DOTNET)
    yield made
    made.remove()


@pytest.fixture(scope="session")
def shop(tmp_path_factory):
    """The sample program, a folder with hello-shop.dll."""
    if not DOTNET:
        pytest.skip("no dotnet is installed")
    out = ROOT / "build" / "examples" / "hello-shop" / "bin"
    source = ROOT / "examples" / "hello-shop"
    program = out / "hello-shop.dll"
    if not program.exists() or program.stat().st_mtime < (source / "Shop.cs").stat().st_mtime:
        folder = tmp_path_factory.mktemp("shop")
        out = folder / "bin"
        subprocess.run([DOTNET, "build", source, "-c", "Release", "-o", out, "-nologo", "-v:quiet",
                        "-nodeReuse:false", f"-p:BaseIntermediateOutputPath={folder}/obj/",
                        "-p:UseSharedCompilation=false"], check=True, capture_output=True)
    return out


@pytest.fixture(scope="session")
def failing_malloc(tmp_path_factory):
    """What makes an allocation of the agent fail, to be preloaded."""
    library = tmp_path_factory.mktemp("preload") / "failing_malloc.so"
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library,
                    ROOT / "tests" / "packaging" / "failing_malloc.c"], check=True)
    return library


DOTNET_VARIABLES = {"DOTNET_ROOT": "/opt/dotnet", "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1",
                    "DOTNET_NOLOGO": "1", "DOTNET_CLI_TELEMETRY_OPTOUT": "1",
                    "DOTNET_SKIP_FIRST_TIME_EXPERIENCE": "1", "DOTNET_GENERATE_ASPNET_CERTIFICATE": "0",
                    "PATH": "/opt/dotnet:/usr/bin:/bin:/usr/sbin:/sbin"}


def dotnet_mount():
    return (os.path.dirname(os.path.realpath(DOTNET)), "/opt/dotnet")


def tries_demo_and_view(root, umbra, profile="/tmp/demo.h5", **options):
    """umbra demo writes a profile, report reads it, view shows it to a browser."""
    root.run(umbra, "demo", "--quiet", "--force", "-o", profile, **options)
    assert "Shop.Orders.OrderParser.Parse" in root.run(umbra, "report", "--csv", profile, **options)
    view = subprocess.Popen(root.command(umbra, "view", "--no-browser", profile, **options),
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        address = view.stdout.readline().strip()
        page = urllib.request.urlopen(address, timeout=60).read().decode()
        assert "<title>umbra" in page and "preact" in page
    finally:
        view.terminate()
        assert view.wait(60) == 0


def tries_run(root, umbra, shop, profile="/tmp/shop.h5", mounts=(), **options):
    """umbra run profiles a .NET program."""
    options = {"mounts": [dotnet_mount(), (shop, "/mnt/shop"), *mounts],
               "environment": DOTNET_VARIABLES, **options}
    said = root.run(umbra, "run", "--quiet", "-o", profile, "--", "dotnet", "/mnt/shop/hello-shop.dll",
                    **options)
    assert "40000 orders" in said
    listed = root.run(umbra, "report", "--csv", profile, **options).splitlines()
    assert any("HelloShop.OrderParser.Parse(" in line and "40000" in line for line in listed)


def tries_unwinding(root, tree, failing_malloc, **options):
    """An exception is thrown in the agent, in a callback of the runtime and in a thread of its own: it ends
    where the agent catches it, and the program runs on. `tree` is the folder of bin and lib in the root."""
    options["mounts"] = [*options.get("mounts", ()), (failing_malloc.parent, "/mnt/preload")]
    told = ""
    for fail_at in (5, *range(100, 200, 10)):  # whose allocation the hundredth is depends on the threads
        log = root.path / "tmp" / f"agent-{fail_at}.log"
        log.unlink(missing_ok=True)
        said = root.run(f"{tree}/bin/umbra", "run", "--quiet", "--force", "-o", "/tmp/unwinding.h5", "--", "env",
                        f"LD_PRELOAD=/mnt/preload/{failing_malloc.name}",
                        f"{tree}/lib/umbra/umbra-demo-target",
                        environment={"UMBRA_LOG": f"/tmp/{log.name}", "FAIL_AT": str(fail_at)}, **options)
        assert "orders served" in said
        told += log.read_text() if log.exists() else ""
        if "naming ended: out of memory" in told:
            break
    assert "out of memory in a callback" in told
    assert "naming ended: out of memory" in told, told


def need_of(program):
    """The newest version of glibc whose symbols a program uses, "none" without any, and the libraries it
    names."""
    symbols = subprocess.run(["objdump", "-T", program], check=True, capture_output=True,
                             text=True).stdout
    versions = {tuple(map(int, version.split(".")))
                for version in re.findall(r"\(?GLIBC_([\d.]+)\)?", symbols)}
    dynamic = subprocess.run(["readelf", "-d", program], check=True, capture_output=True,
                             text=True).stdout
    assert "RPATH" not in dynamic and "RUNPATH" not in dynamic
    libraries = sorted(re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic))
    return ".".join(map(str, max(versions))) if versions else "none", libraries


def test_programs_need_what_the_document_says_and_no_more(unpacked):
    rows = re.findall(r"^\| `((?:bin|lib)/\S+)` \| ([\d.]+|none) \| (.*) \|$",
                      (ROOT / "docs" / "packages.md").read_text(), re.M)
    programs = {str(path.relative_to(unpacked)) for folder in ("bin", "lib")
                for path in (unpacked / folder).rglob("*") if path.is_file()}
    assert {row[0] for row in rows} == programs
    for name, glibc, libraries in rows:
        assert need_of(unpacked / name) == (glibc, re.findall(r"`(\S+)`", libraries)), name


@pytest.mark.parametrize("name", ["libumbra_agent.so", "musl/libumbra_agent.so"])
def test_agent_is_small_and_shows_one_function(unpacked, name):
    agent = unpacked / "lib" / "umbra" / name
    shown = subprocess.run(["nm", "-D", "--defined-only", agent], check=True, capture_output=True,
                           text=True).stdout.split()
    assert shown[2:] == ["DllGetClassObject"]
    assert agent.stat().st_size < 1.5e6


def licences_in(text):
    return all(name in text for name in ("hdf5", "jemalloc", "fmtlib", "libaec", "zlib",
                                         "gcc-12", "musl", "boost", "nlohmann-json3", "cli11", "preact"))


def test_licences_of_what_is_linked_in_are_in_every_package(unpacked, tmp_path):
    of_tarball = (unpacked / "share/doc/umbra/THIRD-PARTY-LICENSES").read_text()
    assert licences_in(of_tarball)
    assert "MIT License" in (unpacked / "share/doc/umbra/LICENSE").read_text()
    subprocess.run(["dpkg-deb", "-x", DEB, tmp_path], check=True)
    of_deb = (tmp_path / "usr/share/doc/umbra/copyright").read_text()
    assert "MIT License" in of_deb and of_tarball in of_deb
    if DOTNET:
        with zipfile.ZipFile(NUGET) as package:
            name = next(name for name in package.namelist() if name.endswith("THIRD-PARTY-LICENSES"))
            assert package.read(name).decode() == of_tarball


def test_nothing_names_a_place_where_it_was_built(unpacked):
    for path in unpacked.rglob("*"):
        if path.is_file():
            assert str(ROOT).encode() not in path.read_bytes(), path


def test_version_is_the_same_everywhere(unpacked):
    assert subprocess.run([unpacked / "bin/umbra", "--version"], capture_output=True,
                          text=True).stdout == f"umbra {VERSION}\n"
    assert subprocess.run(["dpkg-deb", "-f", DEB, "Version"], capture_output=True,
                          text=True).stdout == f"{VERSION}\n"
    python = (ROOT / "python" / "pyproject.toml").read_text()
    assert f'\nversion = "{VERSION}"\n' in python


def test_tarball_belongs_to_nobody(unpacked):
    with tarfile.open(TARBALL) as packed:
        assert {(member.uid, member.gid) for member in packed} == {(0, 0)}
        assert {member.name.split("/")[0] for member in packed} == {unpacked.name}


def test_tarball_in_a_clean_root(root, unpacked, failing_malloc):
    tries_demo_and_view(root, "/mnt/umbra/bin/umbra", mounts=[(unpacked, "/mnt/umbra")])
    tries_unwinding(root, "/mnt/umbra", failing_malloc, mounts=[(unpacked, "/mnt/umbra")])


def test_tarball_in_a_read_only_folder_as_another_user(dotnet_root, unpacked, shop):
    options = {"mounts": [(unpacked, "/mnt/some where/umbra")], "user": GUEST}
    umbra = "/mnt/some where/umbra/bin/umbra"
    tries_demo_and_view(dotnet_root, umbra, "/tmp/guest.h5", **options)
    tries_run(dotnet_root, umbra, shop, "/tmp/guest-shop.h5", **options)


def test_tarball_profiles_a_program_linked_against_musl(fresh_root, unpacked):
    if "UMBRA_MUSL_PROGRAM" not in os.environ:
        pytest.skip("musl-tools is not installed")
    program = Path(os.environ["UMBRA_MUSL_PROGRAM"])
    fresh_root.add_packages("musl")
    mounts = [(unpacked, "/mnt/umbra"), (program.parent, "/mnt/program")]
    said = fresh_root.run("/mnt/umbra/bin/umbra", "run", "--quiet", "-o", "/tmp/musl.h5", "--",
                          f"/mnt/program/{program.name}", "random", mounts=mounts)
    calls = sum(int(line.split()[2]) for line in said.splitlines() if line.startswith("path "))
    assert calls >= 16 * 8_000
    told = fresh_root.run("/mnt/umbra/bin/umbra", "report", "--json", "/tmp/musl.h5", mounts=mounts)
    assert sum(row["calls"] for row in json.loads(told)["functions"]) == calls


def test_lintian_finds_nothing():
    if not shutil.which("lintian"):
        pytest.skip("lintian is not installed")
    found = subprocess.run(["lintian", "--allow-root", "--fail-on", "error,warning", DEB],
                           capture_output=True, text=True)
    assert (found.returncode, found.stdout) == (0, "")


def test_deb_installs_works_and_goes_without_a_trace(fresh_root):
    before = fresh_root.files()
    packages = [(PACKAGES, "/mnt/packages")]
    fresh_root.run("dpkg", "-i", f"/mnt/packages/{DEB.name}", mounts=packages)
    new = fresh_root.files() - before
    assert {"usr/bin/umbra", "usr/lib/umbra/libumbra_agent.so",
            "usr/lib/umbra/musl/libumbra_agent.so", "usr/share/man/man1/umbra-run.1.gz",
            "usr/share/zsh/vendor-completions/_umbra", "usr/share/doc/umbra/copyright"} <= new
    page = (fresh_root.path / "usr/share/man/man1/umbra-run.1.gz").read_bytes()
    assert b".SH OPTIONS" in gzip.decompress(page)
    tries_demo_and_view(fresh_root, "umbra")
    fresh_root.run("dpkg", "-r", "umbra", mounts=packages)
    left = {path for path in fresh_root.files() - before if not path.startswith("mnt/packages")}
    assert left == set()
    assert before - fresh_root.files() == set()
    fresh_root.run("dpkg", "--purge", "umbra", mounts=packages)
    assert "umbra" not in (fresh_root.path / "var/lib/dpkg/status").read_text()


def test_deb_profiles_a_dotnet_program(dotnet_root, shop):
    dotnet_root.run("dpkg", "-i", f"/mnt/packages/{DEB.name}", mounts=[(PACKAGES, "/mnt/packages")])
    tries_run(dotnet_root, "umbra", shop, "/tmp/deb-shop.h5")
    dotnet_root.run("dpkg", "--purge", "umbra")


def test_dotnet_tool_installs_works_and_goes(dotnet_root, shop):
    config = dotnet_root.path / "tmp" / "NuGet.Config"
    config.write_text("<configuration><packageSources><clear /></packageSources></configuration>")
    options = {"mounts": [dotnet_mount(), (PACKAGES, "/mnt/packages")],
               "environment": DOTNET_VARIABLES}
    said = dotnet_root.run("dotnet", "tool", "install", "--add-source", "/mnt/packages",
                           "--tool-path", "/opt/tools", "umbra", **options)
    assert f"'{VERSION}'" in said
    umbra = "/opt/tools/umbra"
    assert dotnet_root.run(umbra, "--version", **options) == f"umbra {VERSION}\n"
    tries_demo_and_view(dotnet_root, umbra, "/tmp/tool.h5")
    tries_run(dotnet_root, umbra, shop, "/tmp/tool-shop.h5")
    dotnet_root.run("dotnet", "tool", "uninstall", "--tool-path", "/opt/tools", "umbra", **options)
    assert [path for path in (dotnet_root.path / "opt/tools").rglob("*") if path.is_file()] == []


@pytest.mark.parametrize("system", ["any", "linux-musl-x64"])
def test_dotnet_tool_says_in_one_line_that_it_cannot_run(tmp_path, system):
    if not DOTNET:
        pytest.skip("no dotnet is installed")
    with zipfile.ZipFile(PACKAGES / f"umbra.{VERSION}.nupkg") as pointer:
        settings = pointer.read("tools/any/any/DotnetToolSettings.xml").decode()
    assert f'RuntimeIdentifier="{system}" Id="umbra.{system}"' in settings
    with zipfile.ZipFile(PACKAGES / f"umbra.{system}.{VERSION}.nupkg") as package:
        package.extractall(tmp_path)
    settings = (tmp_path / "tools/net10.0" / system / "DotnetToolSettings.xml").read_text()
    program = re.search(r'<Command Name="umbra" EntryPoint="(\S+)" Runner="dotnet"', settings)[1]
    ran = subprocess.run([DOTNET, tmp_path / "tools/net10.0" / system / program, "run", "--", "x"],
                         capture_output=True, text=True)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr.startswith("umbra: ") and ran.stderr.count("\n") == 1


def test_no_package_names_where_packages_come_from():
    names = re.compile(rb"https?://[^\s\"'<>]*(?:api\.nuget|v3/index\.json|registry\.npmjs|debian\.org/debian)")
    for nupkg in PACKAGES.glob("*.nupkg"):
        with zipfile.ZipFile(nupkg) as package:
            for name in package.namelist():
                assert not names.search(package.read(name)), (nupkg.name, name)


# The oldest that can be had, and the two after it, each with its glibc.
RELEASES = {"bullseye": "2.31", "bookworm": "2.36", "trixie": "2.41"}


@pytest.fixture(scope="module", params=RELEASES)
def release_root(request, tmp_path_factory):
    """A root made from Debian's own archive, with what .NET needs besides."""
    if not FULL:
        pytest.skip("UMBRA_FULL=1 asks for it")
    if why_not() or not shutil.which("mmdebstrap"):
        pytest.skip(why_not() or "mmdebstrap is not installed")
    path = tmp_path_factory.mktemp(request.param) / "root"
    made = subprocess.run(["mmdebstrap", "--variant=essential", "--include=libstdc++6", request.param, path],
                          capture_output=True, text=True)
    if made.returncode:
        pytest.skip(f"no root of {request.param} can be had: {made.stderr[-300:]}")
    root = CleanRoot(path)
    assert f" {RELEASES[request.param]}-" in root.run("dpkg-query", "-W", "libc6").replace("\t", " ")
    yield root
    root.remove()


def symbols_by_library(program):
    """What a program asks of each library: names with versions."""
    text = subprocess.run(["readelf", "--version-info", "--wide", program], check=True, capture_output=True,
                          text=True).stdout
    needs = text.partition("Version needs section")[2]
    library_of_version = {}
    for library, entries in re.findall(r"File: (\S+)  Cnt: \d+\n((?:.*Name: .*Version: \d+\n)+)", needs):
        for version, number in re.findall(r"Name: (\S+)  Flags: \S+  Version: (\d+)", entries):
            library_of_version[int(number)] = (library, version)
    symbols = subprocess.run(["readelf", "--dyn-syms", "--wide", program], check=True, capture_output=True,
                             text=True).stdout
    for name, version, number in re.findall(r" UND (\S+)@(\S+) \((\d+)\)", symbols):
        library, known_as = library_of_version[int(number)]
        assert known_as == version
        yield library, f"{name}@{version}"


def symbols_defined_by(root, library):
    """Names with versions, of a library of glibc in a root."""
    links = [root / "lib/x86_64-linux-gnu" / library, root / "lib64" / library]
    target = os.readlink(next(link for link in links if link.is_symlink()))
    listed = subprocess.run(["nm", "-D", "--defined-only", "--with-symbol-versions", "--format=posix",
                             root / "lib/x86_64-linux-gnu" / os.path.basename(target)], check=True,
                            capture_output=True, text=True).stdout
    return {line.split()[0].replace("@@", "@") for line in listed.splitlines()}


def test_older_glibc_has_each_function_in_the_library_that_it_is_asked_of(release_root, unpacked):
    """glibc before 2.30 looks nowhere else; younger ones have moved some, and look everywhere."""
    if not list(release_root.path.glob("lib/x86_64-linux-gnu/libpthread-2.*.so")):
        pytest.skip("threads have moved into libc here")
    defined = {library: symbols_defined_by(release_root.path, library) for library in GLIBC}
    for program in PROGRAMS:
        asked = list(symbols_by_library(unpacked / program))
        assert ("libpthread.so.0", "pthread_create@GLIBC_2.2.5") in asked
        for library, symbol in asked:
            assert symbol in defined[library], (program, library, symbol)


def test_tarball_on_a_release_of_debian(release_root, unpacked, failing_malloc):
    mounts = [(unpacked, "/mnt/umbra")]
    tries_demo_and_view(release_root, "/mnt/umbra/bin/umbra", mounts=mounts)
    tries_unwinding(release_root, "/mnt/umbra", failing_malloc, mounts=mounts)


def test_tarball_profiles_a_dotnet_program_on_a_release_of_debian(release_root, unpacked, shop):
    tries_run(release_root, "/mnt/umbra/bin/umbra", shop, mounts=[(unpacked, "/mnt/umbra")])


def test_functions_for_an_older_glibc_on_a_release_of_debian(release_root):
    if "UMBRA_OLDER_GLIBC_TEST" not in os.environ:
        pytest.skip("test_older_glibc_functions is not built")
    program = Path(os.environ["UMBRA_OLDER_GLIBC_TEST"])
    release_root.run(f"/mnt/tests/{program.name}", "--gtest_brief=1", mounts=[(program.parent, "/mnt/tests")])


def test_deb_on_a_release_of_debian(release_root):
    release_root.run("dpkg", "-i", f"/mnt/packages/{DEB.name}", mounts=[(PACKAGES, "/mnt/packages")])
    tries_demo_and_view(release_root, "umbra")
