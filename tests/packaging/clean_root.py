# SPDX-License-Identifier: MIT
"""A folder that looks like a freshly installed Debian from inside: the files of the packages that
no installation lacks, taken from this machine, with dpkg's own records of them."""
import os
import re
import shutil
import subprocess
from pathlib import Path

LEFT_OUT = re.compile(r"/usr/share/(doc|man|locale|info)/")
MERGED = ("bin", "sbin", "lib", "lib64")


def query(*arguments):
    return subprocess.run(["dpkg-query", *arguments], check=True, capture_output=True,
                          text=True).stdout


def with_dependencies(names):
    """These packages, and what they need, as they are installed here."""
    needs = {}
    for line in query("-W", "-f", "${Package}\t${Pre-Depends}, ${Depends}\n").splitlines():
        package, _, fields = line.partition("\t")
        needs[package] = [[re.sub(r"[ :(].*", "", name.strip()) for name in one.split("|")]
                          for one in fields.split(",") if one.strip()]
    found, open_ends = set(), list(names)
    while open_ends:
        package = open_ends.pop()
        if package in found or package not in needs:
            continue
        found.add(package)
        open_ends += [next((name for name in choice if name in needs), choice[0])
                      for choice in needs[package]]
    return found


def essential():
    lines = query("-W", "-f", "${Package} ${Essential}\n").splitlines()
    return [line.split()[0] for line in lines if line.endswith(" yes")]


class CleanRoot:
    """Commands run in it with mounts of their own, which go with the command."""

    def __init__(self, path):
        self.path = Path(path)

    @classmethod
    def make(cls, path):
        root = cls(path)
        root.path.mkdir()
        for name in MERGED:
            (root.path / "usr" / name).mkdir(parents=True)
            (root.path / name).symlink_to(f"usr/{name}")
        for name in ("proc", "dev", "etc", "root", "mnt", "opt", "home", "var/lib/dpkg/updates",
                     "var/lib/dpkg/info", "var/log", "tmp"):
            (root.path / name).mkdir(parents=True)
        (root.path / "tmp").chmod(0o1777)
        (root.path / "etc/passwd").write_text("root:x:0:0::/root:/bin/sh\n"
                                              "guest:x:4711:4711::/tmp:/bin/sh\n")
        (root.path / "etc/group").write_text("root:x:0:\nguest:x:4711:\n")
        (root.path / "etc/shadow").write_text("")
        root.add_packages(*essential(), "dpkg")
        return root

    def copy(self, path):
        """Another root with the same files; they are links, which dpkg replaces and never writes."""
        subprocess.run(["cp", "-al", self.path, path], check=True)
        copy = CleanRoot(path)
        for name in ("status", "available"):
            own = copy.path / "var/lib/dpkg" / name
            if own.exists():
                text = own.read_text()
                own.unlink()
                own.write_text(text)
        return copy

    def add_packages(self, *names):
        """Lays the packages' files down, with what they need, without running their scripts."""
        status = self.path / "var/lib/dpkg/status"
        known = status.read_text() if status.exists() else ""
        new = {name for name in with_dependencies(names) if f"Package: {name}\n" not in known}
        files = {path for path in query("-L", *new).splitlines()
                 if path.startswith("/") and not LEFT_OUT.search(path)
                 and (os.path.islink(path) or os.path.isfile(path))}
        files |= {str(info) for name in new
                  for info in Path("/var/lib/dpkg/info").glob(f"{name}[.:]*")
                  if info.name.endswith((".list", ".md5sums", ".conffiles"))}
        packed = subprocess.Popen(["tar", "-C", "/", "-cf", "-", "--null", "-T", "-"],
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL)
        unpacked = subprocess.Popen(["tar", "-C", self.path, "--keep-directory-symlink", "-xf", "-"],
                                    stdin=packed.stdout)
        packed.stdin.write("\0".join(path[1:] for path in sorted(files)).encode())
        packed.stdin.close()
        assert unpacked.wait() == 0 and packed.wait() == 0
        status.write_text((known + "\n" if known else "") + query("-s", *sorted(new)))
        (self.path / "var/lib/dpkg/available").touch()
        subprocess.run(["ldconfig", "-r", self.path], check=True)

    def command(self, *words, user=0, mounts=(), environment=None, folder="/tmp"):
        """What runs the words in the root. A mount is a folder of the machine and where it shows,
        read-only."""
        script = 'set -e\nroot=$1; shift\n'
        for name in ("proc", "dev"):
            script += f'mount --rbind /{name} "$root/{name}"\n'
        for outside, inside in mounts:
            script += (f'mkdir -p "$root{inside}"\nmount --bind "{outside}" "$root{inside}"\n'
                       f'mount -o remount,bind,ro "$root{inside}"\n')
        script += (f'exec chroot --userspec={user}:{user} "$root" '
                   '/bin/sh -c \'cd "$0" && exec "$@"\' "$@"\n')
        variables = {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "HOME": "/tmp", "LC_ALL": "C.UTF-8",
                     **(environment or {})}
        return ["env", "-i", *(f"{name}={value}" for name, value in variables.items()),
                "unshare", "--mount", "--propagation", "private",
                "sh", "-c", script, "sh", self.path, folder, *words]

    def run(self, *words, **options):
        """Answers what the command has printed; it must not fail."""
        ran = subprocess.run(self.command(*words, **options), capture_output=True, text=True,
                             timeout=300, stdin=subprocess.DEVNULL)
        assert ran.returncode == 0, (words, ran.returncode, ran.stdout[-2000:], ran.stderr[-2000:])
        return ran.stdout

    def files(self):
        """All there is but what dpkg notes of its own work."""
        notes = {"var/lib/dpkg", "var/log", "tmp"}
        return {str(path.relative_to(self.path)) for path in self.path.rglob("*")
                if not any(str(path.relative_to(self.path)).startswith(name) for name in notes)}

    def remove(self):
        shutil.rmtree(self.path)


def why_not():
    """Why no root can be made here; empty: one can."""
    if os.geteuid() != 0:
        return "only root can make a root folder of its own"
    tried = subprocess.run(["unshare", "--mount", "--propagation", "private", "mount", "--bind",
                            "/tmp", "/mnt"], capture_output=True, text=True)
    return "" if tried.returncode == 0 else f"no mounts can be made here: {tried.stderr.strip()}"
