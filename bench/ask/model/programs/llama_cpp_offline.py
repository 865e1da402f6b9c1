"""Answers the requests of ein bench eval with a file of llama.cpp's format, one by one.

    ein bench eval --model 'exec:python3 llama_cpp_offline.py MODEL.gguf' ...
"""

import argparse

from protocol import messages, reply, serve

from llama_cpp import Llama

parser = argparse.ArgumentParser()
parser.add_argument("model")
parser.add_argument("--context", type=int, default=0, help="tokens; 0 is that of the model")
args = parser.parse_args()
llm = Llama(model_path=args.model, n_ctx=args.context, verbose=False)


def one(request):
    try:
        said = llm.create_chat_completion(messages(request), **request["params"])
    except ValueError as e:  # it is longer than the context
        return {"error": str(e)}
    choice, usage = said["choices"][0], said["usage"]
    return reply(choice["message"]["content"] or "", choice["finish_reason"] == "stop", usage["prompt_tokens"], usage["completion_tokens"])


serve(lambda requests: [one(r) for r in requests])
