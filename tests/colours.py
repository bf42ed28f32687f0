"""Colours of a page as they are seen, and their contrast."""

from __future__ import annotations

from tests.browser import Browser

COLOURS = """
const parse = (text) => {
  const [r, g, b, a] = text.match(/[\\d.]+/g).map(Number);
  return [r, g, b, a ?? 1];
};
const over = ([r, g, b, a], ground) => [r, g, b].map((channel, place) => a * channel + (1 - a) * ground[place]);
const groundOf = (element) => {
  if (!element) return [255, 255, 255];
  const own = parse(getComputedStyle(element).backgroundColor);
  return own[3] === 1 ? own.slice(0, 3) : over(own, groundOf(element.parentElement));
};
"""


def contrast(first: list[float], second: list[float]) -> float:
    """Return the contrast of two colours, as WCAG defines it."""

    def luminance(colour: list[float]) -> float:
        parts = [channel / 255 for channel in colour[:3]]
        linear = [channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4 for channel in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    light, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


READ = """
const isShown = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
const hasWords = (element) => [...element.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
const isForEyes = (element) => !element.closest(".hidden, .skip, noscript, [disabled]");
return [...document.querySelectorAll("body, body *")]
  .filter((element) => hasWords(element) && isShown(element) && isForEyes(element))
  .map((element) => [
    element.textContent.trim().slice(0, 40), parse(getComputedStyle(element).color), groundOf(element)
  ]);
"""


def readability(browser: Browser) -> dict[str, float]:
    """Return the contrast of all visible texts, by their text."""
    texts = browser.run(COLOURS + READ)
    assert texts, "there are no words"
    return {words: contrast(letters, ground) for words, letters, ground in texts}
