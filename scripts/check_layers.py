# SPDX-License-Identifier: MIT
"""Includes follow the arrows between the layers; ARCHITECTURE.md shows the same table."""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')

# Layer -> layers of ours it may include, besides itself.
ALLOWED = {
    "asm": {"hotpath"},
    "hotpath": set(),
    "src/base": set(),
    "src/clr": {"src/base"},
    "src/protocol": {"src/base", "hotpath"},
    "src/profile": {"src/base"},
    "src/agent": {"src/base", "hotpath", "src/protocol", "src/clr"},
    "src/fakeclr": {"src/base", "src/clr"},
    "src/collector": {"src/base", "hotpath", "src/protocol", "src/profile"},
    "export": {"src/base", "src/profile"},
    "src/cli": {"src/base", "hotpath", "src/protocol", "src/clr", "src/profile", "src/fakeclr",
                "src/collector", "export"},
}


def layer_of(path):
    parts = path.split("/")
    return "/".join(parts[:2]) if parts[0] == "src" else parts[0]


def broken_arrows(file, layer):
    for number, line in enumerate(file.read_text().splitlines(), 1):
        if match := INCLUDE.match(line):
            target = layer_of(match[1])
            if not (ROOT / match[1]).is_file():
                yield f"{file.relative_to(ROOT)}:{number}: {match[1]} is not written from the root"
            elif target != layer and target not in ALLOWED[layer]:
                yield f"{file.relative_to(ROOT)}:{number}: {layer} may not include {target}"


def main():
    found = {str(path.relative_to(ROOT)) for path in (ROOT / "src").iterdir() if path.is_dir()}
    problems = [f"{layer}: what may it include? scripts/check_layers.py does not say"
                for layer in sorted(found - set(ALLOWED))]
    for layer in ALLOWED:
        for file in sorted((ROOT / layer).rglob("*")):
            if file.suffix in (".h", ".cpp", ".S", ".inc"):
                problems += broken_arrows(file, layer)
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
