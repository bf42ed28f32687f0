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

/** The sum of those numbers that count at the moment: a tree of sums, in which nothing is left of one removed. */
const sumOf = (numbers) => {
  const first = 2 ** Math.ceil(Math.log2(Math.max(1, numbers.length))), sums = new Float64Array(2 * first);
  const set = (place, number) => {
    let at = first + place;
    sums[at] = number;
    for (at >>= 1; at >= 1; at >>= 1) sums[at] = sums[2 * at] + sums[2 * at + 1];
  };
  return { add: (place) => set(place, numbers[place]), remove: (place) => set(place, 0), total: () => sums[1] };
};

/**
 * `[{text, terms, sum, places}, ...]`: how many terms cover a piece, and what these add together, by a sweep over the
 * ends of the spans. `places()` are the places of the terms, each once; they are looked for when asked for, since all
 * places of all pieces are too many where long spans overlap.
 */
export const piecesOf = (text, spans, contributions) => {
  const unit = unitsOf(text);
  const inUnits = spans.map(([start, end, place]) => [unit(start), unit(end), place]);
  const inside = inUnits.filter(([start, end]) => start < end);
  const starts = [...inside].sort((one, other) => one[0] - other[0]);
  const ends = [...inside].sort((one, other) => one[1] - other[1]);
  const cuts = [...new Set([0, text.length, ...starts.map(([start]) => start), ...ends.map(([, end]) => end)])];
  const covering = new Map(), sum = sumOf(contributions.map(({ contribution }) => contribution));
  const begin = (place) => {
    if (!covering.has(place)) sum.add(place);
    covering.set(place, (covering.get(place) ?? 0) + 1);
  };
  const end = (place) => {
    covering.set(place, covering.get(place) - 1);
    if (covering.get(place) === 0 && covering.delete(place)) sum.remove(place);
  };
  const placesAt = (at) =>
    [...new Set(starts.filter(([from, to]) => from <= at && at < to).map(([, , place]) => place))];
  let begun = 0, ended = 0;
  return cuts.sort((one, other) => one - other).slice(0, -1).map((cut, at, all) => {
    for (; ended < ends.length && ends[ended][1] <= cut; ended += 1) end(ends[ended][2]);
    for (; begun < starts.length && starts[begun][0] <= cut; begun += 1) begin(starts[begun][2]);
    const own = text.slice(cut, all[at + 1]);
    return { text: own, terms: covering.size, sum: sum.total(), places: () => placesAt(cut) };
  });
};

/** The largest of all contributions, without its sign; other strengths are shares of it. */
export const largestOf = (contributions) =>
  contributions.reduce((most, { contribution }) => Math.max(most, Math.abs(contribution)), 0);

/** From -1, as strongly against as anything in the text, to 1. */
export const strengthOf = (sum, largest) => (largest > 0 ? Math.max(-1, Math.min(1, sum / largest)) : 0);
