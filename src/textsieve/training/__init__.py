"""Train a model from documents and settings; `train.py` has the steps in order."""

from .train import check_settings, train

__all__ = ["check_settings", "train"]
