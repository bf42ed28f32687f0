// What speaks for a class and what against it.
//
// Where a score is a sum of weights, a term speaks for a class if it adds to its score. Naive Bayes adds logarithms of
// probabilities, which are all below 0: by them, every term would speak against every class. What decides there is how
// much more a term adds to this class than to all classes on average; the server tells that as `compared`.

/** The terms of an explanation, in its order: `adds` is exact, `contribution` what marks and bars go by. */
export const voicesOf = ({ compared, contributions }) => contributions.map((each) =>
  ({ ...each, adds: each.contribution, contribution: compared ? each.compared ?? 0 : each.contribution }));

/** The same, what speaks most, for or against, first. */
export const loudestFirst = (explained) =>
  voicesOf(explained).sort((one, other) => Math.abs(other.contribution) - Math.abs(one.contribution));
