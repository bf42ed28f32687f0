"""The examples in the docstrings of `textsieve.spark` run as printed."""

import pytest
from pyspark.sql import SparkSession

from tests.docs.test_docs_examples import run_examples
from tests.docs.test_docs_pages import SPARK, exported_names


@pytest.mark.parametrize("spark", ["local"], indirect=True)
@pytest.mark.parametrize("name", exported_names(SPARK))
def test_the_examples_of_a_public_name_run(name: str, spark: SparkSession) -> None:
    assert spark is SparkSession.getActiveSession()  # which `getOrCreate` in the examples returns
    run_examples(f"{SPARK}.{name}")
