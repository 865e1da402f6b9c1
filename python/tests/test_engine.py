"""The process behind the package: threads, forks, deaths."""

import asyncio
import contextvars
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import ein
from ein import _binary, _program
from ein._engine import engine

_engine = sys.modules["ein._engine"]  # in the package the name is that of an object

N = "input A: graph\nn = sum(A)"


SLOW = "input A: graph\n:print betweenness(A)"


def chain(n):
    return [(i, i + 1) for i in range(n)]


def dense(n=1000):
    return np.triu(np.ones((n, n), np.bool_), 1)


def test_threads_share_one_engine():
    pid = engine.start().popen.pid
    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(lambda i: ein.run(N, A=chain(i % 50 + 1)).n, range(2000))) == [i % 50 + 1 for i in range(2000)]
    assert engine.start().popen.pid == pid


def test_a_slow_answer_holds_nobody_up():
    """Who reads for all hands over when its own answer has come, and others get theirs
    while it waits."""
    slow = threading.Thread(target=lambda: ein.run(SLOW, A=dense()))
    slow.start()
    answered = 0
    while slow.is_alive():
        assert ein.run(N, A=chain(3)).n == 3
        answered += 1
    assert answered > 10


def test_a_dead_engine_is_started_again():
    ein.run(N, A=chain(1))
    old = engine.start().popen
    old.kill()
    assert ein.run(N, A=chain(2)).n == 2
    assert engine.start().popen.pid != old.pid


def test_an_engine_that_dies_under_a_request():
    def end_it():
        time.sleep(0.2)
        engine.start().popen.kill()

    ein.run(N, A=chain(1))
    old = engine.start().popen.pid
    killer = threading.Thread(target=end_it)
    killer.start()
    assert ein.run(SLOW, A=dense())["betweenness(A)"].shape == (1000,)
    killer.join()
    assert engine.start().popen.pid != old


def child(queue):
    queue.put((ein.run(N, A=chain(5)).n, engine.start().popen.pid))


def test_fork():
    ein.run(N, A=chain(1))
    parent = engine.start().popen.pid
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    children = [context.Process(target=child, args=(queue,)) for _ in range(3)]
    for c in children:
        c.start()
    got = [queue.get(timeout=60) for _ in children]
    for c in children:
        c.join()
    assert [n for n, _ in got] == [5, 5, 5] and len({pid for _, pid in got} | {parent}) == 4
    assert ein.run(N, A=chain(7)).n == 7 and engine.start().popen.pid == parent


@pytest.mark.parametrize("asked", ["pass", f"ein.run({SLOW!r}, A=numpy.triu(numpy.ones((6000, 6000), bool), 1))"])
def test_the_engine_ends_with_python(asked):
    """It does not go on with what it was asked, as after the restart of a notebook."""
    code = f"""
import ein, numpy, os, threading, time
from ein._engine import engine
print(engine.start().popen.pid, flush=True)
threading.Thread(target=lambda: exec({asked!r}, globals()), daemon=True).start()
time.sleep(2)
os._exit(1)
"""
    pid = int(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout)
    for _ in range(600):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    pytest.fail(f"the engine {pid} lives on")


def test_an_interrupt():
    code = """
import ein, numpy, threading, signal, os, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
ein.run("x = 1")
a = numpy.triu(numpy.ones((1500, 1500), bool), 1)
try:
    threading.Thread(target=lambda: (time.sleep(0.5), os.kill(os.getpid(), signal.SIGINT)), daemon=True).start()
    ein.run("input A: graph\\n:print betweenness(A)", A=a)
except KeyboardInterrupt:
    print("interrupted", ein.run("x = 2").x)
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600)
    assert out.stdout == "interrupted 2\n", out


def test_a_call_in_a_handler_of_signals():
    """It would wait for locks that the call has which it interrupts."""
    code = """
import ein, numpy, signal
def handler(*_):
    ein.run("x = 2")
signal.signal(signal.SIGALRM, handler)
a = numpy.triu(numpy.ones((1500, 1500), bool), 1)
ein.run("x = 1")
signal.setitimer(signal.ITIMER_REAL, 0.3)
try:
    ein.run("input A: graph\\n:print betweenness(A)", A=a)
except RuntimeError as e:
    print(e, ein.run("x = 3").x)
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600)
    assert out.stdout == "a handler of signals asks the engine while it interrupts another call 3\n", out


def test_time_limits():
    with pytest.raises(ein.LimitError, match="E0533"):
        ein.run(SLOW, A=dense(), limits=ein.Limits(seconds=0.05))


def test_a_limit_is_not_of_the_wait(monkeypatch):
    """A call that waits for others longer than it may run ends neither them nor the engine."""
    monkeypatch.setattr(_program, "_GRACE", 0.1)
    pid = engine.start().popen.pid
    others = [threading.Thread(target=lambda: ein.run(SLOW, A=dense())) for _ in range(2 * _engine._processors())]
    for t in others:
        t.start()
    time.sleep(0.2)
    assert ein.run(N, A=chain(3), limits=ein.Limits(seconds=0.1)).n == 3
    for t in others:
        t.join()
    assert engine.start().popen.pid == pid


def test_an_engine_that_does_not_answer(monkeypatch):
    monkeypatch.setattr(_engine, "_PATIENCE", 0.3)
    ein.run("x = 1")
    process = engine.start()
    os.kill(process.popen.pid, signal.SIGSTOP)
    os.waitpid(process.popen.pid, os.WUNTRACED)  # until then it may answer
    with pytest.raises(ein.EngineError, match="no answer within 0.3 s"):
        engine.call("GET /version", {}, (), 0.3)
    assert ein.run("x = 1").x == 1


def fake(tmp_path, monkeypatch, script):
    path = tmp_path / "ein"
    path.write_text("#!/bin/sh\n" + script)
    path.chmod(0o755)
    monkeypatch.setattr(_binary, "find", lambda: _binary.Binary(str(path), "0.1.0", "abc"))
    engine.close()


@pytest.mark.parametrize(
    "script, message",
    [
        ("echo 'no such verb' >&2; exit 2", "does not start: no such verb"),
        ("""echo '{"ein":{"protocol":1,"version":"0.1.0","build":"def","language":"1"}}'""", "is 0.1.0 of build def, and this package was built with 0.1.0 of build abc"),
        ("""echo '{"ein":{"protocol":9,"version":"0.1.0","build":"abc","language":"1"}}'""", "speaks protocol 9"),
        ("""echo '{"ein":{"protocol":1,"version":"0.1.0","build":"abc","language":"1"}}'; echo 'out of memory' >&2""", "died twice over one request: out of memory"),
    ],
)
def test_engines_that_are_none(tmp_path, monkeypatch, script, message):
    fake(tmp_path, monkeypatch, script)
    with pytest.raises(ein.EngineError, match=message):
        ein.run("x = 1")
    engine.close()


def test_no_engine(tmp_path, monkeypatch):
    monkeypatch.setattr(_binary, "_FOLDER", tmp_path)
    monkeypatch.delenv("EIN_BINARY", raising=False)
    with pytest.raises(ein.EngineError, match="has no engine"):
        _binary.find()
    monkeypatch.setenv("EIN_BINARY", "/nowhere/ein")
    engine.close()
    with pytest.raises(ein.EngineError, match="/nowhere/ein does not start: No such file"):
        ein.run("x = 1")


def test_no_folder_for_temporary_files(tmp_path, monkeypatch):
    engine.close()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
    with pytest.raises(ein.EngineError, match="does not start: No such file"):
        ein.run("x = 1")
    monkeypatch.undo()
    assert ein.run("x = 1").x == 1


def test_the_command():
    for command in ([sys.executable, "-m", "ein"], [_binary.find().path]):
        out = subprocess.run([*command, "version"], capture_output=True, text=True)
        assert out.returncode == 0 and out.stdout.startswith("ein 0.") and ein.version().partition("+")[2] in out.stdout


def test_asyncio():
    from ein import aio

    async def main():
        return await asyncio.gather(*(aio.run(N, A=chain(i)) for i in range(1, 30)))

    assert [r.n for r in asyncio.run(main())] == list(range(1, 30))


def test_a_task_that_is_cancelled():
    """Its run ends, and others have the processors."""
    from ein import aio

    async def all():
        for _ in range(2 * _engine._processors()):
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(aio.run(SLOW, A=dense(3000)), 0.5)
        start = time.monotonic()
        assert (await aio.run(N, A=chain(3))).n == 3
        assert time.monotonic() - start < 10

    async def one():
        this = asyncio.current_task()
        assert this
        asyncio.get_running_loop().call_later(0.2, this.cancel)
        with pytest.raises(asyncio.CancelledError):
            await aio.run(SLOW, A=dense(3000))
        assert ein.run(N, A=chain(3)).n == 3  # whoever goes on may ask again

    asyncio.run(all())
    asyncio.run(one())


def test_a_cancellation_does_not_hold_up_the_loop(monkeypatch):
    """It waits for whoever writes to the engine, such as another task with large data."""
    from ein import aio

    written, waited = threading.Event(), threading.Event()
    stop = engine.stop
    monkeypatch.setattr(engine, "stop", lambda owner: (written.wait(10) and waited.set(), stop(owner)))

    async def main():
        task = asyncio.create_task(aio.run(N, A=chain(3)))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        written.set()

    asyncio.run(main())
    assert waited.wait(10)


def test_a_call_that_is_stopped_while_it_waits_to_be_sent():
    """It is not sent: its cancellation, which went before it, would have been for nobody."""
    process = engine.start()
    owner = _engine.Owner()
    token = _engine.owner.set(owner)
    context = contextvars.copy_context()
    _engine.owner.reset(token)
    with ThreadPoolExecutor(1) as pool:
        with process.writing:
            call = pool.submit(context.run, lambda: ein.run(N, A=chain(3)))
            while not process.waiting:
                time.sleep(0.001)
            owner.stopped = True
        with pytest.raises(ein.EngineError, match="cancelled"):
            call.result()
    assert engine.start() is process and ein.run(N, A=chain(3)).n == 3


def test_errors_can_be_pickled():
    with pytest.raises(ein.CheckError) as e:
        ein.run("x = y")
    again = pickle.loads(pickle.dumps(e.value))
    assert str(again) == str(e.value) and again.diagnostics == e.value.diagnostics


@pytest.mark.parametrize(
    ("without", "kind"), [(["numpy", "scipy", "networkx", "pandas"], "list"), (["scipy", "networkx", "pandas"], "ndarray")]
)
def test_without_the_libraries(without: list[str], kind: str):
    """No library is needed: without NumPy values are numbers and lists."""
    code = f"""
import sys
for name in {without}:
    sys.modules[name] = None
import importlib.util
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *a: None if name in {without} else find(name, *a)
import ein
r = ein.run("input A: graph\\nT = tc(A)\\nM = mst(A)\\n:print T, sum(A), M", A=[(0, 1), (1, 2), (2, 1)])
print(type(r["M"]).__name__, *(r.output(name).tolist() for name in r), list(map(list, r["M"])) == r.output("M").tolist())
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    lists = "[[False, True, True], [False, True, True], [False, True, True]] 3 [[False, True, False], [False, False, True], [False, False, False]]"
    assert out.stdout == f"{kind} {lists} True\n", out.stderr
