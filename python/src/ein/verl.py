"""The reward of verl: `reward.custom_reward_function.path=pkg://ein.verl` and
`reward.custom_reward_function.name=compute_score`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ein import bench


def compute_score(data_source: str, solution_str: str, ground_truth: str, extra_info: Mapping[str, Any] | None = None, **_: Any) -> dict[str, Any]:
    """What a reply is worth. The ground truth is the label of a question, as `rows`
    writes it. What cannot be scored is an error, and never a reward of 0."""
    s = bench.score_label(ground_truth, solution_str)
    return {"score": s.reward, "acc": float(s.strict), "lenient": float(s.lenient), "outcome": s.outcome}


def rows(instances: Iterable[str | bench.Instance], mode: str = "ein") -> Iterator[dict[str, Any]]:
    """Rows of a Parquet file of verl."""
    for n, i in enumerate(bench.instances(instances)):
        yield {
            "data_source": "closurebench",
            "prompt": bench.messages(i, mode),
            "ability": i.category,
            "reward_model": {"style": "rule", "ground_truth": bench.label(mode, i)},
            "extra_info": {"index": n, "split": i.split},
        }
