"""The reward manager of verl 0.9.1 with our function, as its configuration names it. Its
own code asks; no worker and no GPU takes part."""

import asyncio
import json

import numpy as np
import torch
from omegaconf import OmegaConf
from verl import DataProto
from verl.experimental.reward_loop.reward_manager.naive import NaiveRewardManager
from verl.trainer.ppo.reward import get_custom_reward_fn

from ein import bench, verl


class Letters:
    """As much of a tokenizer as is asked for."""

    def decode(self, ids, skip_special_tokens):
        return "".join(map(chr, ids))


def test_reward_manager():
    bench.allow(answers=True)
    i = next(bench.generate())
    (row,) = verl.rows([i], "direct")
    config = OmegaConf.create({"reward": {"custom_reward_function": {"path": "pkg://ein.verl", "name": "compute_score"}}})

    async def ask(reply):
        manager = NaiveRewardManager(config, Letters(), get_custom_reward_fn(config))
        ids = torch.tensor([[ord(c) for c in reply]])
        fields = {k: np.array([row[k]], dtype=object) for k in ("data_source", "reward_model", "extra_info")}
        return await manager.run_single(DataProto.from_dict({"responses": ids, "attention_mask": torch.ones_like(ids)}, fields))

    right = asyncio.run(ask(json.dumps({"answer": i.answer})))
    assert right["reward_score"] == 1 and right["reward_extra_info"]["outcome"] == "strict"
    assert asyncio.run(ask("no idea"))["reward_score"] == 0
