"""Reads samples from JSONL, Parquet and Hugging Face data sets, and writes rows back."""

from rewardstack.records.samples import Loaded, read_samples
from rewardstack.records.writing import write_rows

__all__ = ["Loaded", "read_samples", "write_rows"]
