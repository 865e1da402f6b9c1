"""Five steps of GRPO with the reward of the engine, on a tiny random model and a CPU."""

import json
import pickle
from itertools import islice

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


def test_reward():
    bench.allow(answers=True)
    i = next(bench.generate())
    f = pickle.loads(pickle.dumps(ein.trl.reward("direct")))
    right = json.dumps({"answer": i.answer})
    messages = [{"role": "assistant", "content": right}]
    assert f(prompts=[None] * 3, completions=[right, messages, "no"], id=[i.id] * 3, trainer_state=None) == [1, 1, 0]
