"""Answers the requests of ein bench eval with transformers, as many at once as --batch says.

    ein bench eval --model 'exec:python3 transformers_offline.py MODEL' --batch 32 --max-tokens 1024 ...

Without --max-tokens a reply has at most 1,024 tokens.
"""

import argparse
import json

from protocol import messages, reply, serve

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

parser = argparse.ArgumentParser()
parser.add_argument("model")
parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
args = parser.parse_args()
tokenizer = AutoTokenizer.from_pretrained(args.model, padding_side="left")
if tokenizer.pad_token is None:
    tokenizer.pad_token = tokenizer.eos_token
model = AutoModelForCausalLM.from_pretrained(args.model, torch_dtype="auto").to(args.device).eval()


def generate(requests, params):
    """Replies to requests that all have the same parameters."""
    texts = [tokenizer.apply_chat_template(messages(r), tokenize=False, add_generation_prompt=True) for r in requests]
    encoded = tokenizer(texts, return_tensors="pt", padding=True, add_special_tokens=False).to(args.device)
    most = params.get("max_tokens", 1024)
    how = {"max_new_tokens": most, "pad_token_id": tokenizer.pad_token_id}
    if params.get("temperature") == 0:
        how["do_sample"] = False
    elif "temperature" in params or "top_p" in params:
        how.update({"do_sample": True}, **{name: params[name] for name in ("temperature", "top_p") if name in params})
    if params.get("stop"):
        how.update(stop_strings=params["stop"], tokenizer=tokenizer)
    if "seed" in params:
        torch.manual_seed(params["seed"])
    with torch.no_grad():
        output = model.generate(**encoded, **how)
    start = encoded["input_ids"].shape[1]
    ends = model.generation_config.eos_token_id
    ends = set(ends if isinstance(ends, list) else [ends])
    replies = []
    for i, tokens in enumerate(output[:, start:].tolist()):
        end = next((k for k, token in enumerate(tokens) if token in ends), None)
        if end is not None:
            tokens = tokens[: end + 1]
        else:  # what pads it behind a stop sequence is not its own
            while tokens and tokens[-1] == tokenizer.pad_token_id:
                tokens.pop()
        text = tokenizer.decode(tokens, skip_special_tokens=True)
        stopped = end is not None
        for stop in params.get("stop") or []:
            if stop in text:
                text, stopped = text[: text.index(stop)], True
        replies.append(reply(text, stopped, int(encoded["attention_mask"][i].sum()), len(tokens)))
    return replies


def answer(requests):
    groups = {}
    for i, r in enumerate(requests):
        groups.setdefault(json.dumps(r["params"], sort_keys=True), []).append(i)
    replies = [None] * len(requests)
    for params, places in groups.items():
        for i, said in zip(places, generate([requests[i] for i in places], json.loads(params))):
            replies[i] = said
    return replies


serve(answer)
