"""Says where the task is."""

from pathlib import Path

print(Path(__file__).parent)
