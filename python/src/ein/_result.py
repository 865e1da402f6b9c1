"""What a run gives, as Python has it."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any, cast

from ein._engine import Reply
from ein._errors import Diagnostic, diagnostics

_KINDS = {"bool": bool, "int": int, "real": float}


def _numbers(part: bytearray, dtype: str = "int32") -> list[Any]:
    """The elements of a frame, without NumPy."""
    if dtype == "bool":
        return [b != 0 for b in part]
    numbers = cast("Any", array({"int32": "i", "int64": "q", "float64": "d"}[dtype]))
    numbers.frombytes(part)
    return numbers.tolist()


class Output:
    """A value that a program gave."""

    def __init__(self, told: Mapping[str, Any], frames: list[bytearray], labels: list[str]) -> None:
        self.name: str = told["name"]
        self.kind: str = told["kind"]  # bool, int, real or relation
        self.form: str = told.get("form", "")  # set, path or node, where the numbers stand for nodes
        self.picture: str = told.get("picture", "")  # SVG, where it was asked for
        self.columns: list[str] = told.get("columns", [])  # of a relation
        self.rows: list[tuple[Any, ...]] = [tuple(row) for row in told.get("rows", [])]  # likewise
        if "real" in (types := told.get("types", [])):  # whose whole numbers are integers in JSON
            self.rows = [tuple(float(x) if t == "real" else x for t, x in zip(types, row, strict=True)) for row in self.rows]
        self._labels = labels
        made: Mapping[str, Any] = told.get("array") or {"layout": "number", "dtype": "", "shape": [], "parts": []}
        self.shape: tuple[int, ...] = tuple(made["shape"])
        self._layout: str = made["layout"]
        self._dtype: str = made["dtype"]
        self._parts: list[bytearray] = [frames[i] for i in made["parts"]]
        self._number = _KINDS.get(self.kind, int)(told.get("value", 0))

    @property
    def value(self) -> Any:
        """The rows of a relation, the number of an output without axes, else an array of
        NumPy, or nested lists where there is no NumPy."""
        if self.kind == "relation":
            return self.rows
        if not self.shape:
            return self._number
        return self.array() if find_spec("numpy") else self.tolist()

    def array(self) -> Any:
        """The output as an array of NumPy of its shape. A relation is a TypeError."""
        self._numbers_only()
        np: Any = import_module("numpy")

        parts = self._parts
        if self._layout == "dense":
            return np.frombuffer(parts[0], self._dtype).reshape(self.shape)
        if self._layout == "bits":
            cols = self.shape[-1]
            rows = np.frombuffer(parts[0], np.uint8).reshape(math.prod(self.shape[:-1]), 8 * math.ceil(cols / 64))
            return np.unpackbits(rows, axis=1, count=cols, bitorder="little").view(np.bool_).reshape(self.shape)
        if self._layout == "csr":
            values, idx, ptr = self._entries()
            made = np.zeros((len(ptr) - 1, self.shape[-1]), values.dtype)
            made[np.repeat(np.arange(len(made)), np.diff(ptr)), idx] = values
            return made.reshape(self.shape)
        if self._layout == "groups":
            group = np.frombuffer(parts[0], np.int32)
            return group[:, None] == group
        return np.asarray(self._number)

    def sparse(self) -> Any:
        """A vector or a matrix as a csr_array of SciPy. Any other output is a TypeError."""
        self._numbers_only()
        if len(self.shape) not in (1, 2):
            raise TypeError(f"{self.name} is no vector and no matrix: it is {self.kind} of shape {self.shape}")
        sparse: Any = import_module("scipy.sparse")
        return sparse.csr_array(self._entries() if self._layout == "csr" else self.array(), shape=self.shape)

    def _entries(self) -> tuple[Any, Any, Any]:
        """The values of a sparse output, their columns, and where each row begins."""
        np: Any = import_module("numpy")
        ptr, idx = (np.frombuffer(p, np.int32) for p in self._parts[:2])
        values = np.frombuffer(self._parts[2], self._dtype) if len(self._parts) > 2 else np.ones(len(idx), np.bool_)
        return values, idx, ptr

    def tolist(self) -> Any:
        """The output as a number or as nested lists."""
        if self.kind == "relation":
            return [list(row) for row in self.rows]
        if self._layout == "number":
            return self._number
        parts, flat = self._parts, list[Any]()
        rows, cols = math.prod(self.shape[:-1]), self.shape[-1]
        if self._layout == "dense":
            flat = _numbers(parts[0], self._dtype)
        elif self._layout == "bits":
            width = 8 * math.ceil(cols / 64)
            flat = [bool(parts[0][i * width + j // 8] >> j % 8 & 1) for i in range(rows) for j in range(cols)]
        elif self._layout == "csr":
            ptr, idx = _numbers(parts[0]), _numbers(parts[1])
            values = _numbers(parts[2], self._dtype) if len(parts) > 2 else [True] * len(idx)
            flat = [_KINDS[self.kind](0)] * (rows * cols)
            for i in range(rows):
                for k in range(ptr[i], ptr[i + 1]):
                    flat[i * cols + idx[k]] = values[k]
        else:
            group = _numbers(parts[0])
            flat = [a == b for a in group for b in group]
        for n in reversed(self.shape[1:]):
            flat = [flat[i * n : (i + 1) * n] for i in range(len(flat) // n if n else 0)]
        return flat

    def equals(self, other: Output) -> bool:
        """Whether the other has the same shape and values, however they are stored."""
        if self.shape != other.shape or self.rows != other.rows:
            return False
        if self._layout == other._layout == "csr":
            return self._listed() == other._listed()
        same: Any = self.value == other.value
        return bool(same.all() if hasattr(same, "all") else same)

    def _listed(self) -> tuple[Any, ...]:
        ptr, idx, *values = self._parts
        return ptr, idx, _numbers(values[0], self._dtype) if values else [1] * (len(idx) // 4)

    def nodes(self) -> list[Any]:
        """The nodes that the output stands for, by label or by number: the members of a
        set, the nodes of a path in their order, or the one node."""
        if self.form == "node" and not self.shape:
            found = [int(self._number)] if self._number >= 0 else []
        elif self.form == "path" and len(self.shape) == 1:
            at = {position: node for node, position in enumerate(self.tolist()) if position >= 0}
            found = [at[position] for position in sorted(at)]
        elif self.kind == "bool" and len(self.shape) == 1 and len(self._labels) in (0, self.shape[0]):
            found = [node for node, there in enumerate(self.tolist()) if there]
        else:
            raise TypeError(f"{self.name} is no set of nodes, no path and no node: it is {self.kind} of shape {self.shape}")
        return [self._labels[n] for n in found] if self._labels else found

    def shown(self) -> Any:
        """What the text of a result shows of it: the nodes, or the value unless that takes much memory."""
        return self.nodes() if self.form else self.value if self._layout == "dense" or math.prod(self.shape) <= 10**6 else self

    def _numbers_only(self) -> None:
        if self.kind == "relation":
            raise TypeError(f"{self.name} is a relation: its rows and columns are in .rows and .columns")

    def __repr__(self) -> str:
        if self.kind == "relation":
            return f"<{self.name}: relation of {len(self.rows)} rows, columns {', '.join(self.columns)}>"
        return f"<{self.name}: {self.kind} of shape {self.shape}>"


class Result(Mapping[str, Any]):
    """The outputs of a run by their names, and what it used."""

    def __init__(self, reply: Reply) -> None:
        body = reply.json()
        self.labels: list[str] = body.get("labels") or []  # of the nodes; none when they are numbers
        self.outputs = {o["name"]: Output(o, reply.frames, self.labels) for o in body["outputs"]}
        self.ops: int = body["stats"]["ops"]
        self.peak_bytes: int = body["stats"]["peak_bytes"]
        self.seconds: float = body["stats"]["wall_ns"] / 1e9
        self._warnings = body["warnings"]

    @property
    def warnings(self) -> list[Diagnostic]:
        """What the program, its data and its run gave reason to warn of."""
        return diagnostics(self._warnings)

    def output(self, name: str) -> Output:
        """The output of a name."""
        if name not in self.outputs:
            raise KeyError(f"there is no output {name!r}; the outputs are {', '.join(self.outputs)}")
        return self.outputs[name]

    def __getitem__(self, name: str) -> Any:
        return self.output(name).value

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self.outputs:
            raise AttributeError(f"there is no output {name!r}")
        return self.outputs[name].value

    def __iter__(self) -> Iterator[str]:
        return iter(self.outputs)

    def __len__(self) -> int:
        return len(self.outputs)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Result):
            return super().__eq__(other)
        return self.outputs.keys() == other.outputs.keys() and all(o.equals(other.outputs[name]) for name, o in self.outputs.items())

    def nodes(self, name: str) -> list[Any]:
        """The nodes that an output stands for, by label or by number."""
        return self.output(name).nodes()

    def __repr__(self) -> str:
        return "\n".join(f"{name} = {o.shown()}" for name, o in self.outputs.items())
