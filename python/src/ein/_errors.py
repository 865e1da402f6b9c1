"""What can go wrong, with the diagnostics of the engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Edit:
    """Text that takes the place of the bytes start..end."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Fix:
    """A fix for a diagnostic."""

    title: str
    edits: tuple[Edit, ...]


@dataclass(frozen=True)
class Diagnostic:
    """What the engine says of a place in a program or in data. Lines and columns are
    counted from 1, offsets in bytes from 0; a line of 0 is no place."""

    code: str
    severity: str
    message: str
    file: str = ""
    line: int = 0
    column: int = 0
    start: int = 0
    end: int = 0
    notes: tuple[str, ...] = ()
    fixes: tuple[Fix, ...] = ()

    def __str__(self) -> str:
        place = ":".join(str(x) for x in (self.file, self.line, self.column) if x)
        place = place and place + ": "
        return "\n".join([f"{place}{self.severity}{self.code and f'[{self.code}]'}: {self.message}", *(f"  = note: {n}" for n in self.notes)])


def diagnostics(found: Sequence[dict[str, Any]]) -> list[Diagnostic]:
    """Diagnostics from their JSON."""
    out: list[Diagnostic] = []
    for d in found:
        start: dict[str, int] = d.get("start") or {}
        end: dict[str, int] = d.get("end") or start
        line, column, first, last = (max(0, p.get(k, 0)) for p, k in ((start, "line"), (start, "column"), (start, "offset"), (end, "offset")))  # -1 is no place
        fixes = tuple(
            Fix(f["title"], tuple(Edit(e["start"]["offset"], e["end"]["offset"], e["newText"]) for e in f["edits"]))
            for f in d.get("fixes") or ()
        )
        out.append(
            Diagnostic(
                d["code"], d["severity"], d["message"], d.get("file", ""), line, column, first, last, tuple(d.get("notes") or ()), fixes,
            )
        )
    return out


class Error(Exception):
    """A request that was not answered. What is wrong is in its diagnostics."""

    def __init__(self, message: str, diagnostics: Sequence[Diagnostic] = (), hint: str = "") -> None:
        super().__init__(message + "\n" + hint if hint else message)
        self.diagnostics = list(diagnostics)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], self.diagnostics)


class CheckError(Error):
    """The program is wrong."""


class InputError(Error):
    """The data is wrong."""


class LimitError(Error):
    """A limit refused the program, or stopped it."""


class RunError(Error):
    """The program failed as it ran."""


class EngineError(Error):
    """The engine could not answer: it is missing, broken or does not understand."""
