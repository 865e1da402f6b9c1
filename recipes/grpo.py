"""Reinforcement with GRPO of TRL: the reward of a program is what its run is worth.

    python grpo.py train.jsonl --model Qwen/Qwen3-4B --out qwen3-4b-grpo

The data are instances of ein bench generate; the package ein scores, with the engine that it
brings or that EIN_BINARY names.
"""

import argparse
import json
import os

import ein.trl
from datasets import Dataset
from ein import bench
from sft import lora
from transformers import AutoModelForCausalLM, AutoTokenizer
from transformers.trainer_utils import get_last_checkpoint
from trl import GRPOConfig, GRPOTrainer

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("instances")
parser.add_argument("--model", default="Qwen/Qwen3-4B")
parser.add_argument("--mode", default="ein")
parser.add_argument("--out", required=True)
parser.add_argument("--max-steps", type=int, default=1000)
parser.add_argument("--max-completion-length", type=int, default=512)
parser.add_argument("--tools", action="store_true", help="the model may check and run programs before it answers")
parser.add_argument("--cpu", action="store_true")
args = parser.parse_args()
with open(args.instances, encoding="utf-8") as lines:
    instances = [bench.instance(json.loads(line)["id"]) for line in lines]
rows = Dataset.from_list(list(ein.trl.rows(instances, args.mode)))
config = GRPOConfig(
    output_dir=args.out, learning_rate=1e-5, per_device_train_batch_size=8, num_generations=8, max_completion_length=args.max_completion_length,
    max_steps=args.max_steps, save_steps=100, logging_steps=1, report_to=[], use_cpu=args.cpu, bf16=not args.cpu,
)
trainer = GRPOTrainer(
    model=AutoModelForCausalLM.from_pretrained(args.model), processing_class=AutoTokenizer.from_pretrained(args.model),
    reward_funcs=ein.trl.reward(args.mode), args=config, train_dataset=rows, peft_config=lora(),
    environment_factory=ein.trl.Environment if args.tools else None,
)
trainer.train(resume_from_checkpoint=get_last_checkpoint(args.out) if os.path.isdir(args.out) else None)
trainer.save_model(os.path.join(args.out, "final"))
