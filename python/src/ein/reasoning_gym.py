"""ClosureBench in reasoning-gym: `reasoning_gym.create_dataset("closurebench", ...)` once
this module is imported, alone or in a composite."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ein import bench

if TYPE_CHECKING:
    _Base = object
else:
    _Base = import_module("reasoning_gym.factory").ProceduralDataset


_MODES = ("direct", "cot", "ein", "python")


@dataclass
class Config:
    """Which questions, and what a reply has to be."""

    seed: int = 1
    size: int = 500
    mode: str = "direct"
    categories: str | Sequence[str] | None = None
    generator: str = "cb2"
    split: str = "train"

    def validate(self) -> None:
        if self.mode not in _MODES:
            raise ValueError(f"the mode is {self.mode!r}, expected {', '.join(_MODES)}: instances have answers in these")


class ClosureBench(_Base):
    """Questions of the benchmark, of all categories in turn."""

    def __init__(self, config: Config) -> None:
        bench.allow(answers=True)
        self.config = config
        self.size, self.seed = config.size, config.seed
        self._names = bench.named(config.categories, config.generator)

    def __getitem__(self, idx: int) -> dict[str, Any]:
        if not 0 <= idx < self.size:
            raise IndexError(f"the data set has {self.size} items, and no item {idx}")
        c, at = self.config, idx % len(self._names)
        first = idx // len(self._names)
        (i,) = bench.generate(split=c.split, seed=c.seed, categories=[self._names[at]], generator=c.generator, first=first)
        answer = json.dumps({"answer": i.answer}) if c.mode in ("direct", "cot") else i.ein_program if c.mode == "ein" else i.python_program
        question = "\n\n".join(m["content"] for m in bench.messages(i, c.mode))
        metadata = {"source_dataset": "closurebench", "source_index": idx, "id": i.id, "category": i.category, "level": i.level}
        return {"question": question, "answer": answer, "metadata": metadata}

    def score_answer(self, answer: str | None, entry: dict[str, Any]) -> float:
        return bench.score_label(bench.label(self.config.mode, entry["metadata"]["id"]), answer or "").reward or 0.0


if not TYPE_CHECKING:
    import_module("reasoning_gym.factory").register_dataset("closurebench", ClosureBench, Config)
