"""What the API answers is what the model says, to the last bit."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.serve.kinds import KINDS, TEXTS
from tests.serve.servers import Server, ask
from textsieve import load
from textsieve.prediction import Contribution
from textsieve.prediction.records import Records

Service = Callable[[str], Server]
NEW = ["a late goal", "rain at night, and the bank is closed", "", "xyzzy", "GOAL 😀 İstanbul goal", "wind " * 3000]
each_kind = pytest.mark.parametrize("kind", list(KINDS))


def plain(value: Any) -> Any:
    """As JSON has it."""
    if isinstance(value, dict):
        return {str(name): plain(each) for name, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, list | tuple) else value


@each_kind
@pytest.mark.parametrize("top", [None, 1, 2, 1000])
def test_predictions_are_those_of_the_model(
    service: Service, models: dict[str, Path], kind: str, top: int | None
) -> None:
    model = load(models[kind]).model_
    found = ask(service(kind), "/v1/predict", {"texts": NEW, "top": top})
    records = Records(model, None if top is None else min(top, len(model.classes)))
    assert found.status == 200
    assert found.json == {"predictions": [plain(each) for each in records.of(model.predict(NEW))]}


@pytest.mark.slow
def test_a_batch_in_many_parts_is_the_same_as_one_by_one(service: Service) -> None:
    texts = [f"{TEXTS[at % 6]} {'wind goal bank ' * (at % 700)}" for at in range(300)]
    whole = ask(service("one"), "/v1/predict", {"texts": texts}).json["predictions"]
    single = [ask(service("one"), "/v1/predict", {"texts": [text]}).json["predictions"][0] for text in texts]
    assert whole == single
    assert len({each["label"] for each in whole}) == 3


@each_kind
def test_explanations_are_those_of_the_model(service: Service, models: dict[str, Path], kind: str) -> None:
    model = load(models[kind]).model_
    for text in NEW:
        explained = model.explain(text)
        found = ask(service(kind), "/v1/explain", {"text": text}).json
        predicted = list(explained.predicted) if isinstance(explained.predicted, tuple) else [explained.predicted]
        assert found["predicted"] == predicted
        assert [each["label"] for each in found["classes"]] == [each.label for each in explained.classes]
        assert [each["score"] for each in found["classes"]] == [each.score for each in explained.classes]
        assert [each["label"] for each in found["classes"] if each["predicted"]] == [
            each.label for each in explained.classes if each.label in predicted
        ]
        own = explained[found["label"]]
        assert (found["score"], found["intercept"]) == (own.score, own.intercept)
        exact = [{name: each[name] for name in Contribution._fields} for each in found["contributions"]]
        assert exact == [each._asdict() for each in own.contributions]
        assert found["compared"] == model.needs_comparing == (kind in ("probable", "votes"))
        compared = [each["compared"] for each in found["contributions"]]
        assert compared == (list(own.compared()) if model.needs_comparing else [None] * len(exact))
        spans = [(start, end, found["contributions"][place]["term"]) for start, end, place in found["spans"]]
        assert spans == [tuple(each) for each in model.spans(text)]
        assert (found["unknown"] is None) == (explained.unknown is None)


def test_a_class_is_asked_for_by_its_label_or_as_it_is_written(service: Service) -> None:
    for label in (2, "2", 2.0):
        found = ask(service("numbers"), "/v1/explain", {"text": "a late goal", "label": label}).json
        assert found["label"] == 2
        assert type(found["label"]) is int
    assert ask(service("one"), "/v1/explain", {"text": "a late goal", "label": "money"}).json["label"] == "money"


def test_probabilities_are_those_of_the_model(service: Service, models: dict[str, Path]) -> None:
    model = load(models["probable"]).model_
    found = ask(service("probable"), "/v1/explain", {"text": TEXTS[0]}).json
    expected = model.probabilities(model.predict([TEXTS[0]]).scores)[0]
    assert {each["label"]: each["probability"] for each in found["classes"]} == dict(
        zip(model.classes, expected.tolist(), strict=True)
    )


def test_the_terms_of_a_class_the_strongest_first(service: Service, models: dict[str, Path]) -> None:
    model = load(models["one"]).model_
    strengths = model.strengths()
    found = ask(service("one"), "/v1/terms?label=money&n=1000").json
    column = model.classes.index("money")
    assert found["total"] == len(model.terms)
    assert {each["term"]: each["strength"] for each in found["terms"]} == dict(
        zip(model.terms, strengths[:, column].tolist(), strict=True)
    )
    in_order = [each["strength"] for each in found["terms"]]
    assert in_order == sorted(in_order, reverse=True)
    second = ask(service("one"), "/v1/terms?label=money&n=3&offset=2").json
    assert second["terms"] == found["terms"][2:5]


def test_all_terms_as_they_were_ranked_and_those_that_contain_a_text(service: Service, models: dict[str, Path]) -> None:
    model = load(models["one"]).model_
    found = ask(service("one"), "/v1/terms?n=1000").json["terms"]
    assert [each["term"] for each in found] == list(model.terms)
    assert [each["label"] for each in found] == [model.classes[at] for at in model.strengths().argmax(axis=1)]
    of_bank = ask(service("one"), "/v1/terms?q=BANK&n=1000").json
    assert [each["term"] for each in of_bank["terms"]] == [term for term in model.terms if "bank" in term]
    assert 1 < of_bank["total"] == len(of_bank["terms"]) < len(model.terms)
    assert ask(service("one"), "/v1/terms?q=nowhere").json == {"total": 0, "terms": []}


def test_the_card_says_what_the_model_is(service: Service, models: dict[str, Path]) -> None:
    model = load(models["several"]).model_
    found = ask(service("several"), "/v1/model").json
    assert found["name"] == "several.sieve"
    assert found["bytes"] == models["several"].stat().st_size
    assert found["classes"] == [
        {"label": label, "documents": n} for label, n in zip(model.classes, model.class_docs, strict=True)
    ]
    assert (found["labels"], found["terms"], found["classifier"]) == ("several", len(model.terms), "nb")
    assert found["feedback"] is False
    assert found["limits"] == {"body": 10 << 20, "documents": 1000, "length": 1_000_000, "seconds": 30.0}


def test_prometheus_is_told_what_was_done(service: Service) -> None:
    def counts() -> dict[str, float]:
        text = ask(service("one"), "/metrics").body.decode()
        return {name: float(value) for name, value in re.findall(r"^(textsieve\S+?(?:\{.*\})?) (\S+)$", text, re.M)}

    before = counts()
    ask(service("one"), "/v1/predict", {"texts": ["a late goal", "the team won a goal", "xyzzy"]})
    ask(service("one"), "/v1/predict", {"texts": 1})
    after = counts()
    more = {name: after[name] - before.get(name, 0) for name in after if after[name] != before.get(name, 0)}
    assert more['textsieve_requests_total{path="/v1/predict",status="200"}'] == 1
    assert more['textsieve_requests_total{path="/v1/predict",status="422"}'] == 1
    assert more["textsieve_documents_total"] == 3
    assert more["textsieve_documents_unknown_total"] == 1
    assert more['textsieve_predicted_total{label="sport"}'] >= 2
    assert more['textsieve_request_seconds_count{path="/v1/predict"}'] == 2
    assert more['textsieve_request_seconds_bucket{le="+Inf",path="/v1/predict"}'] == 2


def test_what_is_asked_for_is_described(service: Service) -> None:
    found = ask(service("one"), "/openapi.json").json
    assert set(found["paths"]) == {"/v1/predict", "/v1/explain", "/v1/model", "/v1/terms", "/healthz", "/metrics"}
    assert ask(service("one"), "/healthz").json == {"status": "ok"}


WRONG = [
    ("/v1/predict", b"", 422, "invalid", "JSON"),
    ("/v1/predict", b"{", 422, "invalid", "JSON"),
    ("/v1/predict", {"texts": "one"}, 422, "invalid", "^texts: "),
    ("/v1/predict", {"texts": ["one", 2]}, 422, "invalid", r"^texts\.1: "),
    ("/v1/predict", {"texts": [], "top": 0}, 422, "invalid", "^top: "),
    ("/v1/predict", {"text": ["one"]}, 422, "invalid", "^texts: Field required"),
    ("/v1/predict", {"texts": ["one"], "Top": 1, "tops": 2}, 422, "invalid", "^Unknown field 'Top'"),
    ("/v1/model/", None, 404, "not_found", "/v1/model/"),
    ("/v1/predict", {"texts": ["goal"] * 1001}, 422, "too_many", "1,001 documents; at most 1,000 are allowed"),
    (
        "/v1/predict",
        {"texts": ["", "g" * 1_000_001]},
        422,
        "too_long",
        r"^Document 1 \(counting from 0\) has",
    ),
    ("/v1/explain", {"text": "a", "label": "spam"}, 422, "unknown_label", "no class 'spam'.*'sport'"),
    ("/v1/feedback", {"text": "a", "label": "sport"}, 404, "not_found", "/v1/feedback.*without --feedback"),
    ("/v1/nothing", {"text": "a"}, 404, "not_found", "/v1/nothing"),
    ("/v1/model", {"text": "a"}, 405, "method_not_allowed", "GET"),
    ("/v1/terms?n=many", None, 422, "invalid", "^n: "),
    ("/v1/terms?label=spam", None, 422, "unknown_label", "no class 'spam'"),
    ("/v1/predict", None, 405, "method_not_allowed", "POST"),
    ("/../../etc/passwd", None, 404, "not_found", "passwd"),
]


@pytest.mark.parametrize(("path", "body", "status", "code", "message"), WRONG)
def test_what_is_wrong_is_said(service: Service, path: str, body: Any, status: int, code: str, message: str) -> None:
    found = ask(service("one"), path, body)
    assert (found.status, found.code) == (status, code)
    assert re.search(message, found.json["error"]["message"])
    assert found.headers["content-type"] == "application/json"
