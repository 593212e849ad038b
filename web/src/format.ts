// SPDX-License-Identifier: MIT
// Numbers as people read them, as `umbra report` writes them.

const UNITS = ["\u00b5s", "ms", "s"];
const GROUPED = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

/** A duration with three digits, and its unit: ["1.42", "ms"]. */
export function durationParts(ns: number): [string, string] {
  if (ns < 999.5) return [String(Math.round(ns)), "ns"];
  let value = ns / 1000;
  let unit = 0;
  while (value >= 999.5 && unit + 1 < UNITS.length) {
    value /= 1000;
    ++unit;
  }
  if (value >= 999.5) return [GROUPED.format(value), UNITS[unit]];
  return [value.toFixed(value < 9.995 ? 2 : value < 99.95 ? 1 : 0), UNITS[unit]];
}

/** What is in doubt of a time by the cost of the probes; see src/profile/probe_doubt.h. */
const ROUGH_PART = 0.05;

export function isRough(ns: number, doubt: number): boolean {
  return doubt > ROUGH_PART * ns;
}

/** Of a rough time, as many digits as it is worth: ["~1.4", "ms"]. */
export function roughParts(ns: number, doubt: number): [string, string] {
  const digits = doubt > 0.5 * ns ? 1 : 2;
  const step = Math.max(1, 10 ** (Math.floor(Math.log10(Math.max(ns, 1))) + 1 - digits));
  const [text, unit] = durationParts(Math.round(ns / step) * step);
  return ["~" + (text.includes(".") ? text.replace(/\.?0+$/, "") : text), unit];
}

export function duration(ns: number): string {
  return durationParts(ns).join("\u202f");
}

export function count(number: number): string {
  return GROUPED.format(number);
}

export function percent(share: number): string {
  return (100 * share).toFixed(1) + "\u202f%";
}

export function plural(number: number, singular: string, more: string): string {
  return `${count(number)} ${number === 1 ? singular : more}`;
}

/** "CPU self", "Wall self"; "Self" where only wall time is known. */
export function timeTitle(by: "wall" | "cpu", what: string, hasCpu: boolean): string {
  return hasCpu ? `${by === "cpu" ? "CPU" : "Wall"} ${what}` : what[0].toUpperCase() + what.slice(1);
}

/** A duration without the zeros behind its point, for axes: "1 ms", "2.5 s". */
export function tick(ns: number): string {
  const [digits, unit] = durationParts(ns);
  return `${digits.includes(".") ? digits.replace(/\.?0+$/, "") : digits}\u202f${unit}`;
}

/** A short sign for a text, which is as good as never that of another one (FNV-1a). */
export function signOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; ++i) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(36);
}
