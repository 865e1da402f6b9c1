"""Runs Python programs, one after the other, for the Go half of this package.

Each line of standard input is a program, as a JSON string; each line of standard
output is {"stdout": ..., "error": ...}, error being null when the program ended
normally. The first line of output says which versions are there.
"""

import contextlib
import io
import json
import os
import platform
import signal
import sys
import traceback

# More than any answer has. A program that prints for ever is stopped from
# outside, and its output should not be sent then.
MOST = 1 << 20


def run(program):
    out = io.StringIO()
    error = None
    try:
        with contextlib.redirect_stdout(out):
            exec(compile(program, "program.py", "exec"), {"__name__": "__main__"})
    except BaseException as e:  # SystemExit as well: the driver goes on
        error = traceback.format_exception_only(type(e), e)[-1].strip()
        lines = [f.lineno for f in traceback.extract_tb(e.__traceback__) if f.filename == "program.py"]
        if isinstance(e, SyntaxError):
            lines.append(e.lineno)
        if lines:
            error += " (line %d)" % lines[-1]
    text = out.getvalue()
    if len(text) > MOST and error is None:
        text, error = "", "it printed %d characters" % len(text)
    return {"stdout": text[:MOST], "error": error}


def main():
    # An interrupt is for the Go half, which ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # The pipes are moved out of the way of programs that read standard input,
    # or write to standard output below Python.
    requests = os.fdopen(os.dup(0), "r", encoding="utf-8", newline="\n")
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)

    def send(reply):
        replies.write(json.dumps(reply) + "\n")
        replies.flush()

    hello = {"python": platform.python_version(), "executable": sys.executable}
    try:
        import networkx
        hello["networkx"] = networkx.__version__
    except ImportError as e:
        hello["missing"] = str(e)
    send(hello)
    for line in requests:
        send(run(json.loads(line)))


main()
