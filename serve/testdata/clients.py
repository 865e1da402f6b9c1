"""Real clients against a server: clients.py NAME URL. What it is given on standard input
is one instance, with its answer."""

import asyncio
import json
import sys
from types import SimpleNamespace

name, url = sys.argv[1:3]
instance = json.load(sys.stdin)
right = json.dumps({"answer": instance["answer"]})
program = "```ein\n" + instance["ein_program"] + "\n```"


def nemo_gym():
    from verifiers.v1.tasksets.nemo_gym.taskset import NeMoGymConfig, NeMoGymTaskConfig, NeMoGymTaskset
    from verifiers.v1.tasksets.nemo_gym.toolset import NeMoGymState
    from verifiers.v1.types import AssistantMessage
    import pathlib
    import tempfile

    rows = [{"responses_create_params": {"input": [{"role": "user", "content": instance["question"]}]}, "id": instance["id"], "mode": mode, "mine": {"kept": 1}} for mode in ("direct", "ein", "python")]
    with tempfile.TemporaryDirectory() as folder:
        data = pathlib.Path(folder) / "rows.jsonl"
        data.write_text("".join(json.dumps(r) + "\n" for r in rows))
        tasks = list(NeMoGymTaskset(NeMoGymConfig(dataset=data, task=NeMoGymTaskConfig(resources_url=url))).load())

    async def score(task, reply):
        metrics = {}
        node = SimpleNamespace(message=AssistantMessage(content=reply), sampled=True, timestamp=0)
        trace = SimpleNamespace(id="t", state=NeMoGymState(), info={}, branches=[SimpleNamespace(nodes=[node])], record_metric=metrics.__setitem__)
        await task.setup(trace, None)
        return await task.nemo_gym(trace), metrics, trace.info["nemo_gym"]

    reward, metrics, info = asyncio.run(score(tasks[0], right))
    assert reward == 1.0 and metrics["strict"] == 1.0 and info["mine"] == {"kept": 1} and info["outcome"] == "strict", (reward, metrics, info)
    assert asyncio.run(score(tasks[0], '{"answer": -1}'))[0] == 0.0
    reward, metrics, _ = asyncio.run(score(tasks[1], program))
    assert reward == 1.0 and metrics["ops"] > 0, (reward, metrics)
    try:  # the server has no sandbox: that must not become a reward
        reward = asyncio.run(score(tasks[2], "print(1)"))
    except Exception as e:
        assert "503" in str(e), e
    else:
        raise AssertionError(f"a judge that failed is the reward {reward}")


def openenv():
    from openenv import GenericEnvClient

    async def play():
        async with GenericEnvClient(base_url=url) as env:
            first = await env.reset(id=instance["id"], mode="ein", episode_id="e1")
            assert not first.done and first.reward is None and first.observation["question"] == instance["question"], first
            tried = await env.step({"reply": ":print 1 + 1", "tool": "run"})
            assert not tried.done and tried.observation["result"] == "1 + 1 = 2\n", tried
            last = await env.step({"reply": program})
            assert last.done and last.reward == 1.0 and last.observation["outcome"] == "strict", last
            state = await env.state()
            assert state["episode_id"] == "e1" and state["step_count"] == 2, state
            try:
                await env.step({"reply": program})
            except RuntimeError as e:
                assert "VALIDATION_ERROR" in str(e), e
            else:
                raise AssertionError("a step after the end")
            drawn = await env.reset(seed=5)
            assert drawn.observation["id"].startswith("cb2-train-"), drawn
            await env.reset(id=instance["id"])
            assert (await env.step({"answer": instance["answer"]})).reward == 1.0
            await env.reset(id=instance["id"], mode="python")
            try:
                await env.step({"reply": "print(1)"})
            except RuntimeError as e:
                assert "EXECUTION_ERROR" in str(e), e
            else:
                raise AssertionError("a judge that failed has a reward")

    async def unknown(env):
        try:
            await env.call_tool("dance")
        except RuntimeError as e:
            assert "there is no tool" in str(e), e
        else:
            raise AssertionError("a tool that is none")

    async def agent():
        from openenv.core.env_server.mcp_types import CallToolAction
        from openenv.core.mcp_client import MCPToolClient

        async with MCPToolClient(base_url=url) as env:
            run, check = await env.list_tools()
            assert (run.name, check.name) == ("run", "check") and run.input_schema["required"] == ["program"], run
            assert await env.call_tool("run", program=":print 1 + 1") == "1 + 1 = 2\n"
            await env.reset(id=instance["id"])
            tried = await env.step(CallToolAction(tool_name="check", arguments={"program": ":print y"}))
            assert "there is no tensor `y`" in tried.observation.result and not tried.done, tried
            await unknown(env)

    async def production():
        from openenv.core.mcp_client import MCPToolClient

        async with MCPToolClient(base_url=url) as env:
            env.use_production_mode = True
            assert [t.name for t in await env.list_tools()] == ["run", "check"]
            assert await env.call_tool("run", program=":print 1 + 1") == "1 + 1 = 2\n"
            await unknown(env)

    def validated():
        from openenv.cli._validation import validate_running_environment

        report = validate_running_environment(url)
        assert report["passed"], report

    async def many():
        async def one(seed):
            async with GenericEnvClient(base_url=url) as env:
                await env.reset(seed=seed)
                assert (await env.step({"reply": "?"})).done

        await asyncio.gather(*(one(i) for i in range(100)))

    asyncio.run(play())
    asyncio.run(agent())
    asyncio.run(production())
    validated()
    asyncio.run(many())


def sandbox_fusion():
    from sandbox_fusion import RunCodeRequest, run_code

    out = run_code(RunCodeRequest(code="print(int(input()) + 1)", stdin="41\n", language="python"), endpoint=url, max_attempts=1)
    assert out.status == "Success" and out.run_result.stdout == "42\n", out
    out = run_code(RunCodeRequest(code="from __future__ import annotations\n1/0", language="python", stdin=""), endpoint=url, max_attempts=1)
    assert out.status == "Failed" and out.run_result.status == "Finished" and out.run_result.return_code == 1 and "ZeroDivisionError" in out.run_result.stderr, out
    out = run_code(RunCodeRequest(code="while True: pass", language="python", run_timeout=1), endpoint=url, max_attempts=1)
    assert out.status == "Failed" and out.run_result.status == "TimeLimitExceeded", out
    try:
        run_code(RunCodeRequest(code="fn main() {}", language="rust"), endpoint=url, max_attempts=1)
    except Exception as e:
        assert "there is no language" in str(e), e
    else:
        raise AssertionError("rust is run")


globals()[name]()
