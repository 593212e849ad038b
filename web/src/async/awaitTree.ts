// SPDX-License-Identifier: MIT
// Who awaited whom, as the flame graph draws it.
import type { Merged } from "../layout";
import type { AsyncTree } from "./data";

/** The tree as the graph wants it, a node above all: paths that had no room for a row are not in it. */
export function awaitTree(tree: AsyncTree): Merged {
  const node = new Int32Array(tree.count);
  const known = new Map<string, number>();
  const parent = [-1];
  const of = [-1];
  for (let row = 0; row < tree.count; ++row) {
    const above = tree.parent[row] < 0 ? 0 : node[tree.parent[row]];
    if (tree.function[row] < 0) {
      node[row] = above;
      continue;
    }
    const key = `${above} ${tree.function[row]}`;
    let at = known.get(key);
    if (at === undefined) {
      at = of.length;
      known.set(key, at);
      parent.push(above);
      of.push(tree.function[row]);
    }
    node[row] = at;
  }
  const made: Merged = {
    count: of.length,
    parent: Int32Array.from(parent),
    function: Int32Array.from(of),
    calls: new Float64Array(of.length),
    self: { wall: new Float64Array(of.length), cpu: new Float64Array(of.length) },
  };
  for (let row = 0; row < tree.count; ++row) {
    if (tree.function[row] < 0) continue;
    made.calls[node[row]] += tree.calls[row];
    made.self.wall[node[row]] += tree.own[row];
  }
  return made;
}
