// SPDX-License-Identifier: MIT
// The tree of calls that graph and tables show: of all threads, of one, of a test or endpoint, or of async calls.
import { computed } from "@preact/signals";
import { awaitTree } from "../async/awaitTree";
import type { Measure } from "../data";
import { flat, layOut, merge, type Layout, type Merged } from "../layout";
import { measure, NONE, profile, stacks, thread } from "../state";
import { entryTree } from "./entryCalls";

export const shownTree = computed<Merged>(() => {
  if (stacks.value === "awaits") return awaitTree(profile.async.tree);
  if (entryTree.value) return entryTree.value;
  const one = thread.value;
  return one !== NONE && profile.tree.thread[0] === NONE
    ? flat(profile.threadFunctions, one)
    : merge(profile.tree, one, profile.functions.count);
});

/** What async calls took of a processor, awaits and all, is not known. */
export const shownMeasure = computed<Measure>(() => (stacks.value === "awaits" ? "wall" : measure.value));

export const shownLayout = computed<Layout>(() => layOut(shownTree.value, shownMeasure.value));
