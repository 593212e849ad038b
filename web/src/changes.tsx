// SPDX-License-Identifier: MIT
// How the paths of a comparison are coloured and described: red longer, blue shorter, grey what is no
// change.
import { useMemo } from "preact/hooks";
import { moduleName } from "./data";
import { count, duration, percent } from "./format";
import type { Layout } from "./layout";
import { dark, profile } from "./state";

type Layouts = Record<"new" | "old", Layout>;

/** "+4.1 %"; "new" and "gone" where one side has nothing. */
export function relative(before: number, after: number): string {
  if (before <= 0) return after > 0 ? "new" : "\u2013";
  if (after <= 0) return "gone";
  const change = after / before - 1;
  if (Math.abs(change) < 0.0005) return "=";
  return (change > 0 ? "+" : "\u2212") + percent(Math.abs(change));
}

export function signed(ns: number): string {
  return (ns < 0 ? "\u2212" : "+") + duration(Math.abs(ns));
}

const LONGER = ["slower", "slower below", "more calls", "new"];
const SHORTER = ["faster", "faster below", "fewer calls", "gone"];

/** 1: the method takes longer, -1: less long, 0: it did not change. */
export function direction(verdict: string | undefined): number {
  if (verdict === undefined) return 0;
  return LONGER.includes(verdict) ? 1 : SHORTER.includes(verdict) ? -1 : 0;
}

const STEPS = 6;
/** A change of that part or more has the strongest colour. */
const FULL = 0.5;

/** `strength` from -1 (half as long or less) over 0 (no change) to 1 (half as long again, or more). */
function changeColour(strength: number): string {
  if (strength === 0) return dark.value ? "oklch(0.36 0.004 80)" : "oklch(0.9 0.004 80)";
  const step = Math.ceil(Math.abs(strength) * STEPS) / STEPS;
  const hue = strength > 0 ? 27 : 250;
  const chroma = 0.05 + 0.11 * step;
  const light = dark.value ? 0.4 + 0.14 * step : 0.88 - 0.2 * step;
  return `oklch(${light.toFixed(3)} ${chroma.toFixed(3)} ${hue})`;
}

/** By node: grey where its method was not named, or where the path did not follow it. */
export function nodeFills(old: Layout, now: Layout): string[] {
  const { verdict } = profile.diff!;
  const colours = new Map<number, string>();
  const colourOf = (strength: number) => {
    const step = Math.sign(strength) * Math.ceil(Math.abs(strength) * STEPS);
    let colour = colours.get(step);
    if (colour === undefined) colours.set(step, (colour = changeColour(step / STEPS)));
    return colour;
  };
  return Array.from({ length: now.tree.count }, (_, node) => {
    const sign = direction(verdict[now.tree.function[node]]);
    if (node === 0 || sign === 0) return colourOf(0);
    const [before, after] = [old.total[node], now.total[node]];
    const change = before > 0 ? after / before - 1 : after > 0 ? FULL : 0;
    if (change * sign <= 0) return colourOf(0);
    return colourOf(Math.max(-1, Math.min(1, change / FULL)));
  });
}

export function describeChange({ old, new: now }: Layouts, node: number): string {
  const f = now.tree.function[node];
  const name = f < 0 ? "all paths" : profile.functions.name[f];
  const verdict = f < 0 ? "" : ` (${profile.diff!.verdict[f] ?? "not compared"})`;
  return `${name}${verdict}: ${duration(old.total[node])} \u2192 ${duration(now.total[node])}, ${relative(old.total[node], now.total[node])}`;
}

/** Two columns of times, and what lies between them. */
function Row({ name, before, after, text }: { name: string; before: number; after: number; text: (n: number) => string }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{text(before)}</td>
      <td>{text(after)}</td>
      <td>{relative(before, after)}</td>
    </tr>
  );
}

export function DiffTip({ layouts: { old, new: now }, node, x, y }: { layouts: Layouts; node: number; x: number; y: number }) {
  const f = now.tree.function[node];
  if (f < 0) return null;
  const parts = profile.functions.parts[f];
  const by = now.measure;
  const left = Math.max(8, Math.min(x + 14, innerWidth - 388));
  const above = y > innerHeight - 240;
  return (
    <div class="tip" role="presentation" style={above ? { left: `${left}px`, bottom: `${innerHeight - y + 12}px` } : { left: `${left}px`, top: `${y + 16}px` }}>
      <p class="name">
        <span class="prefix">{parts.namespace + parts.type}</span>
        <b>{parts.method}</b>
        <span class="prefix">{parts.signature + parts.mark}</span>
      </p>
      <p class="module">{[moduleName(profile, f), profile.diff!.verdict[f] ?? "not compared"].filter(Boolean).join(" \u00b7 ")}</p>
      <table class="changes">
        <thead><tr><th>this path</th><th>old</th><th>new</th><th>change</th></tr></thead>
        <tbody>
          <Row name="total" before={old.total[node]} after={now.total[node]} text={duration} />
          <Row name="self" before={old.tree.self[by][node]} after={now.tree.self[by][node]} text={duration} />
          <Row name="calls" before={old.tree.calls[node]} after={now.tree.calls[node]} text={count} />
        </tbody>
      </table>
    </div>
  );
}

const LEGEND: [string, number][] = [
  ["half as long again or more", 1],
  ["longer", 0.3],
  ["no change", 0],
  ["shorter", -0.3],
  ["half as long or less", -1],
];

export function DiffLegend() {
  const colours = useMemo(() => LEGEND.map(([, strength]) => changeColour(strength)), [dark.value]);
  return (
    <ul class="legend" aria-label="Colours">
      {LEGEND.map(([name], i) => (
        <li key={name} title={name === "no change" ? "Not more than runs of one version differ, or than the probes leave in doubt" : undefined}>
          <i class="swatch" style={{ background: colours[i] }} />
          {name}
        </li>
      ))}
    </ul>
  );
}

/** The mark of a verdict in tables. */
export function VerdictMark({ verdict }: { verdict: string }) {
  const sign = direction(verdict);
  return (
    <span class="verdict">
      <i class="swatch" style={{ background: changeColour(sign) }} aria-hidden="true" />
      {verdict}
    </span>
  );
}
