"""Settings in messages are written as options of the command that runs, or else of `train`."""

from __future__ import annotations

from importlib import import_module

import click
import pytest

from textsieve.cli.messages import write_setting
from textsieve.errors import Setting


@pytest.mark.parametrize(
    ("verb", "setting", "expected"),
    [
        (None, Setting("n_terms"), "--terms"),
        (None, Setting("n_jobs", 0), "--jobs 0"),
        (None, Setting("ngram_range", (2, 1)), "--ngrams 2-1"),
        (None, Setting("ngram_range", (1, 1)), "--ngrams 1"),
        (None, Setting("char_ngram_range", (3, 5)), "--char-ngrams 3-5"),
        (None, Setting("multilabel", True), "--multilabel"),
        (None, Setting("multilabel", False), "--no-multilabel"),
        (None, Setting("lowercase", False), "--keep-case"),
        (None, Setting("lowercase", True), "no --keep-case"),
        (None, Setting("tags", "drop"), "--drop-tags"),
        (None, Setting("names", False), "no --names"),
        (None, Setting("selector_options"), "--selector-option"),
        (None, Setting("tf", "log"), "tf='log'"),
        (None, Setting("epsilon", 7.0), "epsilon=7.0"),
        (None, Setting("label"), "label"),
        ("train", Setting("label"), "--label"),
        ("train", Setting("label_separator", "|"), "--label-separator '|'"),
        ("train", Setting("max_document", 20_000), "--max-document 20kB"),
        ("train", Setting("max_document", 20_001), "--max-document 20001"),
        ("train", Setting("follow_links", True), "--follow-links"),
        ("train", Setting("most_values"), "--most-values"),
        ("terms", Setting("weights", [0, 0.5]), "--energy-weights 0,0.5"),
        ("subspace", Setting("n_terms", 99), "--terms-per-member 99"),
        ("subspace", Setting("test_share", 0.5), "--held-out 0.5"),
        ("compare", Setting("test_share", 0.5), "--test-share 0.5"),
        ("compare", Setting("selectors"), "--selectors"),
        ("update", Setting("fit_thresholds", True), "--fit-thresholds"),
        ("update", Setting("keep_stats", True), "--keep-stats"),
        ("predict", Setting("stop_words", ["word"] * 99), None),
    ],
)
def test_a_setting_is_written_as_an_option(verb: str | None, setting: Setting, expected: str | None) -> None:
    if verb is None:
        written = write_setting(setting)
    else:
        with click.Context(import_module(f"textsieve.cli.{verb}").command):
            written = write_setting(setting)
    assert len(written) < 100
    assert expected is None or written == expected
