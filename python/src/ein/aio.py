"""The functions of ein for asyncio: each runs in a thread of the loop, and all of them
share the one engine. Cancelling a task stops its run."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import ein
from ein import bench
from ein._engine import Owner, engine, owner
from ein._program import told as _told

_P = ParamSpec("_P")
_T = TypeVar("_T")


def _threaded(f: Callable[_P, _T]) -> Callable[_P, Coroutine[Any, Any, _T]]:
    @wraps(f)
    async def run(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        mine = Owner()
        before = owner.set(mine)  # the thread has it as well
        try:
            return await asyncio.to_thread(f, *args, **kwargs)
        except asyncio.CancelledError:
            threading.Thread(target=engine.stop, args=[mine], daemon=True).start()  # it may wait for others to write
            raise
        finally:
            owner.reset(before)

    return run


run = _threaded(ein.run)
check = _threaded(ein.check)
cost = _threaded(ein.cost)
explain = _threaded(ein.explain)
fmt = _threaded(ein.fmt)
why = _threaded(ein.why)
told = _threaded(_told)
score = _threaded(bench.score)
score_many = _threaded(bench.score_many)
score_label = _threaded(bench.score_label)
