# SPDX-License-Identifier: MIT
"""A picture of a call tree as SVG: broad is long, what is called lies on top of its caller.

SVG is written here and needs no package; a browser draws it sharp at any size and shows the full
name of what the pointer is on. Names come from the profiled program and are hostile: all text goes
through `_text`.
"""

from __future__ import annotations

import base64
import os
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Dict, List, Optional, Sequence, Set, Tuple, Union

import numpy as np

from . import _hot

if TYPE_CHECKING:
    from ._profile import Profile

_ROW = 18  # pixels of a level
_MARGIN = 8
_HEAD = 30
_FOOT = 24
_LETTER = 6.65  # pixels of a letter of the monospaced 11 px font
_LEAST = 1.0  # pixels; what is narrower is left out
_LEAST_TIP = 3.0  # pixels; what is narrower cannot be pointed at

_WHAT = {"wall": " of wall time", "cpu": " on a processor", "calls": ""}
_UNITS = {"wall": "wall_self_ns", "cpu": "cpu_self_ns", "calls": "calls"}


class Flame:
    """A picture; a notebook shows it by itself. `svg` is its text, `save` writes it to a file."""

    def __init__(self, svg: str, areas: "Sequence[Area]" = (), size: Tuple[int, int] = (0, 0)):
        self.svg = svg
        self._areas = areas
        self._size = size

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        """The same as an image, which programs that take SVG out of pages leave alone, with the
        full names as tool tips."""
        data = base64.b64encode(self.svg.encode()).decode()
        name = f"umbra-flame-{zlib.crc32(self.svg.encode()):08x}"
        areas = "".join(
            f'<area shape="rect" coords="{x:.0f},{y},{x + width:.0f},{y + _ROW - 1}" '
            f'title="{_text(tip).replace(chr(10), "&#10;")}">'
            for x, y, width, tip in self._areas
        )
        return (
            f'<img src="data:image/svg+xml;base64,{data}" width="{self._size[0]}" '
            f'height="{self._size[1]}" style="max-width:none" usemap="#{name}" '
            f'alt="flame graph"><map name="{name}">{areas}</map>'
        )

    def save(self, path: "str | os.PathLike[str]") -> None:
        """Writes the SVG file, which every browser opens."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)


Area = Tuple[float, int, float, str]  # left, top, width in pixels, and what is said of it


@dataclass
class Tree:
    """Paths with all threads laid together: parents before children, level by level."""

    parent: np.ndarray  # -1: nobody's
    function: np.ndarray
    level: np.ndarray
    value: np.ndarray  # of the path with all below it


def merged(parent: np.ndarray, function: np.ndarray, own: np.ndarray) -> Tree:
    """Lays paths of the same functions together; `own` is each node's value without callees."""
    level = _levels(parent)
    order = np.argsort(level, kind="stable")
    deepest = int(level.max()) if len(level) else -1
    starts = np.searchsorted(level[order], np.arange(deepest + 2)).tolist()
    kinds = int(function.max()) + 1 if len(function) else 1
    into = np.full(len(parent) + 1, -1, dtype=np.int64)  # the last: what parent -1 finds
    parents: List[np.ndarray] = []
    functions: List[np.ndarray] = []
    values: List[np.ndarray] = []
    made = 0
    for first, last in zip(starts[:-1], starts[1:]):
        nodes = order[first:last]
        keys = (into[parent[nodes]] + 1) * kinds + function[nodes]
        unique, which = np.unique(keys, return_inverse=True)
        into[nodes] = made + which
        parents.append(unique // kinds - 1)
        functions.append(unique % kinds)
        values.append(np.bincount(which, own[nodes], minlength=len(unique)))
        made += len(unique)
    levels = [np.full(len(part), number) for number, part in enumerate(parents)]
    tree = Tree(_joined(parents), _joined(functions), _joined(levels), _joined(values, float))
    bounds = np.cumsum([0, *map(len, parents)])
    for number in range(len(parents) - 1, 0, -1):
        below = slice(bounds[number], bounds[number + 1])
        np.add.at(tree.value, tree.parent[below], tree.value[below])
    return tree


def _joined(parts: List[np.ndarray], kind: type = np.int64) -> np.ndarray:
    return np.concatenate(parts).astype(kind) if parts else np.empty(0, dtype=kind)


def _levels(parent: np.ndarray) -> np.ndarray:
    """How many callers each node has: by doubling the distance looked up."""
    level = (parent >= 0).astype(np.int64)
    up = parent.astype(np.int64)
    while (up >= 0).any():
        known = up >= 0
        level[known] += level[up[known]]
        next_up = up.copy()
        next_up[known] = up[up[known]]
        up = next_up
    return level


def flame(
    profile: "Profile",
    by: str,
    thread: Optional[Union[int, str]],
    root: Optional[str],
    width: int,
    depth: int,
) -> Flame:
    """Draws a profile's tree; the arguments are those of Profile.flame."""
    if by not in _UNITS:
        raise ValueError(f"by is one of {', '.join(_UNITS)}, not {by!r}")
    if by == "cpu" and not profile.has_cpu_times:
        raise ValueError("the profile has no times on a processor (cpu_source is none)")
    frame = profile.table("calltree", ["parent", "function", "thread", _UNITS[by]])
    parent = frame["parent"].to_numpy()
    function = frame["function"].to_numpy()
    own = frame[_UNITS[by]].to_numpy(dtype=float)
    own = np.where(_hot.of_methods(profile.functions["name"]).to_numpy()[function], own, 0.0)
    title = f"{profile.session.get('program', '')}"
    if thread is not None:
        if (frame["thread"] < 0).any():
            raise ValueError(
                "the profile has the paths of all threads together; umbra run --tree=full records "
                "each thread's"
            )
        rows, label = _threads(profile, thread)
        own = np.where(np.isin(frame["thread"].to_numpy(), rows), own, 0.0)
        title += f", {label}"
    else:
        title += ", all threads"
    if root is not None:
        parent, own = _rerooted(profile, parent, function, own, root)
        title += f", calls of {root}"
    tree = merged(parent, function, own)
    return _Drawing(profile, tree, by, max(int(width), 200), max(int(depth), 1)).flame(title)


def _threads(profile: "Profile", thread: Union[int, str]) -> Tuple[List[int], str]:
    """Rows of the threads that are meant, and what the caption calls them."""
    names = profile._thread_names.tolist()
    if isinstance(thread, str):
        rows = [row for row, name in enumerate(names) if thread in name]
    else:
        rows = [int(thread)] if 0 <= int(thread) < len(names) else []
    if not rows:
        raise ValueError(f"the profile has no thread {thread!r}; it has {', '.join(names[:20])}")
    return rows, ", ".join(dict.fromkeys(names[row] for row in rows))


def _rerooted(
    profile: "Profile", parent: np.ndarray, function: np.ndarray, own: np.ndarray, root: str
) -> Tuple[np.ndarray, np.ndarray]:
    """The tree below the outermost calls of what is named so; the rest weighs nothing."""
    wanted = np.isin(function, profile.select(root).index.to_numpy())
    if not wanted.any():
        raise ValueError(f"no function that was called has {root!r} in its name")
    below, up = wanted, parent
    while (up >= 0).any():  # looks twice as far up each time
        below = below | np.append(below, False)[up]
        up = np.where(up >= 0, up[up], -1)
    inside = np.append(below, False)[parent] & below
    return np.where(inside, parent, -1), np.where(below, own, 0.0)


class _Drawing:
    def __init__(self, profile: "Profile", tree: Tree, by: str, width: int, depth: int):
        self.tree, self.by, self.width, self.depth = tree, by, width, depth
        functions = profile.functions
        self.names = functions["name"].tolist()
        self.modules = functions["module_name"].tolist()
        self.short = _short_names(functions)
        framework = set(profile.modules.loc[profile.modules["framework"], "name"])
        self.hues = _colours(self.modules, framework)
        self.areas: List[Area] = []
        self.types = functions["type"].tolist()
        self.whole = float(tree.value[tree.parent < 0].sum())
        self.scale = (width - 2 * _MARGIN) / self.whole if self.whole > 0 else 0.0

    def flame(self, title: str) -> Flame:
        left, shown = self._places()
        levels = int(self.tree.level[shown].max()) + 1 if shown.any() else 1
        height = _HEAD + levels * _ROW + _FOOT
        bottom = _HEAD + (levels - 1) * _ROW
        head = f"{title}: {_amount(self.whole, self.by)}{_WHAT[self.by]}"
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{height}" '
            f'viewBox="0 0 {self.width} {height}" font-family="DejaVu Sans Mono,Menlo,Consolas,'
            'monospace" font-size="11">',
            f'<rect width="{self.width}" height="{height}" fill="#fcfcfa"/>',
            f'<text x="{_MARGIN}" y="19" font-size="13" fill="#222">'
            f"{_text(_cut(head, int((self.width - 2 * _MARGIN) / 7.9)))}</text>",
        ]
        for node in np.flatnonzero(shown):
            y = bottom - int(self.tree.level[node]) * _ROW
            parts.append(self._box(int(node), _MARGIN + left[node], y))
        parts += [self._legend(shown, height - 8), "</svg>"]
        return Flame("\n".join(parts), self.areas, (self.width, height))

    def _places(self) -> Tuple[np.ndarray, np.ndarray]:
        """Left edges in pixels, broad before narrow, and which nodes are shown."""
        tree, count = self.tree, len(self.tree.parent)
        pixels = tree.value * self.scale
        left = np.zeros(count)
        shown = (pixels >= _LEAST) & (tree.level < self.depth)
        used: Dict[int, float] = {}
        candidates = np.flatnonzero(shown)
        order = candidates[np.lexsort((-pixels[candidates], tree.level[candidates]))]
        for node in order.tolist():
            parent = int(tree.parent[node])
            if parent >= 0 and not shown[parent]:
                shown[node] = False
                continue
            start = left[parent] if parent >= 0 else 0.0
            left[node] = start + used.get(parent, 0.0)
            used[parent] = used.get(parent, 0.0) + pixels[node]
        return left, shown

    def _box(self, node: int, x: float, y: int) -> str:
        function, value = int(self.tree.function[node]), float(self.tree.value[node])
        name, module = self.names[function], self.modules[function]
        colour = _colour(self.hues[module], self.types[function])
        pixels = value * self.scale
        share = 100 * value / self.whole
        tip = f"{name}\n{module}\n{_amount(value, self.by)}, {share:.2f} %"
        if pixels >= _LEAST_TIP:
            self.areas.append((x, y, pixels, tip))
        label = _fitting(self.short[function], int((pixels - 6) / _LETTER))
        text = (
            f'<text x="{x + 3:.1f}" y="{y + 13}" fill="#1b1b1b">{_text(label)}</text>'
            if label
            else ""
        )
        return (
            f"<g><title>{_text(tip)}</title>"
            f'<rect x="{x:.2f}" y="{y}" width="{pixels - 0.5:.2f}" height="{_ROW - 1}" '
            f'rx="1.5" fill="{colour}"/>{text}</g>'
        )

    def _legend(self, shown: np.ndarray, y: int) -> str:
        """Modules and their colours, those with most of the picture first; what was left out."""
        tree = self.tree
        own = tree.value.copy()
        inner = tree.parent >= 0
        np.subtract.at(own, tree.parent[inner], tree.value[inner])
        weight: Dict[str, float] = {}
        for node in np.flatnonzero(shown).tolist():
            module = self.modules[int(tree.function[node])]
            weight[module] = weight.get(module, 0.0) + float(own[node])
        hidden = int((~shown & (tree.value > 0)).sum())
        note = f"{hidden:,} paths too narrow or too deep to show" if hidden else ""
        x, parts = float(_MARGIN), []
        room = self.width - _MARGIN - len(note) * _LETTER - 10
        for module in sorted(weight, key=lambda name: (-weight[name], name)):
            label = _cut(module or "(no module)", 40)
            end = x + 14 + len(label) * _LETTER
            if end > room:
                break
            parts.append(
                f'<rect x="{x:.0f}" y="{y - 9}" width="10" height="10" rx="1.5" '
                f'fill="{_colour(self.hues[module])}"/>'
                f'<text x="{x + 14:.0f}" y="{y}" fill="#444">{_text(label)}</text>'
            )
            x = end + 14
        if note:
            parts.append(
                f'<text x="{self.width - _MARGIN}" y="{y}" fill="#777" '
                f'text-anchor="end">{note}</text>'
            )
        return "".join(parts)


def _short_names(functions) -> List[str]:
    """Type, method and parameters without the namespace."""
    shorts = []
    for name, space in zip(functions["name"].tolist(), functions["namespace"].tolist()):
        start = f"{space}."
        shorts.append(name[len(start) :] if space and name.startswith(start) else name)
    return shorts


def _fitting(name: str, letters: int) -> str:
    """As much of a name as fits, the parameters going first; empty where that tells nothing."""
    if letters < 3:
        return ""
    if len(name) <= letters:
        return name
    bare = name.split("(", 1)[0] or name
    if len(bare) <= letters:
        return bare
    method = bare.rsplit(".", 1)[-1]
    return method if 0 < len(method) <= letters else _cut(method or bare, letters)


def _cut(text: str, letters: int) -> str:
    return text if len(text) <= letters else text[: max(letters - 2, 1)] + ".."


def _colours(modules: Sequence[str], framework: Set[str]) -> Dict[str, Optional[int]]:
    """A hue for each module, far from each other; none for the framework."""
    own = sorted(set(modules) - framework)
    hues: Dict[str, Optional[int]] = dict.fromkeys(framework)
    hues.update({name: int(165 + number * 137.508) % 360 for number, name in enumerate(own)})
    return hues


def _colour(hue: Optional[int], of_type: str = "") -> str:
    """A shade for each type of a module, always the same."""
    shade = _spread(of_type) if of_type else 0
    lightness = 74 + shade % 5 * 3
    if hue is None:
        return f"hsl(0,0%,{lightness}%)"
    return f"hsl({(hue + shade // 5 % 7 * 6 - 18) % 360},{56 + shade // 35 % 3 * 10}%,{lightness}%)"


def _spread(text: str) -> int:
    return zlib.crc32(text.encode("utf-8", "replace"))


def _amount(value: float, by: str) -> str:
    if by == "calls":
        return f"{value:,.0f} calls"
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if value >= size:
            return (
                f"{value / size:.3g} {unit}"
                if value < 1000 * size
                else f"{value / size:,.0f} {unit}"
            )
    return f"{value:.0f} ns"


def _text(text: str) -> str:
    """Text that stands in XML for itself."""
    clean = "".join(c if c >= " " or c == "\n" else "\ufffd" for c in text)
    clean = clean.encode("utf-8", "replace").decode("utf-8")
    for character, stands in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        clean = clean.replace(character, stands)
    return clean.replace("\ufffe", "\ufffd").replace("\uffff", "\ufffd")
