# SPDX-License-Identifier: MIT
"""Runs a program on a kernel that seems to have no memfd_create: deny_memfd.py PROGRAM ARGS

A seccomp filter answers ENOSYS to that one system call, for the program and all its children.
"""
import ctypes
import errno
import os
import struct
import sys

PR_SET_SECCOMP, SECCOMP_MODE_FILTER, PR_SET_NO_NEW_PRIVS = 22, 2, 38
SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO = 0x7FFF0000, 0x00050000
LOAD_WORD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
NR_MEMFD_CREATE = 319  # x86_64


def instruction(code, jump_true, jump_false, operand):
    return struct.pack("HBBI", code, jump_true, jump_false, operand)


FILTER = b"".join([
    instruction(LOAD_WORD, 0, 0, 0),  # the number of the system call
    instruction(JUMP_IF_EQUAL, 0, 1, NR_MEMFD_CREATE),
    instruction(RETURN, 0, 0, SECCOMP_RET_ERRNO | errno.ENOSYS),
    instruction(RETURN, 0, 0, SECCOMP_RET_ALLOW),
])


class Program(ctypes.Structure):
    """struct sock_fprog"""

    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


def main():
    libc = ctypes.CDLL(None, use_errno=True)
    program = Program(len(FILTER) // 8, FILTER)
    if (libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 or
            libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0) != 0):
        sys.exit(f"deny_memfd: {os.strerror(ctypes.get_errno())}")
    os.execvp(sys.argv[1], sys.argv[1:])


if __name__ == "__main__":
    main()
