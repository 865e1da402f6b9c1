"""A task of lm-evaluation-harness: `--include_path $(python -m ein.lm_eval)`."""
