# SPDX-License-Identifier: MIT
"""Every command of README and of the pages below works as it stands there, and so does Python.

A command is run in a folder with what it names, by a shell that finds umbra, and another `python3`
before Debian's. It is to end with status 0, unless STATUS has another. What shows something until
Ctrl-C gets one. docs/tutorial.md has a test of its own.
"""
import re

import pytest

import documents
from stage import Stage, Template, fail

PAGES = [documents.ROOT / page for page in (
    "README.md", "docs/questions.md", "docs/running_processes.md", "docs/notebooks.md",
    "docs/tests_and_benchmarks.md")]
# Words that stand for something, and what that is here. None: the number of a running program.
WORDS = {
    r"-o FILE\b": "-o made.h5",
    r"\bFILE\b": Stage.newest,
    r"(?<![\w-])(?:PID|4711|4802)\b": None,
    r"\bPROGRAM\b": "dotnet app.dll",
    r"\bCOMMAND\b": "report",
    r"\bMETHOD\b": "Acme.Orders.Handle",
    r"--thread NAME\b": "--thread dotnet",
    r"\bOLD\b": "old.h5 old2.h5 old3.h5",
    r"\bNEW\b": "new.h5 new2.h5 new3.h5",
    r"\bOUT\b": "out",
    r"\bUNIT\b": "shop.service",
    r"profile-container NAME\b": "profile-container shop",
}
# What Python's variables hold that the documents do not set.
VARIABLES = """
import umbra
old, old1, old2, new, new1, new2 = "old.h5", "old.h5", "old2.h5", "new.h5", "new.h5", "new2.h5"
profile, paths, client = umbra.open("app.h5"), ["runs/1.h5", "runs/2.h5"], None
frame, start, stop = profile.functions, 0, 2
"""
# The new files have a method that is slower.
STATUS = {
    "umbra diff old*.h5 --against new*.h5 --fail-above 5%": 3,
    "umbra diff OLD --against NEW --fail-above 5%": 3,
}
# Where the machine has a say: a status that is right as well, by what is said with it.
ALSO_RIGHT = {"umbra top": (1, "several processes are being recorded")}
PACKAGES = "installs packages"
TEST_RUN = "its packages come from the network; tests/integration/world/test_hosts.py has it"
BENCHMARKS = "its packages come from the network; tests/integration/world/test_benchmarks.py has it"
RELEASE = "takes a file of a release; tests/packaging has it"
MEASURES = "measures for many minutes"
NOT_RUN = {
    "apt install ./umbra_0.1.0_amd64.deb": RELEASE,
    "dotnet tool install --global umbra --add-source .": RELEASE,
    "tar -xzf umbra-0.1.0-linux-x86_64.tar.gz": RELEASE,
    "./quickstart": "builds umbra; the test policy.quickstart has it",
    "benchmarks/programs/run.py --repeats 3": MEASURES,
    "benchmarks/probe/run.py --repeats 3": MEASURES,
    "umbra run -- dotnet run": "tests/integration/test_children.py runs it, on a project",
    "umbra run -- dotnet test": TEST_RUN,
    "umbra run -o run.h5 -- dotnet test": TEST_RUN,
    "by umbra start 4800": "what umbra ps prints",
    "docker run --env-file <(umbra env) -v /usr/local/lib/umbra:/usr/local/lib/umbra:ro ...":
        "needs a container engine and an image",
    "apt-get install python3-h5py python3-pandas python3-pip python3-venv": PACKAGES,
    "apt-get install python3-nbconvert python3-ipykernel python3-distributed": PACKAGES,
    "dotnet pack dotnet/Umbra.BenchmarkDotNet -c Release -o packages": BENCHMARKS,
    "UMBRA_PATH=/usr/local/bin/umbra dotnet run -c Release -- --filter '*'": BENCHMARKS,
}
PARTS = [part for page in PAGES for part in documents.parts_of(page)]
COMMANDS = [command for part in PARTS for command in part.commands]
# Two parts with the same commands are run once.
SHELL_PARTS = list({part.commands: part for part in PARTS
                    if set(part.commands) - NOT_RUN.keys()}.values())
PYTHON = {}  # of each page
for _part in PARTS:
    PYTHON.setdefault(_part.page, []).extend(_part.python)
PYTHON_PAGES = [page for page, code in PYTHON.items() if code]
(INSTALLS,) = [part for part in SHELL_PARTS if any("/bin/pip " in text for text in part.commands)]


@pytest.fixture(scope="session", name="template")
def _template(tmp_path_factory):
    return Template(tmp_path_factory.mktemp("documents"))


@pytest.fixture(name="stage")
def _stage(template, tmp_path):
    stage = Stage(template, tmp_path, WORDS)
    yield stage
    stage.close()


@pytest.fixture(scope="session", name="installed")
def _installed(template, tmp_path_factory):
    """The Python that has umbra's package, as docs/notebooks.md installs it."""
    stage = Stage(template, tmp_path_factory.mktemp("install"), WORDS)
    run_all(stage, INSTALLS)
    stage.close()
    return template.home / "umbra-python/bin/python3"


def run_all(stage, part):
    for command in part.commands:
        if command in NOT_RUN:
            continue
        status, said = stage.run(command)
        also, words = ALSO_RIGHT.get(command, (None, ""))
        if status != STATUS.get(command, 0) and not (status == also and words in said):
            fail(f"{part}: {command}\nends with status {status}:", said)
    stage.finish()


@pytest.mark.parametrize("part", SHELL_PARTS, ids=str)
def test_commands_work_as_they_stand_there(part, request):
    if part is INSTALLS:
        request.getfixturevalue("installed")
    else:
        run_all(request.getfixturevalue("stage"), part)


@pytest.mark.parametrize("page", PYTHON_PAGES)
def test_python_works_with_the_system_s(page, stage, template):
    path = stage.environment["PATH"].removeprefix(f"{template.other_python}:")
    package = str(stage.folder / "python")
    check_python(stage, "/usr/bin/python3", page, PATH=path, PYTHONPATH=package)


@pytest.mark.parametrize("page", PYTHON_PAGES)
def test_python_works_where_another_comes_first(page, stage, installed):
    check_python(stage, installed, page)


def check_python(stage, interpreter, page, **variables):
    code = "\n".join([VARIABLES, *PYTHON[page]])
    status, said = stage.finished([interpreter, "-c", code], **variables)
    if status != 0:
        fail(f"{page} has Python that fails:", said)


def test_the_other_python_knows_nothing_of_the_system_s(stage):
    asks = "import os; print(os.environ.get('UMBRA_OTHER_PYTHON')); import h5py"
    status, said = stage.run(f'python3 -c "{asks}"')
    assert status == 1 and said.startswith("1\n") and "No module named 'h5py'" in said
    assert stage.run("python3 -m venv --without-pip --system-site-packages bare") == (0, "")
    status, said = stage.run('bare/bin/python3 -c "import h5py"')
    assert status == 1 and "No module named 'h5py'" in said


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_block_says_what_it_is(page):
    kinds = documents.kinds_of(page)
    assert [(line, kind) for line, kind in kinds if kind not in documents.KINDS] == []


def test_the_tables_have_what_the_documents_have():
    texts = "\n".join(COMMANDS)
    known = (*NOT_RUN, *STATUS, *ALSO_RIGHT)
    assert [command for command in known if command not in COMMANDS] == []
    assert [word for word in WORDS if not re.search(word, texts)] == []


def test_commands_are_found_at_all():
    assert len(SHELL_PARTS) >= 50 and len(COMMANDS) >= 100 and len(PYTHON["notebooks.md"]) >= 8
    assert "umbra run -o before-$i.h5 -- dotnet ../build" in "\n".join(COMMANDS), "a loop"
    assert "umbra report shop.h5 --details" in COMMANDS, "what umbra says to type next"
