// SPDX-License-Identifier: MIT
// The calls of the test that is shown.
import { computed } from "@preact/signals";
import type { Sums } from "../data";
import { below, merge, sumsOf, type Merged } from "../layout";
import { NONE, profile, test } from "../state";

/** Threads together; null: no single test is shown. */
export const testTree = computed<Merged | null>(() =>
  test.value === NONE
    ? null
    : merge(below(profile.tree, profile.tests.functions[test.value]), NONE, profile.functions.count),
);

/** By row of functions: of all calls, or of those of the test that is shown. */
export const shownSums = computed<Sums>(() =>
  testTree.value ? sumsOf(testTree.value, profile.functions.count) : profile.functions,
);

/** "CartTests.Adds()" */
export function testName(row: number): string {
  const { type, within, method, signature, mark } = profile.functions.parts[profile.tests.function[row]];
  return type + within + method + signature + mark;
}
