#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Takes a picture of what commands leave on a terminal, each on light and on dark ground.

    terminal_pictures.py OUT.png COLUMNSxROWS COMMAND...

A COMMAND is a line for the shell. Needs python3-pyte and chromium (UMBRA_CHROMIUM: another one); where
pngquant is installed, it makes the picture smaller.
"""
import html
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from terminal import Terminal

# GNOME Terminal's palettes, which has pure white and near-black grounds.
COLOURS = {"black": "#171421", "red": "#c01c28", "green": "#26a269", "brown": "#a2734c", "blue": "#12488b",
           "magenta": "#a347ba", "cyan": "#2aa1b3", "white": "#d0cfcc", "brightblack": "#5e5c64",
           "brightred": "#f66151", "brightgreen": "#33d17a", "brightbrown": "#e9ad0c", "brightblue": "#2a7bde",
           "brightmagenta": "#c061cb", "brightcyan": "#33c7de", "brightwhite": "#ffffff"}
GROUNDS = [("#ffffff", "#171421"), ("#171421", "#d0cfcc")]
LINE, LETTER = 18, 8.43  # pixels, of 14 px DejaVu Sans Mono


def colour(name, default):
    if name == "default":
        return default
    return COLOURS.get(name) or (f"#{name}" if re.fullmatch("[0-9a-f]{6}", name) else default)


def drawn(screen, ground, ink):
    lines = []
    for y in range(screen.lines):
        cells = (screen.buffer[y][x] for x in range(screen.columns))
        lines.append("".join(
            f'<span style="color:{colour(cell.fg, ink)};background:{colour(cell.bg, ground)};'
            f'font-weight:{"bold" if cell.bold else "normal"}">{html.escape(cell.data)}</span>' for cell in cells))
    return f'<pre style="color:{ink};background:{ground}">' + "\n".join(lines) + "</pre>"


def main(out, size, *commands):
    columns, rows = map(int, size.split("x"))
    pictures = []
    for command in commands:
        with Terminal(["sh", "-c", command], rows, columns) as terminal:
            terminal.ended()
            pictures.append("".join(drawn(terminal.pyte, *ground) for ground in GROUNDS))
    style = (f"body{{margin:0;background:#888}} div{{display:flex}} pre{{margin:6px;padding:6px;"
             f"width:{round(columns * LETTER)}px;font:14px/{LINE}px DejaVu Sans Mono,monospace}}")
    browser = os.environ.get("UMBRA_CHROMIUM") or shutil.which("chromium") or sys.exit("there is no chromium in PATH")
    width, height = 2 * (round(columns * LETTER) + 24), len(commands) * (rows * LINE + 24)
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "page.html")
        page.write_text(f"<meta charset=utf-8><style>{style}</style>"
                        + "".join(f"<div>{picture}</div>" for picture in pictures), encoding="utf-8")
        subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", f"--screenshot={out}",
                        f"--window-size={width},{height}", page.as_uri()], check=True, stderr=subprocess.DEVNULL)
    if shutil.which("pngquant"):
        subprocess.run(["pngquant", "--force", "--skip-if-larger", "--strip", "--output", out, "16", out], check=False)


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
