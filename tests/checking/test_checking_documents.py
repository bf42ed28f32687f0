"""Empty and short documents, spellings of labels, small classes, languages, and terms that give a label away."""

import json

import pytest

from textsieve import check
from textsieve.checking.term_checks import GiveawayTerm

from .test_checking_labels import made_documents

GERMAN = "Das ist nicht die Antwort auf eine Frage, und der Fehler ist mit dem Update auch nicht weg, sagt {}"
SPANISH = "La respuesta que nos dieron por el error no es para los usuarios, porque ya se sabe como se hace, dice {}"
ENGLISH = "The answer that they gave to us was not for the users, but it is on this page and you have it, says {}"


def test_empty_and_short_documents_are_listed() -> None:
    texts, labels = made_documents(20)
    texts[4], texts[9], texts[11] = "", " ?? ", "goal goal goal"
    result = check(texts, labels)
    assert result.empty == [4]
    assert result.short == [9, 11]  # symbols are terms, too


def test_spellings_of_a_label_are_one_class_in_all_other_checks() -> None:
    texts, labels = made_documents(20)
    labels[0], labels[3], labels[1] = "Sport", " SPORT ", "Politics"
    result = check(texts, labels)
    assert result.similar_labels == [{"politics": 19, "Politics": 1}, {"sport": 18, " SPORT ": 1, "Sport": 1}]
    assert result.small_classes == {}
    assert result.wrong_labels == []
    assert result.accuracy == 1.0


def test_copies_with_spellings_of_one_label_do_not_contradict_each_other() -> None:
    texts, labels = made_documents(20)
    texts[3], labels[3] = texts[0], "SPORT"
    result = check(texts, labels)
    assert [group.labels for group in result.duplicates] == [(("sport",),)]
    assert result.contradictions == []


def test_classes_with_few_documents_are_listed_and_left_out() -> None:
    texts, labels = made_documents(20)
    result = check([*texts, "goal vote atom", "budget proof"], [*labels, "rare", "rare"])
    assert result.small_classes == {"rare": 2}
    assert [row.document for row in result.rows() if row.problem == "small class"] == [60, 61]
    assert "rare" not in {wrong.likely_label for wrong in result.wrong_labels}


def test_documents_in_another_language_than_most_are_listed() -> None:
    names = [f"name{number}" for number in range(30)]
    texts = [ENGLISH.format(name) for name in names[:25]] + [GERMAN.format(name) for name in names[25:28]]
    texts += [SPANISH.format(name) for name in names[28:]]
    result = check(texts, ["a", "b"] * 15)
    assert result.languages == {"English": 25, "German": 3, "Spanish": 2}
    assert result.other_languages == {25: "German", 26: "German", 27: "German", 28: "Spanish", 29: "Spanish"}


def test_a_stop_word_that_is_repeated_counts_once() -> None:
    texts = [f"mail com com com com com com number{number}" for number in range(20)]
    assert check(texts, ["a", "b"] * 10).languages == {}


def test_a_term_that_predicts_a_class_almost_perfectly_gives_it_away() -> None:
    texts, labels = made_documents(20)
    texts = [f"{text} ref17" if label == "sport" else text for text, label in zip(texts, labels, strict=True)]
    texts[1] += " ref17"
    result = check(texts, labels)
    assert GiveawayTerm("ref17", "sport", 21, 20 / 21, 1.0) in result.giveaways
    assert result.giveaways[0].term == "ref17"


def test_rows_have_every_problem_of_a_document_once() -> None:
    texts, labels = made_documents(20)
    texts[5], labels[8], texts[4] = texts[8], "sport", ""
    result = check(texts, labels)
    rows = list(result.rows())
    assert {(row.document, row.problem) for row in rows} >= {
        (5, "exact copy with different labels"),
        (8, "exact copy with different labels"),
        (4, "empty"),
    }
    assert len(rows) == len(set(rows))
    assert all(row.place == f"document {row.document + 1}" for row in rows)
    assert rows[0].group == 1


def test_the_result_is_json_and_its_counts_agree_with_its_rows() -> None:
    texts, labels = made_documents(20)
    texts[5], labels[8], texts[4], texts[10] = texts[8], "sport", "", "goal"
    result = check(texts, [None if number == 12 else label for number, label in enumerate(labels)])
    values = json.loads(json.dumps(result.to_dict()))
    assert values["documents"] == len(texts)
    assert len(values["empty"]) == len(result.empty) == 1
    assert values["duplicates"][0]["different_labels"]
    counts = {row.problem: row.n_found for row in result.problems()}
    assert counts["empty documents"] == sum(row.problem == "empty" for row in result.rows())
    assert counts["documents without a label"] == sum(row.problem == "no label" for row in result.rows()) == 1
    assert counts["probably wrong labels"] == sum(row.problem == "probably wrong label" for row in result.rows())


@pytest.mark.parametrize("text", ["<script>alert(1)</script> & more words", "x\ud800y goal keeper"])
def test_the_page_and_the_notebook_show_any_text_harmlessly(text: str) -> None:
    from textsieve.checking.page import full_page

    texts, labels = made_documents(20)
    texts[0] = texts[1] = text
    labels[0] = "<b>sport</b>"
    result = check(texts, labels)
    for html in (full_page(result), result._repr_html_()):
        assert "<script" not in html
        assert "<b>sport" not in html
        html.encode()


def test_rare_spellings_have_a_row_with_the_usual_one() -> None:
    texts, labels = made_documents(20)
    usual = labels[8]
    labels[8], labels[11] = usual.upper(), f"{usual} "
    rows = [row for row in check(texts, labels).rows() if row.problem == "rare spelling of the label"]
    assert {row.document: row.likely_label for row in rows if row.document == 8} == {8: usual}
    assert all(row.likely_label in set(made_documents(20)[1]) for row in rows)


@pytest.mark.parametrize(("copies", "expected"), [(2, "on average fewer than 1 would"), (30, "about 6 would")])
def test_copies_on_both_sides_of_a_split_are_a_number_that_makes_sense(copies: int, expected: str) -> None:
    texts, labels = made_documents(20)
    texts[:copies], labels[:copies] = [texts[0]] * copies, [labels[0]] * copies
    (advice,) = [row.advice for row in check(texts, labels).problems() if row.problem == "copies of other documents"]
    assert advice.startswith(expected)
