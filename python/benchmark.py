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


def measure(what: str, call: Callable[[], object], times: int) -> float:
    took = list[float]()
    for _ in range(times):
        start = time.perf_counter()
        call()
        took.append(time.perf_counter() - start)
    print(f"{what:24} least {min(took) * 1e6:9,.0f} us   median {statistics.median(took) * 1e6:9,.0f} us")
    return statistics.median(took)


ein.run(PROGRAM)
stays = measure("a process that stays", lambda: ein.run(PROGRAM), 5000)
command = [_binary.find().path, "run", "--json", "-"]
each = measure("a process for each call", lambda: subprocess.run(command, input=PROGRAM.encode(), capture_output=True, check=True), 50)
print(f"ratio {each / stays:,.0f}")
