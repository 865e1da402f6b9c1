#!/bin/sh
# GRPO with verl; the package ein gives the rewards. ein.verl.rows makes the rows of train.parquet
# and test.parquet.
exec python3 -m verl.trainer.main_ppo \
	algorithm.adv_estimator=grpo \
	data.train_files=train.parquet \
	data.val_files=test.parquet \
	data.max_prompt_length=2048 \
	data.max_response_length=512 \
	data.train_batch_size=64 \
	actor_rollout_ref.model.path=Qwen/Qwen3-4B \
	actor_rollout_ref.model.lora_rank=16 \
	actor_rollout_ref.model.lora_alpha=32 \
	actor_rollout_ref.actor.optim.lr=1e-5 \
	actor_rollout_ref.rollout.name=vllm \
	actor_rollout_ref.rollout.n=8 \
	reward.custom_reward_function.path="$(python3 -c 'import ein.verl; print(ein.verl.__file__)')" \
	reward.custom_reward_function.name=compute_score \
	trainer.project_name=closurebench
