"""The packages of the providers in front of litellm's proxy: a line of JSON for each text."""

import json
import sys

import anthropic
import openai
from google import genai
from google.genai import types

url, key, system, question = sys.argv[1:]
user = [{"role": "user", "content": question}]


def said(what, text):
    print(json.dumps({"what": what, "text": text}))


o = openai.OpenAI(api_key=key, base_url=url + "/v1", max_retries=0)
a = anthropic.Anthropic(api_key=key, base_url=url, max_retries=0)
g = genai.Client(api_key=key, http_options=types.HttpOptions(base_url=url, api_version="v1beta"))  # the proxy has no other
chat = [{"role": "system", "content": system}] + user
for model in "by-openai", "by-anthropic", "by-gemini":
    said("openai " + model, o.chat.completions.create(model=model, messages=chat).choices[0].message.content)
    parts = o.chat.completions.create(model=model, messages=chat, stream=True)
    said("openai stream " + model, "".join(c.choices[0].delta.content or "" for c in parts if c.choices))
    said("anthropic " + model, a.messages.create(model=model, max_tokens=4000, system=system, messages=user).content[-1].text)
    with a.messages.stream(model=model, max_tokens=4000, system=system, messages=user) as parts:
        said("anthropic stream " + model, "".join(parts.text_stream))
    config = types.GenerateContentConfig(system_instruction=system)
    said("gemini " + model, g.models.generate_content(model=model, contents=question, config=config).text)
    said("gemini stream " + model, "".join(c.text or "" for c in g.models.generate_content_stream(model=model, contents=question, config=config)))
said("responses", o.responses.create(model="by-openai", instructions=system, input=question).output_text)
