"""The API returns exactly what the model predicts."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.reference.model_cases import small_model
from tests.serve.model_kinds import KINDS, TEXTS
from tests.serve.servers import ERROR_FIELDS, Server, running_server, send
from textsieve import InputError, load
from textsieve.prediction import Contribution
from textsieve.prediction.records import Records
from textsieve.serve import served_model
from textsieve.serve.api_errors import ApiError
from textsieve.serve.server import build_app
from textsieve.serve.service import Service as AppService
from textsieve.serve.workers import PredictionWorkers

Service = Callable[[str], Server]
NEW = ["a late goal", "rain at night, and the bank is closed", "", "xyzzy", "GOAL 😀 İstanbul goal", "wind " * 3000]
all_kinds = pytest.mark.parametrize("kind", list(KINDS))


def plain(value: Any) -> Any:
    """Return a value as JSON represents it: keys are text, tuples are lists."""
    if isinstance(value, dict):
        return {str(name): plain(item) for name, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value


@all_kinds
@pytest.mark.parametrize("top", [None, 1, 2, 1000])
def test_predictions_equal_those_of_the_model(
    service: Service, models: dict[str, Path], kind: str, top: int | None
) -> None:
    model = load(models[kind]).model_
    response = send(service(kind), "/v1/predict", {"texts": NEW, "top": top})
    records = Records(model, None if top is None else min(top, len(model.classes)))
    assert response.status == 200
    assert response.json == {"predictions": [plain(record) for record in records.of(model.predict(NEW))]}


@pytest.mark.slow
def test_a_long_batch_gives_the_same_predictions_as_single_documents(service: Service) -> None:
    texts = [f"{TEXTS[number % 6]} {'wind goal bank ' * (number % 700)}" for number in range(300)]
    batch = send(service("single"), "/v1/predict", {"texts": texts}).json["predictions"]
    single = [send(service("single"), "/v1/predict", {"texts": [text]}).json["predictions"][0] for text in texts]
    assert batch == single
    assert len({prediction["label"] for prediction in batch}) == 3


@all_kinds
def test_explanations_equal_those_of_the_model(service: Service, models: dict[str, Path], kind: str) -> None:
    model = load(models[kind]).model_
    for text in NEW:
        explained = model.explain(text)
        response = send(service(kind), "/v1/explain", {"text": text}).json
        predicted = list(explained.predicted) if isinstance(explained.predicted, tuple) else [explained.predicted]
        assert response["predicted"] == predicted
        assert [entry["label"] for entry in response["classes"]] == [entry.label for entry in explained.classes]
        assert [entry["score"] for entry in response["classes"]] == [entry.score for entry in explained.classes]
        assert [entry["label"] for entry in response["classes"] if entry["predicted"]] == [
            entry.label for entry in explained.classes if entry.label in predicted
        ]
        of_class = explained[response["label"]]
        assert (response["score"], response["intercept"]) == (of_class.score, of_class.intercept)
        contributions = [{name: entry[name] for name in Contribution._fields} for entry in response["contributions"]]
        assert contributions == [entry._asdict() for entry in of_class.contributions]
        assert response["compared"] == model.needs_comparing == (kind in ("probabilities", "votes"))
        compared = [entry["compared"] for entry in response["contributions"]]
        assert compared == (list(of_class.compared()) if model.needs_comparing else [None] * len(contributions))
        spans = [
            (start, end, response["contributions"][position]["term"]) for start, end, position in response["spans"]
        ]
        assert spans == [tuple(entry) for entry in model.spans(text)]
        assert (response["unknown"] is None) == (explained.unknown is None)


def test_a_class_can_be_given_by_its_label_or_its_text(service: Service) -> None:
    for label in (2, "2", 2.0):
        response = send(service("numbers"), "/v1/explain", {"text": "a late goal", "label": label}).json
        assert response["label"] == 2
        assert type(response["label"]) is int
    assert send(service("single"), "/v1/explain", {"text": "a late goal", "label": "money"}).json["label"] == "money"


def explanation_of(*arguments: Any) -> Any:
    """Return the explanation of a text as clients read it, given the arguments of `explanation_record`."""
    return json.loads(served_model.explanation_json(served_model.explanation_record(*arguments)))


def test_an_explanation_has_the_first_spans_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(served_model, "MAX_SPANS", 2)
    response = explanation_of(small_model(), "id", "goal goal market goal", None)
    assert [span[:2] for span in response["spans"]] == [[0, 4], [5, 9]]
    assert sum(entry["count"] for entry in response["contributions"]) == 4


def test_probabilities_equal_those_of_the_model(service: Service, models: dict[str, Path]) -> None:
    model = load(models["probabilities"]).model_
    response = send(service("probabilities"), "/v1/explain", {"text": TEXTS[0]}).json
    predictions = model.predict([TEXTS[0]])
    expected = model.probabilities(predictions.scores, predictions.is_unknown)[0]
    assert {entry["label"]: entry["probability"] for entry in response["classes"]} == dict(
        zip(model.classes, expected.tolist(), strict=True)
    )


def test_the_label_is_the_most_probable_class(service: Service) -> None:
    predictions = send(service("probabilities"), "/v1/predict", {"texts": NEW, "top": 3}).json["predictions"]
    assert any("unknown" in prediction for prediction in predictions)
    for text, prediction in zip(NEW, predictions, strict=True):
        probabilities = prediction["probabilities"]
        classes = send(service("probabilities"), "/v1/explain", {"text": text}).json["classes"]
        assert prediction["label"] == max(probabilities, key=probabilities.__getitem__) == classes[0]["label"]
        assert list(probabilities.values()) == [entry["probability"] for entry in classes]


def test_a_request_can_ask_for_sure_labels_only(service: Service) -> None:
    server = service("probabilities")
    plain_predictions = send(server, "/v1/predict", {"texts": NEW}).json["predictions"]
    minimum = max(prediction["probability"] for prediction in plain_predictions)
    predictions = send(server, "/v1/predict", {"texts": NEW, "min_probability": minimum}).json["predictions"]
    for before, after in zip(plain_predictions, predictions, strict=True):
        if before["probability"] == minimum:
            assert after == before
        else:
            assert after == {**before, "label": None, "best_guess": before["label"]}
    for kind, value, words in (
        ("probabilities", 2, "less than or equal to 1"),
        ("single", 0.5, "this model has no probabilities"),
        ("multilabel", 0.5, "a multilabel model"),
    ):
        response = send(service(kind), "/v1/predict", {"texts": NEW, "min_probability": value})
        assert response.status == 422
        assert words in response.json["error"]["message"]
        assert response.json["error"]["setting"] == "min_probability"


def test_a_service_can_be_sure_of_all_its_labels(models: dict[str, Path]) -> None:
    app = AppService(str(models["probabilities"]), min_probability=0.9)
    model = app.holder.model.model
    assert app.min_probability_for(model) == 0.9
    assert app.min_probability_for(load(models["single"]).model_) is None
    only_known = AppService(str(models["single"]), min_probability=0)
    assert only_known.min_probability_for(only_known.holder.model.model) == 0, "0 needs no probabilities"
    assert only_known.min_probability_for(load(models["multilabel"]).model_) is None
    with pytest.raises(InputError, match="this model has no probabilities"):
        AppService(str(models["single"]), min_probability=0.9)
    probability = model.explain(TEXTS[0]).classes[0].probability
    for minimum, abstains in ((None, False), (probability, False), (1.0, True)):
        explained = explanation_of(model, "id", TEXTS[0], None, minimum)
        assert explained["abstains"] == abstains
    unknown = explanation_of(model, "id", "xyzzy goal-less? xyzzy", None, 0.0)
    assert unknown["words"] == {"known": 1, "total": 4}
    unknown = explanation_of(model, "id", "xyzzy", None, 0.0)
    assert unknown["abstains"]
    assert unknown["words"] == {"known": 0, "total": 1}


def test_terms_of_a_class_are_sorted_by_strength(service: Service, models: dict[str, Path]) -> None:
    model = load(models["single"]).model_
    strengths = model.strengths()
    response = send(service("single"), "/v1/terms?label=money&n=1000").json
    column = model.classes.index("money")
    assert response["total"] == len(model.terms)
    assert {entry["term"]: entry["strength"] for entry in response["terms"]} == dict(
        zip(model.terms, strengths[:, column].tolist(), strict=True)
    )
    in_order = [entry["strength"] for entry in response["terms"]]
    assert in_order == sorted(in_order, reverse=True)
    second = send(service("single"), "/v1/terms?label=money&n=3&offset=2").json
    assert second["terms"] == response["terms"][2:5]


def test_all_terms_are_in_selection_order_and_searchable(service: Service, models: dict[str, Path]) -> None:
    model = load(models["single"]).model_
    response = send(service("single"), "/v1/terms?n=1000").json["terms"]
    assert [entry["term"] for entry in response] == list(model.terms)
    assert [entry["label"] for entry in response] == [
        model.classes[column] for column in model.strengths().argmax(axis=1)
    ]
    of_bank = send(service("single"), "/v1/terms?q=BANK&n=1000").json
    assert [entry["term"] for entry in of_bank["terms"]] == [term for term in model.terms if "bank" in term]
    assert 1 < of_bank["total"] == len(of_bank["terms"]) < len(model.terms)
    assert send(service("single"), "/v1/terms?q=nowhere").json == {"total": 0, "terms": []}


def test_the_model_route_describes_the_model(service: Service, models: dict[str, Path]) -> None:
    model = load(models["multilabel"]).model_
    response = send(service("multilabel"), "/v1/model").json
    assert response["name"] == "multilabel.sieve"
    assert response["bytes"] == models["multilabel"].stat().st_size
    assert response["classes"] == [
        {"label": label, "documents": n} for label, n in zip(model.classes, model.class_docs, strict=True)
    ]
    assert (response["multilabel"], response["terms"], response["classifier"]) == (True, len(model.terms), "nb")
    assert response["feedback"] is False
    assert response["limits"] == {"body": 10 << 20, "documents": 1000, "length": 1_000_000, "seconds": 30.0}
    assert (response["title"], response["description"], response["examples"]) == (None, None, [])


def test_the_model_route_has_what_the_owner_gave() -> None:
    texts = {"title": "<b>News</b>", "description": "two\nlines", "examples": ["a goal", "<script>"]}
    described = served_model.describe(small_model().presented(texts))
    assert {name: described[name] for name in texts} == texts
    assert not texts.keys() & described["settings"].keys(), "each is there once"


def test_metrics_count_requests_and_predictions(service: Service) -> None:
    def counts() -> dict[str, float]:
        text = send(service("single"), "/metrics").body.decode()
        return {name: float(value) for name, value in re.findall(r"^(textsieve\S+?(?:\{.*\})?) (\S+)$", text, re.M)}

    before = counts()
    send(service("single"), "/v1/predict", {"texts": ["a late goal", "the team won a goal", "xyzzy"]})
    send(service("single"), "/v1/predict", {"texts": 1})
    after = counts()
    more = {name: after[name] - before.get(name, 0) for name in after if after[name] != before.get(name, 0)}
    assert more['textsieve_requests_total{path="/v1/predict",status="200"}'] == 1
    assert more['textsieve_requests_total{path="/v1/predict",status="422"}'] == 1
    assert more['textsieve_documents_total{path="/v1/predict"}'] == 3
    assert more['textsieve_documents_unknown_total{path="/v1/predict"}'] == 1
    assert more['textsieve_predicted_total{label="sport",path="/v1/predict"}'] >= 2
    assert more['textsieve_request_seconds_count{path="/v1/predict"}'] == 2
    assert more['textsieve_request_seconds_bucket{le="+Inf",path="/v1/predict"}'] == 2


def test_a_model_without_probabilities_abstains_from_unknown_texts(models: dict[str, Path], tmp_path: Path) -> None:
    with running_server(models["single"], tmp_path, "--min-probability", "0") as server:
        known, unknown = send(server, "/v1/predict", {"texts": ["a late goal", "xyzzy"]}).json["predictions"]
        assert known["label"] == "sport"
        assert unknown["label"] is None
        assert unknown["best_guess"] in ("sport", "money", "weather")
        assert send(server, "/v1/model").json["min_probability"] == 0
        assert send(server, "/v1/explain", {"text": "xyzzy"}).json["abstains"]
        assert not send(server, "/v1/explain", {"text": "a late goal"}).json["abstains"]


def test_metrics_count_no_label_where_the_model_abstains(models: dict[str, Path]) -> None:
    """Requests with different minimums, or with none, may be predicted in the same moment."""
    app = AppService(str(models["probabilities"]))
    served = app.holder.model
    texts = ["a late goal", "rain at night", "xyzzy"]
    predictions = served.model.predict(texts)
    probabilities = served.model.label_probabilities(predictions).tolist()
    minimum = max(probabilities)
    n_sure = sum(probability >= minimum for probability in probabilities[:2])

    async def predict_all() -> None:
        await asyncio.gather(*(app.workers.predict(served, texts, None, minimum) for minimum in minimums))
        app.close()

    minimums = [None, minimum, 0.0, None]
    asyncio.run(predict_all())
    text = app.metrics.text("x", "y", 0).decode()
    n_labels = sum(float(value) for value in re.findall(r"^textsieve_predicted_total\{.*\} (\S+)$", text, re.M))
    assert n_labels == 3 + n_sure + 2 + 3
    assert f'\ntextsieve_documents_abstained_total{{path="/v1/predict"}} {4 - n_sure}.0\n' in text
    assert '\ntextsieve_documents_total{path="/v1/predict"} 12.0\n' in text


def counts_of_documents(server: Server, path: str) -> dict[str, float]:
    """Return the metrics of the documents and labels of a route, without the names of the route."""
    text = send(server, "/metrics").body.decode().replace(f'path="{path}"', "")
    rows = re.findall(r"^(textsieve_(?:documents|predicted)\w*_total)\{(.*)\} (\S+)$", text, re.M)
    return {f"{name} {label.strip(',')}": float(value) for name, label, value in rows if "path=" not in label}


@pytest.mark.parametrize(
    ("kind", "options"),
    [("single", ()), ("multilabel", ()), ("probabilities", ("--min-probability", "0.5")), ("numbers", ())],
)
def test_explained_documents_are_counted_as_predicted_ones(
    models: dict[str, Path], tmp_path: Path, kind: str, options: tuple[str, ...]
) -> None:
    """The page's text tab calls `/v1/explain` only, so that its labels would be missing otherwise."""
    texts = ["a late goal", "rain at night, and the bank is closed", "xyzzy", "goal bank rain"]
    with running_server(models[kind], tmp_path, *options) as server:
        none = {f"textsieve_documents{which}_total ": 0.0 for which in ("", "_unknown", "_abstained")}
        assert counts_of_documents(server, "/v1/explain") == counts_of_documents(server, "/v1/predict") == none
        send(server, "/v1/predict", {"texts": texts})
        assert counts_of_documents(server, "/v1/explain") == none
        for text in texts:
            best = send(server, "/v1/explain", {"text": text}).json["label"]
            send(server, "/v1/explain", {"text": text, "label": best})  # asks about the same prediction
        counts = counts_of_documents(server, "/v1/explain")
        assert counts == counts_of_documents(server, "/v1/predict")
        assert counts["textsieve_documents_total "] == len(texts)
        assert counts["textsieve_documents_unknown_total "] == 1
        assert (counts["textsieve_documents_abstained_total "] > 0) == bool(options)
        assert any(name.startswith("textsieve_predicted_total label=") for name in counts)


def test_openapi_lists_all_routes(service: Service) -> None:
    response = send(service("single"), "/openapi.json").json
    assert set(response["paths"]) == {"/v1/predict", "/v1/explain", "/v1/model", "/v1/terms", "/healthz", "/metrics"}
    assert send(service("single"), "/healthz").json == {"status": "ok"}


def test_openapi_lists_the_errors_that_a_route_can_have(service: Service) -> None:
    operations = send(service("single"), "/openapi.json").json["paths"]
    codes = {
        path: {status: error["description"] for status, error in operation["responses"].items() if status >= "400"}
        for path, item in operations.items()
        for operation in item.values()
    }
    any_request = {"400": "malformed", "403": "forbidden", "408": "too_slow", "431": "head_too_long", "500": "internal"}
    assert codes["/healthz"] == {**any_request, "503": "busy, ending"}
    assert codes["/metrics"] == {**codes["/healthz"], "401": "unauthorized"}
    assert codes["/v1/terms"]["422"] == "invalid, unknown_label"
    assert codes["/v1/predict"]["422"] == "invalid, too_many, too_long"
    assert "not_written" not in codes["/v1/predict"]["503"]


@pytest.mark.parametrize("path", ["/healthz", "/metrics", "/v1/model", "/v1/terms?n=1", "/", "/openapi.json"])
def test_head_gets_the_headers_of_get(service: Service, path: str) -> None:
    head, get = (send(service("single"), path, method=method) for method in ("HEAD", "GET"))
    assert (head.status, head.body) == (200, b"")
    assert head.headers["content-type"] == get.headers["content-type"]


def test_a_body_in_another_encoding_is_named(service: Service) -> None:
    error = send(service("single"), "/v1/predict", '{"texts": ["Köln"]}'.encode("latin-1")).json["error"]
    assert error == {
        "code": "invalid",
        "message": "The body is not UTF-8. Encode the JSON as UTF-8.",
        "hint": "Encode the JSON as UTF-8.",
    }


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
    ("/v1/model", {"text": "a"}, 405, "method_not_allowed", "^Use GET or HEAD\\.$"),
    ("/v1/terms?n=many", None, 422, "invalid", "^n: "),
    ("/v1/terms?label=spam", None, 422, "unknown_label", "no class 'spam'"),
    ("/v1/predict", None, 405, "method_not_allowed", "POST"),
    ("/../../etc/passwd", None, 404, "not_found", "passwd"),
]


@pytest.mark.parametrize(("path", "body", "status", "code", "message"), WRONG)
def test_errors_have_a_status_a_code_and_a_message(
    service: Service, path: str, body: Any, status: int, code: str, message: str
) -> None:
    response = send(service("single"), path, body)
    assert (response.status, response.code) == (status, code)
    assert re.search(message, response.json["error"]["message"])
    assert response.headers["content-type"] == "application/json"


SEE_DOCS = {"hint": "See /docs for the format of requests."}
CLASSES = ["money", "sport", "weather"]
FIELDS = [
    ("/v1/predict", b"{", SEE_DOCS),
    ("/v1/predict", {"texts": "one"}, {"setting": "texts", "place": "texts", **SEE_DOCS}),
    ("/v1/predict", {"texts": ["one", 2]}, {"setting": "texts", "place": "texts.1", **SEE_DOCS}),
    ("/v1/predict", {"texts": ["one"], "Top": 1}, {"setting": "Top", **SEE_DOCS}),
    ("/v1/predict", {"texts": ["goal"] * 1001}, {"setting": "texts", "hint": "Send several requests."}),
    ("/v1/predict", {"texts": ["", "g" * 1_000_001]}, {"setting": "texts", "place": "texts.1"}),
    ("/v1/explain", {"text": "g" * 1_000_001}, {"setting": "text", "place": "text"}),
    ("/v1/explain", {"text": "a", "label": "spam"}, {"setting": "label", "value": "spam", "allowed": CLASSES}),
    ("/v1/explain", {"text": "a", "label": 2.5}, {"setting": "label", "value": 2.5, "allowed": CLASSES}),
    ("/v1/terms?label=spam", None, {"setting": "label", "value": "spam", "allowed": CLASSES}),
    ("/v1/terms?n=many", None, {"setting": "n", "value": "many", "place": "n", **SEE_DOCS}),
    ("/v1/model", {"text": "a"}, {"allowed": ["GET", "HEAD"]}),
    ("/v1/nothing", None, {"hint": "/docs lists all routes."}),
]


@pytest.mark.parametrize(("path", "body", "fields"), FIELDS)
def test_errors_have_fields_for_programs(service: Service, path: str, body: Any, fields: dict[str, Any]) -> None:
    error = send(service("single"), path, body).json["error"]
    assert {name: value for name, value in error.items() if name not in ("code", "message")} == fields
    assert error["message"].endswith(fields.get("hint", ""))


def test_the_openapi_document_lists_the_fields_of_errors(service: Service) -> None:
    document = send(service("single"), "/openapi.json").json
    details = document["components"]["schemas"]["ErrorDetails"]
    assert details["properties"].keys() == ERROR_FIELDS
    assert details["required"] == ["code", "message"]


def test_an_input_error_becomes_a_response_with_its_fields() -> None:
    error = InputError("too few", place="a.csv", setting="k", value={1}, allowed=(2, "all"), hint="use more")
    response = ApiError.of_input_error(error)
    assert response.status == 422
    assert json.loads(response.body)["error"] == {
        "code": "invalid",
        "message": "a.csv: k={1}: too few; use more.",
        "setting": "k",
        "value": "{1}",
        "allowed": [2, "all"],
        "hint": "use more",
        "place": "a.csv",
    }
    assert json.loads(ApiError.of_input_error(InputError("No text.")).body)["error"].keys() == {"code", "message"}


def test_values_in_errors_are_short_and_valid_json() -> None:
    values = ["g" * 1000, 2**70, float("nan"), float("inf"), None, True, 0.5]
    fields = [json.loads(ApiError("invalid", "Wrong.", value=value).body)["error"]["value"] for value in values]
    assert fields[0] == f"'{'g' * 196}..."
    assert fields[1:] == [str(2**70), "nan", "inf", None, True, 0.5]
    many = ApiError("invalid", "Wrong.", allowed=range(101))
    assert "allowed" not in json.loads(many.body)["error"]


def test_an_input_error_of_an_endpoint_is_the_fault_of_the_request(models: dict[str, Path]) -> None:
    service = AppService(str(models["single"]))
    error = InputError(setting="top", value=0, hint="use a number from 1")

    async def requests() -> list[tuple[int, Any]]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(PredictionWorkers, "predict", _raising(error))
            patch.setattr(PredictionWorkers, "work", _raising(error))
            app = build_app(service, None, None)
            try:
                return [
                    await _response(app, "POST", "/v1/predict", b'{"texts": []}'),
                    await _response(app, "GET", "/v1/terms", b""),
                ]
            finally:
                service.close()

    for status, body in asyncio.run(requests()):
        assert status == 422
        assert body["error"] == {
            "code": "invalid",
            "message": "top=0; use a number from 1.",
            "setting": "top",
            "value": 0,
            "hint": "use a number from 1",
        }


def _raising(error: InputError) -> Callable[..., Any]:
    async def method(*_: Any) -> bytes:
        raise error

    return method


async def _response(app: Any, method: str, path: str, body: bytes) -> tuple[int, Any]:
    """Call an ASGI application, and return the status and the JSON of its response."""
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    scope = {"type": "http", "method": method, "path": path, "query_string": b"", "headers": headers}
    messages: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body}

    async def send(message: Any) -> None:
        messages.append(message)

    await app(scope, receive, send)
    return messages[0]["status"], json.loads(messages[1]["body"])
