// SPDX-License-Identifier: MIT
// The calls of the test or endpoint that is shown.
import { computed } from "@preact/signals";
import type { Sums } from "../data";
import { below, merge, sumsOf, type Merged } from "../layout";
import { entry, NONE, profile } from "../state";

/** Threads together; null: no single test or endpoint is shown. */
export const entryTree = computed<Merged | null>(() =>
  entry.value === NONE
    ? null
    : merge(below(profile.tree, profile.entries.functions[entry.value]), NONE, profile.functions.count),
);

/** By row of functions: of all calls, or of those of the test or endpoint that is shown. */
export const shownSums = computed<Sums>(() =>
  entryTree.value ? sumsOf(entryTree.value, profile.functions.count) : profile.functions,
);

/** "CartTests.Adds()", "GET /orders/{id}" */
export function entryName(row: number): string {
  const { entries, functions } = profile;
  if (entries.kind[row] === "endpoint") return entries.label[row];
  const { type, within, method, signature, mark } = functions.parts[entries.function[row]];
  return type + within + method + signature + mark;
}
