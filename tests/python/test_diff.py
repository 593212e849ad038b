# SPDX-License-Identifier: MIT
"""umbra.diff and `umbra diff` are one rule: the same verdicts on 1,000 pairs of sides."""

import json
import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from conftest import rewrite, set_text

h5py = pytest.importorskip("h5py")
pd = pytest.importorskip("pandas")
pytest.importorskip("scipy")
import umbra  # noqa: E402

PAIRS = 1_000
RUNS = 5  # of a version
PATHS = 1_000  # of the call tree
_TIMES = ["wall_total_ns", "wall_self_ns", "cpu_total_ns", "cpu_self_ns"]


class Version:
    """A program: how long its methods take in times of the sample's, and how unsteady they are."""

    def __init__(self, base, random, number):
        with h5py.File(base) as file:
            names = [re.sub(rb" \[body[^]]*\]", b"", name) for name in file["functions"]["name"].tolist()]
        count = len(names)
        # Methods in pieces are summed along the tree, which stays as it is.
        self.whole = np.array([names.count(name) == 1 for name in names])
        self.base, self.random = base, random
        self.size = 10 ** random.uniform(-0.5, 2)  # of the whole program
        self.noise = np.exp(random.uniform(np.log(0.002), np.log(0.1), count))
        self.change = np.ones(count)
        self.more_calls = np.ones(count)
        if number % 3:  # else it is like the others
            chosen = random.choice(count, count // 10, replace=False)
            self.change[chosen] = np.exp(random.normal(0, 0.5, len(chosen)))
            self.more_calls[chosen[::3]] = np.exp(random.normal(0, 0.2, len(chosen[::3])))
        whole = np.flatnonzero(self.whole)
        self.renamed = random.choice(whole, 3, replace=False) if number % 2 else []
        self.calls_vary = number % 4 == 3
        self.number = number

    def run(self, path):
        """A run of it, as a file."""
        random, count = self.random, len(self.noise)
        machine = self.size * np.exp(random.normal(0, 0.05))
        factor = machine * self.change * np.exp(self.noise * random.normal(0, 1, count))
        lost = 1 + random.uniform(0, 2) * random.gamma(4, 0.25, count)
        calls = self.more_calls * (np.exp(random.normal(0, 0.1, count)) if self.calls_vary else 1)
        factor, calls = np.where(self.whole, factor, 1), np.where(self.whole, calls, 1)
        lost = np.where(self.whole, lost, 1)

        def renamed(names):
            return [
                name + b".Renamed" if row in self.renamed else name for row, name in enumerate(names)
            ]

        with open(self.base, "rb") as source, open(path, "wb") as copy:
            copy.write(source.read())
        scaled = {
            name: lambda ns, of=name: (ns * factor * (lost if of[:4] == "wall" else 1)).astype(int)
            for name in _TIMES
        }
        rewrite(
            path,
            "functions",
            **scaled,
            calls=lambda old: np.where(old > 0, np.maximum(1, old * calls), 0).astype(int),
            name=renamed if len(self.renamed) else None,
            wall_self_raw_ns=lambda ns: (ns * np.where(self.whole, random.uniform(1, 1.2, count), 1)).astype(int),
            wall_total_raw_ns=lambda ns: (ns * np.where(self.whole, random.uniform(1, 1.2, count), 1)).astype(int),
        )
        if self.number % 5 == 4:
            set_text(path, "cpu_source", "none")
        if self.number % 7 == 6:
            set_text(path, "mode", "sampled")
        return path


@pytest.fixture(scope="module")
def versions(tmp_path_factory):
    """Runs of many versions: lists of files."""
    folder = tmp_path_factory.mktemp("versions")
    base = folder / "base.h5"
    subprocess.run([os.environ["UMBRA_WRITE_SYNTHETIC"], str(PATHS), str(base)], check=True)
    random = np.random.default_rng(7)
    made = [Version(base, random, number) for number in range(12)]
    return [
        [str(version.run(folder / f"{version.number}-{run}.h5")) for run in range(RUNS)]
        for version in made
    ]


def pairs(versions):
    """Which runs stand against which, from one of each side to four."""
    random = np.random.default_rng(8)
    for _ in range(PAIRS):
        old = int(random.integers(len(versions)))
        # Of programs of different sizes everything differs: more often than not it is the same one.
        new = old if random.random() < 0.4 else int(random.integers(len(versions)))
        counts = random.integers(1, 5, 2)
        files = [random.permutation(versions[v])[:n].tolist() for v, n in zip((old, new), counts)]
        yield files[0], [file for file in files[1] if file not in files[0]] or files[1]


def by_umbra(pair):
    old, new = pair
    done = subprocess.run(
        [os.environ["UMBRA"], "diff", "--json", *old, "--against", *new],
        check=True,
        capture_output=True,
    )
    return json.loads(done.stdout)


def test_both_say_the_same_of_a_thousand_pairs(versions):
    profiles = {file: umbra.open(file) for runs in versions for file in runs}
    seen = {}
    chosen = list(pairs(versions))
    with ThreadPoolExecutor(2) as pool:
        for (old, new), told in zip(chosen, pool.map(by_umbra, chosen)):
            frame = umbra.diff([profiles[f] for f in old], [profiles[f] for f in new])
            expected = [(row["name"], row["module"], row["verdict"]) for row in told["functions"]]
            found = list(zip(frame["name"], frame["module_name"], frame["verdict"]))
            assert sorted(found) == sorted(expected), (old, new)
            changed = told["changed"]
            assert found[:changed] == expected[:changed], "changes come in another order"
            chances = {row["name"]: row["self"] for row in told["functions"]}
            own = frame[~frame["verdict"].str.endswith("below") & frame["chance"].notna()]
            for name, chance in zip(own["name"], own["chance"]):
                assert chance == pytest.approx(chances[name]["chance"], rel=1e-6, abs=1e-300)
            for verdict in frame["verdict"]:
                seen[verdict] = seen.get(verdict, 0) + 1
    # Every verdict there is was among them, or agreement says little.
    assert set(seen) == {
        "same", "slower", "faster", "slower below", "faster below",
        "more calls", "fewer calls", "new", "gone",
    }, seen


def test_methods_in_pieces_are_compared_as_one(tmp_path, versions):
    with umbra.open(versions[0][0]) as profile:
        names = profile.diff(profile)["name"]
        pieces = profile.functions["raw_name"].str.endswith(".MoveNext")
        assert pieces.any() and names.is_unique


def test_copies_of_a_module_are_compared_as_one(sample):
    """A name that a file has once more, or in a second copy of its module, stays what it is elsewhere."""
    plain, copies = sample(), sample("copies")
    with umbra.open(plain) as old, umbra.open(copies) as new:
        names = new.functions["name"]
        assert names.is_unique and "Acme.Pricing.Fib(int) [copy 1]" in set(names)
        for name in names[names.str.contains("Fib")]:
            assert set(new.callers(name)["callee_name"]) == {name}
        found = old.diff(new)
        told = json.loads(subprocess.run([os.environ["UMBRA"], "diff", "--json", plain, copies],
                                         check=True, capture_output=True).stdout)
        assert list(found["name"]) == [row["name"] for row in told["functions"]]
        assert "Acme.Pricing.Fib(int)" in set(found["name"])
    both = umbra.aggregate([plain, copies]).functions.set_index("name")
    assert both.loc["Acme.Pricing.Fib(int)", "files"] == 2
