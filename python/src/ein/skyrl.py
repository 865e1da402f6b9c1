"""An environment of SkyRL-gym: `skyrl_gym.make("closurebench", extras=row)` once this
module is imported."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ein import bench

if TYPE_CHECKING:
    _Base = object
else:
    _Base = import_module("skyrl_gym.envs.base_text_env").BaseTextEnv


class Env(_Base):
    """One question, and one reply to it."""

    def __init__(self, env_config: Any = None, extras: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        self.label: str = (extras or {})["reward_spec"]["ground_truth"]

    def step(self, action: str) -> dict[str, Any]:
        s = bench.score_label(self.label, action)
        return {"observations": [], "reward": s.reward, "done": True, "metadata": {"outcome": s.outcome, "lenient": s.lenient}}


def rows(instances: Iterable[str | bench.Instance], mode: str = "ein") -> Iterator[dict[str, Any]]:
    """Rows of a Parquet file of SkyRL."""
    for i in bench.instances(instances):
        yield {
            "data_source": "closurebench",
            "prompt": bench.messages(i, mode),
            "env_class": "closurebench",
            "reward_spec": {"method": "rule", "ground_truth": bench.label(mode, i)},
        }


if not TYPE_CHECKING:
    import_module("skyrl_gym").register(id="closurebench", entry_point="ein.skyrl:Env")
