# SPDX-License-Identifier: MIT
"""Root's `umbra attach` on a process of another user, in whose folder it makes its socket: nothing
of root's is given away, whatever that user does there."""
import contextlib
import os
import select
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from profile_file import Profile
from targets import AGENT, NOBODY, Patient, as_nobody, need_root, umbra
from umbra_runner import FULL, SUPPORT

RACES = 200 if FULL else 20
# Gives the other side time between any two steps, where there is strace to do so.
SLOWLY = ["strace", "-f", "-o", "/dev/null", "-e", "trace=mkdir,mkdirat,bind,chown,fchownat",
          "-e", "inject=mkdir,mkdirat,bind,chown,fchownat:delay_exit=3000"]


@pytest.fixture
def folder():
    """Of root's, to be passed through by all."""
    need_root()
    path = Path("/tmp") / f"hostile-{os.getpid()}"
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir()
    path.chmod(0o711)
    yield path
    shutil.rmtree(path)


def theirs(path):
    path.mkdir(parents=True)
    os.chown(path, NOBODY, NOBODY)
    return path


@contextlib.contextmanager
def hostile_target(temporary, *arguments):
    with subprocess.Popen([sys.executable, SUPPORT / "hostile_target.py",
                           *map(str, arguments)],
                          env=dict(os.environ, TMPDIR=str(temporary)), start_new_session=True,
                          stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            os.killpg(process.pid, signal.SIGKILL)


def test_nothing_of_roots_is_given_away(folder, tmp_path):
    temporary = theirs(folder / "tmp")
    linked, beside = folder / "victim", temporary / "victim"
    victims = []  # held open, whatever they are called just now
    for victim in (linked, beside):
        victim.mkdir(mode=0o700)
        victims.append(os.open(victim, os.O_RDONLY))
    can_wait = shutil.which("strace") and subprocess.run([*SLOWLY, "true"]).returncode == 0
    slowly = SLOWLY if can_wait else []
    with hostile_target(temporary, "race", linked, beside) as target:
        for turn in range(RACES):
            done = umbra("attach", target.pid, "--force", "-o", tmp_path / "profile.h5",
                         prefix=slowly if turn % 2 else ())
            assert done.returncode == 1 and done.stderr.startswith("umbra: "), done
            for victim in victims:
                status = os.stat(victim)
                assert (status.st_uid, status.st_mode & 0o777) == (0, 0o700)
                assert os.listdir(victim) == []
    for victim in victims:
        os.close(victim)
    taken = len(list(temporary.glob("taken-*")))
    print(f"{RACES} races, {taken} folders were taken in time")
    assert taken > 0, "no race was run"


def test_links_of_a_chroot_lead_below_it(folder, tmp_path):
    jail, outside = folder / "jail", folder / "elsewhere"
    outside.mkdir(mode=0o700)
    inside = theirs(jail / outside.relative_to("/"))
    (jail / "link").symlink_to(outside)
    agent = jail / Path(AGENT).resolve().relative_to("/")
    agent.parent.mkdir(parents=True)
    shutil.copy(AGENT, agent)  # or it is refused before anything is made
    before = outside.stat()
    with hostile_target("/link", "chroot", jail) as target:
        done = umbra("attach", target.pid, "--force", "-o", tmp_path / "profile.h5")
        assert done.returncode == 1, done
        assert outside.stat().st_mtime_ns == before.st_mtime_ns, "something was made outside"
        assert select.select([target.stdout], [], [], 10)[0], done.stderr
        asked, *seen = target.stdout.readline().split()
    assert asked == "asked" and len(seen) == 1
    assert list(inside.glob("umbra-*")) == []


def test_root_samples_the_program_of_another_user(net10, folder, file):
    nobody = as_nobody()
    if subprocess.run([*nobody, "test", "-r", net10.command("patient")[-1]]).returncode != 0:
        pytest.skip("other users cannot read the test programs here")
    temporary = theirs(folder / "tmp")
    with Patient(net10, {"HOME": "/tmp", "TMPDIR": str(temporary)}, nobody) as program:
        done = umbra("attach", program.pid, "--force", "-o", file, "--duration", "500ms")
        assert done.returncode == 0, done.stderr
        assert Profile(file).ended == "detached"
        assert list(temporary.glob("umbra-*")) == []
        program.check_unharmed()
