// SPDX-License-Identifier: MIT
// Async calls as the profile has them: methods, who awaited whom, and what was awaited.
import { floats, ints, texts, type Columns } from "../columns";

/** What calls did with their time, in ns: the wall time in five parts. */
export interface Parts {
  calls: Float64Array;
  wall: Float64Array;
  running: Float64Array;
  /** All that was awaited, of whomsoever. */
  awaiting: Float64Array;
  queued: Float64Array;
}

export type AsyncMethods = Parts & {
  count: number;
  function: Int32Array;
  mean: Float64Array;
  p50: Float64Array;
  p99: Float64Array;
  max: Float64Array;
  ended: Record<Ending, Float64Array>;
  neverSuspended: Float64Array;
  before: Float64Array;
};

export const ENDINGS = ["results", "faults", "cancelled", "open", "unknown"] as const;
type Ending = (typeof ENDINGS)[number];

export type AsyncTree = Parts & {
  count: number;
  /** Row of a smaller number; -1: none. */
  parent: Int32Array;
  /** -1: all paths that had no room for a row. */
  function: Int32Array;
  how: string[];
  /** The wall time but that of calls which it made: theirs is in their own rows. */
  own: Float64Array;
};

export interface AsyncWaits {
  function: Int32Array;
  how: string[];
  awaitedFunction: Int32Array;
  awaited: string[];
  times: Float64Array;
  total: Float64Array;
}

/** Threads that were blocked until a task had ended. */
export type Blocked = Omit<AsyncWaits, "how">;

export interface Async {
  methods: AsyncMethods;
  tree: AsyncTree;
  waits: AsyncWaits;
  blocked: Blocked;
}

function partsOf(t: Columns): Parts {
  const [children, others, outside] = [floats(t.children_ns), floats(t.others_ns), floats(t.outside_ns)];
  return {
    calls: floats(t.calls),
    wall: floats(t.wall_ns),
    running: floats(t.running_ns),
    awaiting: children.map((ns, row) => ns + others[row] + outside[row]),
    queued: floats(t.queued_ns),
  };
}

function waitsOf(w: Columns): Blocked {
  return {
    function: ints(w.function),
    awaitedFunction: ints(w.awaited_function),
    awaited: texts(w.awaited),
    times: floats(w.times),
    total: floats(w.total_ns),
  };
}

export function asyncOf(tables: Record<string, Columns>): Async {
  const { async_methods: m, async_tree: t, async_waits: w } = tables;
  const parts = partsOf(m);
  const ofTree = partsOf(t);
  const children = floats(t.children_ns);
  return {
    methods: {
      ...parts,
      count: m.function.length,
      function: ints(m.function),
      mean: parts.wall.map((ns, row) => ns / Math.max(1, parts.calls[row])),
      p50: floats(m.wall_p50_ns),
      p99: floats(m.wall_p99_ns),
      max: floats(m.wall_max_ns),
      ended: {
        results: floats(m.results),
        faults: floats(m.faults),
        cancelled: floats(m.cancelled),
        open: floats(m.open),
        unknown: floats(m.unknown),
      },
      neverSuspended: floats(m.never_suspended),
      before: floats(m.before),
    },
    tree: {
      ...ofTree,
      count: t.parent.length,
      parent: ints(t.parent),
      function: ints(t.function),
      how: texts(t.how),
      own: ofTree.wall.map((ns, row) => Math.max(0, ns - children[row])),
    },
    waits: { ...waitsOf(w), how: texts(w.how) },
    blocked: waitsOf(tables.blocked_waits),
  };
}
