"""Reads and writes samples and scores."""
