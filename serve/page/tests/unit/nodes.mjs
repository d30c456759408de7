// Helpers that turn described nodes into text.

/** Returns the text of nodes. */
export function textOf(nodes) {
  return nodes.map((node) => (typeof node === 'string' ? node : textOf(node.children))).join('');
}

/** Returns all elements in nodes, nested ones included. */
export function elementsOf(nodes) {
  return nodes.flatMap((node) =>
    typeof node === 'string' ? [] : [node, ...elementsOf(node.children)],
  );
}

/** Writes nodes in one line without attributes: `<p>a <b>c</b></p>`. */
export function outline(nodes) {
  return nodes
    .map((node) =>
      typeof node === 'string' ? node : `<${node.tag}>${outline(node.children)}</${node.tag}>`,
    )
    .join('');
}
