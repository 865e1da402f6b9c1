"""Asks a server that speaks the formats of the providers with their own SDKs.

Arguments: the address, the key, a system prompt, a question. Prints a line of JSON for
each request: what it is, and the text that came. A request that fails ends the program.
"""

import io
import json
import sys
import warnings

import anthropic
import openai
from google import genai
from google.genai import types

warnings.simplefilter("ignore", DeprecationWarning)
url, key, system, question = sys.argv[1:]


def said(what, text, thought=None):
    print(json.dumps({"what": what, "text": text, "thought": thought}))


def refused(what, error, ask):
    try:
        ask()
    except error as e:
        said(what, str(getattr(e, "status_code", None) or getattr(e, "code", None)))
    else:
        sys.exit(what + " is not refused")


# OpenAI: chat completions and responses.
o = openai.OpenAI(api_key=key, base_url=url + "/v1", max_retries=0)
ids = [m.id for m in o.models.list()]
assert "gpt-4.1" in ids and o.models.retrieve("gpt-4.1").id == "gpt-4.1", ids
parts = [{"role": "developer", "content": [{"type": "text", "text": system}]},
         {"role": "user", "content": [{"type": "text", "text": question}]}]
plain = [{"role": "system", "content": system}, {"role": "user", "content": question}]
r = o.chat.completions.create(model="gpt-4.1", messages=plain)
assert r.usage.total_tokens == r.usage.prompt_tokens + r.usage.completion_tokens
said("openai", r.choices[0].message.content)
r = o.chat.completions.create(
    model="gpt-4.1", messages=parts, n=2, temperature=0, seed=7, stop="\n\n\n", response_format={"type": "json_object"},
    tools=[{"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}],
    service_tier="flex", user="me", metadata={"a": "b"}, store=False)
assert len(r.choices) == 2, r
said("openai parts", r.choices[1].message.content)
text = ""
for c in o.chat.completions.create(model="gpt-4.1", messages=plain, stream=True, stream_options={"include_usage": True}):
    text += (c.choices[0].delta.content or "") if c.choices else ""
    usage = c.usage
assert usage.completion_tokens > 0, usage
said("openai stream", text)
r = o.responses.create(model="gpt-4.1", instructions=system, input=question, store=False)
assert r.usage.total_tokens > 0 and r.status == "completed", r
said("openai responses", r.output_text)
low = {"effort": "low", "summary": "auto"}
typed = [{"role": p["role"], "content": [{"type": "input_text", "text": p["content"][0]["text"]}]} for p in parts]
r = o.responses.create(model="gpt-5.1", input=typed, reasoning=low, text={"format": {"type": "json_object"}})
said("openai responses parts", r.output_text, [s.text for i in r.output if i.type == "reasoning" for s in i.summary])
with o.responses.stream(model="gpt-5.1", instructions=system, input=question, reasoning=low) as s:
    for _ in s:
        pass
    said("openai responses stream", s.get_final_response().output_text)
lines = [{"custom_id": str(i), "method": "POST", "url": "/v1/chat/completions", "body": {"model": m, "messages": plain}}
         for i, m in enumerate(["gpt-4.1", "nothing"])]
f = o.files.create(file=("in.jsonl", "\n".join(map(json.dumps, lines)).encode()), purpose="batch")
b = o.batches.create(input_file_id=f.id, endpoint="/v1/chat/completions", completion_window="24h", metadata={"a": "b"})
assert [x.metadata for x in o.batches.list(limit=1) if x.id == b.id] == [{"a": "b"}], b
b = o.batches.retrieve(b.id)
assert b.status == "completed" and b.request_counts.completed == 1 and b.request_counts.total == 2, b
r = json.loads(o.files.content(b.output_file_id).text)
said("openai batch", r["response"]["body"]["choices"][0]["message"]["content"])
assert json.loads(o.files.content(b.error_file_id).text)["response"]["status_code"] == 404, b
assert o.batches.cancel(b.id).status == "completed"
refused("openai wrong key", openai.AuthenticationError,
        lambda: openai.OpenAI(api_key="wrong", base_url=url + "/v1", max_retries=0).models.list())
refused("openai no model", openai.NotFoundError, lambda: o.chat.completions.create(model="nothing", messages=plain))
refused("openai temperature", openai.BadRequestError, lambda: o.responses.create(model="o3", input=question, temperature=0))

# Anthropic: messages.
a = anthropic.Anthropic(api_key=key, base_url=url, max_retries=0)
new = "claude-opus-5"
ids = [m.id for m in a.models.list()]
assert new in ids and a.models.retrieve(new).id == new, ids
user = [{"role": "user", "content": question}]
block = [{"role": "user", "content": [{"type": "text", "text": question}]}]
assert a.messages.count_tokens(model=new, system=system, messages=user).input_tokens > 0
said("anthropic", a.messages.create(model=new, max_tokens=4000, system=system, messages=user).content[-1].text)
r = a.messages.create(
    model=new, max_tokens=4000, messages=block, system=[{"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}],
    thinking={"type": "adaptive", "display": "summarized"}, output_config={"effort": "low"}, service_tier="standard_only",
    metadata={"user_id": "me"}, tools=[{"name": "f", "description": "x", "input_schema": {"type": "object", "properties": {}}}])
said("anthropic blocks", r.content[-1].text, [b.thinking for b in r.content if b.type == "thinking"])
with a.messages.stream(model=new, max_tokens=4000, system=system, messages=user, thinking={"type": "adaptive"}) as s:
    text = "".join(s.text_stream)
    r = s.get_final_message()
assert r.content[-1].text == text and r.stop_reason == "end_turn" and r.usage.output_tokens > 0, r
said("anthropic stream", text)
b = a.messages.batches.create(requests=[{"custom_id": m, "params": {"model": m, "max_tokens": 4000, "system": system, "messages": user}} for m in (new, "nothing")])
assert b.id in [x.id for x in a.messages.batches.list(limit=1)]
b = a.messages.batches.retrieve(b.id)
assert b.processing_status == "ended" and b.request_counts.succeeded == 1 and b.request_counts.errored == 1, b
r = {x.custom_id: x.result for x in a.messages.batches.results(b.id)}
said("anthropic batch", r[new].message.content[-1].text)
assert r["nothing"].type == "errored" and r["nothing"].error.error.type == "not_found_error", r
assert a.messages.batches.cancel(b.id).processing_status == "ended"
refused("anthropic wrong key", anthropic.AuthenticationError,
        lambda: anthropic.Anthropic(api_key="wrong", base_url=url, max_retries=0).models.list())
refused("anthropic no model", anthropic.NotFoundError, lambda: a.messages.create(model="nothing", max_tokens=1, messages=user))
refused("anthropic temperature", anthropic.BadRequestError,
        lambda: a.messages.create(model=new, max_tokens=1, messages=user, extra_body={"temperature": 0}))

# Gemini: generateContent.
g = genai.Client(api_key=key, http_options=types.HttpOptions(base_url=url))
name = "gemini-2.5-flash"
ids = [m.name for m in g.models.list()]
assert "models/" + name in ids and g.models.get(model=name).name == "models/" + name, ids
config = types.GenerateContentConfig(system_instruction=system)
assert g.models.count_tokens(model=name, contents=question).total_tokens > 0
said("gemini", g.models.generate_content(model=name, contents=question, config=config).text)
r = g.models.generate_content(
    model=name, contents=[types.Content(role="user", parts=[types.Part(text=question)])],
    config=types.GenerateContentConfig(
        system_instruction=[system], temperature=0, top_k=3, seed=7, candidate_count=1, max_output_tokens=4000,
        response_mime_type="application/json", thinking_config=types.ThinkingConfig(include_thoughts=True, thinking_budget=1000),
        safety_settings=[types.SafetySetting(category="HARM_CATEGORY_HARASSMENT", threshold="OFF")]))
said("gemini parts", r.text, [p.text for p in r.candidates[0].content.parts if p.thought])
said("gemini stream", "".join(c.text or "" for c in g.models.generate_content_stream(model=name, contents=question, config=config)))
inlined = [types.InlinedRequest(contents=question, config=types.GenerateContentConfig(system_instruction=system), metadata={"key": "x"})]
b = g.batches.create(model=name, src=inlined, config=types.CreateBatchJobConfig(display_name="ours"))
assert (b.name, "ours") in [(x.name, x.display_name) for x in g.batches.list(config={"page_size": 1})]
b = g.batches.get(name=b.name)
assert b.state.name == "JOB_STATE_SUCCEEDED", b
said("gemini batch", b.dest.inlined_responses[0].response.text)
lines = [{"key": k, "request": {"contents": [{"parts": [{"text": question}]}], "systemInstruction": {"parts": [{"text": system}]}, **more}}
         for k, more in (("x", {}), ("y", {"nothing": 1}))]
f = g.files.upload(file=io.BytesIO("\n".join(map(json.dumps, lines)).encode()), config=types.UploadFileConfig(display_name="in", mime_type="application/jsonl"))
b = g.batches.create(model=name, src=f.name, config=types.CreateBatchJobConfig(display_name="by file"))
b = g.batches.get(name=b.name)
assert b.state.name == "JOB_STATE_SUCCEEDED", b
r = {x["key"]: x for x in map(json.loads, g.files.download(file=b.dest.file_name).splitlines())}
said("gemini batch by file", r["x"]["response"]["candidates"][0]["content"]["parts"][0]["text"])
assert r["y"]["error"]["code"] == 3, r
wrong = genai.Client(api_key="wrong", http_options=types.HttpOptions(base_url=url))
refused("gemini wrong key", genai.errors.ClientError, lambda: wrong.models.generate_content(model=name, contents="x"))
refused("gemini no model", genai.errors.ClientError, lambda: g.models.generate_content(model="nothing", contents="x"))
