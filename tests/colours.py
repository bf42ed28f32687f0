"""Colours of a page as they are seen, and how well one can be told from another."""

from __future__ import annotations

from tests.browser import Browser

COLOURS = """
const parse = (text) => {
  const [r, g, b, a] = text.match(/[\\d.]+/g).map(Number);
  return [r, g, b, a ?? 1];
};
const over = ([r, g, b, a], ground) => [r, g, b].map((each, place) => a * each + (1 - a) * ground[place]);
const groundOf = (element) => {
  if (!element) return [255, 255, 255];
  const own = parse(getComputedStyle(element).backgroundColor);
  return own[3] === 1 ? own.slice(0, 3) : over(own, groundOf(element.parentElement));
};
"""


def contrast(one: list[float], other: list[float]) -> float:
    """Of two colours, as the WCAG has it."""

    def luminance(colour: list[float]) -> float:
        parts = [each / 255 for each in colour[:3]]
        linear = [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


READ = """
const isShown = (each) => each.checkVisibility({ visibilityProperty: true, opacityProperty: true });
const hasWords = (each) => [...each.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
const isForEyes = (each) => !each.closest(".hidden, .skip, noscript, [disabled]");
return [...document.querySelectorAll("body, body *")]
  .filter((each) => hasWords(each) && isShown(each) && isForEyes(each))
  .map((each) => [each.textContent.trim().slice(0, 40), parse(getComputedStyle(each).color), groundOf(each)]);
"""


def readability(browser: Browser) -> dict[str, float]:
    """The contrast of all words that are seen, by the words."""
    found = browser.run(COLOURS + READ)
    assert found, "there are no words"
    return {words: contrast(letters, ground) for words, letters, ground in found}
