// SPDX-License-Identifier: MIT
// Bottom-up: methods by their own time, each with the callers that led to it. Made where it is looked at.
import type { Merged } from "../layout";

type Growing = { function: number[]; parent: number[]; ends: number[][]; at: number[][] };

export class BottomUp {
  private readonly rows: Growing = { function: [], parent: [], ends: [], at: [] };
  private readonly below = new Map<number, number[]>();
  readonly outermost: number[];

  constructor(private readonly tree: Merged) {
    const all = Array.from({ length: Math.max(0, tree.count - 1) }, (_, i) => i + 1);
    this.outermost = this.group(-1, all, all);
  }

  function(row: number): number {
    return this.rows.function[row];
  }

  parent(row: number): number {
    return this.rows.parent[row];
  }

  /** Who called it on these paths, as rows; made once. */
  children(row: number): number[] {
    const known = this.below.get(row);
    if (known) return known;
    const { ends, at } = this.rows;
    const kept = [...at[row].keys()].filter((i) => this.tree.parent[at[row][i]] > 0);
    const made = this.group(row, kept.map((i) => ends[row][i]), kept.map((i) => this.tree.parent[at[row][i]]));
    this.below.set(row, made);
    return made;
  }

  hasChildren(row: number): boolean {
    return this.rows.at[row].some((node) => this.tree.parent[node] > 0);
  }

  calls(row: number): number {
    return this.sum(row, this.tree.calls);
  }

  self(row: number, by: "wall" | "cpu"): number {
    return this.sum(row, this.tree.self[by]);
  }

  private sum(row: number, values: Float64Array): number {
    let sum = 0;
    for (const node of this.rows.ends[row]) sum += values[node];
    return sum;
  }

  /** A row for each function that `at` are of; `ends` are the nodes whose own time it is. */
  private group(parent: number, ends: number[], at: number[]): number[] {
    const rows = new Map<number, number>();
    at.forEach((node, i) => {
      const f = this.tree.function[node];
      let row = rows.get(f);
      if (row === undefined) {
        row = this.rows.function.length;
        rows.set(f, row);
        this.rows.function.push(f);
        this.rows.parent.push(parent);
        this.rows.ends.push([]);
        this.rows.at.push([]);
      }
      this.rows.ends[row].push(ends[i]);
      this.rows.at[row].push(node);
    });
    return [...rows.values()];
  }
}
