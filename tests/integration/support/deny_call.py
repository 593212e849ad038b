# SPDX-License-Identifier: MIT
"""Runs a program on a kernel that refuses one system call: deny_call.py CALL PROGRAM ARGS

A seccomp filter answers for that call, for the program and all its children. CALL is memfd_create
(as if the kernel had none) or perf_event_open (as in a container).
"""
import ctypes
import errno
import os
import struct
import sys

PR_SET_SECCOMP, SECCOMP_MODE_FILTER, PR_SET_NO_NEW_PRIVS = 22, 2, 38
SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO = 0x7FFF0000, 0x00050000
LOAD_WORD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
CALLS = {"memfd_create": (319, errno.ENOSYS), "perf_event_open": (298, errno.EPERM)}  # x86_64


def instruction(code, jump_true, jump_false, operand):
    return struct.pack("HBBI", code, jump_true, jump_false, operand)


def refusal(call):
    number, error = CALLS[call]
    return b"".join([
        instruction(LOAD_WORD, 0, 0, 0),  # the number of the system call
        instruction(JUMP_IF_EQUAL, 0, 1, number),
        instruction(RETURN, 0, 0, SECCOMP_RET_ERRNO | error),
        instruction(RETURN, 0, 0, SECCOMP_RET_ALLOW),
    ])


class Program(ctypes.Structure):
    """struct sock_fprog"""

    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


def main():
    libc = ctypes.CDLL(None, use_errno=True)
    code = refusal(sys.argv[1])
    program = Program(len(code) // 8, code)
    if (libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 or
            libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0) != 0):
        sys.exit(f"deny_call: {os.strerror(ctypes.get_errno())}")
    os.execvp(sys.argv[2], sys.argv[2:])


if __name__ == "__main__":
    main()
