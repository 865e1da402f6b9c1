"""Where the engine is, and what it has to be."""

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from ein._errors import EngineError

_FOLDER = Path(__file__).with_name("_bin")


@dataclass(frozen=True)
class Binary:
    path: str
    version: str  # "" for one that EIN_BINARY names, which is taken as it is
    digest: str


def find() -> Binary:
    """The engine of the wheel, or the one that EIN_BINARY names."""
    if override := os.environ.get("EIN_BINARY"):
        return Binary(override, "", "")
    path = _FOLDER / ("ein.exe" if sys.platform == "win32" else "ein")
    try:
        build = json.loads((_FOLDER / "build.json").read_text())
    except FileNotFoundError:
        raise EngineError(
            f"this copy of ein-lang has no engine: there is no {_FOLDER / 'build.json'}. "
            "Install a wheel, or set EIN_BINARY to the command `ein`."
        ) from None
    return Binary(str(path), build["version"], build["digest"])
