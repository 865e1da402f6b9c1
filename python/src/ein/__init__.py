"""Ein: questions about graphs and tensors, with answers whose cost is known before they
are computed.

    import ein

    owns = [("holding", "north"), ("north", "harbor"), ("south", "harbor")]
    r = ein.run('input Owns: graph\\nControls = desc(Owns, "holding")', Owns=owns)
    print(r.nodes("Controls"))  # ['north', 'harbor']
"""


from ein import bench
from ein._data import File, Graph, Rows
from ein._engine import engine as _engine
from ein._errors import CheckError, Diagnostic, Edit, EngineError, Error, Fix, InputError, LimitError, RunError
from ein._program import Cost, Limits, Program, StatementCost, check, cost, explain, fmt, run, why
from ein._result import Output, Result

__all__ = [
    "CheckError",
    "Cost",
    "Diagnostic",
    "Edit",
    "EngineError",
    "Error",
    "File",
    "Fix",
    "Graph",
    "InputError",
    "LimitError",
    "Limits",
    "Output",
    "Program",
    "Result",
    "Rows",
    "RunError",
    "StatementCost",
    "bench",
    "check",
    "cost",
    "explain",
    "fmt",
    "run",
    "version",
    "why",
]


def version() -> str:
    """The version of the engine with the digest of its build."""
    return _engine.start().version


def load_ipython_extension(shell: object) -> None:
    """`%load_ext ein`."""
    from ein import jupyter

    jupyter.load(shell)
