"""Builds the engine, a static binary of Go, into the wheel.

EIN_WHEEL_TARGET=darwin/arm64 and its like build a wheel for another platform.
"""

import hashlib
import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# A static binary of Go runs under any libc, so one wheel has the tags of both.
PLATFORMS = {
    "linux/amd64": "manylinux_2_17_x86_64.musllinux_1_2_x86_64",
    "linux/arm64": "manylinux_2_17_aarch64.musllinux_1_2_aarch64",
    "darwin/amd64": "macosx_12_0_x86_64",
    "darwin/arm64": "macosx_12_0_arm64",
    "windows/amd64": "win_amd64",
    "windows/arm64": "win_arm64",
}


class EngineHook(BuildHookInterface):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        target = os.environ.get("EIN_WHEEL_TARGET") or "/".join(
            subprocess.check_output(["go", "env", "GOOS", "GOARCH"], text=True).split()
        )
        if target not in PLATFORMS:
            raise SystemExit(f"EIN_WHEEL_TARGET is {target}, expected one of {', '.join(PLATFORMS)}")
        goos, goarch = target.split("/")
        name = "ein.exe" if goos == "windows" else "ein"
        self.folder = tempfile.TemporaryDirectory()
        binary = Path(self.folder.name, name)
        subprocess.check_call(
            ["go", "build", "-trimpath", "-tags", "nethttpomithttp2,lean", "-ldflags", "-s -w -funcalign=8", "-o", str(binary), "./cmd/ein"],
            cwd=Path(self.root).parent,
            env={**os.environ, "CGO_ENABLED": "0", "GOOS": goos, "GOARCH": goarch},
        )
        build = Path(self.folder.name, "build.json")
        digest = hashlib.sha256(binary.read_bytes()[:32768]).hexdigest()[:12]  # as `ein version` prints it
        build.write_text(json.dumps({"version": self.metadata.version, "digest": digest}))
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{PLATFORMS[target]}"
        build_data["force_include"][str(binary)] = f"ein/_bin/{name}"
        build_data["force_include"][str(build)] = "ein/_bin/build.json"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        self.folder.cleanup()
