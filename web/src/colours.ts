// SPDX-License-Identifier: MIT
// Colours of boxes: a hue for each module or type, equally light, so that no box shouts.
import type { Sums } from "./data";
import type { ColourBy } from "./state";
import { colourBy, dark, profile } from "./state";
import { shownSums } from "./tree/entryCalls";

const HUES = [62, 245, 150, 325, 195, 108, 290, 25];

/** Rank of each name by the self time of its functions. */
function ranks(sums: Sums, key: (f: number) => string, skip: (f: number) => boolean): Map<string, number> {
  const times = new Map<string, number>();
  for (let f = 0; f < profile.functions.count; ++f) {
    if (!skip(f)) times.set(key(f), (times.get(key(f)) ?? 0) + sums.self.wall[f] + sums.calls[f] * 1e-6);
  }
  const sorted = [...times].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  return new Map(sorted.map(([name], rank) => [name, rank]));
}

export interface Key {
  /** Name shown in the legend. */
  name: string;
  hue: number;
  chroma: number;
}

const GREY: Key = { name: "others", hue: 80, chroma: 0.008 };
const TRUNCATED: Key = { name: "paths without a row", hue: 80, chroma: 0.001 };
let keys: Partial<Record<ColourBy, { of: Key[]; legend: Key[] }>> = {};
let keysOf: Sums | null = null;

function nameOf(f: number, by: ColourBy): string {
  const { functions, modules } = profile;
  if (by === "module") return functions.module[f] < 0 ? "no module" : modules[functions.module[f]].name;
  const { namespace, type } = functions.parts[f];
  return (namespace + type.replace(/^static /, "")).replace(/\.$/, "") || "no type";
}

function isFramework(f: number): boolean {
  const module = profile.functions.module[f];
  return module >= 0 && profile.modules[module].framework;
}

/** The key of each function, and those that have a colour of their own: what takes most of the time shown. */
export function keysBy(by: ColourBy): { of: Key[]; legend: Key[] } {
  if (keysOf !== shownSums.value) {
    keysOf = shownSums.value;
    keys = {};
  }
  return (keys[by] ??= makeKeys(by));
}

function makeKeys(by: ColourBy) {
  const sums = shownSums.value;
  const ranked = ranks(sums, (f) => nameOf(f, by), (f) => isFramework(f) || f === profile.truncated);
  const framework: Key = { name: "framework", hue: 250, chroma: 0.012 };
  const made = new Map<string, Key>();
  for (const [name, rank] of ranked) {
    made.set(name, rank < HUES.length ? { name, hue: HUES[rank], chroma: 1 } : GREY);
  }
  const of = Array.from({ length: profile.functions.count }, (_, f) =>
    f === profile.truncated ? TRUNCATED : isFramework(f) ? framework : (made.get(nameOf(f, by)) ?? GREY),
  );
  const seen = (f: number) => sums.calls[f] > 0 || sums.total.wall[f] > 0 || f === profile.truncated;
  const used = new Set(of.filter((_, f) => seen(f)));
  const legend = [...used].sort((a, b) => b.chroma - a.chroma);
  const order = [...made.values(), framework, GREY, TRUNCATED];
  return { of, legend: legend.sort((a, b) => order.indexOf(a) - order.indexOf(b)) };
}

/** With one module, types say more. */
export function usualColours(): ColourBy {
  return keysBy("module").legend.length < 2 ? "type" : "module";
}

/** `tint`, 0 to 1, tells neighbours of one colour apart. */
export function fill(key: Key, tint: number): string {
  const chroma = key.chroma < 1 ? key.chroma : dark.value ? 0.075 : 0.085;
  const light = dark.value ? 0.42 + 0.07 * tint : 0.82 + 0.07 * tint;
  return `oklch(${light.toFixed(3)} ${chroma} ${key.hue})`;
}

/** Of boxes, by function: few enough strings to be shared. */
export function fills(): string[] {
  const { of } = keysBy(colourBy.value);
  const { functions } = profile;
  return of.map((key, f) => fill(key, hash(functions.name[f])));
}

/** One of eight steps from 0 to 1. */
function hash(text: string): number {
  let h = 0;
  for (let i = 0; i < text.length; ++i) h = (Math.imul(h, 31) + text.charCodeAt(i)) | 0;
  return ((h >>> 8) & 7) / 7;
}

export function swatch(key: Key): string {
  const chroma = key.chroma < 1 ? key.chroma : 0.12;
  return `oklch(${dark.value ? 0.66 : 0.7} ${chroma} ${key.hue})`;
}

export function moduleColour(module: number): string {
  const { legend } = keysBy("module");
  const name = module < 0 ? "no module" : profile.modules[module].framework ? "framework" : profile.modules[module].name;
  return swatch(legend.find((key) => key.name === name) ?? GREY);
}
