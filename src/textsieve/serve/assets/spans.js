// Where terms stand in a text, as pieces that do not overlap.
//
// Spans count code points; a string of the browser counts UTF-16 units, of which an emoji has two. A run of words and
// its words overlap: the text is cut wherever a span begins or ends, and each piece knows the terms of all spans that
// cover it. The pieces, one after the other, are the text again.

/** From a place in code points to one in UTF-16 units. */
export const unitsOf = (text) => {
  if (!/[\ud800-\udbff]/.test(text)) return (point) => Math.min(point, text.length);
  const units = [];
  for (let unit = 0; unit < text.length; unit += text.codePointAt(unit) > 0xffff ? 2 : 1) units.push(unit);
  return (point) => units[point] ?? text.length;
};

/** `[{text, places}, ...]`; `places` are of the terms, each once, and empty where no term stands. */
export const piecesOf = (text, spans) => {
  const unit = unitsOf(text);
  const inUnits = spans.map(([start, end, place]) => [unit(start), unit(end), place]);
  const inside = inUnits.filter(([start, end]) => start < end);
  inside.sort((one, other) => one[0] - other[0]);
  const cuts = [...new Set([0, text.length, ...inside.flatMap(([start, end]) => [start, end])])].sort((a, b) => a - b);
  const pieces = [];
  let covering = [], next = 0;
  for (let at = 0; at + 1 < cuts.length; at += 1) {
    covering = covering.filter(([, end]) => end > cuts[at]);
    while (next < inside.length && inside[next][0] === cuts[at]) covering.push(inside[next++]);
    const places = [...new Set(covering.map(([, , place]) => place))];
    pieces.push({ text: text.slice(cuts[at], cuts[at + 1]), places });
  }
  return pieces;
};

/** What the terms of a piece add together. */
export const sumOf = (places, contributions) =>
  places.reduce((sum, place) => sum + contributions[place].contribution, 0);

/** The largest of all contributions, without its sign; other strengths are shares of it. */
export const largestOf = (contributions) =>
  contributions.reduce((most, { contribution }) => Math.max(most, Math.abs(contribution)), 0);

/** From -1, as strongly against as anything in the text, to 1. */
export const strengthOf = (sum, largest) => (largest > 0 ? Math.max(-1, Math.min(1, sum / largest)) : 0);
