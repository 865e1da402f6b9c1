"""Data for inputs: what Python has, as what the engine reads.

Arrays go as raw frames; edges and mappings go as JSON, whose reader in the engine knows
labels, weights and duplicates. No library is imported here: what an object is can be told
from its methods, and who made it has its library loaded.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, cast

from ein._errors import InputError

Buffer = bytes | bytearray | memoryview


def _plain(x: Any) -> Any:
    if hasattr(x, "tolist"):  # a number of NumPy among others
        kind, _, unit = str(getattr(x, "dtype", "")).partition("[")
        if unit and unit[:-1] in ("ns", "ps", "fs", "as"):
            raise TypeError(f"{kind}[{unit} is an integer in Python, use {kind}[us]")
        return x.tolist()
    if hasattr(x, "isoformat") and x == x:  # a date, as in the labels of graphs; one that is missing equals nothing
        return str(x)
    raise TypeError(f"{type(x).__name__} has no form in JSON")


# What holds itself ends in a RecursionError as well; to look for it takes longer than to write a small request.
_encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False, default=_plain, check_circular=False).encode


def encode(data: Any) -> str:
    """What goes to the engine, as JSON."""
    try:
        return _encode(data)
    except (TypeError, ValueError, RecursionError) as e:
        if bad := unfit(data):
            raise bad from None
        why = "it is nested too deeply, or holds itself" if isinstance(e, RecursionError) else e
        raise InputError(f"the data cannot be sent to the engine: {why}") from e


def unfit(data: Any) -> InputError | None:
    """The error of data with a value that JSON has no form for."""
    if bad := _unfit(data, data):
        name, x, row = bad
        want = "a finite number" if isinstance(x, float) else "text without halves of surrogate pairs" if isinstance(x, str) else "text, an int or a float"
        return InputError(f"{name}: {x!r} in {row:.200}, expected {want}")
    return None


def _unfit(data: Any, row: Any, name: str = "the data", depth: int = 0) -> tuple[str, Any, str] | None:
    """The first value that JSON has no form for: the input that it is of, and what is around it."""
    if isinstance(data, float):
        return (name, data, repr(row)) if not math.isfinite(data) else None
    if isinstance(data, str):
        return (name, data, repr(row)) if any("\ud800" <= c <= "\udfff" for c in data) else None
    if hasattr(data, "tolist") and depth <= 64:
        return _unfit(data.tolist(), row, name, depth + 1)
    if depth > 64 or not isinstance(data, (list, tuple, dict)):
        fits = depth > 64 or data is None or isinstance(data, int) or hasattr(data, "isoformat") and data == data
        return None if fits else (name, data, repr(row))
    named = isinstance(data, dict)
    at = [(k, y) for k, x in cast("dict[Any, Any]", data).items() for y in (k, x)] if named else ((name, x) for x in cast("list[Any]", data))
    return next((bad for k, x in at if (bad := _unfit(x, data, k if depth == 1 and named else name, depth + 1))), None)


class _Kept:
    """What may be read several times, as to be costed and run. An iterator would be empty the second time."""

    data: Any

    def __post_init__(self) -> None:
        data: Any = self.data
        if isinstance(data, Iterator):
            object.__setattr__(self, "data", list(cast("Iterator[Any]", data)))


@dataclass(frozen=True)
class Graph(_Kept):
    """Data and how to read it. `weight` names the attribute of edges or the column that
    holds their weights; they are 1 where it is None, or "weight" and there is none. `nodes`
    is the labels of the rows and columns of an array. The options are those behind the
    question mark of `ein run --input`, as in "ids=label", for data that are not an array."""

    data: Any
    weight: str | None = "weight"
    nodes: Sequence[str] | None = None
    options: str = ""


@dataclass(frozen=True)
class Rows(_Kept):
    """Rows of a relation, of a DataFrame or of tuples, lists or mappings: by the names of
    its columns where they have names, else in their order."""

    data: Any

    def wire(self, name: str) -> list[Any]:
        if _is_table(self.data):
            columns = [str(c) for c in self.data.columns]
            if twice := next((c for c in columns if columns.count(c) > 1), None):
                raise InputError(f"{name}: two columns are named {twice!r}")
            cells = (_gaps(self.data[c]) for c in self.data.columns)
            return [dict(zip(columns, row, strict=True)) for row in zip(*cells, strict=True)]
        return _rows(name, self.data)


@dataclass(frozen=True)
class File:
    """A file of text: CSV, TSV, edges, Matrix Market or JSON. The options are those
    behind the question mark of `ein run --input`, as in "weight=amount"."""

    path: str | os.PathLike[str]
    options: str = ""

    def wire(self, name: str) -> dict[str, str]:
        path = os.fspath(self.path)
        try:
            with open(path, encoding="utf-8") as f:
                text = f.read()
        except UnicodeDecodeError as e:
            hint = "What NumPy, SciPy or pandas read of a file is data itself, as in numpy.load(path)."
            raise InputError(f"{name}: the file {path} is no text in UTF-8: {e}", hint=hint) from e
        except OSError as e:
            raise InputError(f"{name}: the file {path} cannot be read: {e}") from e
        return {"text": text, "options": self.options}


def wire(name: str, data: Any, frames: list[Buffer], ids: str = "") -> Any:
    """The data of an input as the engine reads it. Arrays are added to the frames. The ids of
    nodes are read as the option of that name says."""
    g = data if isinstance(data, Graph) else Graph(data)
    if g.options:
        told = wire(name, replace(g, options=""), frames, next((o[4:] for o in g.options.split("&") if o.startswith("ids=")), ""))
        form = cast("dict[str, Any]", told) if isinstance(told, dict) else {}
        if isinstance(form.get("array"), dict) or isinstance(form.get("text"), str):  # a vector by node has numbers there
            raise InputError(f"{name}: options= is for edges and mappings, not for {_type(g.data)}")
        return {"text": encode(told), "options": "format=json&" + g.options}
    data = g.data
    if hint := _arrow(data):
        raise InputError(f"{name}: {_type(data)} is no data for an input", hint=hint)
    array = hasattr(data, "__array__") or hasattr(data, "__dlpack__")
    if g.weight != "weight" and not (_is_networkx(data) or _is_table(data)):
        hint = "options='weight=none' ignores the weights of edges." if g.weight is None and not (array or hasattr(data, "tocsr")) else ""
        raise InputError(f"{name}: weight= is for graphs of NetworkX and tables, not for {_type(data)}", hint=hint)
    if g.nodes is not None and not (array or hasattr(data, "tocsr")):
        raise InputError(f"{name}: nodes= is for arrays, not for {_type(data)}")
    if isinstance(g.nodes, (set, frozenset)):
        raise InputError(f"{name}: nodes= is a set, whose order says nothing about the rows and columns of the array, expected a list")
    if isinstance(data, (File, Rows)):
        return data.wire(name)
    if isinstance(data, (bool, int, float)):
        return _value(data)
    if type(data).__module__ in ("networkx.classes.reportviews", "networkx.classes.coreviews"):
        view = type(data).__name__
        hint = "dict() of it is a vector by node." if "Degree" in view else "Give the graph itself, or a list of edges as tuples."
        raise InputError(f"{name}: {view} is a view of a graph", hint=hint)
    if _is_networkx(data):
        return _networkx(name, data, g.weight, ids)
    if _is_table(data):
        return _table(name, data, g.weight, ids)
    if hasattr(data, "tocsr"):
        return _over(name, g.nodes, _sparse(name, data, frames))
    if hasattr(data, "to_dict") and hasattr(data, "index"):
        return _series(name, data)
    if array:
        return _over(name, g.nodes, _dense(name, data, frames))
    if isinstance(data, Mapping):
        return _mapping(name, cast("Mapping[Any, Any]", data), ids)
    if isinstance(data, (str, bytes, os.PathLike)) or not isinstance(data, Iterable):
        raise InputError(
            f"{name}: {_type(data)} is no data for an input",
            hint="ein.File(path) is that of a file."
            if isinstance(data, (str, os.PathLike))
            else "An array, a sparse matrix, a graph of NetworkX, a DataFrame, edges as tuples, a mapping or a number is.",
        )
    walk = cast("Any", data).tolist if isinstance(data, memoryview) else cast("Iterable[Any]", data).__iter__  # a buffer of two axes has no iterator
    rows: list[Any] = list(walk())
    if rows and all(isinstance(r, tuple) for r in rows):
        odd = any(isinstance(x, float) for r in rows for x in r[:2]) or any(isinstance(x, bool) or not isinstance(x, (int, float)) for r in rows for x in r[2:])
        return {"edges": [(*map(_node, r[:2]), *map(_value, r[2:])) for r in rows] if odd else rows}
    return rows


def _over(name: str, nodes: Sequence[str] | None, told: Any) -> Any:
    """An array over nodes that have labels."""
    shape: list[int] = [] if isinstance(told, (int, float)) else told["array"]["shape"]
    if nodes is not None and len(nodes) not in shape:
        labels = f"is {len(nodes)} label" if len(nodes) == 1 else f"are {len(nodes)} labels"
        raise InputError(f"{name}: there {labels}, and the array is {'x'.join(map(str, shape)) or 'a number'}")
    return told


def _value(x: Any) -> Any:
    """A number as the engine has it: what is true is 1."""
    x = x.tolist() if hasattr(x, "tolist") else x
    return int(x) if isinstance(x, bool) else x


def _is_value(x: Any) -> bool:
    return isinstance(x, (bool, int, float)) or getattr(x, "shape", None) == () and not isinstance(x, str)


def _rows(name: str, data: object) -> list[Any]:
    if isinstance(data, (str, bytes)) or hasattr(data, "keys") or hasattr(data, "tocsr") or _arrow(data) or not isinstance(data, Iterable):
        raise InputError(f"{name}: {_type(data)} has no rows", hint=_arrow(data) or "A DataFrame has, and a list of tuples or of mappings.")
    return [row if type(row) in (tuple, list, dict) else _row(row) for row in cast("Iterable[Any]", data)]


def _row(row: Any) -> Any:
    """A row, by the names of its columns if it knows them."""
    if hasattr(row, "_asdict"):
        renamed = any(n.startswith("_") for n in row._fields)  # a column that is named `from`, say
        return tuple(row) if renamed else row._asdict()
    names = row.keys() if hasattr(row, "keys") else getattr(getattr(row, "dtype", None), "names", None)
    return {str(n): row[n] for n in names} if names is not None else row


def _type(data: Any) -> str:
    t = cast("type[object]", type(data))
    return t.__name__ if t.__module__ == "builtins" else f"{t.__module__}.{t.__name__}"


def _is_networkx(data: Any) -> bool:
    return hasattr(data, "is_directed") and hasattr(data, "adj")


def _is_table(data: Any) -> bool:
    return hasattr(data, "itertuples") and hasattr(data, "columns")


def _arrow(data: Any) -> str:
    """What makes data of a table of polars or PyArrow, which otherwise passes for an array or a list of its columns."""
    query = hasattr(data, "collect") and hasattr(data, "collect_schema")
    if not query and not (hasattr(data, "to_pandas") and hasattr(data, "columns") and not _is_table(data)):
        return ""
    return f"data{'.collect()' * query}.to_pandas() is a DataFrame, for which polars needs PyArrow."


def _is_number(node: Any) -> bool:
    return hasattr(node, "__index__") and not isinstance(node, bool)


def _node(node: Any) -> Any:
    """A node as the engine has it. A table with gaps has whole numbers as floats."""
    if hasattr(node, "is_integer") and hasattr(node, "tolist"):  # a number of NumPy
        node = node.tolist()
    return int(node) if isinstance(node, float) and node.is_integer() else node


def _graph(name: str, nodes: list[Any], edges: list[Any], ids: str) -> dict[str, Any]:
    """A graph as the engine has it, of edges between places among the nodes: how many nodes
    there are when they are their own numbers, else their labels. The option is for labels."""
    if ids != "label" and all(_is_number(n) and n == i for i, n in enumerate(nodes)):
        return {"nodes": len(nodes), "edges": edges}
    labels = unique(name, nodes)
    return {"nodes": labels, "edges": [(labels[u], labels[v], *w) for u, v, *w in edges] if ids else edges}


def unique(name: str, nodes: Iterable[Any]) -> list[str]:
    """The labels of nodes, which are different texts."""
    labels = [str(_node(n)) for n in nodes]
    if len(set(labels)) < len(labels):
        seen: set[str] = set()
        twice = next(x for x in labels if x in seen or seen.add(x))
        raise InputError(f"{name}: two nodes have the label {twice!r}")
    return labels


def _networkx(name: str, g: Any, weight: str | None, ids: str) -> dict[str, Any]:
    nodes: list[Any] = list(g)
    at = {n: i for i, n in enumerate(nodes)}
    edges = [(at[u], at[v], _value(w)) for u, v, w in g.edges(data=weight or "weight")]
    lacks = [e for e in edges if e[2] is None]
    if weight is None or weight == "weight" and len(lacks) == len(edges):
        edges = [e[:2] for e in edges]
    elif lacks:
        u, v = (nodes[i] for i in lacks[0][:2])
        raise InputError(
            f"{name}: the edge {u!r} -> {v!r} has no attribute {weight!r}", hint=f"ein.Graph({name}, weight=None) gives all edges the weight 1."
        )
    return {**_graph(name, nodes, edges, ids), "directed": g.is_directed()}


# As the readers of files have them, in any case and with "id" or "_id" behind.
_ENDS = (
    ("source", "target"), ("source", "destination"), ("src", "dst"), ("src", "dest"), ("src", "tgt"),
    ("from", "to"), ("fromnode", "tonode"), ("from_node", "to_node"),
)  # fmt: skip


def _table(name: str, table: Any, weight: str | None, ids: str) -> dict[str, Any]:
    """Edges from the columns source and target, or else the first two that are no weight; or the
    matrix of a table whose columns and rows are the same nodes."""
    columns: list[Any] = list(table.columns)
    named = {str(c).lower().removesuffix("id").removesuffix("_"): c for c in reversed(columns)}
    rows = [] if type(table.index).__name__ == "RangeIndex" else list(table.index)
    square = len(rows) == len(columns) and set(rows) == set(columns)  # whose nodes may be called source and target
    ends = None if square else next(([named[n] for n in e] for e in _ENDS if set(e) <= set(named)), None)
    if weight == "weight" and weight not in columns:
        weight = next((c for c in columns if str(c).lower() == weight), weight)
    if square:
        table, columns = table[rows], rows  # which may be in another order
    elif ends is None and any(isinstance(c, str) for c in set(rows) & set(columns)):
        raise InputError(
            f"{name}: not all rows and columns of the table have the same names, as those of a matrix over nodes have",
            hint="table.reindex(index=nodes, columns=nodes, fill_value=0) is such a matrix; columns named source and target are edges.",
        )
    if ends is None and len(columns) > 0 and columns == list(table.index):
        if type(table.columns).__name__ != "RangeIndex":
            cells = [(i, j, w) for i, row in enumerate(table.values.tolist()) for j, w in enumerate(row) if _is_gap(w) or w]
            if bad := next(((columns[i], columns[j], w) for i, j, w in cells if _is_gap(w)), None):
                raise InputError(f"{name}: a row of the table has no value: {bad}")
            return _graph(name, columns, [(i, j, _value(w)) if weight else (i, j) for i, j, w in cells], ids)
        if len(columns) > 2:
            raise InputError(
                f"{name}: a table of {len(columns)}x{len(columns)} without names is a matrix, or edges",
                hint="table.to_numpy() is the matrix; columns named source and target are edges.",
            )
    if ends is None and ((names := list(table.index.names)).count(None) == 0 and len(names) == 2 or any(n in e for e in _ENDS for n in names)):
        hint = "table.reset_index() makes columns of the index; columns named source and target are edges."
        raise InputError(f"{name}: edges are columns of a table, and its index has the names {names}", hint=hint)
    ends = [c for c in columns if c != (weight or "weight")][:2] if ends is None else ends
    use = ends if weight is None or weight == "weight" and weight not in columns else [*ends, weight]
    if len(ends) < 2:
        raise InputError(f"{name}: the columns are {columns}, and edges have a source and a target", hint=f"For a relation, write {name}=ein.Rows(...).")
    if any(c not in columns for c in use):
        raise InputError(f"{name}: no columns {use} in a table with the columns {columns}")
    if twice := next((c for c in use if columns.count(c) > 1), None):
        raise InputError(f"{name}: two columns are named {twice!r}")
    columns = [table[c].tolist() for c in use]
    columns = [c if set(map(type, c)) <= {int, str} else [*map(told, c)] for c, told in zip(columns, (_node, _node, _value))]
    if any(table[c].isna().any() for c in use):
        bad = next(r for r in zip(*columns, strict=True) if any(map(_is_gap, r)))
        raise InputError(f"{name}: a row of {use} has no value: {[*bad]}")
    nodes = columns[0] + columns[1]
    if set(map(type, nodes)) != {str} and not all(map(_is_number, nodes)):
        try:
            labels = dict.fromkeys(nodes)
        except TypeError as e:
            raise InputError(f"{name}: not all in the columns {ends} are nodes: {e}") from None
        labels = dict(zip(labels, unique(name, labels), strict=True))
        columns[:2] = [[*map(labels.__getitem__, c)] for c in columns[:2]]
    return {"edges": [*zip(*columns, strict=True)]}


def _gaps(column: Any) -> list[Any]:
    """A column whose cells without a value are None: if it is not used, they do not matter."""
    cells: list[Any] = column.tolist()
    return [None if _is_gap(x) else x for x in cells] if column.isna().any() else cells


def _is_gap(x: Any) -> bool:
    """Whether a cell of a table has no value: pandas has several that are none."""
    return x is None or type(x).__name__ == "NAType" or x != x


def _series(name: str, series: Any) -> Any:
    """A Series, whose index may have a node or an edge several times; a mapping would keep the last value."""
    values: dict[Any, Any] = {}
    for k, x in zip(series.index.tolist(), series.tolist(), strict=True):
        if k in values:
            raise InputError(f"{name}: two values for {k!r}", hint=f"series.groupby(level={[*range(series.index.nlevels)]}).sum() adds them up.")
        if _is_gap(x):
            raise InputError(f"{name}: {k!r} has no value: {x!r}")
        values[k] = x
    if type(series.index).__name__ == "RangeIndex" and list(values) == [*range(len(values))]:  # it has no names, but places
        return [_value(x) for x in values.values()]
    return _vector(name, values)


def _vector(name: str, values: Mapping[Any, Any]) -> Any:
    """Values by node; weights by edge, where the keys are pairs."""
    if values and all(isinstance(k, tuple) and len(cast("tuple[Any, ...]", k)) == 2 for k in values):
        return {"edges": [(_node(u), _node(v), _value(w)) for (u, v), w in values.items()]}
    return dict(zip(unique(name, values), map(_value, values.values()), strict=True)) or []  # an empty object is none


def _mapping(name: str, data: Mapping[Any, Any], ids: str) -> Any:
    """A vector by node, or a graph: weights by edge, or neighbours by node."""
    if all(map(_is_value, data.values())):
        return _vector(name, data)
    data = {_node(u): to for u, to in data.items()}
    nodes: dict[Any, None] = dict.fromkeys(data)
    edges: list[tuple[Any, ...]] = []
    for u, to in data.items():
        if isinstance(to, str) or not isinstance(to, Iterable):
            raise InputError(f"{name}: expected an int or float for every node, or the neighbours of every node; {u!r} has {to!r}")
        if isinstance(to, Mapping):
            edges += [(u, _node(v), _value(w)) for v, w in cast("Mapping[Any, Any]", to).items()]
        else:
            edges += [(u, _node(v)) for v in cast("Iterable[Any]", to)]
    for e in edges:
        if not isinstance(e[1], Hashable):
            raise InputError(f"{name}: {e[1]!r} is not a node")
        if isinstance(e[-1], Mapping):
            raise InputError(f"{name}: the weight of {e[0]!r} -> {e[1]!r} is {e[-1]!r}, expected a number", hint="nx.DiGraph(data) reads attributes.")
        nodes[e[1]] = None
    if ids != "label" and all(_is_number(n) and n >= 0 for n in nodes):
        return {"nodes": max(nodes, default=-1) + 1, "edges": edges}
    at = {n: i for i, n in enumerate(nodes)}
    return _graph(name, list(nodes), [(at[e[0]], at[e[1]], *e[2:]) for e in edges], ids)


def _array(layout: str, dtype: str, shape: Sequence[int], parts: Sequence[Any], frames: list[Buffer]) -> dict[str, Any]:
    first = len(frames)
    frames += [memoryview(p).cast("B") if p.size else b"" for p in parts]
    return {"array": {"layout": layout, "dtype": dtype, "shape": list(shape), "parts": list(range(first, len(frames)))}}


def _little(name: str, a: Any) -> Any:
    """An array in the order of bytes and of rows that frames have."""
    np: Any = import_module("numpy")

    if a.dtype.kind not in "biuf" or a.dtype.itemsize > 8:
        raise InputError(f"{name}: an array of {a.dtype} is no data for an input: expected booleans, integers or floats")
    if a.dtype.kind == "f" and a.dtype.itemsize == 2:  # in either order of bytes
        a = a.astype(np.float32)
    return np.ascontiguousarray(a, dtype=a.dtype.newbyteorder("<"))


def _dense(name: str, data: Any, frames: list[Buffer]) -> Any:
    np: Any = import_module("numpy")

    if np.ma.is_masked(data):
        raise InputError(f"{name}: the array has masked elements", hint=f"data.{'fillna' if hasattr(data, 'fillna') else 'filled'}(0) gives them a value.")
    a = np.asarray(data) if hasattr(data, "__array__") else np.from_dlpack(data)
    if a.ndim == 0 and isinstance(number := _value(a), (int, float)):
        return number
    a = _little(name, a)
    return _array("dense", a.dtype.name, a.shape, [a], frames)


def _sparse(name: str, data: Any, frames: list[Buffer]) -> Any:
    np: Any = import_module("numpy")

    if data.ndim > 2:
        raise InputError(f"{name}: a sparse array of {data.ndim} axes is no data for an input: expected a vector or a matrix")
    if data.ndim == 1:
        return _dense(name, data.toarray(), frames)
    m = data.tocsr()
    if not m.has_canonical_format:
        m = m.copy()
        m.sum_duplicates()
    values = _little(name, m.data[: m.nnz])  # there may be room behind
    parts = [_little(name, m.indptr), _little(name, m.indices[: m.nnz]), values]
    if values.dtype == np.bool_ and values.all():
        parts.pop()  # what is there is 1
    return _array("csr", values.dtype.name, m.shape, parts, frames)
