"""Makes the folder of a small LFM2 with random weights and a tokenizer of its own.

    python tiny.py FOLDER TEXTS.jsonl [--hidden 96] [--layers 4]

The words of the tokenizer are those of the messages in TEXTS.jsonl, which is of ein bench
sft --format messages: an edge, an entry of a matrix, a digit and each of the labels given are
a token, and so is whatever stands between two of them. The chat template leaves out the system
prompt, which a model that begins at random has no use for. Every other layer of an LFM2 is a short
convolution: a model of this size copies labels several times as soon as a Llama.
"""

import argparse
import json
import re
from collections import Counter

import torch
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers
from transformers import Lfm2Config, Lfm2ForCausalLM, PreTrainedTokenizerFast

TEMPLATE = (
    "{% for m in messages %}{% if m.role == 'user' %}<|user|>{{ m.content }}"
    "{% elif m.role == 'assistant' %}<|assistant|>{{ m.content }}<|end|>{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
SPECIAL = ["<|pad|>", "<|end|>", "<|user|>", "<|assistant|>", "<|unknown|>"]


def texts(file):
    with open(file, encoding="utf-8") as lines:
        for line in lines:
            for message in json.loads(line)["messages"]:
                if message["role"] != "system":
                    yield message["content"]


def make(folder, words, labels=(), hidden=96, layers=4, heads=4, length=2048, seed=1):
    names = "|".join(re.escape(x) for x in sorted(labels, key=len, reverse=True)) or "(?!)"
    # The blanks that align a matrix say nothing, nor does the one before a label in its first row.
    even = normalizers.Replace(Regex(r" {2,}|(?<=,)\n *"), " ")
    split = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(rf" (?=(?:{names})[ \n])"), "removed"),
        pre_tokenizers.Split(Regex(rf"<\|[a-z]+\|>|\[[0-9],[0-9]\]| [01](?=[ \n])|(?<![A-Za-z0-9_-])(?:{names})(?![A-Za-z0-9_-])|[0-9]|\n"), "isolated"),
    ])
    count = Counter(word for text in words for word, _ in split.pre_tokenize_str(even.normalize_str(text)))
    vocabulary = {word: i for i, word in enumerate(SPECIAL + sorted(count.keys() - set(SPECIAL)))}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<|unknown|>"))
    tokenizer.normalizer, tokenizer.pre_tokenizer, tokenizer.decoder = even, split, decoders.Fuse()
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<|pad|>", eos_token="<|end|>", unk_token="<|unknown|>", chat_template=TEMPLATE, model_max_length=length
    )
    torch.manual_seed(seed)
    model = Lfm2ForCausalLM(
        Lfm2Config(
            vocab_size=len(vocabulary), hidden_size=hidden, intermediate_size=3 * hidden, num_hidden_layers=layers, num_attention_heads=heads,
            num_key_value_heads=heads, max_position_embeddings=length, conv_L_cache=3, block_auto_adjust_ff_dim=False,
            layer_types=["full_attention" if i % 2 or layers == 1 else "conv" for i in range(layers)],
            tie_word_embeddings=True, pad_token_id=0, bos_token_id=None, eos_token_id=1,
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
    parser.add_argument("--layers", type=int, default=4)
    args = parser.parse_args()
    print(f"{make(args.folder, texts(args.texts), hidden=args.hidden, layers=args.layers):,} parameters in {args.folder}")
