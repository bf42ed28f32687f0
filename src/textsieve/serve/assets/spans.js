// Split a text into pieces by the spans of its terms.
//
// Spans count code points; strings in JavaScript count UTF-16 units, of which an emoji has two. The spans of an n-gram
// and its words overlap, and so do n-grams of characters. So the text is cut wherever the terms that cover it change,
// and each piece knows its terms. The pieces joined together are the text.

/** Returns a function from an offset in code points to an offset in UTF-16 units. */
export const unitsOf = (text) => {
  if (!/[\ud800-\udbff]/.test(text)) return (point) => Math.min(point, text.length);
  const units = [];
  for (let unit = 0; unit < text.length; unit += text.codePointAt(unit) > 0xffff ? 2 : 1) units.push(unit);
  return (point) => units[point] ?? text.length;
};

/** Returns a sum of some of the numbers, as a tree of sums: a removed number leaves no rounding error. */
const sumTree = (numbers) => {
  const first = 2 ** Math.ceil(Math.log2(Math.max(1, numbers.length))), sums = new Float64Array(2 * first);
  const set = (index, number) => {
    let node = first + index;
    sums[node] = number;
    for (node >>= 1; node >= 1; node >>= 1) sums[node] = sums[2 * node] + sums[2 * node + 1];
  };
  return { add: (index) => set(index, numbers[index]), remove: (index) => set(index, 0), total: () => sums[1] };
};

/**
 * Returns the pieces as `[{text, count, sum, terms}, ...]`: the number of terms that cover a piece, the sum of their
 * contributions, and a function that returns the indices of these terms. The terms are not stored, because with long
 * overlapping spans all pieces together would have too many.
 */
export const piecesOf = (text, spans, contributions) => {
  const unit = unitsOf(text);
  const inUnits = spans.map(([start, end, term]) => [unit(start), unit(end), term]);
  const nonEmpty = inUnits.filter(([start, end]) => start < end);
  const starts = [...nonEmpty].sort((a, b) => a[0] - b[0]);
  const ends = [...nonEmpty].sort((a, b) => a[1] - b[1]);
  const cuts = [...new Set([0, text.length, ...starts.map(([start]) => start), ...ends.map(([, end]) => end)])];
  const covering = new Map(); // from the terms that cover the text after a cut to the number of their spans there
  const sum = sumTree(contributions.map(({ contribution }) => contribution)); // of these terms
  const changed = new Set(); // terms that cover the text before a cut or after it, but not both
  const change = (term) => { if (!changed.delete(term)) changed.add(term); }; // two changes undo each other
  const begin = (term) => {
    if (!covering.has(term)) {
      sum.add(term);
      change(term);
    }
    covering.set(term, (covering.get(term) ?? 0) + 1);
  };
  const end = (term) => {
    const nSpans = covering.get(term) - 1;
    if (nSpans > 0) {
      covering.set(term, nSpans);
    } else {
      covering.delete(term);
      sum.remove(term);
      change(term);
    }
  };
  /** Returns the terms that cover an offset. */
  const termsAt = (offset) =>
    [...new Set(starts.filter(([from, to]) => from <= offset && offset < to).map(([, , term]) => term))];
  const pieces = [];
  let nextStart = 0, nextEnd = 0;
  cuts.sort((a, b) => a - b).slice(0, -1).forEach((cut, index) => {
    for (; nextEnd < ends.length && ends[nextEnd][1] <= cut; nextEnd += 1) end(ends[nextEnd][2]);
    for (; nextStart < starts.length && starts[nextStart][0] <= cut; nextStart += 1) begin(starts[nextStart][2]);
    const piece = text.slice(cut, cuts[index + 1]);
    if (changed.size || !pieces.length) { // otherwise the same terms cover this piece and the one before: join them
      pieces.push({ text: piece, count: covering.size, sum: sum.total(), terms: () => termsAt(cut) });
    } else {
      pieces.at(-1).text += piece;
    }
    changed.clear();
  });
  return pieces;
};
