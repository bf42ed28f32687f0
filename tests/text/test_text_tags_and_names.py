"""Names in a text whose tags are removed: bold text stays in its sentence, a paragraph begins a new one."""

import pytest
from tests.reference.text_checks import PATHS, path

from textsieve import TermCounter


@pytest.mark.parametrize("way_through", PATHS)
@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("we saw <b>Bill Clinton</b> there", "bill clinton"),
        ("we saw <b><i>Bill Clinton</i></b> there", "bill clinton"),
        ("we saw <b>Bill</b> <font size=2><tt>Clinton</tt></font> there", "bill clinton"),
        ("we saw <font size=7>B</font>ill <!-- who? --> <a href=x>Clinton</a><sup>1</sup>", "bill clinton"),
        ("we saw Bill&nbsp;Clinton and Jean&#8209;Paul Sartre", "bill clinton, jean paul sartre"),
        ("by <script>New York</script> Bill <img src=x>Clinton", "bill clinton"),
        # what begins a sentence
        ("grew fast<p>The Company said so<br>Our Chairman agreed<li>New Products came", ""),
        ("<title>Welcome</title><h1>New York</h1><td>New Jersey</td>", ""),
        ("<dt>so it is<dd>The <b>New York Times</b></dd>", "new york times"),
        ("we saw <p><b><i>The Man</i></b>", ""),
        ("we saw New<br>York and Bill<td>Clinton", ""),
        ("<h1>NEW YORK</h1>and<h2>NEW <b>YORK</b></h2>and", ""),
        # lines without tags go on
        ("it grew fast\nThe Company said so", "the company"),
    ],
)
def test_names_in_marked_up_text(way_through: str, text: str, names: str) -> None:
    with path(way_through):
        terms = TermCounter(tags="drop", names=True).fit([text]).get_feature_names_out()
    assert ", ".join(term for term in terms if " " in term) == names
