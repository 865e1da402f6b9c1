#!/bin/sh
# Reinforcement with OpenRLHF; ein serve gives the rewards. A row of prompts.jsonl has
# "prompt", and "label": "ein:" and the id of the question.
#   ein serve --listen 127.0.0.1:8712
exec python3 -m openrlhf.cli.train_ppo_ray \
	--actor.model_name_or_path Qwen/Qwen3-4B \
	--reward.remote_url http://127.0.0.1:8712/get_reward \
	--data.prompt_dataset json@prompts.jsonl \
	--data.input_key prompt \
	--data.label_key label \
	--data.apply_chat_template \
	--algo.advantage.estimator group_norm \
	--rollout.n_samples_per_prompt 8 \
	--rollout.max_new_tokens 512 \
	--ds.lora.rank 16 \
	--ds.lora.alpha 32 \
	--ckpt.output_dir qwen3-4b-grpo
