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

/** A duration without the zeros behind its point, for axes: "1 ms", "2.5 s". */
export function tick(ns: number): string {
  const [digits, unit] = durationParts(ns);
  return `${digits.includes(".") ? digits.replace(/\.?0+$/, "") : digits}\u202f${unit}`;
}
