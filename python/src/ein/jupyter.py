"""Cells of a notebook that hold programs: `%load_ext ein`, then `%%ein -i A=G`. A line
`:why EXPRESSION` in one is answered below its values."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any, NoReturn, cast

import ein
from ein import _html, _program


class CellError(ein.Error):
    """The program of a cell is wrong. Its diagnostics have been shown."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise CellError(f"%%ein: {message}\n{self.format_usage()}")


_parser = _Parser(prog="%%ein", add_help=False, description="Runs the program in the cell.")
_parser.add_argument("-i", "--input", action="append", default=[], metavar="NAME=EXPRESSION", help="data of an input; -i A stands for -i A=A")
_parser.add_argument("-o", "--output", metavar="NAME", help="the variable for the result, which is also that of the cell")
_parser.add_argument("--max-ops", type=float, metavar="N")
_parser.add_argument("--timeout", type=float, metavar="SECONDS")
_parser.add_argument("--profile", default="full", choices=("full", "logic", "core"))


# What is between two options, outside of quotes.
_BETWEEN = re.compile(r"""\s+(?=--?[a-z])(?=(?:[^"']|"[^"]*"|'[^']*')*$)""")


def _words(line: str) -> list[str]:
    """Options and their values, which are of Python and keep their quotes and blanks unless quoted as a whole."""
    shlex.split(line)  # whether all quotes are closed
    words = [w for option in _BETWEEN.split(line.strip()) for w in option.split(None, 1)]
    return [w for word in words for w in (shlex.split(word) if word[0] in "\"'" else [word])]


_WHY = re.compile(r"(?m)^[ \t]*:why[ \t]+(\S.*)")


class Shown(ein.Result):
    """A result as a notebook shows it."""

    cost = ""
    reasons: Sequence[str] = ()

    def _repr_html_(self) -> str:
        return _html.result(self, self.reasons, self.cost)


def load(shell: Any) -> None:
    """Adds `%%ein` to a shell of IPython."""

    def magic(line: str, cell: str) -> Shown:
        try:
            args = _parser.parse_args(_words(line))
        except ValueError as e:
            raise CellError(f"%%ein: {e}") from None
        inputs: dict[str, Any] = {}
        for given in args.input:
            name, _, expression = (x.strip() for x in given.partition("="))
            if name in inputs:
                raise CellError(f"%%ein: the input {name} is there twice")
            data: Any = eval(expression or name, shell.user_ns)
            inputs[name] = list(cast("Iterator[Any]", data)) if isinstance(data, Iterator) else data  # which is read more than once
        if args.output and not args.output.isidentifier():
            raise CellError(f"%%ein: -o {args.output}: expected the name of a variable")
        asked: list[str] = _WHY.findall(cell)
        cell = _WHY.sub("", cell)  # the other lines keep their numbers
        bare = bool(asked) and any(d.code == "E0216" for d in ein.check(cell, profile=args.profile))
        if bare:  # no output: what is explained is enough
            cell += "\n:print 0"
        limits = ein.Limits(ops=args.max_ops, seconds=args.timeout)
        try:
            shown = Shown(_program.run_reply(cell, inputs, limits, "cell", args.profile, pictures=True))
            most = ein.cost(cell, inputs, name="cell", profile=args.profile)
            shown.reasons = [ein.why(cell, expression, inputs, name="cell") for expression in asked]
        except ein.Error as e:
            show: Any = import_module("IPython.display")
            show.display(show.HTML(_html.diagnostics(cell, e.diagnostics)))
            raise CellError(str(e), e.diagnostics) from None
        if bare:
            shown.outputs.clear()
        shown.cost = f"{shown.ops:,} operations of at most {most.ops:,}"
        if args.output:
            shell.user_ns[args.output] = shown
        return shown

    shell.register_magic_function(magic, "cell", "ein")
