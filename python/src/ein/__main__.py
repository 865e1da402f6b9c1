"""The command `ein`: the engine of the wheel."""

import os
import subprocess
import sys

from ein import _binary


def main() -> None:
    path = _binary.find().path
    if sys.platform == "win32":  # where execv leaves the shell behind
        sys.exit(subprocess.call([path, *sys.argv[1:]]))
    os.execv(path, ["ein", *sys.argv[1:]])


if __name__ == "__main__":
    main()
