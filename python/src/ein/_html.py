"""Results and diagnostics as HTML, for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from ein._errors import Diagnostic
from ein._result import Output, Result

_CELLS = 30  # rows and columns of a table; what is left out is counted
_STYLE = "font-family:monospace;white-space:pre-wrap;text-align:left"
_COLOURS = {"error": "#b3261e", "warning": "#8a5a00", "note": "#3b5b92"}


def result(r: Result, reasons: Iterable[str], cost: str) -> str:
    """The outputs of a run as tables and pictures, the reasons that were asked for, what it
    warned of, and what it cost."""
    parts = [_output(o, r.labels) for o in r.outputs.values()]
    parts += [f'<div style="{_STYLE}">{escape(reason)}</div>' for reason in reasons]
    parts += [f'<div style="{_STYLE};color:{_COLOURS.get(w.severity, "inherit")}">{escape(str(w))}</div>' for w in r.warnings]
    parts.append(f'<div style="color:gray">{escape(cost)}</div>')
    return "".join(parts)


def _output(o: Output, labels: list[str]) -> str:
    head = f'<div style="{_STYLE}"><b>{escape(o.name)}</b> '
    rank = len(o.shape)
    if o.kind == "relation":
        return f"{head}</div>{_table(o.columns[1:], _first([(r[0], r[1:]) for r in o.rows]), o.columns[0])}"
    if rank == 0:
        return f"{head}= {escape(str(o.nodes()[0] if o.form == 'node' and o.nodes() else o.value))}</div>"
    if o.form or o.kind == "bool" and rank == 1 and len(labels) in (0, o.shape[0]):
        between = " → " if o.form == "path" else ", "
        shown, left = _first(o.nodes())
        return f"{head}= {between.join(escape(str(n)) for n in shown)}{between + left if left else ''}</div>"
    if o.picture and rank == 2 and (o.kind == "bool" or max(o.shape) > _CELLS):
        return f"{head}</div>{o.picture}"
    rows: Any = o.tolist()
    if rank > 2:
        return f"{head}= {escape(repr(o))}</div>"
    named = labels if len(labels) == o.shape[0] else range(o.shape[0])
    if rank == 1:
        return f"{head}</div>{_table([], _first(list(zip(named, ([x] for x in rows), strict=True))))}"
    columns = labels if len(labels) == o.shape[1] else range(o.shape[1])
    return f"{head}</div>{_table(columns, _first(list(zip(named, rows, strict=True))))}"


def _first(items: Sequence[Any]) -> tuple[Sequence[Any], str]:
    left = len(items) - _CELLS
    return items[:_CELLS], f"… {left:,} more" if left > 0 else ""


def _cell(x: Any) -> str:
    return escape(x) if isinstance(x, str) else str(int(x)) if isinstance(x, int) else f"{x:.6g}"


def _table(columns: Iterable[Any], rows: tuple[Sequence[tuple[Any, Sequence[Any]]], str], corner: str = "") -> str:
    shown, left = _first(list(columns))
    out = ["<table>"]
    if shown or corner:
        out.append(f"<tr><th>{escape(corner)}</th>" + "".join(f"<th>{escape(str(c))}</th>" for c in [*shown, *([left] if left else [])]) + "</tr>")
    for name, row in rows[0]:
        cells = "".join(f"<td>{_cell(x)}</td>" for x in row[:_CELLS])
        out.append(f"<tr><th>{escape(str(name))}</th>{cells}</tr>")
    if rows[1]:
        out.append(f"<tr><th>{rows[1]}</th></tr>")
    return "".join(out) + "</table>"


def diagnostics(text: str, found: Sequence[Diagnostic]) -> str:
    """Diagnostics under the lines of the cell that they are about, what they mean underlined."""
    source, out = text.encode(), list[str]()
    for d in found:
        colour = _COLOURS.get(d.severity, "inherit")
        if d.file != "cell":  # in data, or in what is explained
            out.append(f'<div style="{_STYLE};color:{colour}">{escape(str(d))}</div>')
            continue
        out.append(f'<div style="{_STYLE}"><b style="color:{colour}">{d.severity}[{escape(d.code)}]</b> {escape(d.message)}')
        if d.line and d.start <= len(source):
            first = source.rfind(b"\n", 0, d.start) + 1
            end = source.find(b"\n", d.start)
            end = end if end >= 0 else len(source)
            stop = max(d.start, min(d.end, end))
            a, b, c = (escape(source[i:j].decode(errors="replace")) for i, j in ((first, d.start), (d.start, stop), (stop, end)))
            out.append(f'\n  {d.line} | {a}<u style="text-decoration:underline wavy {colour}">{b or " "}</u>{c}')
        out += [f"\n  {escape(n)}" for n in d.notes]
        out += [f"\n  <i>{escape(f.title)}</i>" for f in d.fixes]
        out.append("</div>")
    return "".join(out)
