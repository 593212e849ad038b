# SPDX-License-Identifier: MIT
"""To which timed function a sample belongs, and what was running there."""
from elf_frames import ElfFrames
from perf_data import PerfData
from perf_map import PerfMap

PROBES = "libumbra_agent.so"
COMPILER = "libclrjit.so"
COLLECTOR = "libclrgc"  # begins so: GCs other than the one within libcoreclr.so


class Stacks:
    """Samples of one process by nearest timed function. `timed`: keys of perf_map.py."""

    def __init__(self, data, map_path, pid, timed):
        self.data, self.map, self.pid, self.timed = PerfData(data), PerfMap(map_path), pid, timed
        self.files = self.data.files(pid)
        self.libraries = {}  # ElfFrames by path

    def places(self):
        """(function, what) of each sample; no function: none timed was on the stack."""
        for sample in self.data.samples(self.pid):
            yield self.place(sample)

    def place(self, sample):
        between = []  # methods that are not timed, and files, from the innermost out
        for address in self.addresses(sample):
            method = self.map.find(address)
            if method in self.timed:
                return method, self.kind(between, sample.in_kernel)
            between.append(method or self.files.find(address))
        return None, self.kind(between, sample.in_kernel)

    def methods(self, sample):
        """The timed functions on the stack of a sample, each once."""
        return {self.map.find(address) for address in self.addresses(sample)} & self.timed

    @staticmethod
    def is_cut(sample):
        """Whether the stack goes on beyond what was kept of it."""
        frames = list(sample.callers())
        return bool(frames) and sample.word(frames[-1][0]) > sample.sp + len(sample.stack) - 16

    @staticmethod
    def kind(between, in_kernel):
        """A probe is what the program's own code has called of the agent; what the runtime calls of
        it (while it compiles, say) is not."""
        files = [entry for entry in between if isinstance(entry, str)]
        if between and between[-1] == PROBES:
            return "probes"
        if COMPILER in files:
            return "compiler"
        if any(file.startswith(COLLECTOR) for file in files):
            return "gc"
        if in_kernel:
            return "kernel"
        return "untimed" if files or between else "own"

    def addresses(self, sample):
        """Where the sample was, and the callers along the frame pointers; and return addresses that
        those pass over, into whatever called code without a frame of its own."""
        yield sample.ip
        if self.frameless(sample.ip):
            yield from (address - 1 for address in map(sample.word, range(sample.sp, sample.sp + 24, 8))
                        if self.map.find(address - 1) in self.timed)
        inner, end = sample.ip, 0
        for frame, caller in sample.callers():
            if end and self.frameless(inner):
                yield from self.skipped(sample, end, frame)
            yield caller - 1
            inner, end = caller - 1, frame + 16

    def skipped(self, sample, begin, frame):
        """The method whose frame this is, where a helper in assembly has called on from it: the
        return address above the first thing the helper saves, the method's frame pointer."""
        for at in range(begin, frame, 8):
            if sample.word(at) == frame and self.map.find(sample.word(at + 8) - 1):
                yield sample.word(at + 8) - 1
                return

    def frameless(self, address):
        """Whether code there calls on with the frame pointer of the method that called it. Of
        compiled code, only what is no timed method is ever asked about."""
        path, offset = self.files.place(address)
        if path not in self.libraries:
            self.libraries[path] = ElfFrames(path) if path.startswith("/") and ".so" in path else None
        library = self.libraries[path]
        return not (library and library.has_frame(offset))
