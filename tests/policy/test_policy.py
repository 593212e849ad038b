# SPDX-License-Identifier: MIT
"""The policy checks find what they look for: each is shown something that breaks its rule."""
import json
import subprocess

import built
import policy

HEAD = "// SPDX-License-Identifier: MIT\n"


def write(root, name, text):
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def build(tmp_path, text, *flags):
    source = tmp_path / "source.S"
    source.write_text(".intel_syntax noprefix\n.text\n" + text +
                      '\n.section .note.GNU-stack, "", @progbits\n')
    built = tmp_path / "built"
    subprocess.run(["cc", *flags, "-o", built, source], check=True)
    return str(built)


def test_an_include_against_the_arrows_is_found(tmp_path):
    write(tmp_path, "hotpath/a.h", HEAD + '#include "src/base/result.h"\n')
    write(tmp_path, "src/agent/b.h", HEAD + '#include "hotpath/a.h"\n')
    write(tmp_path, "src/base/c.h", HEAD + '#include "src/agent/b.h"\n')
    write(tmp_path, "src/agent/link/d.h", HEAD + '#include "src/agent/b.h"\n')
    assert sorted(line.partition(": ")[0] for line in policy.check_layers(tmp_path)) == [
        "hotpath/a.h:2", "src/agent/link/d.h:2", "src/base/c.h:2"]


def test_a_circle_of_imports_is_found(tmp_path):
    write(tmp_path, "python/umbra/_a.py", "from ._b import b\nfrom . import _c\n")
    write(tmp_path, "python/umbra/_b.py", "import os\n")
    write(tmp_path, "python/umbra/_c.py", "if TYPE_CHECKING:\n    from ._a import A\n")
    assert [line.partition(": ")[2] for line in policy.check_layers(tmp_path)] in (
        ["_a is imported by _c is imported by _a"], ["_c is imported by _a is imported by _c"])


ABI = "x86_64_sysv x86_64 Linux product\n"


def whole_abi(root):
    for part in policy.ABI_PARTS["product"]:
        write(root, f"arch/x86_64_sysv/{part}", HEAD)


def test_an_abi_folder_that_misses_a_part_is_found(tmp_path):
    write(tmp_path, "arch/abis.txt", "# comment\n" + ABI)
    whole_abi(tmp_path)
    assert not list(policy.check_abis(tmp_path))
    (tmp_path / "arch/x86_64_sysv/hotpath/counter.h").unlink()
    write(tmp_path, "arch/x86_64_sysv/hotpath/clock.h", HEAD)
    write(tmp_path, "arch/mips/hotpath/stubs.S", HEAD)
    assert [line.split(": ")[1] for line in policy.check_abis(tmp_path)] == [
        "not in arch/abis.txt", "no hotpath/counter.h",
        "hotpath/clock.h is a part that no ABI has to have (ABI_PARTS)"]


def test_what_knows_a_processor_outside_arch_is_found(tmp_path):
    write(tmp_path, "arch/abis.txt", ABI)
    whole_abi(tmp_path)
    write(tmp_path, "src/a.cpp", HEAD + "#include <emmintrin.h>\n")
    write(tmp_path, "src/b.cpp", HEAD + "__builtin_ia32_pause();\n")
    write(tmp_path, "src/c.cpp", HEAD + "#if defined(__aarch64__)\n")
    write(tmp_path, "src/d.cpp", HEAD + '__asm__ volatile("nop");\n')
    write(tmp_path, "src/e.S", HEAD + "    ret\n")
    write(tmp_path, "src/right.cpp", HEAD + '__asm__ volatile("" ::: "memory");\n')
    write(tmp_path, "src/right.S", HEAD + "    .globl a\na:\n    .byte 0\n")
    assert [line.partition(":")[0] for line in policy.check_abis(tmp_path)] == [
        "src/a.cpp", "src/b.cpp", "src/c.cpp", "src/d.cpp", "src/e.S"]


def test_a_full_folder_and_a_long_file_are_found(tmp_path):
    for number in range(policy.MOST_FILES):
        write(tmp_path, f"src/full/{number}.h", HEAD)
        write(tmp_path, f"src/fuller/{number}.h", HEAD)
    write(tmp_path, "src/fuller/one_more.h", HEAD)
    write(tmp_path, "src/a.cpp", HEAD + "\n" * (policy.MOST_LINES - 1))
    write(tmp_path, "src/b.cpp", HEAD + "\n" * policy.MOST_LINES)
    assert [line.partition(": ")[0] for line in policy.check_sizes(tmp_path)] == [
        "src/b.cpp", "src/fuller"]


# Twenty data members, each in a form of its own, among what is none.
TWENTY_FIELDS = """
    A(const B& b, int c = 1 << 3) : one_(b), two_{c} {}
    A& operator=(const A&) = default;
    template <typename T> T get() const { return T{one_}; }
    static constexpr int kNone = 0;
    using None = std::map<int, int>;
    enum class Kind { kNo, kNone };
    struct Nested { int no = 0; int none = 0; };
    struct Forward;
    friend class Other;
    [[nodiscard]] bool none() const noexcept { return true; }
  private:
    int one_; int two_ = 2; int three_{3}; mutable int four_ = kNone;  // int no_;
    std::map<int, std::pair<int, int>> five_;
    std::function<void(int, int)> six_ = [](int, int) { return; };
    alignas(64) std::atomic<int> seven_{0};
    int eight_[4] = {1, 2}, nine_;
    void (*ten_)(int, int) = nullptr;
    unsigned eleven_ : 3;
    const char* twelve_ = "int no_; int none_;";
    struct stat thirteen_ = {};
    B& fourteen_; B* fifteen_ = nullptr; const B sixteen_; std::array<B, (4)> seventeen_;
    char eighteen_ = ';'; int nineteen_ = 1'000'000; std::optional<B> twenty_;
"""


def test_a_class_of_many_fields_without_a_reason_is_found(tmp_path):
    write(tmp_path, "src/a.h", HEAD + f"class Full {{{TWENTY_FIELDS}}};\n"
          f"/// What it is for.\nclass Fuller final : public Full {{{TWENTY_FIELDS}int more_;}};\n")
    assert [line.partition(",")[0] for line in policy.check_fields(tmp_path)] == [
        f"src/a.h:{TWENTY_FIELDS.count(chr(10)) + 4}: Fuller has 21 data members"]
    write(tmp_path, "src/a.h", HEAD + "/// What it is for.\n// Fields: it is one thing,\n// really.\n"
          f"struct Fuller {{{TWENTY_FIELDS}int more_;}};\n")
    assert not list(policy.check_fields(tmp_path))


def test_a_source_without_licence_or_beyond_ascii_is_found(tmp_path):
    write(tmp_path, "src/a.h", "#pragma once\n")
    write(tmp_path, "src/b.h", HEAD + "// caf\u00e9\n")
    assert [line.split(":")[0] for line in policy.check_sources(tmp_path)] == ["src/a.h", "src/b.h"]


def test_a_comment_that_leans_on_another_is_found(tmp_path):
    write(tmp_path, "src/a.h", HEAD + "/// The same of a thread.\nint a;  // likewise\n// Has the same ring.\n")
    write(tmp_path, "python/b.py", HEAD + "x = 1  # The same rule.\n")
    write(tmp_path, "tests/c.cpp", HEAD + "// Likewise.\n")
    first = HEAD.count("\n") + 1
    assert [line.split(": ")[0] for line in policy.check_comments(tmp_path)] == [
        f"src/a.h:{first}", f"src/a.h:{first + 1}", f"python/b.py:{first}"]


def test_a_lock_with_a_download_address_or_without_digest_is_found(tmp_path):
    lock = {"packages": {"": {}, "node_modules/a": {"resolved": "somewhere", "integrity": "sha512-x"},
                         "node_modules/b": {"version": "1.0.0"},
                         "node_modules/c": {"integrity": "sha512-y"}}}
    write(tmp_path, "web/package-lock.json", json.dumps(lock))
    write(tmp_path, "web/node_modules/d/package-lock.json", json.dumps(lock))
    assert list(policy.check_locks(tmp_path)) == [
        "web/package-lock.json: node_modules/a has a download address",
        "web/package-lock.json: node_modules/b has no digest"]


def test_a_promise_whose_test_is_gone_is_found(tmp_path):
    write(tmp_path, "tests/a_test.cpp", "TEST(Suite, IsThere) {\nTEST_F(Other, IsToo) {\n")
    write(tmp_path, "tests/test_b.py", 'CASES = {"one": 1}\ndef test_there(x):\n')
    write(tmp_path, "docs/reliability.md",
          "`tests/a_test.cpp`, `tests/a_test.cpp::Suite.IsThere`, `tests/a_test.cpp::Other.IsToo`,"
          " `tests/a_test.cpp::Suite.IsToo`, `tests/test_b.py::test_there`,"
          " `tests/test_b.py::test_her`, `tests/test_b.py::test_there[one]`, `tests/test_b.py::test_there[on]`\n")
    write(tmp_path, "docs/several_runtimes.md", "`tests/gone.py::test_x`\n")
    assert [line.split(": ")[1] for line in policy.check_promises(tmp_path)] == [
        "there is no Suite.IsToo in tests/a_test.cpp",
        "there is no test_her in tests/test_b.py",
        "there is no test_there[on] in tests/test_b.py",
        "there is no tests/gone.py"]


def test_an_allocation_in_the_hot_path_is_found(tmp_path):
    made = build(tmp_path, "f: call malloc@PLT\n call mmap@PLT\n ret", "-c")
    assert list(built.check_hotpath_symbols(made)) == ["hot path uses malloc"]


def test_a_second_export_and_a_library_are_found(tmp_path):
    made = build(tmp_path, ".globl DllGetClassObject\nDllGetClassObject: ret\n"
                            ".globl other\nother: ret",
                  "-shared", "-Wl,--no-as-needed", "-l:libgcc_s.so.1")
    found = list(built.check_exports(made))
    assert "other" in found[0]
    assert found[1:] == ["needs libgcc_s.so.1"]


LISTED = "# comment\noldest GLIBC_2.14\nglibc memcpy GLIBC_2.14\n"


def check_libc(tmp_path, listed, calls, *musl):
    write(tmp_path, "list.txt", listed)
    agent = build(tmp_path, "f:" + "".join(f" call {name}@PLT\n" for name in calls) + " ret",
                  "-shared", "-nostartfiles")
    return [line.partition(": ")[2] for line in
            built.check_libc(tmp_path / "list.txt", agent, *(musl and (agent, *musl)))]


def test_a_function_of_a_younger_libc_is_found(tmp_path):
    assert not check_libc(tmp_path, LISTED, ["memcpy"])
    assert check_libc(tmp_path, LISTED, ["memcpy", "arc4random"]) == [
        "lacks 'glibc arc4random GLIBC_2.36'", "lacks 'oldest GLIBC_2.36'",
        "'oldest GLIBC_2.14' is asked for no more"]
    assert check_libc(tmp_path, LISTED + "musl memcpy\n", []) == [
        "lacks 'oldest none'", "'glibc memcpy GLIBC_2.14' is asked for no more",
        "'oldest GLIBC_2.14' is asked for no more"]


STATIC_TLS = " mov rax, variable@GOTTPOFF[rip]\n ret\n.section .tbss\nvariable: .zero 8\n"


def test_what_musl_loads_not_is_found(tmp_path):
    libc = tmp_path / "libc.so"
    source = tmp_path / "libc.c"
    source.write_text("void memcpy(void) {}\n")
    subprocess.run(["cc", "-w", "-shared", "-nostdlib", "-o", libc, source], check=True)
    found = check_libc(tmp_path, LISTED + "musl memcpy\nmusl lseek64\n",
                       ["memcpy", "lseek64"], libc)
    assert "needs ['libc.so.6'], not musl's libc.so alone" in found
    assert f"asks for lseek64, which {libc} has not" in found
    assert any(line.startswith("asks for lseek64, a name of glibc's") for line in found)
    assert "exports [] instead of DllGetClassObject alone" in found
    agent = build(tmp_path, "f:" + STATIC_TLS, "-shared", "-nostdlib")
    assert any("initial-exec" in line for line in built.check_musl_agent(agent, libc))


PROBE = """
.globl umbra_{name}
.type umbra_{name}, @function
umbra_{name}: {extra}
 je 1f
 mov r8, rax
 rdtsc
 ret
1: ret
.size umbra_{name}, . - umbra_{name}
"""


def check_probes(tmp_path, count=5, for_musl=None, **extra):
    """What is said of probes with an instruction of their own, whose counts are kept as given."""
    names = ("enter", "leave", "tailcall", "il_enter", "il_leave")
    write(tmp_path, for_musl or "x86_64_sysv/tests/asm/probe_instructions.txt",
          "# comment\n" + "".join(f"umbra_{name} {count} 0\n" for name in names))
    agent = build(tmp_path, "".join(PROBE.format(name=name, extra=extra.get(name, "nop"))
                                    for name in names), "-shared")
    return list(built.check_probes(agent, tmp_path / "x86_64_sysv",
                                    for_musl and tmp_path / for_musl))


def test_equal_probes_are_right(tmp_path):
    assert not check_probes(tmp_path)


def test_a_push_on_the_fast_path_is_found(tmp_path):
    found = check_probes(tmp_path, leave="push rbx")
    assert any(line.startswith("umbra_leave: 'push") for line in found)


def test_a_probe_of_another_form_is_found(tmp_path):
    found = check_probes(tmp_path, tailcall="add rcx, 1")
    assert any(line.startswith("umbra_tailcall: not the same") for line in found)


def test_a_clock_that_is_read_twice_is_found(tmp_path):
    found = check_probes(tmp_path, enter="rdtsc")
    assert "umbra_enter: does not read the clock once" in found


def test_another_number_of_instructions_is_found(tmp_path):
    assert [line.partition(": ")[2] for line in check_probes(tmp_path, count=6)] == [
        f"is now: umbra_{name} 5 0" for name in
        ("enter", "il_enter", "il_leave", "leave", "tailcall")]
    found = check_probes(tmp_path, 21, enter="\n".join(["nop"] * 17))
    assert "umbra_enter: 21 instructions for an event, more than 20" in found


def test_probes_for_musl_call_a_descriptor_once(tmp_path):
    names = ("enter", "leave", "tailcall", "il_enter", "il_leave")
    one = dict.fromkeys(names, "call [rax]")
    assert not check_probes(tmp_path, for_musl="musl.txt", **one)
    assert "umbra_enter: 'call *(%rax)' on the fast path" in check_probes(tmp_path, **one)
    for wrong in ("nop", "call [rax]\n call [rax]", "call [rcx]"):
        found = check_probes(tmp_path, for_musl="musl.txt", **{**one, "leave": wrong})
        assert "umbra_leave: does not call a TLS descriptor once" in found
