"""litellm's own library in front of a provider: a line of JSON for each text."""

import json
import sys

import litellm

url, key, system, question = sys.argv[1:]
chat = [{"role": "system", "content": system}, {"role": "user", "content": question}]
for model, base in ("openai/gpt-4o", "/v1"), ("anthropic/claude-haiku-4-5", ""), ("gemini/gemini-2.5-flash", "/v1beta"):
    how = {"model": model, "messages": chat, "api_base": url + base, "api_key": key}
    print(json.dumps({"what": model, "text": litellm.completion(**how).choices[0].message.content}))
    parts = litellm.completion(**how, stream=True)
    print(json.dumps({"what": model + " stream", "text": "".join(c.choices[0].delta.content or "" for c in parts)}))
