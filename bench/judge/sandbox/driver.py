"""Waits for one program, runs it and says how it ended.

Arguments: the descriptor of the report, the seconds of processor time and the bytes
of memory. The report is a line about the interpreter when it is
ready, "go" when the program has come, and at the end the number that came before
the program, with a word. What the program prints goes out as it is. Where nothing
around the interpreter confines it, confine does, for good, before there is a program.

While the program runs, the number is an operand of an addition that is under way, and
nothing else: no frame and no object that the garbage collector knows leads to it.
"""

import contextlib
import json
import math
import os
import platform
import resource
import sys
import time
import traceback

# "" is the working directory.
sys.path[:] = [p for p in sys.path if p]

import networkx  # noqa: E402  (what the waiting is about)


def short(text):
    # A traceback repeats the line, which may be the whole program.
    return text if len(text) < 4000 else text[:2000] + "\n...\n" + text[-2000:]


def main(report, cpu, memory, confine=None):
    # Descriptors that were open in whatever started the sandbox came along.
    most = max(resource.getrlimit(resource.RLIMIT_NOFILE)[1], 1 << 16)
    os.closerange(3, report)
    os.closerange(report + 1, most)
    # Nothing here can be undone: a hard limit is not raised again without a
    # privilege that no process in the sandbox has.
    cpu = math.ceil(time.process_time() + cpu)
    for kind, most in (
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, 64),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NPROC, 0),
        (resource.RLIMIT_MEMLOCK, 0),
        (resource.RLIMIT_MSGQUEUE, 0),
        (resource.RLIMIT_STACK, 8 << 20),
        (resource.RLIMIT_CPU, cpu),
        (resource.RLIMIT_AS, memory),
    ):
        resource.setrlimit(kind, (most, most))
    if confine:
        confine()
    # Kept from what a program does to the module.
    write, leave = os.write, os._exit
    hello = {"python": platform.python_version(), "networkx": networkx.__version__, "cpu": time.process_time()}
    write(report, json.dumps(hello).encode() + b"\n")

    program = []
    status = [0]
    write(report, take(program, write, report) + run(program, status))
    leave(status[0])


def take(program, write, report):
    """Gives the number."""
    request = sys.stdin.buffer.read()
    if len(request) < 32:  # the sandbox is being closed
        os._exit(0)
    program.append(request[32:])
    write(report, b"go\n")
    return request[:32]


def run(program, status):
    """Gives the word, and the exit status for those who want to see it. No variable has it while a program could change variables."""
    try:
        attempt(program)
    except MemoryError:
        status[0] = 1
        return b" memory\n"
    except BaseException as e:
        status[0] = e.code if isinstance(e, SystemExit) and type(e.code) is int and 0 < e.code < 256 else 1
        return b" error\n"
    return b" ok\n"


def attempt(program):
    out, err = sys.stdout, sys.stderr
    try:
        exec(compile(program.pop(), "program.py", "exec"), {"__name__": "__main__"})
    except SystemExit as e:
        if e.code is not None and e.code != 0:
            print(e.code, file=sys.stderr)
            raise
    except MemoryError:
        print("MemoryError", file=sys.stderr)
        raise
    except BaseException:
        sys.stderr.write(short(traceback.format_exc()))
        raise
    finally:
        # Those of now and, where the program has put others in their place, those
        # of the beginning.
        for f in (sys.stdout, sys.stderr):
            if not getattr(f, "closed", f is None):
                f.flush()
        for f in (out, err):
            with contextlib.suppress(ValueError):  # closed, or detached
                f.flush()


arguments = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
