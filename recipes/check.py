"""Holds the configurations against the packages that read them, where these are installed.

    python check.py

axolotl 0.19, LLaMA-Factory 0.9.5, verl 0.9.1 and OpenRLHF 0.11.2 need no GPU for it, and can be
installed with pip install --no-deps. A package that is not there is told, and is no failure.
"""

import argparse
import importlib.util
import os
import re
import sys

import yaml

here = os.path.dirname(os.path.abspath(__file__))
os.environ["DISABLE_VERSION_CHECK"] = "1"  # LLaMA-Factory wants older versions of other packages


def load(name):
    with open(os.path.join(here, name), encoding="utf-8") as f:
        return yaml.safe_load(f)


def source(package, *names):
    """A file of a package that is not imported: it would want a GPU."""
    with open(os.path.join(importlib.util.find_spec(package).submodule_search_locations[0], *names), encoding="utf-8") as f:
        return f.read()


def flags(name, sign):
    with open(os.path.join(here, name), encoding="utf-8") as f:
        return re.findall(sign, f.read(), re.MULTILINE)


def axolotl():
    from axolotl.utils.schemas.config import AxolotlInputConfig

    given = load("axolotl.yaml")
    unknown = given.keys() - AxolotlInputConfig.model_fields.keys()
    if unknown:
        raise ValueError(f"axolotl knows no {unknown}")
    AxolotlInputConfig(**given)


def llamafactory():
    from llamafactory.hparams.parser import _TRAIN_ARGS
    from transformers import HfArgumentParser

    HfArgumentParser(_TRAIN_ARGS).parse_dict(load("llamafactory.yaml"))


def verl():
    known = yaml.safe_load(source("verl", "trainer", "config", "_generated_ppo_trainer.yaml"))
    for name in flags("verl.sh", r"^\t([a-z_.]+)="):
        at = known
        for part in name.split("."):
            if part not in at:
                raise ValueError(f"verl knows no {name}")
            at = at[part]


def openrlhf():
    known = set(re.findall(r'"(--[a-z0-9_.]+)"', source("openrlhf", "cli", "train_ppo_ray.py")))
    for name in flags("openrlhf.sh", r"^\t(--[a-z0-9_.]+)"):
        if name not in known:
            raise ValueError(f"openrlhf knows no {name}")


argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
failed = False
for check in [axolotl, llamafactory, verl, openrlhf]:
    if importlib.util.find_spec(check.__name__) is None:
        print(f"{check.__name__}: not installed")
        continue
    try:
        check()
        print(f"{check.__name__}: right")
    except Exception as e:  # of pydantic, of a parser, of ours
        failed = True
        print(f"{check.__name__}: {type(e).__name__}: {e}")
sys.exit(failed)
