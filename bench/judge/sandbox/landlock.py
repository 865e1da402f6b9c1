"""Gives up, for good, what a program must not have: the kernel grants none of it back
to a process, whatever runs in it. Descriptor 3 has a JSON object:

read    the files and folders that may be read
filter  the system call filter, in hexadecimal
abi     the newest version of Landlock to use
capset  the number of the system call
"""

import ctypes
import json
import os
import struct

# Rights of Landlock's first version on files, and those that later ones added:
# moving between folders, cutting off, commands to devices.
FILES = (1 << 13) - 1
ADDED = {2: 1 << 13, 3: 1 << 14, 5: 1 << 15}
READ_FILE, READ_DIR = 1 << 2, 1 << 3
TCP = 0b11  # bind and connect; from version 4 on
SCOPES = 0b11  # abstract sockets and signals of others; from version 6 on

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
SET_SECCOMP, SET_NO_NEW_PRIVS = 22, 38


def prepare():
    """Reads what is wanted while there is a descriptor for it."""
    with open(3, "rb", closefd=False) as f:
        wanted = json.load(f)
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long

    def call(step, function, *args):
        result = function(*(ctypes.c_long(a) if isinstance(a, int) else a for a in args))
        if result < 0:
            number = ctypes.get_errno()
            raise SystemExit("%s: %s (errno %d)" % (step, os.strerror(number), number))
        return result

    def confine():
        # What follows is about one thread.
        if len(os.listdir("/proc/self/task")) != 1:
            raise SystemExit("counting threads: the interpreter has several")
        abi = min(call("asking for Landlock", libc.syscall, CREATE_RULESET, 0, 0, 1), wanted["abi"])
        files = FILES
        for version, right in ADDED.items():
            if abi >= version:
                files |= right
        rules = struct.pack("<Q", files)
        if abi >= 4:
            rules += struct.pack("<Q", TCP)
        if abi >= 6:
            rules += struct.pack("<Q", SCOPES)
        rules = call("making the rules of Landlock", libc.syscall, CREATE_RULESET, rules, len(rules), 0)
        for path in wanted["read"]:
            fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
            rights = READ_FILE | READ_DIR if os.path.isdir(path) else READ_FILE
            call("allowing " + path, libc.syscall, ADD_RULE, rules, 1, struct.pack("<Qi", rights, fd), 0)
            os.close(fd)
        if os.geteuid() == 0:
            os.setgroups([])
        # All capabilities, in all sets; those of an execve are of no use without it.
        none = struct.pack("<12x12x")
        call("giving up capabilities", libc.syscall, wanted["capset"], struct.pack("<Ii", 0x20080522, 0), none)
        call("giving up privileges to come", libc.prctl, SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        call("entering the rules of Landlock", libc.syscall, RESTRICT_SELF, rules, 0)
        os.close(rules)
        program = bytes.fromhex(wanted["filter"])
        code = ctypes.create_string_buffer(program, len(program))

        class Filter(ctypes.Structure):
            _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_void_p)]

        loaded = Filter(len(program) // 8, ctypes.addressof(code))
        call("loading the system call filter", libc.prctl, SET_SECCOMP, 2, ctypes.byref(loaded), 0, 0)

    return confine
