"""ClosureBench: instances, prompts, and what replies are worth.

An id is enough everywhere: the engine makes its instance again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import count
from typing import Any, cast
from urllib.parse import quote

from ein._engine import engine
from ein._errors import EngineError, InputError
from ein._program import Limits, ask, limits_of

MODES = ("direct", "cot", "ein", "python", "rules", "ein-tool")
_BATCH = 1024  # items of a request, the most that the engine takes


@dataclass(frozen=True)
class Instance:
    """A question. Its answer and its programs are there after `allow(answers=True)`."""

    id: str
    split: str
    category: str
    level: str
    result_type: str
    question: str
    nodes: tuple[str, ...]
    edges: tuple[tuple[int, int], ...]
    answer: Any
    ein_program: str
    python_program: str
    fields: Mapping[str, Any] = field(repr=False, hash=False, compare=False)  # all that its line of JSON has

    @staticmethod
    def of(line: Mapping[str, Any]) -> Instance:
        """An instance from the object on a line of a file."""
        return Instance(
            line["id"], line["split"], line["category"], line["level"], line["result_type"], line["question"], tuple(line["nodes"]),
            tuple((u, v) for u, v in line["edges"]), line.get("answer"), line.get("ein_program", ""), line.get("python_program", ""), line,
        )


@dataclass(frozen=True)
class Score:
    """What a reply is worth. The reward is None where the judge failed, and not the
    model, or where the reply is too long; such a reply counts neither way."""

    id: str
    reward: float | None
    status: str  # scored, infra_error or, of a reply that is too long, bad_request
    outcome: str = ""
    strict: bool = False
    relaxed: bool = False
    lenient: bool = False
    answer: Any = None  # as it was understood
    reason: str = ""
    code: str = ""  # of the first error of a program
    message: str = ""
    ops: int = 0
    constant_output: bool = False  # the program depends on no graph
    mode: str = ""  # as the reply was judged
    sandbox: str = ""
    category: str = ""
    level: str = ""


@dataclass(frozen=True)
class Item:
    """A reply to be scored. `finish` is why the model stopped, as "length"."""

    question: str | Instance
    reply: str
    mode: str | None = None
    finish: str | None = None


def allow(*splits: str, answers: bool = False) -> None:
    """Allows what is refused at the start: held-out splits by name, or "*" for all, and
    instances with their answers. Training must not see either; evaluations need both."""
    _asked.extend(f for f in [f"--allow-split={s}" for s in splits] + ["--show-answers"] * answers if f not in _asked)
    _restart()


def worth(reward: str = "strict", constant_output: float | None = None) -> None:
    """What a reply is worth from now on: 1 when it is right in a mode of scoring, strict,
    relaxed or lenient, or shaped; and what a program is worth at most whose output
    depends on no graph."""
    if reward not in ("strict", "relaxed", "lenient", "shaped"):
        raise ValueError(f"there is no reward {reward!r}; there are strict, relaxed, lenient and shaped")
    if constant_output is not None and not 0 <= constant_output <= 1:
        raise ValueError(f"the reward of a constant output is {constant_output}, expected a number from 0 to 1")
    _worth[:] = [f"--reward={reward}"] + ([] if constant_output is None else [f"--constant-output-reward={constant_output}"])
    _restart()


_asked: list[str] = []
_worth: list[str] = []


def _restart() -> None:
    if engine.flags != [*_asked, *_worth]:
        engine.flags = [*_asked, *_worth]
        engine.close()


def generate(
    *,
    split: str = "train",
    seed: int = 1,
    categories: str | Sequence[str] | None = None,
    per_category: int | None = 1,
    first: int = 0,
    generator: str = "cb2",
    preset: str | None = None,
    n: tuple[int, int] | None = None,
    depth: tuple[int, int] | None = None,
    encoding: str | None = None,
) -> Iterator[Instance]:
    """Instances: of each category in turn as many as asked for, from the index `first`
    on, as `ein bench generate` makes them; without end, one of each category after the
    other, where `per_category` is None."""
    said = {"generator": generator, "split": split, "seed": seed, "preset": preset, "n": n, "depth": depth, "encoding": encoding}
    body = {k: v for k, v in said.items() if v is not None}

    def lines(names: Sequence[str], first: int, many: int) -> Iterator[Instance]:
        reply = ask("POST /v1/generate", {**body, "categories": list(names), "first": first, "per_category": many})
        for line in reply.body.splitlines():
            yield Instance.of(json.loads(line))

    names = named(categories, generator)
    if per_category is None:
        for at in count(first):
            yield from lines(names, at, 1)
        return
    for name in names if per_category else ():
        yield from lines([name], first, per_category)  # at once: the engine passes over what it has made before


@cache
def categories(generator: str = "cb2") -> list[str]:
    """The names of all categories."""
    reply = ask("POST /v1/generate", {"generator": generator, "split": "train", "seed": 1, "per_category": 1})
    return [json.loads(line)["category"] for line in reply.body.splitlines()]


_all = categories  # where a parameter has its name


def named(categories: str | Sequence[str] | None, generator: str = "cb2") -> list[str]:
    """The names in what is asked for: one, several, or all where it is None."""
    names = [categories] if isinstance(categories, str) else list(categories or _all(generator))
    if twice := next((c for c in names if names.count(c) > 1), None):
        raise InputError(f"the category {twice} is there twice")
    return names


def _id(question: str | Instance) -> str:
    if not isinstance(question, (str, Instance)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"the question is {question!r:.100}, expected an id or an ein.bench.Instance")
    return question if isinstance(question, str) else question.id


def _ask_for(id: str, mode: str = "") -> Any:
    return ask(f"GET /v1/instances/{quote(_id(id), safe='')}{'?mode=' + quote(mode) if mode else ''}", {}).json()


def instance(id: str) -> Instance:
    """The instance of an id, made again. An id that is none, or of a held-out split that
    is not allowed, is an InputError."""
    return Instance.of(_ask_for(id)["instance"])


def instances(questions: Iterable[str | Instance]) -> Iterator[Instance]:
    """The instances of questions, of which ids will do, for the rows of a data set."""
    if isinstance(questions, (str, Instance)):
        raise TypeError(f"expected a list of instances or of their ids, found {questions!r:.100}: ein.bench.instance(json.loads(line)['id']) is the instance of a line of a file")
    return (q if isinstance(q, Instance) else instance(q) for q in questions)


def known(mode: str) -> None:
    """Refuses a mode that there is not."""
    if mode not in MODES:
        raise InputError(f'there is no mode "{mode}"; there are {", ".join(MODES)}')


def messages(question: str | Instance, mode: str = "ein") -> list[dict[str, str]]:
    """What a model is sent, as messages of a chat: how to answer, and the question."""
    known(mode)
    if isinstance(question, Instance):
        return [{"role": "system", "content": prompt(mode)}, {"role": "user", "content": question.question}]
    return _ask_for(question, mode)["messages"]


def text_of(completion: Any) -> str:
    """The reply in what a trainer has: a text, or messages, of which the last one of the
    model counts."""
    if isinstance(completion, str):
        return completion
    messages = list(cast("Iterable[Any]", completion)) if isinstance(completion, Iterable) else [completion]
    if not all(isinstance(m, Mapping) for m in messages):
        raise InputError(f"a completion is {completion!r:.100}, expected text or a list of messages")
    said: list[Any] = [m for m in messages if m.get("role", "assistant") == "assistant"]
    if not said:
        raise InputError("a completion has no message with the role 'assistant'")
    if "content" not in said[-1] and "tool_calls" not in said[-1]:
        raise InputError("the last message of the assistant has no 'content'")
    content = said[-1].get("content")
    if content is None:
        return ""
    if not isinstance(content, str):
        raise InputError(f"the content of the last message of the assistant is {content!r:.100}, expected text")
    return content


def label(mode: str, question: str | Instance) -> str:
    """A mode and an id in one text, for trainers whose data has room for one."""
    return f"{mode}:{_id(question)}"


def score_label(label: str, reply: str) -> Score:
    """What a reply is worth by the label of its question: MODE:ID, or an ID."""
    mode, _, id = label.rpartition(":")
    return rewarded(score(id, reply, mode or None))


def rewarded(s: Score) -> Score:
    """A score with a reward, for those who know no missing one: a reply that is too long
    is a format_error, as for `ein bench score`. One that was not judged is an error."""
    if s.reason == "too_long":
        return replace(s, reward=0, status="scored", outcome="format_error")
    if s.reward is None:
        raise EngineError(f"{s.id} was not scored, which says nothing about the reply: {s.message}")
    return s


@cache
def prompt(mode: str = "ein") -> str:
    """How a model is told to answer: the system prompt of a mode."""
    return messages("cb1-train-reachability-0-s1", mode)[0]["content"]


def score(question: str | Instance, reply: str, mode: str | None = None, *, finish: str | None = None, limits: Limits | None = None) -> Score:
    """What a reply to a question is worth. Without a mode it is judged as what it looks
    like; limits are those of a program in Ein. A question that does not exist or may not
    be asked is an InputError."""
    return score_many([Item(question, reply, mode, finish)], limits=limits)[0]


def score_many(items: Iterable[Item], *, limits: Limits | None = None) -> list[Score]:
    """What replies are worth, in their order. A question that does not exist or may not
    be asked is an error; a reply of over 1 MiB has no reward."""
    asked = [_item(i) for i in items]
    bounds = limits_of(limits)
    scores: list[Score] = []
    for at in range(0, len(asked), _BATCH):
        body: dict[str, Any] = {"items": asked[at : at + _BATCH]}
        if bounds:
            body["limits"] = bounds
        for got in ask("POST /v1/score", body).json()["items"]:
            if got["status"] == "bad_request" and got.get("reason") != "too_long":  # the model's mistake costs no other reply
                raise InputError(f"item {len(scores)}, {got['id'] or 'an instance'}: {got['message']}")
            scores.append(Score(**got))
    return scores


def _item(i: Item) -> dict[str, Any]:
    if not isinstance(i, Item):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"expected ein.bench.Item(question, reply, mode), not {i!r:.100}")
    body: dict[str, Any] = {"reply": i.reply, "id": _id(i.question)}
    if i.mode:
        body["mode"] = i.mode
    if i.finish:
        body["finish"] = i.finish
    return body
