# SPDX-License-Identifier: MIT
"""Which functions of a library set up a frame pointer: by the first bytes of each, which .eh_frame_hdr
finds without symbols."""
import bisect
import struct
from pathlib import Path

LOAD, EH_FRAME_HDR = 1, 0x6474E550
PUSH_AND_MOVE = b"\x55\x48\x89\xe5"  # push rbp; mov rbp, rsp
PROLOGUE = 12


class ElfFrames:
    """Of a library's file. Where it has no table in the usual form, every function counts as framed."""

    def __init__(self, path):
        self.bytes = Path(path).read_bytes()
        offset, = struct.unpack_from("<Q", self.bytes, 32)
        size, count = struct.unpack_from("<HH", self.bytes, 54)
        headers = [struct.unpack_from("<IIQQQQ", self.bytes, offset + at * size) for at in range(count)]
        self.loads = [(at, at + length, address - at) for kind, _, at, address, _, length in headers
                      if kind == LOAD]
        self.begins = []
        for kind, _, at, address, _, _ in headers:
            if kind == EH_FRAME_HDR and self.bytes[at:at + 4] == b"\x01\x1b\x03\x3b":
                entries, = struct.unpack_from("<I", self.bytes, at + 8)
                pairs = struct.unpack_from(f"<{2 * entries}i", self.bytes, at + 12)
                self.begins = [self.offset(address + begin) for begin in pairs[::2]]

    def offset(self, address):
        """Of an address of the file's own in it."""
        return next((address - delta for begin, end, delta in self.loads
                     if begin <= address - delta < end), address)

    def has_frame(self, offset):
        """Whether the function around that place in the file has one."""
        at = bisect.bisect_right(self.begins, offset) - 1
        return at < 0 or PUSH_AND_MOVE in self.bytes[self.begins[at]:self.begins[at] + PROLOGUE]
