"""Hypothesis strategies for texts of unusual characters and markup, and for settings to read them."""

from hypothesis import strategies as st

from tests.reference.text_checks import CHARACTERS
from textsieve.text.preparation import Preparation
from textsieve.text.reading import Reading

ODD = (
    CHARACTERS + "łŁóđ“”–\xad\u0323\u0307\u0338\u1e69\u0344\u0f73\u0f75\u0958\u2126\ufdfa½…Iſ가각ㄱ각"
    "ﬃ㎏\u093f\u094d\u0e33\u20e3\ufe0f\U0001d15e\U0001d16f\U000e0100&;#<>/]!"
)
PIECES = (
    *("<b>", "</b>", "<td>", "</p>", "<!-- x", " -->", "<script>", "</script", "]]>", "<![CDATA[", "<a href='é>ł'>"),
    *("&eacute;", "&eacute", "&amp", "&ampersand;", "&notit;", "&shy;", "&#173;", "&#x301;", "&#0;", "&#1", "&#57"),
    *(
        "&#x39",
        "&semi;",
        "&fjlig;",
        "&#00000000065;",
        "&NotEqualTilde;",
        "&unheard;",
        "&",
        "&#",
        "&am",
        "p;",
        "&lt;b&gt;",
    ),
    *(
        "in",
        "San José",
        "Santiago de Cuba",
        "D'Arcy",
        "İnce Memed",
        "I\u0307",
        "\r\n",
        " Łódź Ś",
        "e\u0301t",
        "ΟΔΟΣ",
        ". ",
    ),
)
odd_texts = st.one_of(
    st.text(ODD, max_size=30),
    st.text(st.characters(), max_size=15),
    st.lists(st.sampled_from([*PIECES, *ODD]), max_size=15).map("".join),
)
settings_of_reading = st.builds(
    Reading,
    st.booleans(),
    st.sampled_from([None, "ascii", "unicode"]),
    st.just("utf-8"),
    st.just("strict"),
    st.builds(
        Preparation,
        tags=st.sampled_from(["keep", "drop"]),
        names=st.booleans(),
        language=st.sampled_from(["en", "tr"]),
    ),
)
