# SPDX-License-Identifier: MIT
"""Perfetto traces as protoc prints them by the format's public schema."""
import shutil
from pathlib import Path

import pytest

SUPPORT = Path(__file__).resolve().parent / "integration" / "support"
DECODE = ["protoc", "--decode=perfetto.protos.Trace", f"-I{SUPPORT}", SUPPORT / "perfetto.proto"]


def needs_protoc():
    if shutil.which("protoc") is None:
        pytest.skip("there is no protoc here (apt-get install protobuf-compiler)")
