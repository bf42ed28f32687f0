"""The committed pages are those of the committed results, so that no sentence contradicts its table."""

import re
from pathlib import Path

import pytest
from studies.__main__ import command
from studies.claim_texts import HOW_TO_READ_CLAIMS, measured_text, verdict_text
from studies.findings import FINDINGS
from studies.judging import JudgedItem, judge
from studies.measurements import Estimate
from studies.overview import NAME, counts_of, overview_of
from studies.pages import numbers_of, page_of, paragraphs
from studies.paper import Paper
from studies.reproduction import PAPERS, Reproduction, find_paper, recall
from studies.sentences import CONDITION, TAG, names_in

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "research" / "papers"
RESULTS = ROOT / "studies" / "results"
MOST_WORDS = 1_500

RESULT_WORDS = re.compile(
    r"\b(leads|(is|are) (far )?(ahead|behind|better|worse|faster|slower)|no difference|agrees?|as good as|stays behind|"
    r"far (below|ahead|above)|hardly (differ|change)s?|changes? (little|nothing)|confirms?|holds)\b"
)
"""Words that state a result: sentences with them are chosen by figures, or tell what the paper says."""
TYPED = re.compile(r"(?<![\w{|=.])0?\.\d{2,}")
"""A share such as .54 that is typed instead of computed."""


@pytest.fixture(scope="module")
def recorded() -> dict[str, Reproduction]:
    return {reproduction.request.paper.name: reproduction for reproduction in recall(PAPERS, RESULTS)}


@pytest.mark.parametrize("name", PAPERS)
def test_a_page_is_that_of_its_results(recorded: dict[str, Reproduction], name: str) -> None:
    """Write it anew with `python -m studies PAPERS --recorded --results studies/results -o docs/research/papers`."""
    reproduction = recorded[name]
    page = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    assert page == page_of(reproduction.request, reproduction.items, reproduction.scope, reproduction.provenance)
    assert "A part only" not in page


def test_the_page_about_all_papers_is_that_of_the_results(recorded: dict[str, Reproduction]) -> None:
    assert (PAGES / NAME).read_text(encoding="utf-8") == overview_of(list(recorded.values()))


def test_the_page_about_all_papers_names_two_different_things_in_each_comparison() -> None:
    page = (PAGES / NAME).read_text(encoding="utf-8")
    compared = re.findall(r"^\| .* \| (.+) against (.+): [-+\d]", page, re.MULTILINE)
    assert len(compared) > 50
    assert [pair for pair in compared if pair[0] == pair[1]] == []


@pytest.mark.parametrize("name", PAPERS)
def test_pages_describe_claims_in_the_words_of_the_page_about_all_papers(
    recorded: dict[str, Reproduction], name: str
) -> None:
    reproduction = recorded[name]
    page = page_of(reproduction.request, reproduction.items, reproduction.scope, reproduction.provenance)
    assert paragraphs(HOW_TO_READ_CLAIMS) in page
    overview = overview_of(list(recorded.values()))
    claims = [(judged.item, claim) for judged in reproduction.items for claim in judged.claims]
    assert claims
    for item, claim in claims:
        measured = measured_text(claim, item)
        assert f"| {measured} | {verdict_text(claim)} |" in page
        first, _, second = measured.partition(" against ")
        assert first != second.partition(":")[0]
        if claim.is_counted:
            assert f"| {measured} | {verdict_text(claim)} |" in overview


def test_the_page_about_all_papers_uses_only_words_that_it_explains() -> None:
    page = (PAGES / NAME).read_text(encoding="utf-8")
    explanation, _, tables = page.partition("## How to read the tables")[2].partition("## ")
    for words in ("against", "(paper:", "higher in", "times", "numbers of the paper"):
        assert words in explanation
        assert words in tables
    assert (
        re.findall(r"\b(?:beside|ahead|printed)\b.*\|$", tables.replace("farther ahead with", ""), re.MULTILINE) == []
    )


def test_git_ignores_the_default_output() -> None:
    output = next(option for option in command.params if option.name == "output").default
    assert f"/{output}/" in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()


def test_counts_before_are_those_of_the_pages_before(recorded: dict[str, Reproduction]) -> None:
    total = counts_of(list(recorded.values()))[-1]
    assert total[1:4] == ["68", "34", "82"]


@pytest.mark.parametrize("name", PAPERS)
def test_a_page_names_commits_and_documents_without_terms(recorded: dict[str, Reproduction], name: str) -> None:
    page = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    assert re.search(r"Measured with .*textsieve \d+\.\d+\.\d+.* at commits? [0-9a-f]{8}", page)
    assert "without a selected term**" in page
    assert recorded[name].provenance.commits


@pytest.mark.parametrize("name", PAPERS)
def test_a_page_is_short_enough_to_read(name: str) -> None:
    lines = (PAGES / f"{name}.md").read_text(encoding="utf-8").splitlines()
    prose = [line for line in lines if not line.startswith(("|", "!["))]
    assert 100 < len(" ".join(prose).split()) <= MOST_WORDS


def texts_of(paper: Paper) -> dict[str, str]:
    return {
        "setting": paper.setting,
        "without_terms": paper.without_terms,
        **{f"{item.name} {kind}": getattr(item, kind) for item in paper for kind in ("remark", "stands_in")},
    }


@pytest.mark.parametrize("name", PAPERS)
def test_sentences_that_state_a_result_are_chosen_by_figures(name: str) -> None:
    for place, text in texts_of(find_paper(name)).items():
        always = CONDITION.sub("", " ".join(text.split()))
        for sentence in re.split(r"(?<=[.:;])\s", always):
            if "paper" not in sentence:
                assert not RESULT_WORDS.search(sentence), (place, sentence)
                assert not TYPED.search(TAG.sub("", sentence)), (place, sentence)


@pytest.mark.parametrize("name", PAPERS)
def test_another_figure_gives_another_sentence(recorded: dict[str, Reproduction], name: str) -> None:
    """If all numbers were equal, no sentence that compares two of them would stay, and the page would be another."""
    reproduction = recorded[name]
    equal = [
        judge(judged.item, {cell.cell.measurement: Estimate(1.0) for cell in judged.all_cells})
        for judged in reproduction.items
    ]
    with_conditions = [judged for judged in equal if "{if " in judged.item.remark]
    assert with_conditions
    page = page_of(reproduction.request, equal, reproduction.scope, reproduction.provenance)
    committed = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    for judged in with_conditions:
        assert lines_about(judged, page) != lines_about(judged, committed), judged.item.name


def lines_about(judged: JudgedItem, page: str) -> list[str]:
    """Return the paragraphs of an item that are neither a table nor a picture."""
    section = next(part for part in page.split("\n## ") if part.partition("\n")[0].endswith(judged.item.title))
    return [line for line in section.splitlines()[1:] if line and not line.startswith(("|", "!["))]


def test_findings_name_measured_numbers(recorded: dict[str, Reproduction]) -> None:
    assert len(FINDINGS) == 10
    known = {
        f"{name} {judged.item.name}: {number}"
        for name, reproduction in recorded.items()
        for judged in reproduction.items
        for number in numbers_of(judged)
    }
    for finding in FINDINGS:
        names = set(names_in(finding))
        assert names, finding
        assert names <= known


@pytest.mark.parametrize("name", PAPERS)
def test_the_folder_has_the_figures_of_each_page_and_no_others(name: str) -> None:
    page = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    drawn = {f"{name}-{item.name}.svg" for item in find_paper(name) if item.is_figure}
    assert set(re.findall(r"\]\((\S+\.svg)\)", page)) == drawn
    assert {path.name for path in PAGES.glob(f"{name}-*.svg")} == drawn
