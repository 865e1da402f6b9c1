"""Five steps of GRPO with the reward of the engine, on a tiny random model and a CPU, with and without tools."""

import json
import pickle
from itertools import islice
from pathlib import Path

import datasets
import tokenizers
import torch
import transformers
import trl

import ein.trl
from ein import bench

# Not the template of any model, but the form of one.
TEMPLATE = "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}<|end|>{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"


def model(texts):
    bpe = tokenizers.ByteLevelBPETokenizer()
    bpe.train_from_iterator(texts, vocab_size=600, special_tokens=["<|end|>", "<|pad|>"])
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=bpe._tokenizer, eos_token="<|end|>", pad_token="<|pad|>", chat_template=TEMPLATE)
    config = transformers.LlamaConfig(
        vocab_size=len(tokenizer), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2, max_position_embeddings=4096
    )
    torch.manual_seed(1)
    return transformers.LlamaForCausalLM(config), tokenizer


torch.set_num_threads(1)  # the model is tiny: more threads wait for each other, on a busy machine for minutes


def test_grpo(tmp_path):
    instances = list(islice(bench.generate(per_category=None, preset="demo"), 20))
    rows = datasets.Dataset.from_list(list(ein.trl.rows(instances, "direct")))
    policy, tokenizer = model([i.question for i in instances] + [bench.prompt("direct")])
    args = trl.GRPOConfig(
        output_dir=str(tmp_path), max_steps=5, per_device_train_batch_size=4, num_generations=4, max_completion_length=16,
        logging_steps=1, use_cpu=True, report_to=[], save_strategy="no", seed=1,
    )
    seen = []

    class Seen(ein.trl.Reward):
        def __call__(self, *args, **columns):
            seen.append(super().__call__(*args, **columns))
            return seen[-1]

    trainer = trl.GRPOTrainer(model=policy, processing_class=tokenizer, reward_funcs=Seen("direct", "id"), args=args, train_dataset=rows)
    trainer.train()
    assert len(seen) == 5 and all(r == 0 for batch in seen for r in batch)  # what a random model is worth
    logged = [log for log in trainer.state.log_history if "reward" in log]
    assert len(logged) == 5 and "rewards/ein_direct/mean" in logged[0]


def test_tools(tmp_path):
    """The first of four rollouts calls a tool and then answers; what a random model says in the others is no call."""
    i = next(bench.generate(per_category=None, preset="demo"))
    bench.allow(answers=True)
    template = Path(trl.__file__).with_name("chat_templates") / "qwen3.jinja"
    policy, tokenizer = model([i.question, bench.prompt("direct")])
    tokenizer.chat_template = template.read_text(encoding="utf-8")
    call = {"name": "run", "arguments": {"program": ":print 1 + 1"}}
    says = [f"<tool_call>\n{json.dumps(call)}\n</tool_call>", json.dumps({"answer": bench.instance(i.id).answer})]
    seen = []

    class Trainer(trl.GRPOTrainer):
        def _generate_single_turn(self, prompt_ids, images, multimodal_fields, num_generations, **more):
            ids, logprobs = super()._generate_single_turn(prompt_ids, images, multimodal_fields, num_generations, **more)
            ids[0] = tokenizer(says[num_generations == 1] + "<|end|>")["input_ids"]
            return ids, logprobs

    class Seen(ein.trl.Reward):
        def __call__(self, prompts, completions, **columns):
            rewards = super().__call__(prompts, completions, **columns)
            seen.append((completions, rewards))
            return rewards

    args = trl.GRPOConfig(
        output_dir=str(tmp_path), max_steps=3, per_device_train_batch_size=4, num_generations=4, max_completion_length=512,
        max_tool_calling_iterations=2, use_cpu=True, report_to=[], save_strategy="no", seed=1,
    )
    trainer = Trainer(
        model=policy, processing_class=tokenizer, reward_funcs=Seen("direct", "id"), args=args, environment_factory=ein.trl.Environment,
        train_dataset=datasets.Dataset.from_list(list(ein.trl.rows([i] * 8, "direct"))),
    )
    trainer.train()
    assert len(seen) == 3
    for completions, rewards in seen:
        assert [m["role"] for m in completions[0]] == ["assistant", "tool", "assistant"]
        assert completions[0][1]["content"] == "1 + 1 = 2", completions[0]
        assert rewards == [1, 0, 0, 0]


def test_environment():
    e = ein.trl.Environment()
    assert e.reset(id="x") is None
    assert e.check("n = 1\n") == "The program checks." and "E0" in e.check("n = m\n") and "E0" in e.run("n = m\n")


def test_reward():
    bench.allow(answers=True)
    i = next(bench.generate())
    f = pickle.loads(pickle.dumps(ein.trl.reward("direct")))
    right = json.dumps({"answer": i.answer})
    messages = [{"role": "assistant", "content": right}]
    assert f(prompts=[None] * 3, completions=[right, messages, "no"], id=[i.id] * 3, trainer_state=None) == [1, 1, 0]
