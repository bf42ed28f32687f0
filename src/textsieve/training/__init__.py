"""From documents and settings to a model."""

from .train import check_settings, train

__all__ = ["check_settings", "train"]
