"""ClosureBench for inspect_ai: `inspect eval ein/closurebench --model ... -T mode=ein`, and
a tool that runs Ein programs, for tasks of your own."""

from __future__ import annotations

import json

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser
from inspect_ai.scorer import Score, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState, generate
from inspect_ai.tool import Tool, tool

from ein import aio, bench

_METRICS = [accuracy(), stderr()]


@task
def closurebench(
    mode: str = "direct",
    split: str = "heldout",
    seed: int = 42,
    per_category: int = 10,
    categories: str | None = None,
    generator: str = "cb2",
    preset: str | None = None,
) -> Task:
    """Questions of ClosureBench, drawn evenly by category."""
    bench.allow(split, answers=True)
    names = categories.split(",") if categories else None
    asked = bench.generate(split=split, seed=seed, per_category=per_category, categories=names, generator=generator, preset=preset)
    samples = [
        Sample(
            id=i.id,
            input=[ChatMessageSystem(content=bench.prompt(mode)), ChatMessageUser(content=i.question)],
            target=json.dumps(i.answer),
            metadata={"category": i.category, "level": i.level},
        )
        for i in asked
    ]
    return Task(dataset=MemoryDataset(samples, name="closurebench"), solver=generate(), scorer=verdict(mode))


@scorer(metrics={"strict": _METRICS, "relaxed": _METRICS, "lenient": _METRICS})
def verdict(mode: str = "direct"):
    """Scores replies in all modes of scoring. A reply that could not be scored is an
    error of its sample."""

    async def score(state: TaskState, target: Target) -> Score:
        finish = "length" if state.output.stop_reason == "max_tokens" else None
        s = bench.rewarded(await aio.score(str(state.sample_id), state.output.completion, mode, finish=finish))
        value = {"strict": int(s.strict), "relaxed": int(s.relaxed), "lenient": int(s.lenient)}
        return Score(value=value, answer=json.dumps(s.answer), explanation=s.message or s.outcome, metadata={"outcome": s.outcome})

    return score


@tool
def run_ein(operations: int = 10_000_000) -> Tool:
    """A tool that needs no sandbox: a program touches nothing, and its cost is bounded
    before it runs."""

    async def execute(program: str) -> str:
        """Runs a program in the tensor-logic language Ein and shows its outputs, or what is wrong with it.

        Args:
            program: the text of the program
        """
        return await aio.told(program, operations)

    return execute
