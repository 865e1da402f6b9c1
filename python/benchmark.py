"""How long a small program takes from Python, beside a process for each call.

EIN_BINARY=bin/ein PYTHONPATH=python/src python python/benchmark.py
"""

import statistics
import subprocess
import time
from collections.abc import Callable

import ein
from ein import _binary

PROGRAM = "A = edges([[0,1],[1,2],[2,3],[3,4],[4,5]])\nR = has_path(A, 0, 5)\n:print R"


def timed(call: Callable[[], object], into: list[float]) -> None:
    start = time.perf_counter()
    call()
    into.append(time.perf_counter() - start)


command = [_binary.find().path, "run", "--json", "-"]
stays, each = list[float](), list[float]()
ein.run(PROGRAM)
for _ in range(50):  # in turns, so that both have the same machine
    timed(lambda: subprocess.run(command, input=PROGRAM.encode(), capture_output=True, check=True), each)
    for _ in range(100):
        timed(lambda: ein.run(PROGRAM), stays)
for what, took in ("a process that stays", stays), ("a process for each call", each):
    print(f"{what:24} least {min(took) * 1e6:9,.0f} us   median {statistics.median(took) * 1e6:9,.0f} us")
print(f"ratio {statistics.median(each) / statistics.median(stays):,.0f}, of the least {min(each) / min(stays):,.0f}")
