"""Programs: checking, costing, explaining and running them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from ein._data import Buffer, Graph, unfit, unique, wire
from ein._engine import Reply, engine
from ein._errors import CheckError, Diagnostic, EngineError, Error, InputError, LimitError, RunError, diagnostics
from ein._result import Result

_GRACE = 10  # seconds that an engine has to notice that the time is up


@dataclass(frozen=True)
class Limits:
    """What a run may use. None is no limit of that kind. A program whose certificate is
    over a limit is refused before it runs; strict limits also refuse what would be
    metered as it runs."""

    ops: int | None = None  # multiply-adds of numbers, and operations on 64-bit words
    memory: int | None = None  # bytes, reading the data included
    elements: int | None = None  # of all outputs together
    seconds: float | None = None
    strict: bool = False


@dataclass(frozen=True)
class StatementCost:
    """The part of a statement in a certificate."""

    line: int  # from 1
    ops: int
    bytes: int  # of the largest result of the statement, and its scratch


@dataclass(frozen=True)
class Cost:
    """The certificate of a program with its data: no run uses more."""

    ops: int
    peak_bytes: int
    reading_bytes: int  # of peak_bytes
    output_elements: int  # of all outputs together
    certified: bool  # False where ops also counts what is metered, and a limit below may stop the run
    statements: tuple[StatementCost, ...]


_CLASSES: dict[str, type[Error]] = {"check": CheckError, "limit": LimitError, "runtime": RunError, "input": InputError, "request": InputError}


def ask(route: str, body: dict[str, Any], frames: Sequence[Buffer] = (), timeout: float | None = None) -> Reply:
    """What the engine answers. What it refuses is raised."""
    reply = engine.call(route, body, frames, timeout and timeout + _GRACE)
    if reply.status < 400:
        return reply
    error = reply.json()["error"]
    if error["class"] == "request" and (bad := unfit(body)):
        raise bad
    found = diagnostics(error["diagnostics"])
    shown = "\n".join(str(d) for d in found if d.severity == "error") or "the engine gave no reason"
    hint = next((h for d in found if (h := _hint(body, d))), "")
    raise _CLASSES.get(error["class"], EngineError)(shown, found, hint)


_OPTION = re.compile(r"\b(?:dup|ids|nodes|weight|default|extra)=\w+")


def _hint(body: dict[str, Any], d: Diagnostic) -> str:
    """How Python writes what a diagnostic about data advises."""
    name = d.file
    data: Any = body.get("inputs", {}).get(name)
    form = cast("dict[str, Any]", data) if isinstance(data, dict) else {}
    if data is None or "text" in form:
        return ""
    if form and re.search(rf"\binput\s+{re.escape(name)}\s*\(", body["program"]):
        return f"{name} is a relation: write {name}=ein.Rows(...), with a DataFrame or a list of tuples."
    if isinstance(form.get("edges"), list) and re.search(rf"\binput\s+{re.escape(name)}\s*:\s*vector\b", body["program"]):
        return f"{name} is a vector: write a mapping or a Series, from node to number."
    if "array" not in form and (option := _OPTION.search(" ".join(d.notes))):
        return f"In Python: {name}=ein.Graph(data, options={option[0]!r})."
    return ""


def _request(
    program: str, name: str, profile: str, limits: Limits | None, inputs: Mapping[str, Any]
) -> tuple[dict[str, Any], list[Buffer], float | None]:
    frames: list[Buffer] = []
    body: dict[str, Any] = {"program": program, "name": name, "profile": profile}
    if inputs:
        body["inputs"] = {k: wire(k, v, frames) for k, v in inputs.items()}
        for k, v in inputs.items():
            if isinstance(v, Graph) and v.nodes is not None:
                nodes = unique(k, v.nodes)
                if body.setdefault("nodes", nodes) != nodes:
                    raise InputError(f"{k}: its nodes are not those of the array before it; all inputs of a program share one set of nodes")
    if bounds := limits_of(limits):
        body["limits"] = bounds
    return body, frames, limits and limits.seconds and float(limits.seconds)


def _given(inputs: Mapping[str, Any] | None, data: Mapping[str, Any]) -> dict[str, Any]:
    """The inputs of a call, each once."""
    if inputs is not None and not isinstance(inputs, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"data is given by the name of its input, as A=data or {{'A': data}}; found {type(inputs).__name__}")
    given = {**(inputs or {}), **data}
    if len(given) < len(inputs or ()) + len(data):
        raise TypeError(f"got two values for the input {next(k for k in data if k in (inputs or ()))!r}")
    return given


def limits_of(limits: Limits | None) -> dict[str, Any]:
    """Limits as the engine reads them."""
    if limits is None:
        return {}
    if not isinstance(limits, Limits):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"limits are ein.Limits(ops=..., memory=..., seconds=...); found {type(limits).__name__}")
    said = {"ops": limits.ops, "memory": limits.memory, "elements": limits.elements, "seconds": limits.seconds}
    for k, v in said.items():
        if v is not None and not (0 < v <= _MOST[k] and (k == "seconds" or v == int(v))):
            raise ValueError(f"the limit {k} is {v}, expected {'seconds' if k == 'seconds' else 'a whole number'} above 0 and at most {_MOST[k]}")
    units = {"ops": limits.ops, "bytes": limits.memory, "output_elements": limits.elements, "timeout_ms": limits.seconds and max(1, limits.seconds * 1000)}
    return {k: int(v) for k, v in units.items() if v is not None} | ({"strict": True} if limits.strict else {})


_MOST = {"ops": 2**53, "memory": 2**53, "elements": 2**53, "seconds": 10**9}


class Program:
    """A program that checks, else a CheckError. It can be run any number of times, from
    any thread."""

    def __init__(self, text: str, *, name: str = "program", profile: str = "full") -> None:
        self.text, self.name, self.profile = text, name, profile
        self.diagnostics = check(text, name=name, profile=profile)
        if wrong := [d for d in self.diagnostics if d.severity == "error"]:
            raise CheckError("\n".join(map(str, wrong)), self.diagnostics)

    def __repr__(self) -> str:
        return f"ein.Program({self.text!r})"

    def run(self, inputs: Mapping[str, Any] | None = None, /, *, limits: Limits | None = None, **data: Any) -> Result:
        """Runs the program, as `ein.run` does."""
        return run(self.text, inputs, limits=limits, name=self.name, profile=self.profile, **data)

    def cost(self, inputs: Mapping[str, Any] | None = None, /, **data: Any) -> Cost:
        """The certificate of the program with this data; nothing runs."""
        return cost(self.text, inputs, name=self.name, profile=self.profile, **data)

    def explain(self, inputs: Mapping[str, Any] | None = None, /, **data: Any) -> str:
        """How the program would compute its outputs, for people."""
        return explain(self.text, inputs, name=self.name, profile=self.profile, **data)


def check(program: str, /, *, name: str = "program", profile: str = "full") -> list[Diagnostic]:
    """All that is wrong with a program, or worth a warning. Nothing runs."""
    return diagnostics(ask("POST /v1/check", {"program": program, "name": name, "profile": profile}).json()["diagnostics"])


def run(
    program: str,
    inputs: Mapping[str, Any] | None = None,
    /,
    *,
    limits: Limits | None = None,
    name: str = "program",
    profile: str = "full",
    **data: Any,
) -> Result:
    """Runs a program on data: `ein.run("input A: graph\\nn = sum(A)", A=edges)`. Inputs
    with the name of a parameter go into the mapping. Raises CheckError, InputError,
    LimitError or RunError."""
    return Result(run_reply(program, _given(inputs, data), limits, name, profile))


def told(program: str, ops: int) -> str:
    """What a tool says of a program to a model: the outputs as `ein run` prints them, or what is wrong with it."""
    body, frames, seconds = _request(program, "program", "full", Limits(ops=ops, memory=256 << 20, elements=4096, seconds=10), {})
    try:
        return ask("POST /v1/run", {**body, "form": "text", "labels": True}, frames, seconds).json()["text"].rstrip("\n")
    except Error as e:
        return str(e)


def run_reply(program: str, inputs: Mapping[str, Any], limits: Limits | None, name: str, profile: str, pictures: bool = False) -> Reply:
    """What the engine answers to a program."""
    body, frames, seconds = _request(program, name, profile, limits, inputs)
    body["form"], body["labels"] = "arrays", True
    if pictures:
        body["pictures"] = True
    return ask("POST /v1/run", body, frames, seconds)


def cost(program: str, inputs: Mapping[str, Any] | None = None, /, *, name: str = "program", profile: str = "full", **data: Any) -> Cost:
    """The certificate of a program with this data. Nothing runs. Raises CheckError or
    InputError."""
    body, frames, _ = _request(program, name, profile, None, _given(inputs, data))
    c = ask("POST /v1/cost", body, frames).json()
    statements = tuple(StatementCost(s["line"], s["ops"], s["bytes"]) for s in c["statements"])
    return Cost(c["ops"], c["peak_bytes"], c["reading_bytes"], c["output_elements"], c["certified"], statements)


def explain(program: str, inputs: Mapping[str, Any] | None = None, /, *, name: str = "program", profile: str = "full", **data: Any) -> str:
    """How a program would compute its outputs, for people. The code of a diagnostic in
    place of a program, as in `ein.explain("E0203")`, is explained."""
    if len(program) == 5 and program[0] in "EWN" and program[1:].isdigit():
        return ask("POST /v1/explain", {"program": "", "code": program}).json()["text"]
    body, frames, _ = _request(program, name, profile, None, _given(inputs, data))
    return ask("POST /v1/explain", body, frames).json()["text"]


def why(program: str, expression: str, inputs: Mapping[str, Any] | None = None, /, *, name: str = "program", **data: Any) -> str:
    """Why an expression over the names of a program has its value, for people: the path
    that a reachability rests on, the terms of an equation, the proof of a row. Data that
    are arrays are not taken."""
    body, frames, _ = _request(program, name, "full", None, _given(inputs, data))
    for k, v in body.get("inputs", {}).items():
        if isinstance(v, dict) and "array" in v:
            hint = "nx.from_numpy_array(data, create_using=nx.DiGraph), or from_scipy_sparse_array, has its graph; list(data) is a vector."
            raise InputError(f"{k}: an explanation takes no array, but data as JSON or text", hint=hint)
    return ask("POST /v1/why", {**body, "expression": expression}, frames).json()["text"]


def fmt(program: str, /, *, name: str = "program") -> str:
    """The one canonical form of a program. Text that does not parse is a CheckError."""
    return ask("POST /v1/fmt", {"program": program, "name": name}).json()["text"]
