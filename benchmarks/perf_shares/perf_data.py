# SPDX-License-Identifier: MIT
"""Samples with registers and the top of the stack, out of what `perf record --call-graph dwarf` wrote.

`perf script` walks frame pointers from rbp alone, and so passes over the caller of any code that
has no frame: umbra's stubs, helpers of the runtime, memcpy. With the stack at hand, its return
address is seen as well; and of the stack `perf script` prints nothing.
"""
import bisect
import mmap
import struct
from dataclasses import dataclass

MMAP2, SAMPLE = 10, 9
# Bits of a sample's type, in the order of their fields.
IDENTIFIER, IP, TID, TIME, ADDR, ID, STREAM, CPU, PERIOD, CALLCHAIN, REGS, STACK = (
    1 << 16, 1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 6, 1 << 9, 1 << 7, 1 << 8, 1 << 5, 1 << 12, 1 << 13)
WORDS = (ADDR, ID, STREAM, CPU, PERIOD)
READ, RAW, BRANCHES = 1 << 4, 1 << 10, 1 << 11  # not expected: they would move what follows
BP, SP, PC = 6, 7, 8  # bits of x86-64 registers
KERNEL = 1 << 63


@dataclass
class Sample:
    """Registers of the program; `stack` begins at `sp`."""

    thread: int
    ns: int
    in_kernel: bool
    ip: int
    sp: int
    bp: int
    stack: bytes

    def word(self, address):
        """The 8 bytes there, or 0 beyond what was kept of the stack."""
        at = address - self.sp
        return struct.unpack_from("<Q", self.stack, at)[0] if 0 <= at <= len(self.stack) - 8 else 0

    def callers(self):
        """(frame pointer, return address) along the frame pointers, from the innermost out."""
        bp, least = self.bp, self.sp
        while bp >= least and (caller := self.word(bp + 8)):
            yield bp, caller
            bp, least = self.word(bp), bp + 1


class Files:
    """Which file's code lies where in one process. A mapping takes the place of those before it."""

    def __init__(self):
        self.begins, self.entries = [], []  # (end, where the file would begin, path)

    def add(self, begin, size, offset, path):
        end = begin + size
        old = list(zip(self.begins, self.entries))
        kept = [entry for entry in old if entry[1][0] <= begin or entry[0] >= end]
        for at, (until, base, name) in old:
            kept += [(at, (begin, base, name))] if at < begin < until else []
            kept += [(end, (until, base, name))] if at < end < until else []
        kept.append((begin, (end, begin - offset, path)))
        kept.sort()
        self.begins, self.entries = [at for at, _ in kept], [entry for _, entry in kept]

    def place(self, address):
        """The file's path and the place in it; an empty path: no file's."""
        at = bisect.bisect_right(self.begins, address) - 1
        if at >= 0 and address < self.entries[at][0]:
            return self.entries[at][2], address - self.entries[at][1]
        return "", 0

    def find(self, address):
        """The file's name."""
        return self.place(address)[0].rsplit("/", 1)[-1]


class PerfData:
    """One event, one attribute; anything else is refused."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        magic, _, _, attrs, attrs_size, self.begin, self.size = struct.unpack_from(
            "<8s6Q", self.bytes, 0)
        if magic != b"PERFILE2" or not self.size:
            raise ValueError(f"{path} is no whole file of perf record")
        self.type = struct.unpack_from("<Q", self.bytes, attrs + 24)[0]
        needed = IP | TID | TIME | REGS | STACK
        if self.type & (needed | READ | RAW | BRANCHES) != needed:
            raise ValueError(f"{path} has samples of an unknown form ({self.type:#x})")
        registers = struct.unpack_from("<Q", self.bytes, attrs + 80)[0]
        self.registers = registers.bit_count()
        self.place = {bit: (registers & ((1 << bit) - 1)).bit_count() for bit in (BP, SP, PC)}

    def records(self, kind):
        at, end = self.begin, self.begin + self.size
        while at < end:
            found, _, size = struct.unpack_from("<IHH", self.bytes, at)
            if found == kind:
                yield at + 8
            at += size

    def files(self, pid):
        """Files whose code the process has mapped."""
        files = Files()
        for at in self.records(MMAP2):
            owner, _, begin, size, offset = struct.unpack_from("<IIQQQ", self.bytes, at)
            if owner == pid:
                path = self.bytes[at + 64:self.bytes.find(b"\0", at + 64)].decode(errors="replace")
                if not path.startswith("//"):  # //anon: code that the runtime has made
                    files.add(begin, size, offset, path)
        return files

    def samples(self, pid):
        """Every Sample of the process that has user registers."""
        for at in self.records(SAMPLE):
            at += 8 if self.type & IDENTIFIER else 0
            ip, owner, thread, ns = struct.unpack_from("<QIIQ", self.bytes, at)
            if owner != pid:
                continue
            at += 24 + 8 * sum(1 for bit in WORDS if self.type & bit)
            if self.type & CALLCHAIN:
                at += 8 + 8 * struct.unpack_from("<Q", self.bytes, at)[0]
            abi = struct.unpack_from("<Q", self.bytes, at)[0]
            if not abi:
                continue
            registers = struct.unpack_from(f"<{self.registers}Q", self.bytes, at + 8)
            at += 8 + 8 * self.registers
            room = struct.unpack_from("<Q", self.bytes, at)[0]
            kept = struct.unpack_from("<Q", self.bytes, at + 8 + room)[0] if room else 0
            yield Sample(thread, ns, bool(ip & KERNEL), *(registers[self.place[bit]]
                                                          for bit in (PC, SP, BP)),
                         self.bytes[at + 8:at + 8 + kept])
