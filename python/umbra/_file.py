# SPDX-License-Identifier: MIT
"""Opens one profile file, checks it and reads columns of its tables.

A file is hostile until checked: its types before anything is read by them, its sizes before memory
is set aside for them, its row numbers before anyone follows them. A file whose structures HDF5
itself cannot cope with is beyond that; umbra.aggregate survives it on worker processes.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional

import h5py
import numpy as np

from . import _schema
from ._errors import ProfileError

_MAX_ROWS = 1 << 26
_MAX_CHUNK_BYTES = 16 << 20
_MAX_CELL_BYTES = 256
_MAX_COMPRESSION = 1040  # no deflate stream grows by more
_MAX_ATTRIBUTE_BYTES = 4 << 20
_BLOCK_ROWS = 1 << 16
_FILTERS = {"1", "2", "3"}  # numbers of HDF5: deflate, shuffle, fletcher32
_CONTROLS = {code: "\ufffd" for code in (*range(0x20), *range(0x7F, 0xA0))}


def text_of(data: bytes) -> str:
    """Bytes of a file as text that can be shown: no control characters, no broken UTF-8."""
    text = data.rstrip(b"\0").decode("utf-8", "replace")
    return text if text.isprintable() else text.translate(_CONTROLS)


def one_line(error: BaseException) -> str:
    """What an exception says, in one line without control characters."""
    # str() of a KeyError would put its text in quotes.
    return in_one_line(
        str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
    )


def in_one_line(said: str) -> str:
    """A text without line breaks and control characters."""
    return " ".join(text_of(said.encode("utf-8", "replace")).replace("\ufffd", " ").split())


class File:
    """An open profile file. Not for use by several threads at once (HDF5 is serial).

    Raises ProfileError where the file is none, cannot be read or does not keep to its schema.
    """

    def __init__(self, path: "str | os.PathLike[str]", attributes: Optional[Iterable[str]] = None):
        """Opens and checks. attributes: read beside those that are always read; None: all."""
        self.path = os.fspath(path)
        self.full_path = os.path.abspath(self.path)
        self._checked: Dict[str, h5py.Dataset] = {}
        self._long: Optional[Dict[Any, Dict[int, str]]] = None
        with self._errors():
            self._check_readable()
            self._h5 = self._open()
        try:
            with self._errors():
                self.attributes = self._read_attributes(attributes)
                self._check_version()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Closes the file. Frames that were read stay as they are."""
        self._h5.close()

    def rows(self, table: str) -> int:
        """Rows of a table."""
        with self._errors():
            dataset = self._dataset(table)
            return int(dataset.shape[0])

    def read(
        self,
        table: str,
        columns: Optional[Iterable[str]] = None,
        start: int = 0,
        stop: Optional[int] = None,
    ) -> Dict[str, np.ndarray]:
        """Columns of rows [start, stop) of a table, texts decoded, row numbers checked."""
        known = _schema.TABLES[table]
        wanted = list(known if columns is None else columns)
        for name in wanted:
            if name not in known:
                raise KeyError(f"table {table} has no column {name}; it has {', '.join(known)}")
        with self._errors():
            dataset = self._dataset(table)
            first, last, _ = slice(start, stop).indices(dataset.shape[0])
            values = self._values(dataset, table, wanted, first, max(first, last))
            self._check_rows(table, values, first)
            return values

    # What follows is called inside _errors() only.

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        """Whatever goes wrong with the file becomes a ProfileError of one line."""
        try:
            yield
        except ProfileError:
            raise
        except OSError as error:
            reason = error.strerror or f"it is damaged or cut short: {one_line(error)}"
            raise self._error(reason) from None
        except MemoryError as error:
            raise self._error("there is not enough memory") from None
        except (ValueError, KeyError, TypeError, RuntimeError, OverflowError, AttributeError) as e:
            raise self._error(f"it is damaged: {one_line(e)}") from None

    def _error(self, reason: str) -> ProfileError:
        shown = text_of(os.fsencode(self.path))
        return ProfileError(f"cannot read '{shown}': {reason}")

    def _check_readable(self) -> None:
        # O_NONBLOCK: h5py would wait at a pipe.
        descriptor = os.open(self.path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise self._error("it is not a regular file")
        finally:
            os.close(descriptor)

    def _open(self) -> h5py.File:
        try:
            # Locks are of no use: umbra replaces files as a whole, it never changes them in place.
            return h5py.File(self.path, "r", locking=False)
        except OSError:
            pass  # no HDF5 file, or one that this process has open with locks
        try:
            return h5py.File(self.path, "r")
        except OSError as error:
            if h5py.is_hdf5(self.path):
                raise self._error(f"it is damaged or cut short: {one_line(error)}") from None
            raise self._error("it is not an HDF5 file") from None

    def _read_attributes(self, wanted: Optional[Iterable[str]]) -> Dict[str, Any]:
        """Attributes of the root that are single numbers or texts of fixed length."""
        found: Dict[str, Any] = {}
        names = self._h5.attrs if wanted is None else {*_schema.ATTRIBUTES, *wanted}
        for name in names:
            if name not in self._h5.attrs:
                continue
            attribute = self._h5.attrs.get_id(name)
            kind = attribute.dtype.kind
            if attribute.shape != () or kind not in "Siufb":
                continue
            if attribute.dtype.itemsize > _MAX_ATTRIBUTE_BYTES:
                raise self._error(f"attribute {text_of(name.encode())} is too long")
            value = np.empty((), dtype=attribute.dtype)
            attribute.read(value)
            found[name] = text_of(value.item()) if kind == "S" else value.item()
        return found

    def _check_version(self) -> None:
        if self.attributes.get("format") != _schema.FORMAT:
            raise self._error("it is an HDF5 file, but not a profile of umbra")
        for name, kind in _schema.ATTRIBUTES.items():
            if not isinstance(self.attributes.get(name), kind):
                raise self._error(f"attribute {name} is missing or not of its type")
        version = str(self.attributes.get("schema_version", ""))
        parts = re.fullmatch(r"([1-9]\d{0,8})\.(\d{1,9})(\..*)?", version, re.ASCII)
        if parts is None:
            raise self._error("attribute schema_version is not a version")
        major = int(parts[1])
        if major != _schema.MAJOR:
            newer = major > _schema.MAJOR
            todo = "update the Python package umbra" if newer else "record the program anew"
            reason = f"it has schema {version}, this package reads {_schema.MAJOR}.x; {todo}"
            raise self._error(reason)

    def _dataset(self, table: str) -> h5py.Dataset:
        """The table, checked once."""
        if table not in self._checked:
            self._checked[table] = self._checked_dataset(table)
        return self._checked[table]

    def _checked_dataset(self, table: str) -> h5py.Dataset:
        # A soft or external link could lead anywhere, out of the file too.
        if not isinstance(self._h5.get(table, getlink=True), h5py.HardLink):
            raise self._error(f"table {table} is missing")
        dataset = self._h5[table]
        if not isinstance(dataset, h5py.Dataset) or dataset.dtype.names is None:
            raise self._error(f"{table} is not a table")
        if len(dataset.shape or ()) != 1:
            raise self._error(f"table {table} is not one-dimensional")
        self._check_columns(table, dataset.dtype)
        self._check_storage(table, dataset)
        return dataset

    def _check_columns(self, table: str, dtype: np.dtype) -> None:
        for name, column in _schema.TABLES[table].items():
            if name not in (dtype.names or ()):
                raise self._error(f"table {table} has no column {name}")
            actual = dtype[name]
            if column.kind == "text":
                if actual.kind != "S" or not 0 < actual.itemsize <= _MAX_CELL_BYTES:
                    raise self._error(f"{table}.{name} is not text of fixed length")
            elif actual != np.dtype(column.kind):
                raise self._error(f"{table}.{name} is not of type {column.kind}")

    def _check_storage(self, table: str, dataset: h5py.Dataset) -> None:
        """Refuses what could cost more memory than the file's size accounts for, what lies in
        other files, and filters that would have to be loaded."""
        row_bytes = dataset.dtype.itemsize
        if dataset.chunks is None or dataset.external:
            raise self._error(f"table {table} is not stored in chunks")
        if dataset.chunks[0] * row_bytes > _MAX_CHUNK_BYTES:
            raise self._error(f"table {table} has too large chunks")
        creation = dataset.id.get_create_plist()
        for i in range(creation.get_nfilters()):
            if str(creation.get_filter(i)[0]) not in _FILTERS:
                raise self._error(f"table {table} is stored with an unknown filter")
        rows = dataset.shape[0]
        if rows > _MAX_ROWS or rows * row_bytes > _MAX_COMPRESSION * dataset.id.get_storage_size():
            raise self._error(f"table {table} claims more rows than it holds")

    def _values(
        self, dataset: h5py.Dataset, table: str, names: List[str], first: int, last: int
    ) -> Dict[str, np.ndarray]:
        known = _schema.TABLES[table]
        values = {name: np.empty(last - first, dtype=dataset.dtype[name]) for name in names}
        if values:
            view = dataset.fields(list(values))
            for at in range(first, last, _BLOCK_ROWS):
                end = min(at + _BLOCK_ROWS, last)
                block = view[at:end]
                for name, cells in values.items():
                    cells[at - first : end - first] = block[name]
        for name, cells in values.items():
            if known[name].kind == "text":
                values[name] = self._texts(table, name, cells, first)
        return values

    def _texts(self, table: str, column: str, cells: np.ndarray, first: int) -> np.ndarray:
        seen: Dict[bytes, str] = {}
        texts = np.empty(len(cells), dtype=object)
        for i, cell in enumerate(cells.tolist()):
            text = seen.get(cell)
            texts[i] = seen.setdefault(cell, text_of(cell)) if text is None else text
        for row, rest in self._long_strings().get((table, column), {}).items():
            if first <= row < first + len(texts):
                texts[row - first] += rest
        return texts

    def _long_strings(self) -> Dict[Any, Dict[int, str]]:
        """(table, column) -> row -> what follows the cell's text."""
        if self._long is not None:
            return self._long
        pieces: Dict[Any, Dict[int, str]] = {}
        dataset = self._dataset("long_strings")
        for start in range(0, dataset.shape[0], _BLOCK_ROWS):
            block = dataset[start : start + _BLOCK_ROWS]
            for table, column, row, text in zip(
                *(block[name].tolist() for name in ("table", "column", "row", "text"))
            ):
                of_column = pieces.setdefault((text_of(table), text_of(column)), {})
                of_column[row] = of_column.get(row, "") + text_of(text)
        self._long = pieces
        return pieces

    def _check_rows(self, table: str, values: Mapping[str, np.ndarray], first: int) -> None:
        for name, numbers in values.items():
            column = _schema.TABLES[table][name]
            if column.refers_to is None or not len(numbers):
                if column.kind == "int64" and len(numbers) and numbers.min() < 0:
                    raise self._error(f"{table}.{name} is negative")
                continue
            limit = self._dataset(column.refers_to).shape[0]
            if numbers.min() < (-1 if column.or_none else 0) or numbers.max() >= limit:
                raise self._error(f"{table}.{name} names a row that {column.refers_to} has not")
            if (
                table == column.refers_to
                and (numbers >= np.arange(first, first + len(numbers))).any()
            ):
                raise self._error(f"{table}.{name} is not a smaller row")
