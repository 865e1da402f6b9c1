"""Reinforcement after a few programs: what questions alone add to them.

    python reinforce.py --ein EIN --out DIR [--sizes 300] [--seeds 42,137,256] [--grpo 300]

The model from scratch of run.py, trained on the programs of a few questions, goes on with GRPO of
TRL on other questions of the training side, whose programs it is never shown: what it writes is
worth 1 if the run gives the answer, else 0. The cells are asked before and after. The folder, the
table and the other options are those of run.py; what is there is not made again. The package ein
scores, with the engine that EIN_BINARY names.
"""

import json
import math
import os

import run

LONGEST = 96  # tokens of a program


def reward(nodes):
    """What programs with labels are worth."""
    from ein import bench

    def worth(completions, id, **_):
        items = [bench.Item(q, run.numbered(nodes[q], bench.text_of(c)), "ein") for q, c in zip(id, completions, strict=True)]
        return [s.reward for s in bench.score_many(items)]

    return worth


def reinforce(a, size, seed):
    """Rows of the table: after supervision, and after reinforcement."""
    target = "ein-labels"
    rows = [r for r in run.cell(a, size, seed, target) if r["last"]]
    at, _, cells, asked = run.data(a, size, seed)
    what, categories = run.questions(a)
    more = run.step(os.path.join(at, "more.jsonl"), lambda to: run.sh(
        a.ein, "bench", "generate", "--split", "train_more", "--seed", str(seed), "--per-category", str(math.ceil(a.more / len(categories))), *what,
        "--categories", ",".join(categories), "-o", to))
    out = os.path.join(at, "grpo")
    checkpoint = os.path.join(out, f"checkpoint-{a.grpo}")
    first = os.path.join(at, target, "checkpoints", f"checkpoint-{rows[0]['steps']}")
    if not os.path.exists(os.path.join(checkpoint, "trainer_state.json")):
        train(a, seed, more, first, out)
    runs = os.path.join(out, "run")
    run.evaluate(a, checkpoint, asked, target, LONGEST, runs)
    report = json.loads(run.sh(a.ein, "bench", "memorization", "--cells", cells, "--json", runs))
    rows.append({"size": size, "seed": seed, "target": "grpo", "steps": a.grpo, "last": True, "gap": report["epochs"][0]["gaps"][0]["interval"], "cells": run.shares(runs, asked)})
    return rows


def train(a, seed, questions, model, out):
    from datasets import Dataset
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from transformers.trainer_utils import get_last_checkpoint
    from trl import GRPOConfig, GRPOTrainer

    asked = run.lines(questions)
    config = GRPOConfig(
        output_dir=out, seed=seed, max_steps=a.grpo, save_steps=math.ceil(a.grpo / 3), logging_steps=5, report_to=[], disable_tqdm=True,
        per_device_train_batch_size=8 * a.prompts, num_generations=8, max_completion_length=LONGEST, learning_rate=a.rate, warmup_steps=5,
        use_cpu=a.device == "cpu", bf16=False, gradient_checkpointing=False,
    )
    trainer = GRPOTrainer(
        model=AutoModelForCausalLM.from_pretrained(model), processing_class=AutoTokenizer.from_pretrained(model), args=config,
        reward_funcs=reward({x["id"]: x["nodes"] for x in asked}), callbacks=[run.log(f"grpo, seed {seed}", "reward")],
        train_dataset=Dataset.from_list([{"prompt": [{"role": "user", "content": x["question"]}], "id": x["id"]} for x in asked]),
    )
    trainer.train(resume_from_checkpoint=get_last_checkpoint(out) if os.path.isdir(out) else None)


def main():
    parser = run.arguments(__doc__)
    parser.set_defaults(sizes="300")
    parser.add_argument("--grpo", type=int, default=300, help="steps of reinforcement")
    parser.add_argument("--prompts", type=int, default=64, help="questions of a step, with 8 programs each")
    parser.add_argument("--rate", type=float, default=3e-4, help="of learning by it")
    parser.add_argument("--more", type=int, default=3000, help="questions of reinforcement")
    a = parser.parse_args()
    if not a.out:
        parser.error("--out is needed")
    a.targets, rows = ["ein-labels"], []
    for seed in map(int, a.seeds.split(",")):
        for size in map(int, a.sizes.split(",")):
            rows += reinforce(a, size, seed)
            run.write(os.path.join(a.out, "table.json"), json.dumps(rows, indent=1) + "\n")
            run.tables(rows)


if __name__ == "__main__":
    main()
