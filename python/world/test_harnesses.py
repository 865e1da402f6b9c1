"""The adapters, each with the real package."""

import asyncio
import json
import os
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest

from ein import _binary, bench


@pytest.fixture(scope="module", autouse=True)
def answers():
    bench.allow("heldout", answers=True)


def right(i, mode):
    return {"direct": json.dumps({"answer": i.answer}), "ein": f"```ein\n{i.ein_program}```"}[mode]


def test_verl():
    from ein import verl

    i = next(bench.generate(per_category=None))
    (row,) = verl.rows([i], "ein")
    truth = row["reward_model"]["ground_truth"]
    got = verl.compute_score(row["data_source"], right(i, "ein"), truth, extra_info=row["extra_info"], reward_router_address=None)
    assert got == {"score": 1, "acc": 1.0, "lenient": 1.0, "outcome": "strict"}
    assert verl.compute_score("closurebench", "no", truth)["score"] == 0


def test_skyrl():
    import skyrl_gym

    from ein import skyrl

    i = next(bench.generate(per_category=None))
    (row,) = skyrl.rows([i], "direct")
    env = skyrl_gym.make(row["env_class"], env_config={}, extras=row)
    prompt, _ = env.init(row["prompt"])
    assert prompt[-1]["content"] == i.question
    step = env.step(right(i, "direct"))
    assert (step["reward"], step["done"], step["metadata"]["outcome"]) == (1, True, "strict")


def test_reasoning_gym():
    import reasoning_gym

    import ein.reasoning_gym

    for mode in ("direct", "ein", "python"):
        data = reasoning_gym.create_dataset("closurebench", size=30, seed=7, mode=mode)
        assert len(data) == 30 and data[3]["question"] == data[3]["question"]
        entries = list(data) if mode != "python" else [data[0]]
        assert len({e["metadata"]["id"] for e in entries}) == len(entries)
        answers = [e["answer"] if mode == "direct" else f"```{mode}\n{e['answer']}```" for e in entries]
        assert [data.score_answer(a, e) for a, e in zip(answers, entries)] == [1] * len(entries)
        assert data.score_answer(None, entries[0]) == 0
    one = reasoning_gym.create_dataset("closurebench", size=3, categories="cousin")
    assert {e["metadata"]["category"] for e in one} == {"cousin"}
    spec = [{"name": n, "weight": 1, "config": {}} for n in ("closurebench", "family_relationships")]
    specs = [reasoning_gym.composite.DatasetSpec(**s) for s in spec]
    both = reasoning_gym.create_dataset("composite", size=20, seed=1, datasets=specs)
    got = [both.score_answer(e["answer"], e) for e in both]
    assert got == [1] * 20 and {e["metadata"]["source_dataset"] for e in both} == {"closurebench", "family_relationships"}


def test_inspect_ai(tmp_path):
    from inspect_ai import eval
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    from ein.inspect_ai import closurebench

    task = closurebench(mode="ein", per_category=1, categories="cousin,triangle_count,degree_count")
    replies = [f"```ein\n{bench.instance(s.id).ein_program}```" for s in task.dataset][:2] + ["I do not know."]

    def reply(text):
        output = ModelOutput.from_content("mockllm/model", text)
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)  # or it asks the network for a tokenizer
        return output

    model = get_model("mockllm/model", custom_outputs=[reply(r) for r in replies])
    (log,) = eval(task, model=model, display="none", log_dir=str(tmp_path), max_samples=1)
    assert log.status == "success", log.error
    metrics = {s.name: s.metrics["accuracy"].value for s in log.results.scores}
    assert metrics == {"strict": pytest.approx(2 / 3), "relaxed": pytest.approx(2 / 3), "lenient": pytest.approx(2 / 3)}


def test_inspect_ai_tool():
    from ein.inspect_ai import run_ein

    tool = run_ein(operations=1000)
    assert asyncio.run(tool(program="A = edges([[0,1],[1,2]])\nn = sum(A)")) == "n = 2"
    assert asyncio.run(tool(program="A = edges([[0,1],[1,2]])\n:print desc(A, 0)")) == "desc(A, 0) = {1, 2}"
    assert "E0202" in asyncio.run(tool(program="x = rech(1)"))
    assert "E0531" in asyncio.run(tool(program="A = edges([[0,400]])\n:print sum(tc(A))"))


def command(*args, **env):
    env = {**os.environ, "HF_HUB_OFFLINE": "1", **env}
    done = subprocess.run([sys.executable, "-m", *args], capture_output=True, text=True, env=env, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_inspect_finds_the_task(tmp_path):
    """By the name of the distribution's entry point, in a process of its own. There is no
    model: nothing is asked of none."""
    options = ["-T", "per_category=1", "-T", "categories=cousin", "-T", "mode=ein", "--no-score", "--display", "plain", "--log-dir", str(tmp_path)]
    command("inspect_ai", "eval", "ein/closurebench", "--model", "none/none", *options)
    assert list(tmp_path.glob("*closurebench*"))


def test_lm_eval(tmp_path):
    where = command("ein.lm_eval").strip()
    metadata = json.dumps({"mode": "direct", "per_category": 1})
    command("lm_eval", "--include_path", where, "--tasks", "closurebench", "--model", "dummy", "--metadata", metadata, "--output_path", str(tmp_path), "--log_samples")
    (results,) = tmp_path.rglob("results_*.json")
    got = json.loads(results.read_text())["results"]["closurebench"]
    assert got["strict,none"] == 0 and got["lenient,none"] == 0
    (samples,) = tmp_path.rglob("samples_*.jsonl")
    first = json.loads(samples.read_text().splitlines()[0])
    assert first["doc"]["prompt"].startswith(bench.prompt("direct")) and len(samples.read_text().splitlines()) == 26
    from ein.lm_eval import utils

    assert utils.process_results(first["doc"], ['{"answer": ' + first["doc"]["answer"] + "}"]) == {"strict": 1, "relaxed": 1, "lenient": 1}


def test_verifiers():
    import verifiers.v1 as vf

    from closurebench import ClosureBenchTaskset

    config = vf.taskset_config_type("closurebench")(id="closurebench", mode="direct", categories=["cousin"])
    tasks = list(islice(vf.load_taskset(config), 3))
    assert isinstance(vf.load_taskset(config), ClosureBenchTaskset)
    assert tasks[0].data.prompt == bench.instance(tasks[0].data.id).question and tasks[0].data.system_prompt == bench.prompt("direct")


def test_prime_rl():
    """What prime-rl hands to verifiers. It is not on PyPI itself, so that nobody reads the rest here."""
    import tomllib

    import verifiers.v1 as vf

    recipe = Path(__file__).parents[2] / "recipes" / "prime-rl.toml"
    (source,) = tomllib.loads(recipe.read_text())["orchestrator"]["train"]["source"]
    assert vf.resolve_env_field(source)["env"].taskset.mode == "ein"


def test_vf_eval(tmp_path):
    """The command of verifiers, from end to end: a provider answers as an oracle does."""
    instances = tmp_path / "instances.jsonl"
    names = ["cousin", "triangle_count"]
    asked = bench.generate(per_category=2, categories=names)
    instances.write_text("".join(json.dumps(dict(i.fields)) + "\n" for i in asked))
    run = [
        *("bench", "fake-provider", "--instances", str(instances), "--model-behaviour", "oracle-ein", "--"),
        *(sys.executable, "-c", "from verifiers.v1.cli.eval.main import main; main()", "closurebench", "-m", "gpt-6.2-sol"),
        *("--client.base-url", "{openai}", "--client.api-key-var", "OPENAI_API_KEY", "--no-push", "-o", str(tmp_path / "out")),
        *("--env.taskset.categories", json.dumps(names), "--env.agent.runtime.type", "subprocess", "--env.agent.harness.id", "null"),
        *("--select.limit", "4"),
    ]
    done = subprocess.run([_binary.find().path, *run], capture_output=True, text=True, timeout=300, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    (traces,) = tmp_path.rglob("traces.jsonl")
    assert len(traces.read_text().splitlines()) == 4
    assert "reward 1.00 · err 0.00" in done.stdout, done.stdout
