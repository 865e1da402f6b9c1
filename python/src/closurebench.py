"""ClosureBench for verifiers 0.4: `vf-eval closurebench --env.taskset.mode ein`.

Verifiers takes the id of a taskset for the name of a module, hence this one.
"""

from __future__ import annotations

from collections.abc import Iterator

import verifiers.v1 as vf

from ein import aio, bench

__all__ = ["ClosureBenchTaskset"]


class ClosureBenchConfig(vf.TasksetConfig):
    mode: str = "ein"
    """What a reply has to be: direct, cot, ein or python."""
    split: str = "train"
    seed: int = 1
    generator: str = "cb2"
    categories: list[str] = []
    """All of them when empty."""


class ClosureBenchData(vf.TaskData):
    mode: str = "ein"


class ClosureBenchTask(vf.Task[ClosureBenchData, vf.State, vf.TaskConfig]):
    @vf.reward
    async def right(self, trace: vf.Trace) -> dict[str, float]:
        """What the last reply is worth. One that cannot be scored is an error."""
        label = bench.label(self.data.mode, self.data.id or "")
        s = await aio.score_label(label, trace.last_reply)
        for name in ("strict", "relaxed", "lenient"):
            trace.record_metric(name, float(getattr(s, name)))
        trace.info["outcome"] = s.outcome
        return {"reward": s.reward or 0.0}


class ClosureBenchTaskset(vf.Taskset[ClosureBenchTask, ClosureBenchConfig]):
    INFINITE = True

    def load(self) -> Iterator[ClosureBenchTask]:
        c = self.config
        asked = bench.generate(split=c.split, seed=c.seed, per_category=None, categories=c.categories or None, generator=c.generator)
        for i in asked:
            data = ClosureBenchData(id=i.id, name=i.id, prompt=i.question, system_prompt=bench.prompt(c.mode), mode=c.mode)
            yield ClosureBenchTask(data, c.task)
