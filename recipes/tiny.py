"""Makes the folder of a small Llama with random weights and a tokenizer of its own.

    python tiny.py FOLDER TEXTS.jsonl [--hidden 96] [--layers 3]

The words of the tokenizer are those of the messages in TEXTS.jsonl, which is of ein bench
sft --format messages: a label or a name, a digit and a run of signs are a token each, and an
entry of a matrix with the blanks before it is one. The chat template leaves out the system prompt,
which a model that begins at random has no use for.
"""

import argparse
import json
from collections import Counter

import torch
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

TEMPLATE = (
    "{% for m in messages %}{% if m.role == 'user' %}<|user|>{{ m.content }}"
    "{% elif m.role == 'assistant' %}<|assistant|>{{ m.content }}<|end|>{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
WORD = Regex(r"<\|[a-z]+\|>| +[01](?=[ \n])| +|[A-Za-z][A-Za-z0-9_-]*|[0-9]|\n|[^\sA-Za-z0-9<]+|<")
SPECIAL = ["<|pad|>", "<|end|>", "<|user|>", "<|assistant|>", "<|unknown|>"]


def texts(file):
    with open(file, encoding="utf-8") as lines:
        for line in lines:
            for message in json.loads(line)["messages"]:
                if message["role"] != "system":
                    yield message["content"]


def make(folder, words, hidden=96, layers=3, heads=4, length=2048, seed=1):
    split = pre_tokenizers.Split(WORD, "isolated")
    count = Counter(word for text in words for word, _ in split.pre_tokenize_str(text))
    vocabulary = {word: i for i, word in enumerate(SPECIAL + sorted(count.keys() - set(SPECIAL)))}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<|unknown|>"))
    tokenizer.pre_tokenizer, tokenizer.decoder = split, decoders.Fuse()
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<|pad|>", eos_token="<|end|>", unk_token="<|unknown|>", chat_template=TEMPLATE, model_max_length=length
    )
    torch.manual_seed(seed)
    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(vocabulary), hidden_size=hidden, intermediate_size=4 * hidden, num_hidden_layers=layers, num_attention_heads=heads,
            max_position_embeddings=length, tie_word_embeddings=True, pad_token_id=0, bos_token_id=None, eos_token_id=1,
        )
    )
    model.save_pretrained(folder)
    fast.save_pretrained(folder)
    return sum(p.numel() for p in model.parameters())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("texts")
    parser.add_argument("--hidden", type=int, default=96)
    parser.add_argument("--layers", type=int, default=3)
    args = parser.parse_args()
    print(f"{make(args.folder, texts(args.texts), args.hidden, args.layers):,} parameters in {args.folder}")
