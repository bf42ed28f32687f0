"""The most interesting findings about the papers, for the page about all of them.

Each names measured numbers as `{paper item: row | column}`; see `sentences.py`. A finding says what was measured even
if it is not what was found at first.
"""

FINDINGS = (
    """
    **OCFS's own example has a slip.** The scores that the paper prints for Fisher's irises leave a factor out, and in
    one of them two digits are swapped. So it selects the third and first feature, which classify {ocfs figure1:
    accuracy in features 3 and 1 | two} % of the flowers, and leaves out two that classify {ocfs figure1: accuracy in
    features 2 and 4 | two} %. Its own formula selects the third and fourth: {ocfs figure1: accuracy in features 3 and 4
    | two} %.
    """,
    """
    **With ten terms, many documents have none of them, and how they count decides the order.** They are {ocfs figure2:
    OCFS, without a term | 10} % of the test posts for OCFS and {ocfs figure2: CHI, without a term | 10} % for
    chi-square. On posts reduced to their prose OCFS has {ocfs figure2: OCFS, prose alone | 10} and information gain
    {ocfs figure2: IG, prose alone | 10} in the paper's F1, where such posts are assigned to no class; with a fallback
    class it is {ocfs figure2: OCFS, prose alone, accuracy | 10} and {ocfs figure2: IG, prose alone, accuracy | 10}.
    """,
    """
    **Chi-square {if ocfs figure3: CHI, scores alone | all ÷ ocfs figure3: OCFS, scores alone | all < 1.5}does not
    take{else}takes{end} twice the time of OCFS;** the paper says that it does. On 20 Newsgroups, computing its scores
    takes {ocfs figure3: CHI, scores alone | all ÷ ocfs figure3: OCFS, scores alone | all} times as long as computing
    those of OCFS, and information gain takes {ocfs figure3: IG, scores alone | all ÷ ocfs figure3: OCFS, scores alone |
    all} times as long. The table of claims below has other ratios, because it compares the time of the whole selection,
    most of which is a pass over the documents that all three need.
    """,
    """
    **OCFS is {if ocfs mislabelled: OCFS, terms kept | 20 % > ocfs mislabelled: IG, terms kept | 20 %}more{else}not
    more{end} robust to wrong labels than information gain.** With 20 % wrong labels it keeps {ocfs mislabelled: OCFS,
    terms kept | 20 %} % of its hundred terms, information gain {ocfs mislabelled: IG, terms kept | 20 %} %. The paper
    claims robustness without an experiment.
    """,
    """
    **Typical testors need not be listed.** Their union is the union of the minimal rows of a matrix, which takes
    polynomial time. For {testors figure5: terms | ε = 0.1} terms LEX, the paper's algorithm, takes {testors figure5:
    LEX | ε = 0.1} seconds, the union {testors figure5: union | ε = 0.1}.
    """,
    """
    **Testors help rare classes when terms are few.** At ε = 0.7 the SVM has a macro-F1 of {testors figure1: TT, SVM |
    ε = 0.7} with testors and {testors figure1: IG, SVM | ε = 0.7} with as many terms by information gain; with a
    round-robin over the classes, information gain has {testors figure1: IG in turns, SVM | ε = 0.7}.
    """,
    """
    **TOFA's numbers on RCV1 {if tofa table2: λ = 1 | RCV1 ~ 0.75}come out{else}do not come out{end} if stories are
    copied into each of their codes,** as the paper says. λ = 1 has {tofa table2: λ = 1 | RCV1} for a printed .75, IG
    {tofa table2: IG | RCV1} for .74, λ = 0 {tofa table2: λ = 0 | RCV1} for .68, on a subset of 944 terms. With the
    first code of each story alone, λ = 1 has {tofa table2: RCV1, first code, subset 1 | λ = 1}. λ = 2 is another
    matter: its scores become negative, and on 20 Newsgroups it selects the rarest terms ({tofa table2: λ = 2 | 20NG},
    printed .63).
    """,
    """
    **TCFP is {if tcfp table2: TCFP | best ~ tcfp table2: kNN | best}as good as kNN{else}not as good as kNN{end} on 20
    Newsgroups** ({tcfp table2: TCFP | best} and {tcfp table2: kNN | best}), as the paper says. It is {tcfp table5:
    kNN, every cosine | mean ÷ tcfp table5: TCFP | mean} times as fast as a search that computes every cosine, and {tcfp
    table5: kNN | mean ÷ tcfp table5: TCFP | mean} times as fast as one that skips most of them.
    """,
    """
    **Irrelevant terms harm TCFP {if tcfp irrelevant: TCFP | 0 % minus tcfp irrelevant: TCFP | 100 % > tcfp irrelevant:
    kNN | 0 % minus tcfp irrelevant: kNN | 100 %}more{else}no more{end} than kNN.** The paper claims the opposite
    without an experiment. With as many random terms as real ones TCFP goes from {tcfp irrelevant: TCFP | 0 %} to {tcfp
    irrelevant: TCFP | 100 %}, kNN from {tcfp irrelevant: kNN | 0 %} to {tcfp irrelevant: kNN | 100 %}.
    """,
    """
    **Random subspaces gain little over a single SVM at the paper's size{if subspace table1: RSM, words, terms from
    training | DF + IG < subspace table1: SVM, words, terms from training | DF + IG}, and on words nothing without a
    look at the test texts{end}.** The paper has 56.52 % for the ensemble and 52.83 % for the SVM, with terms that were
    selected from all texts. In the same way, the ensemble has {subspace table1: RSM | DF + IG} % and the SVM {subspace
    table1: SVM | DF + IG} %; the best of all sizes, M = {subspace best: M | all M and L} and L = {subspace best: L |
    all M and L}, has {subspace best: accuracy | all M and L} %, on the test texts on which it was chosen. On words
    instead of stems it is {subspace table1: RSM, words | DF + IG} and {subspace table1: SVM, words | DF + IG} % at the
    paper's size, and with terms selected from the training texts alone {subspace table1: RSM, words, terms from
    training | DF + IG} and {subspace table1: SVM, words, terms from training | DF + IG} %.
    """,
)
