"""Group documents by their classes, so that a document is added to few groups instead of to each of its classes.

A document is in a **first group**, of documents that share many classes with it, and in one **further group** for each
of its remaining classes. For example, if many documents have the classes "economy" and "trade", and few of them also
"fish", then a document with all three is in the first group of {economy, trade} and in the further group of {fish}. The
sums of a class are those over all groups with this class. Each document is in exactly one first group, so the sums over
these are the totals over all documents. The first group of unlabelled documents has no class.

To find sets of classes that many documents share, the classes of each document are sorted, frequent ones first, and
made a path in a tree: a node stands for a set of classes, and its parent for the set without the last of them. (This is
the FP-tree of Han et al. 2000.) Each document starts at the node of all its classes. Nodes with few documents pass them
to their parents, from the leaves up, and the node where a document ends is that of its first group. Nodes with a single
class keep any number of documents.
"""

import numpy as np
from numpy.typing import NDArray

from ..arrays import Int32s, Ints
from .jit import kernel


@kernel
def class_set_tree(
    documents: Ints, class_starts: Ints, class_order: Ints, n_documents: int
) -> tuple[Int32s, Int32s, Int32s]:
    """Return the node of each document, and for each node its parent and its class; the root is node 0.

    The documents of class c are `documents[class_starts[c] : class_starts[c + 1]]`. The classes of each document form a
    path from the root, in the order of `class_order`; the document's node is the end of this path. A parent has a lower
    number than its children.
    """
    nodes = np.zeros(n_documents, np.int32)
    # Each pair of a document and a class adds at most one node. Memory that is never written to is not allocated.
    parents, node_classes = np.empty(documents.size + 1, np.int32), np.empty(documents.size + 1, np.int32)
    newest_children = np.empty(documents.size + 1, np.int32)  # the child of each node that was added last, or 0
    parents[0], node_classes[0], newest_children[0] = 0, 0, 0
    n_nodes = 1
    for class_number in class_order:
        first_node = n_nodes  # nodes of this class are numbered from here on
        for pair in range(class_starts[class_number], class_starts[class_number + 1]):
            document = np.uint64(documents[pair])
            parent = np.uint64(nodes[document])
            if newest_children[parent] < first_node:  # the parent has no child of this class yet
                parents[n_nodes], node_classes[n_nodes], newest_children[n_nodes] = parent, class_number, 0
                newest_children[parent] = n_nodes
                n_nodes += 1
            nodes[document] = newest_children[parent]
    return nodes, parents[:n_nodes].copy(), node_classes[:n_nodes].copy()


@kernel
def frequent_ancestors(nodes: Int32s, parents: Int32s, min_documents: int) -> Int32s:
    """Return for each node the node where its documents end.

    Nodes with fewer than `min_documents` pass them to their parents, but children of the root keep theirs. `nodes` has
    the node of each document.
    """
    n_documents = np.zeros(parents.size, np.int64)
    for node in nodes:
        n_documents[node] += 1
    for node in range(parents.size - 1, 0, -1):
        if n_documents[node] < min_documents and parents[node] != 0:
            n_documents[parents[node]] += n_documents[node]
            n_documents[node] = 0
    ancestors = np.zeros(parents.size, np.int32)
    for node in range(1, parents.size):
        passes_documents = n_documents[node] == 0 and parents[node] != 0
        ancestors[node] = ancestors[parents[node]] if passes_documents else node
    return ancestors


@kernel
def nodes_of_documents(
    documents: Ints, class_starts: Ints, class_order: Ints, first_nodes: Int32s, parents: Int32s
) -> tuple[Ints, Int32s]:
    """Return where the nodes of each document start, and the nodes: of its first group, and of its further groups.

    `first_nodes` has the node of the first group of each document. The node of the further group of class c is
    numbered `parents.size` + c, after those of the tree.
    """
    depths = np.zeros(parents.size, np.int64)  # the number of classes of each node
    for node in range(1, parents.size):
        depths[node] = depths[parents[node]] + 1
    n_classes = np.zeros(first_nodes.size, np.int64)  # of each document
    for document in documents:
        n_classes[np.uint64(document)] += 1
    starts = np.zeros(first_nodes.size + 1, np.int64)
    for document in range(first_nodes.size):
        starts[document + 1] = starts[document] + 1 + n_classes[document] - depths[first_nodes[document]]
    document_nodes = np.empty(starts[first_nodes.size], np.int32)
    for document in range(first_nodes.size):
        document_nodes[starts[document]] = first_nodes[document]
    n_left = n_classes  # how many classes of each document are still to come
    for class_number in class_order:
        for pair in range(class_starts[class_number], class_starts[class_number + 1]):
            document = np.uint64(documents[pair])
            position = starts[document + np.uint64(1)] - n_left[document]
            n_left[document] -= 1
            if position > starts[document]:  # the first group does not have this class
                document_nodes[position] = parents.size + class_number
    return starts, document_nodes


@kernel
def split_nodes(document_nodes: Int32s, n_nodes: int, max_documents: int) -> tuple[Int32s, Int32s]:
    """Return the group of each node of each document, and the node of each group.

    A group has at most `max_documents`, so there may be several groups of the same node.
    """
    groups = np.empty(document_nodes.size, np.int32)
    group_nodes = [np.int32(0) for _ in range(0)]  # an empty list, for numba
    open_groups, room = np.zeros(n_nodes, np.int32), np.zeros(n_nodes, np.int64)
    for position in range(document_nodes.size):
        node = np.uint64(document_nodes[position])
        if room[node] == 0:
            open_groups[node], room[node] = len(group_nodes), max_documents
            group_nodes.append(document_nodes[position])
        room[node] -= 1
        groups[position] = open_groups[node]
    return groups, np.array(group_nodes, np.int32)


@kernel
def classes_of_groups(group_nodes: Int32s, parents: Int32s, node_classes: Int32s) -> tuple[Ints, Ints]:
    """Return the pairs of a group and one of its classes, as an array of groups and one of classes.

    `group_nodes` has the node of each group; see `class_set_tree` and `nodes_of_documents`.
    """
    pair_groups, pair_classes = [np.int64(0) for _ in range(0)], [np.int64(0) for _ in range(0)]
    for group in range(group_nodes.size):
        node = np.int64(group_nodes[group])
        if node >= parents.size:  # a further group, which has a single class
            pair_groups.append(np.int64(group))
            pair_classes.append(node - parents.size)
            continue
        while node != 0:
            pair_groups.append(np.int64(group))
            pair_classes.append(np.int64(node_classes[node]))
            node = np.int64(parents[node])
    return np.array(pair_groups, np.int64), np.array(pair_classes, np.int64)


@kernel
def group_sizes(starts: Ints, groups: Int32s, row_sizes: NDArray[np.int32], n_groups: int) -> Ints:
    """Return the number of values in the documents of each group.

    The groups of document d are `groups[starts[d] : starts[d + 1]]`; its row has `row_sizes[d]` values.
    """
    sizes = np.zeros(n_groups, np.int64)
    for document in range(row_sizes.size):
        for position in range(starts[document], starts[document + 1]):
            sizes[groups[position]] += row_sizes[document]
    return sizes
