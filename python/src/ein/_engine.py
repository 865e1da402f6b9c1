"""The engine: one process that stays, spoken to over its pipes.

docs/serving.md has the form of the messages. There is no thread that reads: of the
callers that wait, one reads for all, so a lone caller never waits for another thread to
be scheduled.
"""

from __future__ import annotations

import atexit
import contextlib
import itertools
import json
import os
import select
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from contextvars import ContextVar
from time import perf_counter
from typing import Any, NamedTuple, cast

from ein import _binary
from ein._data import Buffer, encode
from ein._errors import EngineError

_PROTOCOL = 1
_STDERR = 64 << 10  # bytes of what a dead engine said that are shown
_READ = 1 << 16
_PATIENCE = 5  # seconds that an engine has to cancel a request
_CANCELLED = 499
_EAGER = 50e-6  # seconds for which a reader looks again: to be woken takes longer than a small program


class Reply(NamedTuple):
    status: int
    body: bytearray  # JSON, or lines of it
    frames: list[bytearray]

    def json(self) -> Any:
        return _decode(self.body.decode())


def _decode(text: str) -> Any:
    return _scan(text)[0]  # the engine writes nothing before a value, or behind it


class _Died(Exception):
    """The engine is gone; what it was asked can be asked again."""


_scan = json.JSONDecoder().raw_decode


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Owner:
    """Who may stop calls: a task of asyncio, for what its thread asks."""

    def __init__(self) -> None:
        self.stopped = False


owner: ContextVar[Owner | None] = ContextVar("owner", default=None)


class _Call:
    __slots__ = ("done", "late", "owner", "reply", "wake")

    def __init__(self) -> None:
        self.done = False
        self.owner = owner.get()
        self.reply: Reply | None = None  # None as well when the engine has died
        self.late = False  # and that is why
        self.wake: threading.Event | None = None  # of a caller that waits for another one to read


class _Process:
    """A running engine."""

    def __init__(self, binary: _binary.Binary, flags: Sequence[str]) -> None:
        self.binary = binary
        try:
            self.said = tempfile.TemporaryFile()
            self.popen = subprocess.Popen(
                [binary.path, "serve", "--stdio", "--drain-timeout", "5s", "--python", sys.executable, *flags],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self.said,
                bufsize=0,
            )
        except OSError as e:
            raise EngineError(f"the engine {binary.path} does not start: {e.strerror}") from e
        self.to, self.out = cast("Any", self.popen.stdin), cast("Any", self.popen.stdout)
        self.ids = itertools.count(1)
        self.waiting: dict[int, _Call] = {}
        self.writing, self.reading = threading.Lock(), threading.Lock()
        self.buffer = bytearray()
        self.ready: Any = None  # of a pipe whose reads do not block
        if _processors() > 1 and hasattr(select, "poll"):
            os.set_blocking(self.out.fileno(), False)
            self.ready = select.poll()
            self.ready.register(self.out.fileno(), select.POLLIN)
        self.dead = False
        try:
            self.version = self._greeted()
        except BaseException:
            self.kill()
            raise

    def _greeted(self) -> str:
        """The version of the engine, which has to be the one that this package was
        built with."""
        try:
            hello = self._line()["ein"]
        except (EOFError, OSError, ValueError, KeyError):
            raise EngineError(f"the engine {self.binary.path} does not start: {self.last_words() or 'it said nothing'}") from None
        if hello["protocol"] != _PROTOCOL:
            raise EngineError(f"the engine {self.binary.path} speaks protocol {hello['protocol']}, this package {_PROTOCOL}")
        want = self.binary.version, self.binary.digest
        if want[0] and want != (hello["version"], hello["build"]):
            raise EngineError(
                f"the engine {self.binary.path} is {hello['version']} of build {hello['build']}, and this package was built with "
                f"{want[0]} of build {want[1]}: install ein-lang again"
            )
        return f"{hello['version']}+{hello['build']}"

    def call(self, route: str, text: bytes, frames: Sequence[Buffer], timeout: float | None) -> Reply:
        call, n = _Call(), next(self.ids)
        sizes = f',"frames":{[len(f) for f in frames]}' if frames else ""
        head = f'{{"id":{n},"call":"{route}","body":{len(text)}{sizes}}}\n'.encode()
        self.waiting[n] = call
        watch = threading.Timer(timeout, self._expire, [call, n]) if timeout else None
        if watch:
            watch.daemon = True
            watch.start()
        try:
            with self.writing:
                if call.owner and call.owner.stopped:  # who stops it later finds it written
                    raise EngineError("the call was cancelled")
                self._write(head + text)
                for f in frames:
                    self._write(f)
            self._wait(call)
        except (OSError, ValueError):  # the pipe is broken, or closed
            self.kill()
        except EngineError:  # nothing was written
            raise
        except BaseException:  # an interrupt: nobody knows how much was read
            self.kill()
            raise
        finally:
            del self.waiting[n]
            if watch:
                watch.cancel()
        if call.late and call.reply and call.reply.status == _CANCELLED:  # it still waited for others: a run ends by itself
            return self.call(route, text, frames, timeout)
        if call.late and call.reply is None:
            raise EngineError(f"the engine was ended: it gave no answer within {timeout:g} s")
        if call.reply is None:
            raise _Died
        return call.reply

    def _write(self, data: Buffer) -> None:
        sent: int = self.to.write(data)
        while sent < len(data):
            sent += self.to.write(memoryview(data)[sent:])

    def _wait(self, call: _Call) -> None:
        while not call.done:
            if self.reading.acquire(blocking=False):
                try:
                    while not call.done:
                        self._deliver()
                finally:
                    self.reading.release()
                    for other in list(self.waiting.values()):
                        if other.wake and not other.done:  # it reads on
                            other.wake.set()
                            break
            elif call.wake is None:
                call.wake = threading.Event()  # and look again: nobody wakes who has none
            else:
                call.wake.wait()
                call.wake.clear()

    def _deliver(self) -> None:
        """Reads an answer for whom it is. All are done when the engine is gone."""
        try:
            if self.dead:
                raise EOFError
            head = self._line()
            body = self._take(head.get("body", 0))
            frames = [self._take(n) for n in head.get("frames", ())]
        except (EOFError, OSError, ValueError):
            self.dead = True
            for call in list(self.waiting.values()):
                self._finish(call, None)
            return
        if call := self.waiting.get(head["id"]):
            self._finish(call, Reply(head["status"], body, frames))

    def _finish(self, call: _Call, reply: Reply | None) -> None:
        call.reply, call.done = reply, True
        if call.wake:
            call.wake.set()

    def _line(self) -> dict[str, Any]:
        end = self.buffer.find(b"\n")
        while end < 0:
            seen = len(self.buffer)
            part = self._part(self.out.read, _READ)
            self.buffer += part
            end = self.buffer.find(b"\n", seen)
        end += 1
        return _decode(self._take(end).decode())

    def _take(self, n: int) -> bytearray:
        """The next n bytes. Those of a large frame are read to where they stay."""
        part = self.buffer[:n]
        del self.buffer[:n]
        have = len(part)
        if have < n:
            part += bytes(n - have)
            with memoryview(part) as view:
                while have < n:
                    have += self._part(self.out.readinto, view[have:])
        return part

    def _part(self, read: Any, what: Any) -> Any:
        """What a read gives, which looks again for a while before it sleeps."""
        part = read(what)
        if part is None:
            until = perf_counter() + _EAGER
            while (part := read(what)) is None:
                if perf_counter() > until:
                    self.ready.poll()
        if not part:
            raise EOFError
        return part

    def _expire(self, call: _Call, n: int) -> None:
        """Cancels a call that is late, or ends the engine if it does not do that."""
        if not call.done:
            call.late = True
            last = threading.Timer(_PATIENCE, lambda: call.done or self.kill())
            last.daemon = True
            last.start()
            self.cancel(n)

    def cancel(self, n: int) -> None:
        with contextlib.suppress(OSError, ValueError), self.writing:  # it is gone
            self._write(f'{{"id":{n},"cancel":true}}\n'.encode())

    def kill(self) -> None:
        self.dead = True
        self.popen.kill()

    def last_words(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired, ValueError):
            self.popen.wait(5)
            self.said.seek(max(0, self.said.seek(0, os.SEEK_END) - _STDERR))
            return self.said.read().decode(errors="replace").strip()
        return ""

    def forget(self) -> None:
        """Closes the pipes of an engine that belongs to a parent process."""
        self.to.close()
        self.out.close()
        self.said.close()
        self.popen.returncode = 0  # its end is not for this process to wait for

    def close(self) -> None:
        """Ends the engine, as the end of its input does."""
        with contextlib.suppress(OSError):
            self.to.close()
        try:
            self.popen.wait(5)
        except subprocess.TimeoutExpired:
            self.popen.kill()
            self.popen.wait()
        with self.reading:  # who reads sees the end
            self.out.close()
            self.said.close()


class Engine:
    """The engine of this process: started when it is needed, again when it has died, and
    anew in a child after a fork."""

    def __init__(self, flags: list[str] | None = None) -> None:
        self.lock = threading.Lock()
        self.process: _Process | None = None
        self.callers: set[int] = set()  # threads
        self.flags = flags or []  # of `ein serve`

    def start(self) -> _Process:
        """The running engine."""
        process = self.process
        if process and not process.dead:
            return process
        with self.lock:
            if self.process and self.process.dead:
                self.process.close()
                self.process = None
            if not self.process:
                self.process = _Process(_binary.find(), self.flags)
            return self.process

    def call(self, route: str, body: Any, frames: Sequence[Buffer] = (), timeout: float | None = None) -> Reply:
        """What the engine answers. A request over which it dies is tried once more."""
        text, thread = encode(body).encode(), threading.get_ident()
        if thread in self.callers:  # it would wait for locks of the call below it
            raise RuntimeError("a handler of signals asks the engine while it interrupts another call")
        self.callers.add(thread)
        try:
            return self.start().call(route, text, frames, timeout)
        except _Died:
            process = self.start()
            try:
                return process.call(route, text, frames, timeout)
            except _Died:
                raise EngineError(f"the engine died twice over one request: {process.last_words() or 'it said nothing'}") from None
        finally:
            self.callers.discard(thread)

    def stop(self, owner: Owner) -> None:
        """Cancels the calls of an owner, which asks no more."""
        owner.stopped = True
        if process := self.process:
            for n, call in list(process.waiting.items()):
                if call.owner is owner:
                    process.cancel(n)

    def close(self) -> None:
        with self.lock:
            if self.process:
                self.process.close()
                self.process = None

    def forked(self) -> None:
        if self.process:
            self.process.forget()
        self.__init__(self.flags)


engine = Engine()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=engine.forked)
atexit.register(engine.close)
