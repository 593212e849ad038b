// SPDX-License-Identifier: MIT
// What is chosen stands behind the # of the address: a link leads to the same view, and the browser leads back.
// Methods, threads, tests and endpoints by name, as rows are others in the next checkpoint of a program that still runs.
import { batch, effect } from "@preact/signals";
import { usualColours } from "../colours";
import type { EntryKind } from "../data";
import {
  asyncList, asyncMethod, BY_SELF, colourBy, direction, entry, graphShare, hotSort, list, measure, NONE, profile, query, selected, stacks,
  tab, thread, USUAL_SHARE, usualMeasure, zoomSigns, type List, type Tab,
} from "../state";

const LONGEST_ZOOM = 100_000;
const LISTS: List[] = ["methods", "tree", "bottom"];

const oneOf = <T extends string>(all: T[], text: string | null, usual: T): T => all.find((one) => one === text) ?? usual;

function methodNamed(name: string | null): number {
  const { functions } = profile;
  return name === null ? NONE : functions.name.findIndex((text, f) => text === name && f !== profile.truncated);
}

function asyncNamed(name: string | null): number {
  const f = methodNamed(name);
  return f < 0 ? NONE : profile.async.methods.function.indexOf(f);
}

function entryNamed(kind: EntryKind, name: string | null): number {
  const { entries, functions } = profile;
  return entries.rows(kind).find((row) => functions.name[entries.function[row]] === name) ?? NONE;
}

function sortOf(text: string | null): typeof hotSort.value {
  return text && /^-?[a-z0-9-]{1,20}$/.test(text) ? { key: text.replace(/^-/, ""), descending: text[0] === "-" } : BY_SELF;
}

/** What is chosen, without what is usual. The first part is where one is, which the browser's "back" leads to. */
function shown(): [place: string, rest: string] {
  const { functions, threads, entries, async: calls } = profile;
  const place = new URLSearchParams();
  const rest = new URLSearchParams();
  const put = (to: URLSearchParams, key: string, value: string, usual: string) => {
    if (value !== usual) to.set(key, value);
  };
  put(place, "tab", tab.value, "time");
  put(place, "list", list.value, "methods");
  put(place, "calls", asyncList.value, "methods");
  put(place, "stacks", stacks.value, "threads");
  if (thread.value !== NONE) place.set("thread", threads.label[thread.value]);
  if (entry.value !== NONE) place.set(entries.kind[entry.value], functions.name[entries.function[entry.value]]);
  if (selected.value !== NONE) place.set("method", functions.name[selected.value]);
  if (asyncMethod.value !== NONE) place.set("async", functions.name[calls.methods.function[asyncMethod.value]]);
  put(rest, "by", measure.value, usualMeasure());
  put(rest, "search", query.value, "");
  put(rest, "sort", (hotSort.value.descending ? "-" : "") + hotSort.value.key, `-${BY_SELF.key}`);
  put(rest, "graph", direction.value, "flame");
  put(rest, "colour", colourBy.value, usualColours());
  put(rest, "height", String(graphShare.value), String(USUAL_SHARE));
  put(place, "zoom", zoomSigns.value, "");
  return [String(place), String(rest)];
}

/** A link is anybody's: what it names and this page has not, it has not named. */
function read(tabs: Tab[]): void {
  const { hasCpu, threads, async: calls } = profile;
  const from = new URLSearchParams(location.hash.slice(1));
  const at = (all: string[], key: string) => (from.has(key) ? all.indexOf(from.get(key)!) : NONE);
  tab.value = oneOf(tabs, from.get("tab"), "time");
  list.value = oneOf(LISTS, from.get("list"), "methods");
  asyncList.value = oneOf(["methods", "tree", "blocked"], from.get("calls"), "methods");
  thread.value = at(threads.label, "thread");
  entry.value = from.has("test") ? entryNamed("test", from.get("test")) : entryNamed("endpoint", from.get("endpoint"));
  stacks.value = calls.tree.count > 0 ? oneOf(["threads", "awaits"], from.get("stacks"), "threads") : "threads";
  zoomSigns.value = (from.get("zoom") ?? "").slice(0, LONGEST_ZOOM);
  selected.value = methodNamed(from.get("method"));
  asyncMethod.value = asyncNamed(from.get("async"));
  measure.value = hasCpu ? oneOf(["wall", "cpu"], from.get("by"), usualMeasure()) : "wall";
  query.value = from.get("search") ?? "";
  hotSort.value = sortOf(from.get("sort"));
  direction.value = oneOf(["flame", "icicle"], from.get("graph"), "flame");
  colourBy.value = oneOf(["module", "type"], from.get("colour"), usualColours());
  graphShare.value = Math.min(90, Math.max(10, Math.round(Number(from.get("height") ?? USUAL_SHARE)) || USUAL_SHARE));
}

/** Goes where the address leads, and keeps it up to date. `tabs`: those that this page has. */
export function followAddress(tabs: Tab[]): void {
  read(tabs);
  let known = shown();
  let waits = false;
  const write = () => {
    waits = false;
    const [place, rest] = shown();
    if (place === known[0] && rest === known[1]) return;
    const isNew = place !== known[0];
    known = [place, rest];
    const hash = [place, rest].filter(Boolean).join("&");
    try {
      history[isNew ? "pushState" : "replaceState"](null, "", hash ? `#${hash}` : location.pathname + location.search);
    } catch {
      // a frame without an origin, as in a notebook, has no address
    }
  };
  // What is chosen by one click is one step, however much of it there is.
  effect(() => {
    shown();
    if (waits) return;
    waits = true;
    queueMicrotask(write);
  });
  // also where only the # has been typed anew
  addEventListener("popstate", () => {
    batch(() => {
      read(tabs);
      known = shown();
    });
  });
}
