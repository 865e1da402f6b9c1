"""Supervised fine-tuning with TRL, with the LoRA configuration of the paper.

    ein bench generate --set paper-train --seed 42 -o train.jsonl
    ein bench sft --instances train.jsonl --target ein --format conversational -o sft.jsonl
    python sft.py sft.jsonl --model Qwen/Qwen3-4B --out qwen3-4b-ein

The target is whatever the file has: answers, reasoning (cot), programs of Ein or of Python. A run
that was stopped goes on with the same command.
"""

import argparse
import os

from datasets import load_dataset
from peft import LoraConfig
from transformers import AutoModelForCausalLM, AutoTokenizer
from transformers.trainer_utils import get_last_checkpoint
from trl import SFTConfig, SFTTrainer


def lora():
    return LoraConfig(r=16, lora_alpha=32, lora_dropout=0.05, target_modules="all-linear", task_type="CAUSAL_LM")


def train(data, model, out, peft=None, callbacks=(), **options):
    """Trains on a file in conversational form; the model is a folder or a name. Only what the
    assistant says is learned."""
    rows = load_dataset("json", data_files=data, split="train", cache_dir=os.path.join(out, "cache")).select_columns(["prompt", "completion"])
    config = SFTConfig(
        output_dir=out, completion_only_loss=True, report_to=[],
        **{
            "learning_rate": 2e-4, "per_device_train_batch_size": 4, "num_train_epochs": 3, "save_strategy": "epoch", "logging_steps": 50,
            "max_length": 4096, "seed": 42, "gradient_checkpointing": False, **options,
        },
    )
    tokenizer = AutoTokenizer.from_pretrained(model)
    trainer = SFTTrainer(
        model=AutoModelForCausalLM.from_pretrained(model), args=config, train_dataset=rows, processing_class=tokenizer, peft_config=peft,
        callbacks=list(callbacks),
    )
    last = get_last_checkpoint(out) if os.path.isdir(out) else None
    trainer.train(resume_from_checkpoint=last)
    return trainer


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("--model", default="Qwen/Qwen3-4B")
    parser.add_argument("--out", required=True)
    parser.add_argument("--max-steps", type=int, default=-1)
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--cpu", action="store_true")
    args = parser.parse_args()
    options = {"max_steps": args.max_steps, "seed": args.seed}
    if args.cpu:
        options.update(use_cpu=True, bf16=False, logging_steps=1)
    train(args.data, args.model, args.out, lora(), **options).save_model(os.path.join(args.out, "final"))
