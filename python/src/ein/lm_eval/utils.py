"""The functions of the task closurebench."""

from __future__ import annotations

import json
from typing import Any

import datasets

from ein import bench


def dataset(
    mode: str = "direct",
    split: str = "heldout",
    seed: int = 42,
    per_category: int = 10,
    categories: list[str] | None = None,
    generator: str = "cb2",
    **_: Any,  # the version of the task, and the name of the model
) -> dict[str, datasets.Dataset]:
    """Questions of ClosureBench, drawn evenly by category."""
    bench.allow(split, answers=True)
    asked = bench.generate(split=split, seed=seed, per_category=per_category, categories=categories, generator=generator)
    rows = [
        {
            "id": i.id,
            "mode": mode,
            "category": i.category,
            "level": i.level,
            "prompt": f"{bench.prompt(mode)}\n\n{i.question}",
            "answer": json.dumps(i.answer),
        }
        for i in asked
    ]
    return {"test": datasets.Dataset.from_list(rows)}


def process_results(doc: dict[str, Any], results: list[str]) -> dict[str, float]:
    """Whether a reply is right, in each mode of scoring."""
    s = bench.score_label(bench.label(doc["mode"], doc["id"]), results[0])
    return {"strict": float(s.strict), "relaxed": float(s.relaxed), "lenient": float(s.lenient)}
