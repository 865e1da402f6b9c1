"""The protocol of exec: a line of JSON in, a line of JSON out; for a list, a list."""

import json
import os
import sys

PARAMS = {"temperature", "top_p", "max_tokens", "seed", "stop"}

# What libraries print is no reply: from here on it goes to standard error.
out = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)


def serve(answer):
    """Answers what stands on standard input. The function gets a list of requests and gives
    as many replies, in the same order."""
    for line in sys.stdin:
        asked = json.loads(line)
        many = isinstance(asked, list)
        requests = asked if many else [asked]
        unknown = sorted({name for r in requests for name in r["params"]} - PARAMS)
        if unknown:
            replies = [{"error": "this program does not know " + ", ".join(unknown), "class": "denied"}] * len(requests)
        else:
            replies = [{"id": r["id"], **said} for r, said in zip(requests, answer(requests), strict=True)]
        print(json.dumps(replies if many else replies[0]), file=out, flush=True)


def messages(request):
    """A request as the messages of a chat."""
    system = [{"role": "system", "content": request["system"]}] if request["system"] else []
    return system + [{"role": "user", "content": request["user"]}]


def reply(text, whole, prompt, output):
    """A reply; not whole is one that the budget has cut off. The numbers are of tokens."""
    return {"reply": text, "finish": "stop" if whole else "length", "usage": {"input": prompt, "output": output}}
