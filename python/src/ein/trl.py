"""A reward function for the trainers of TRL: `GRPOTrainer(reward_funcs=ein.trl.reward())`.

The data set needs the columns `prompt` and `id`; `rows` makes them. With
`environment_factory=ein.trl.Environment` the model can try programs before it answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import ein
from ein import bench
from ein._program import told


class Reward:
    """What completions are worth. It can be pickled, and each process scores by an
    engine of its own. A completion that could not be scored has no reward, and TRL
    leaves it out."""

    def __init__(self, mode: str, column: str) -> None:
        bench.known(mode)
        self.mode, self.column = mode, column
        self.__name__ = f"ein_{mode}"  # TRL reports it

    def __call__(self, prompts: Sequence[Any], completions: Sequence[Any], **columns: Any) -> list[float | None]:
        if self.column not in columns:
            raise ValueError(f"the data set has no column {self.column!r} with the ids of its questions; it has {', '.join(columns)}")
        ids = columns[self.column]
        if len(ids) != len(completions):
            raise ValueError(f"there are {len(completions)} completions and {len(ids)} ids in the column {self.column!r}")
        items = [bench.Item(q, bench.text_of(c), self.mode) for q, c in zip(ids, completions, strict=True)]
        return [s.reward for s in bench.score_many(items)]


def reward(mode: str = "ein", column: str = "id") -> Reward:
    """A reward function for questions whose ids are in a column."""
    return Reward(mode, column)


class Environment:
    """Tools of a rollout. The reward is that of the last message, by `reward`."""

    def reset(self, **columns: Any) -> None:
        """A rollout begins: programs share nothing, so there is nothing to forget."""

    def check(self, program: str) -> str:
        """Says what is wrong with a program in the tensor-logic language Ein, without running it.

        Args:
            program: the text of the program
        """
        return "\n".join(map(str, ein.check(program))) or "The program checks."

    def run(self, program: str) -> str:
        """Runs a program in the tensor-logic language Ein and shows its outputs, or what is wrong with it.

        Args:
            program: the text of the program
        """
        return told(program, 10_000_000)


def rows(instances: Iterable[str | bench.Instance], mode: str = "ein") -> Iterator[dict[str, Any]]:
    """Rows of a data set: what the model is sent, and the id of the question."""
    for i in bench.instances(instances):
        yield {"prompt": bench.messages(i, mode), "id": i.id}
