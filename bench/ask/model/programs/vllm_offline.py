"""Answers the requests of ein bench eval with vLLM, as many at once as --batch says.

    ein bench eval --model 'exec:python3 vllm_offline.py MODEL' --batch 1000 ...

Options of vllm.LLM are given as a JSON object: --options '{"tensor_parallel_size": 2}'.
"""

import argparse
import json

from protocol import messages, reply, serve

from vllm import LLM, SamplingParams

parser = argparse.ArgumentParser()
parser.add_argument("model")
parser.add_argument("--options", type=json.loads, default={})
args = parser.parse_args()
llm = LLM(model=args.model, **args.options)
usual = llm.get_default_sampling_params()  # of the model
usual = {name: getattr(usual, name) for name in ("temperature", "top_p", "top_k", "min_p", "repetition_penalty")}


def answer(requests):
    # Without max_tokens a reply may be as long as the context; vLLM's own default is 16.
    params = [SamplingParams(**{**usual, "max_tokens": None, **r["params"]}) for r in requests]
    outputs = llm.chat([messages(r) for r in requests], params, use_tqdm=False)
    return [reply(o.outputs[0].text, o.outputs[0].finish_reason == "stop", len(o.prompt_token_ids), len(o.outputs[0].token_ids)) for o in outputs]


serve(answer)
