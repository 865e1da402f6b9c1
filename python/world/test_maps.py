"""The maps over partitions in docs/scale.md, each with the real engine: the bytes are those of one process."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ein import bench

PAGE = Path(__file__).parents[2] / "docs" / "scale.md"
FUNCTION, *ENGINES, WRITE = re.findall(r"```python map\n(.*?)```", PAGE.read_text(), re.DOTALL)
ONE = 'import glob\nimport pandas as pd\nscores = scored(pd.concat(pd.read_json(f, lines=True) for f in glob.glob("replies/*.jsonl")))\n'


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Replies in four files: some right, some wrong, some without a program."""
    bench.allow(answers=True)
    at = tmp_path_factory.mktemp("maps")
    (at / "replies").mkdir()
    lines = []
    for k, i in enumerate(bench.generate(per_category=2)):
        reply = [f"```ein\n{i.ein_program}```", "```ein\nAnswer = 7\n```", "I do not know.", f"```ein\n{i.ein_program}```"][k % 4]
        lines.append(json.dumps({"id": i.id, "reply": reply}) + "\n")
    for part in range(4):
        (at / "replies" / f"{part}.jsonl").write_text("".join(lines[part::4]))
    return at


def made(folder, text):
    done = subprocess.run([sys.executable, "-c", FUNCTION + text + WRITE], cwd=folder, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    return (folder / "scores.jsonl").read_bytes()


@pytest.mark.parametrize("text", ENGINES, ids=["ray", "dask", "spark"])
def test_engine(folder, text):
    one = made(folder, ONE)
    assert one.count(b'"strict":true') == 26 and one.count(b"\n") == 52
    (folder / "scores.jsonl").unlink()
    assert made(folder, text) == one
