// How strongly the terms of a text speak for or against a class.
//
// Where a score is a sum of weights, a term speaks for a class if it adds to its score. Naive Bayes adds logarithms of
// probabilities, which are all below 0, so every term would speak against every class. There, the page shows how much
// more a term adds to this class than to all classes on average; the server sends that as `compared`.

import { termText } from "./term-text.js";

/** Returns the terms of an explanation: `adds` is what a term adds, `contribution` is what marks and bars show. */
export const shownContributions = ({ compared, contributions }) => contributions.map((entry) => ({
  ...entry,
  term: termText(entry.term),
  adds: entry.contribution,
  contribution: compared ? entry.compared ?? 0 : entry.contribution,
}));

/** Compares contributions for sorting: the strongest first, for or against. */
export const byStrength = (a, b) => Math.abs(b.contribution) - Math.abs(a.contribution);

/** Returns the same terms, the strongest first, for or against. */
export const strongestFirst = (explanation) =>
  shownContributions(explanation).sort(byStrength);

/** Returns the largest contribution without its sign; strengths are fractions of it. */
export const largestOf = (contributions) =>
  contributions.reduce((largest, { contribution }) => Math.max(largest, Math.abs(contribution)), 0);

/** Returns a strength from -1 (the strongest against) to 1 (the strongest for). */
export const strengthOf = (sum, largest) => (largest > 0 ? Math.max(-1, Math.min(1, sum / largest)) : 0);
