// SPDX-License-Identifier: MIT
// What the person has chosen. Everything on the page follows these.
import { signal } from "@preact/signals";
import type { Measure, Profile } from "./data";
import type { Sort } from "./Table";

export type Theme = "auto" | "light" | "dark";
export type Tab = "time" | "tests" | "endpoints" | "async" | "threads" | "slowest" | "pauses" | "compilation" | "exceptions" | "measurement";
export type Direction = "flame" | "icicle";
export type ColourBy = "module" | "type";
/** What stands below the graph: methods, paths from the outermost call on, or from the innermost. */
export type List = "methods" | "tree" | "bottom";
/** Who called whom on a thread, or which async call awaited which. */
export type Stacks = "threads" | "awaits";

export const NONE = -1;

/** Set once, before anything is drawn. */
export let profile: Profile;
export function setProfile(loaded: Profile): void {
  profile = loaded;
  // As `umbra report` begins: what burns a processor first. What waits is a column, and an order of the list.
  measure.value = usualMeasure();
}

export function usualMeasure(): Measure {
  return profile.hasCpu ? "cpu" : "wall";
}

export const tab = signal<Tab>("time");
export const measure = signal<Measure>("wall");
export const query = signal("");
/** Row of functions, or NONE. */
export const selected = signal(NONE);
/** Row of threads, or NONE: all threads, equal paths put together. */
export const thread = signal(NONE);
/** Row of tests and endpoints whose calls alone are shown, or NONE. Then all threads are. */
export const entry = signal(NONE);
export const direction = signal<Direction>("flame");
/** Of a comparison: whose times the boxes are as wide as. */
export const width = signal<"new" | "old">("new");
export const colourBy = signal<ColourBy>("module");
export const list = signal<List>("methods");
/** Order of the list of methods. */
export const BY_SELF: Sort = { key: "self", descending: true };
export const hotSort = signal<Sort>(BY_SELF);
export const stacks = signal<Stacks>("threads");
/** Where the graph is zoomed to: signs of the path there (signsTo()); empty: nowhere. */
export const zoomSigns = signal("");
/** Of the height that graph and list share, the graph's, in percent. */
export const USUAL_SHARE = 46;
export const graphShare = signal(USUAL_SHARE);
/** Async calls as a row for each method, or as a tree of who awaits whom. */
export const asyncList = signal<"methods" | "tree" | "blocked">("methods");
/** Row of async methods whose awaits are shown, or NONE. */
export const asyncMethod = signal(NONE);
/** Row of slow calls whose slices are shown, or NONE. */
export const slowCall = signal(NONE);
/** Asks the flame graph to zoom to the largest path of a function, and is NONE again when it has. */
export const reveal = signal(NONE);

// A page opened from a file or with storage forbidden has no memory; it follows the system then.
function remembered(): Theme {
  try {
    const theme = localStorage.getItem("umbra-theme");
    return theme === "light" || theme === "dark" ? theme : "auto";
  } catch {
    return "auto";
  }
}

export const theme = signal<Theme>(remembered());
const systemDark = matchMedia("(prefers-color-scheme: dark)");
export const dark = signal(false);

function applyTheme(): void {
  dark.value = theme.value === "dark" || (theme.value === "auto" && systemDark.matches);
  document.documentElement.dataset.theme = dark.value ? "dark" : "light";
}

export function setTheme(chosen: Theme): void {
  theme.value = chosen;
  try {
    localStorage.setItem("umbra-theme", chosen);
  } catch {
    // nothing to remember it with
  }
  applyTheme();
}

export function watchTheme(): void {
  systemDark.addEventListener("change", applyTheme);
  applyTheme();
}

export function showThread(row: number): void {
  entry.value = NONE;
  stacks.value = "threads";
  thread.value = row;
}

export function showEntry(row: number): void {
  thread.value = NONE;
  stacks.value = "threads";
  entry.value = row;
  tab.value = "time";
}

export function showStacks(which: Stacks): void {
  thread.value = NONE;
  entry.value = NONE;
  stacks.value = which;
}

export function revealInFlame(f: number): void {
  tab.value = "time";
  reveal.value = f;
}
