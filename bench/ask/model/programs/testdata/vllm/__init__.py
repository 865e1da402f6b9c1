"""As much of vLLM as the program for it uses: it says what it was asked."""

from types import SimpleNamespace as Some


class SamplingParams:
    def __init__(self, temperature=1.0, top_p=1.0, top_k=0, min_p=0.0, repetition_penalty=1.0, max_tokens=16, seed=None, stop=None):
        self.__dict__.update({k: v for k, v in locals().items() if k != "self"})


class LLM:
    def __init__(self, model, **options):
        print("loading", model, options)  # which is no reply

    def get_default_sampling_params(self):
        return SamplingParams(temperature=0.6)

    def chat(self, messages, params, use_tqdm):
        return [Some(prompt_token_ids=[1, 2, 3], outputs=[Some(text=f"{m[-1]['content']} {p.temperature} {p.max_tokens}", token_ids=[4, 5],
                                                              finish_reason="stop" if p.max_tokens is None else "length")])
                for m, p in zip(messages, params)]
