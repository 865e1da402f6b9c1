"""Says which files this interpreter needs. It runs outside, before any program."""

import json
import os
import sys
import sysconfig

import networkx

# They bring libraries of their own, and networkx uses them where they are.
for optional in ("numpy", "scipy.sparse"):
    try:
        __import__(optional)
    except Exception:
        pass

with open("/proc/self/maps") as f:
    mapped = {line.split(None, 5)[5].strip() for line in f if len(line.split(None, 5)) == 6}

json.dump({
    "executable": sys.executable,
    "prefixes": sorted({sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix}),
    "path": sys.path + [sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")],
    "networkx": os.path.dirname(networkx.__file__),
    "libraries": sorted(m for m in mapped if m.startswith("/") and ".so" in m),
}, sys.stdout)
