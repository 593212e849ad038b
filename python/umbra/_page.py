# SPDX-License-Identifier: MIT
"""The page of umbra, with its flame graph, inside a notebook."""

from __future__ import annotations

import html
import os

from ._program import ask


class Page:
    """A profile's page; a notebook shows it by itself. `html` is its text, `save` writes it to a
    file that every browser opens."""

    def __init__(self, path: "str | os.PathLike[str]", height: int):
        self.html = ask("export", "--html", "-", os.path.abspath(path)).decode("utf-8")
        self.height = height

    def __repr__(self) -> str:
        return f"<umbra.Page of {len(self.html):,} letters>"

    def _repr_html_(self) -> str:
        """A frame of its own, which reaches neither the notebook nor the network."""
        return (
            f'<iframe srcdoc="{html.escape(self.html)}" sandbox="allow-scripts allow-downloads" '
            f'style="width: 100%; height: {int(self.height)}px; border: 0"></iframe>'
        )

    def save(self, path: "str | os.PathLike[str]") -> None:
        """Writes the page to a file."""
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(self.html)
