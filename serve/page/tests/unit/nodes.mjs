// What the nodes that are to be would show.

/** The text of nodes. */
export function textOf(nodes) {
  return nodes.map((node) => (typeof node === 'string' ? node : textOf(node.children))).join('');
}

/** All elements in nodes, those in others included. */
export function elementsOf(nodes) {
  return nodes.flatMap((node) => (typeof node === 'string' ? [] : [node, ...elementsOf(node.children)]));
}

/** Nodes in one line, to compare: `<p>a <b>c</b></p>`, without attributes. */
export function outline(nodes) {
  return nodes.map((node) => (typeof node === 'string' ? node : `<${node.tag}>${outline(node.children)}</${node.tag}>`)).join('');
}
