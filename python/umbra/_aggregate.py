# SPDX-License-Identifier: MIT
"""One hot list of many files, on this process or on the workers of Dask's distributed scheduler.

Files are read in batches; what a batch comes to is a small frame, and frames are merged in groups
until one is left (a tree reduction), so that nobody ever holds more than a few of them.
"""

from __future__ import annotations

import glob
import os
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Tuple, Union

import numpy as np
import pandas as pd

from . import _hot
from ._errors import ProfileError
from ._file import File

_BATCH = 32  # files
_FAN_IN = 8  # partial results merged at a time

_KEY = ["module_name", "name"]
_SUMS = [
    "calls",
    "unfinished",
    "wall_total_ns",
    "wall_self_ns",
    "cpu_total_ns",
    "cpu_self_ns",
    "paused_total_ns",
    "paused_self_ns",
]
_FACTS = "host program pid created_utc runtime wall_ns events lost_events complete".split()


@dataclass
class Partial:
    """What some files come to: can be merged, and sent between processes."""

    functions: Optional[pd.DataFrame] = None
    files: List[Dict[str, Any]] = field(default_factory=list)
    failed: List[Tuple[str, str]] = field(default_factory=list)  # path, why


class Aggregate:
    """Many profiles as one.

    functions: one row for each module and full name (with its parameters), and each value of `by`:
    sums of calls and times in ns, shortest and longest call in ns, and `files`, the number of files
    in which it was called.

    files: one row for each file read: path, host, program, pid, created_utc, runtime, wall_ns,
    events, lost_events, complete.

    failed: one row for each file that could not be read: path, error. Nothing of it is in the sums.
    """

    def __init__(self, partial: Partial, by: Sequence[str]):
        self.by = list(by)
        self.functions = _finished(partial.functions, self.by)
        self.files = pd.DataFrame(partial.files, columns=["path", *_FACTS]).sort_values("path")
        self.files = self.files.reset_index(drop=True)
        self.failed = pd.DataFrame(sorted(partial.failed), columns=["path", "error"])

    def __repr__(self) -> str:
        lost = int(self.files["lost_events"].sum())
        return (
            f"<umbra.Aggregate of {len(self.files)} files, {len(self.functions)} functions, "
            f"{lost} events lost; {len(self.failed)} files failed>"
        )

    def hot(self, n: Optional[int] = 20, by: str = "self") -> pd.DataFrame:
        """The `n` functions that lead by `by`: self, total, cpu, calls, max, or a column of
        `functions`. share_percent is of the self time of all (by cpu: of their CPU self time)."""
        columns = [*self.by, "name", "files", "calls", "wall_self_ns"]
        columns += ["wall_total_ns", "cpu_self_ns", "wall_min_ns", "wall_max_ns", "module_name"]
        column = _hot.column_of(by, self.functions.columns)
        if column not in self.functions.columns:
            raise ValueError(f"sums of many files have no {column}")
        if column not in columns:
            columns.insert(len(columns) - 1, column)
        frame = self.functions.loc[self.functions["calls"] > 0, columns]
        return _hot.top(frame, n, column, share_of=_hot.share_column(column)).reset_index(drop=True)


def aggregate(
    paths: "Union[str, Iterable[Union[str, os.PathLike[str]]]]",
    client: Any = None,
    *,
    by: Union[str, Sequence[str]] = (),
    batch: int = _BATCH,
) -> Aggregate:
    """Adds up many profile files.

    paths: files, or one pattern such as "runs/**/*.h5". client: a distributed.Client, whose workers
    read the files (they must see the same paths and have this package); None: this process reads
    them. by: attributes of the session to keep apart, such as "host" or "runtime". batch: files a
    task.

    A file that cannot be read is listed in `failed` and is in no sum; likewise one that ends the
    worker that reads it, after Dask has tried it on others. Raises ValueError where there are no
    files or a file is named twice.
    """
    names = _paths(paths)
    keep = [by] if isinstance(by, str) else list(by)
    if batch < 1:
        raise ValueError("batch is at least 1")
    batches = [names[i : i + batch] for i in range(0, len(names), batch)]
    if client is None:
        return Aggregate(_reduced([read_batch(part, keep) for part in batches], merge), keep)
    return Aggregate(_on_workers(client, batches, keep), keep)


def _paths(paths: Any) -> List[str]:
    """The files meant, each once."""
    if isinstance(paths, str):
        names = [paths] if os.path.exists(paths) else sorted(glob.glob(paths, recursive=True))
        if not names:
            raise ValueError(f"no file matches {paths!r}")
    else:
        names = [os.fspath(path) for path in paths]
    if not names:
        raise ValueError("there are no files to aggregate")
    seen = set()
    for name in names:
        if name in seen:
            raise ValueError(f"{name!r} is named twice; its times would count twice")
        seen.add(name)
    return names


def read_batch(paths: Sequence[str], by: Sequence[str]) -> Partial:
    """Reads files one after the other; those that cannot be read go to `failed`."""
    result = Partial()
    tables: List[Dict[str, np.ndarray]] = []
    for path in paths:
        try:
            columns, facts = _read(path, by)
        except ProfileError as error:
            result.failed.append((path, str(error)))
        else:
            tables.append({**columns, "file": np.full(len(columns["name"]), len(tables))})
            result.files.append(facts)
    if tables:
        rows = {name: np.concatenate([table[name] for table in tables]) for name in tables[0]}
        result.functions = _summed([_one_row_a_file(pd.DataFrame(rows), by)], by)
    return result


def _read(path: str, by: Sequence[str]) -> Tuple[Dict[str, np.ndarray], Dict[str, Any]]:
    """Columns of the functions that were called, and the facts of the file."""
    file = File(path, by)
    try:
        values = file.read("methods", ["function", *_SUMS, "wall_min_ns", "wall_max_ns"])
        rows = values.pop("function")
        for name, column in file.read("functions", ["module", "name", "module_mark"]).items():
            values[name] = column[rows]
        modules = np.array([*file.read("modules", ["name"])["name"], ""], dtype=object)
    finally:
        file.close()
    facts = file.attributes
    for name in by:
        if name not in facts:
            raise ProfileError(f"cannot read '{path}': its session has no attribute {name}")
    values["module_name"] = modules[values.pop("module")]
    named = _without_marks(values["name"], values.pop("module_mark"))
    values["name"] = np.array(named, dtype=object)
    called = values["calls"] > 0
    columns = {name: column[called] for name, column in values.items()}
    kept = {name: np.full(int(called.sum()), facts[name], dtype=object) for name in by}
    return {**kept, **columns}, {"path": path, **{name: facts[name] for name in _FACTS}}


def _without_marks(names: Iterable[str], marks: Iterable[str]) -> List[str]:
    """Names without the mark that tells modules apart: what the same program has in another run."""
    pairs = zip(names, marks)
    return ["".join(name.rpartition(mark)[::2]) if mark else name for name, mark in pairs]


def _one_row_a_file(rows: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Sets `files` so that its sum is the number of files: functions of one file that are called
    the same count once."""
    again = rows.duplicated([*by, *_KEY, "file"])
    return rows.assign(files=(~again).astype("int64"))


def _summed(frames: List[pd.DataFrame], by: Sequence[str]) -> Optional[pd.DataFrame]:
    if not frames:
        return None
    rows = frames[0] if len(frames) == 1 else pd.concat(frames, ignore_index=True)
    grouped = rows.groupby([*by, *_KEY], sort=False)
    sums = grouped[["files", *_SUMS]].sum()
    sums["wall_min_ns"] = grouped["wall_min_ns"].min()
    sums["wall_max_ns"] = grouped["wall_max_ns"].max()
    return sums.reset_index()


def merge(partials: Sequence[Partial]) -> Partial:
    """Several partial results as one. Order does not matter."""
    frames = [part.functions for part in partials if part.functions is not None]
    # The columns before the module's are those that are kept apart.
    by = list(frames[0].columns[: list(frames[0]).index("module_name")]) if frames else []
    merged = Partial(_summed(frames, by))
    for part in partials:
        merged.files += part.files
        merged.failed += part.failed
    return merged


def _reduced(parts: List[Any], merge_some: Callable[[List[Any]], Any]) -> Any:
    """Merges neighbours in groups until one is left."""
    while len(parts) > 1:
        parts = [merge_some(parts[i : i + _FAN_IN]) for i in range(0, len(parts), _FAN_IN)]
    return parts[0]


def _on_workers(client: Any, batches: List[List[str]], by: List[str]) -> Partial:
    leaves = client.map(read_batch, batches, by=by, pure=False)
    sound: List[Any] = []
    failed: List[Tuple[str, str]] = []
    for future, paths in zip(leaves, batches):
        if not _killed_a_worker(future):
            sound.append(future)
            continue
        # Each file alone, and nothing beside it that could be blamed for what it does.
        for path in paths:
            alone = client.submit(read_batch, [path], by=by, pure=False)
            if _killed_a_worker(alone):
                failed.append((path, f"cannot read '{path}': every worker that tried it ended"))
            else:
                sound.append(alone)
    rest = Partial(failed=failed)
    if not sound:
        return rest
    total = _reduced(sound, lambda group: client.submit(merge, group, pure=False))
    return merge([total.result(), rest])


def _killed_a_worker(future: Any) -> bool:
    """Waits for a task. Any other failure than a dead worker is not the files' and is raised."""
    from distributed.scheduler import KilledWorker

    error = future.exception()
    if error is None or isinstance(error, KilledWorker):
        return error is not None
    raise error


def _finished(frame: Optional[pd.DataFrame], by: Sequence[str]) -> pd.DataFrame:
    """The frame that is shown: keys and `files` first, in the order of its keys."""
    keys = [*by, *_KEY]
    columns = [*keys, "files", *_SUMS[:4], "wall_min_ns", "wall_max_ns", *_SUMS[4:]]
    if frame is None:
        return pd.DataFrame(columns=columns)
    return frame[columns].sort_values(keys, ignore_index=True)
