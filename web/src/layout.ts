// SPDX-License-Identifier: MIT
// Where each path of calls lies in the flame graph: typed arrays, a few passes over them, no object
// a node.
import type { CallTree, Measure, Sums, ThreadFunctions } from "./data";

/** The call tree of one thread or of all, with a node above the outermost calls: node 0. */
export interface Merged {
  count: number;
  parent: Int32Array;
  /** -1: node 0 */
  function: Int32Array;
  calls: Float64Array;
  self: Record<Measure, Float64Array>;
}

/** Rows of `thread` (-1: of all), equal paths of different threads as one node. */
export function merge(tree: CallTree, thread: number, functions: number): Merged {
  const node = new Int32Array(tree.count);
  const made: Merged = {
    count: 1,
    parent: new Int32Array(tree.count + 1),
    function: new Int32Array(tree.count + 1),
    calls: new Float64Array(tree.count + 1),
    self: { wall: new Float64Array(tree.count + 1), cpu: new Float64Array(tree.count + 1) },
  };
  made.parent[0] = made.function[0] = -1;
  const known = new Map<number, number>();
  for (let row = 0; row < tree.count; ++row) {
    if (thread >= 0 && tree.thread[row] !== thread) continue;
    const parent = tree.parent[row] < 0 ? 0 : node[tree.parent[row]];
    const key = parent * functions + tree.function[row];
    let at = known.get(key);
    if (at === undefined) {
      at = made.count++;
      known.set(key, at);
      made.parent[at] = parent;
      made.function[at] = tree.function[row];
    }
    node[row] = at;
    made.calls[at] += tree.calls[row];
    made.self.wall[at] += tree.self.wall[row];
    made.self.cpu[at] += tree.self.cpu[row];
  }
  return made;
}

/** The calls of some functions, and what was called below them, without the paths that led there. */
export function below(tree: CallTree, functions: number[]): CallTree {
  const at = new Int32Array(tree.count).fill(-1);
  const rows: number[] = [];
  const parents: number[] = [];
  for (let row = 0; row < tree.count; ++row) {
    const parent = tree.parent[row] < 0 ? -1 : at[tree.parent[row]];
    if (parent < 0 && !functions.includes(tree.function[row])) continue;
    at[row] = rows.length;
    rows.push(row);
    parents.push(parent);
  }
  const times = (values: Float64Array) => Float64Array.from(rows, (row) => values[row]);
  return {
    count: rows.length,
    parent: Int32Array.from(parents),
    function: Int32Array.from(rows, (row) => tree.function[row]),
    thread: Int32Array.from(rows, (row) => tree.thread[row]),
    calls: times(tree.calls),
    self: { wall: times(tree.self.wall), cpu: times(tree.self.cpu) },
  };
}

/** By function: calls and times of all its nodes; recursion counts once. */
export function sumsOf(tree: Merged, functions: number): Sums {
  const zeros = () => new Float64Array(functions);
  const sums: Sums = { calls: zeros(), total: { wall: zeros(), cpu: zeros() }, self: { wall: zeros(), cpu: zeros() } };
  const outermost = (node: number) => {
    for (let at = tree.parent[node]; at > 0; at = tree.parent[at]) {
      if (tree.function[at] === tree.function[node]) return false;
    }
    return true;
  };
  const total = { wall: tree.self.wall.slice(0, tree.count), cpu: tree.self.cpu.slice(0, tree.count) };
  for (let node = tree.count - 1; node > 0; --node) {
    const f = tree.function[node];
    const counts = outermost(node);
    sums.calls[f] += tree.calls[node];
    for (const by of ["wall", "cpu"] as const) {
      total[by][tree.parent[node]] += total[by][node];
      sums.self[by][f] += tree.self[by][node];
      if (counts) sums.total[by][f] += total[by][node];
    }
  }
  return sums;
}

/** What a thread did by function alone, where the tree does not tell threads apart: one level. */
export function flat(rows: ThreadFunctions, thread: number): Merged {
  const of = [...rows.thread.keys()].filter((row) => rows.thread[row] === thread);
  const times = (values: Float64Array) => Float64Array.from([0, ...of.map((row) => values[row])]);
  return {
    count: of.length + 1,
    parent: Int32Array.from([-1, ...of.map(() => 0)]),
    function: Int32Array.from([-1, ...of.map((row) => rows.function[row])]),
    calls: times(rows.calls),
    self: { wall: times(rows.self.wall), cpu: times(rows.self.cpu) },
  };
}

export interface Layout {
  tree: Merged;
  measure: Measure;
  /** Time of the path and all below it, in ns; the width of its box. */
  total: Float64Array;
  /** Left edge, in ns from that of node 0. */
  start: Float64Array;
  depth: Int32Array;
  /** Nodes of each depth from left to right; those without time are not drawn. */
  rows: Int32Array[];
  /** Links for the arrow keys: the largest first. -1: none. */
  firstChild: Int32Array;
  nextSibling: Int32Array;
  previousSibling: Int32Array;
}

/** Boxes side by side in their caller's, the largest first; what is left is the caller's own time. */
export function layOut(tree: Merged, measure: Measure): Layout {
  const n = tree.count;
  const total = tree.self[measure].slice(0, n);
  const depth = new Int32Array(n);
  for (let i = n - 1; i > 0; --i) total[tree.parent[i]] += total[i];
  for (let i = 1; i < n; ++i) depth[i] = depth[tree.parent[i]] + 1;

  // A caller is never smaller than its callees and stands before them: by size it comes first.
  const order = Int32Array.from({ length: n }, (_, i) => i).sort((a, b) => total[b] - total[a] || a - b);
  const start = new Float64Array(n);
  const next = new Float64Array(n);
  const firstChild = new Int32Array(n).fill(-1);
  const lastChild = new Int32Array(n).fill(-1);
  const nextSibling = new Int32Array(n).fill(-1);
  const previousSibling = new Int32Array(n).fill(-1);
  for (const i of order) {
    if (i === 0 || total[i] <= 0) continue;
    const parent = tree.parent[i];
    start[i] = next[i] = next[parent];
    next[parent] += total[i];
    if (lastChild[parent] < 0) {
      firstChild[parent] = i;
    } else {
      nextSibling[lastChild[parent]] = i;
      previousSibling[i] = lastChild[parent];
    }
    lastChild[parent] = i;
  }
  return { tree, measure, total, start, depth, rows: rowsOf(tree, depth, firstChild, nextSibling), firstChild, nextSibling, previousSibling };
}

function rowsOf(tree: Merged, depth: Int32Array, firstChild: Int32Array, nextSibling: Int32Array): Int32Array[] {
  const rows: number[][] = [];
  for (let at = 0; at >= 0; ) {
    (rows[depth[at]] ??= []).push(at);
    if (firstChild[at] >= 0) {
      at = firstChild[at];
      continue;
    }
    while (at > 0 && nextSibling[at] < 0) at = tree.parent[at];
    at = at > 0 ? nextSibling[at] : -1;
  }
  return rows.map((row) => Int32Array.from(row));
}

/** Index of the first node of `row` that ends right of `ns`. */
export function firstEndingAfter(layout: Layout, row: Int32Array, ns: number): number {
  let low = 0;
  let high = row.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (layout.start[row[middle]] + layout.total[row[middle]] > ns) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The node at a point, or -1. */
export function nodeAt(layout: Layout, depth: number, ns: number): number {
  const row = layout.rows[depth];
  if (!row) return -1;
  const i = firstEndingAfter(layout, row, ns);
  return i < row.length && layout.start[row[i]] <= ns ? row[i] : -1;
}

/** Time of the outermost paths for which `found` says 1: no time is counted twice. */
export function timeFound(layout: Layout, found: Uint8Array): number {
  const { tree, total } = layout;
  const covered = new Uint8Array(tree.count);
  let sum = 0;
  for (let i = 1; i < tree.count; ++i) {
    covered[i] = covered[tree.parent[i]];
    if (!covered[i] && found[tree.function[i]]) {
      covered[i] = 1;
      sum += total[i];
    }
  }
  return sum;
}

/** The first node below another one that is of a wanted function, or -1. */
function childOf(tree: Merged, node: number, wanted: (f: number) => boolean): number {
  for (let i = node + 1; i < tree.count; ++i) if (tree.parent[i] === node && wanted(tree.function[i])) return i;
  return -1;
}

/** What leads to a node from node 0, by `sign` of each function on the way: it holds in other trees, too. */
export function signsTo(tree: Merged, node: number, sign: (f: number) => string): string {
  const signs: string[] = [];
  for (let at = node; at > 0; at = tree.parent[at]) signs.unshift(sign(tree.function[at]));
  return signs.join(".");
}

/** Where such signs lead; 0 where they lead nowhere. */
export function nodeOfSigns(tree: Merged, signs: string, sign: (f: number) => string): number {
  let node = 0;
  for (const one of signs ? signs.split(".") : []) {
    node = childOf(tree, node, (f) => sign(f) === one);
    if (node < 0) return 0;
  }
  return node;
}

/** The path of function `f` that takes the most time, or -1. */
export function largestPath(layout: Layout, f: number): number {
  let best = -1;
  for (let i = 1; i < layout.tree.count; ++i) {
    if (layout.tree.function[i] === f && (best < 0 || layout.total[i] > layout.total[best])) best = i;
  }
  return best;
}
