// SPDX-License-Identifier: MIT
// What stands in the cells of tables: durations, counts, shares and names; whole columns of times and of counts.
import { profile } from "./state";
import { count, durationParts, isRough, percent, roughParts } from "./format";
import { moduleName } from "./data";
import { moduleColour } from "./colours";
import type { Column, Width } from "./Table";

/** Digits and units in columns of their own, so that both line up. `doubt`: of it, by the probes' cost. */
export function Duration({ ns, none, doubt = 0 }: { ns: number; none?: boolean; doubt?: number }) {
  if (none) return <span class="none">{"\u2013"}</span>;
  const [digits, unit] = isRough(ns, doubt) ? roughParts(ns, doubt) : durationParts(ns);
  return (
    <span class="duration">
      {digits}
      <span class="unit">{"\u202f" + unit}</span>
    </span>
  );
}

export function Count({ n }: { n: number }) {
  return <>{count(n)}</>;
}

export function Share({ share }: { share: number }) {
  return (
    <span class="share">
      <span class="meter" aria-hidden="true">
        <i style={{ width: `${Math.min(100, Math.max(0, 100 * share))}%` }} />
      </span>
      <span>{percent(share)}</span>
    </span>
  );
}

/** Type and method; the whole name is its title. In front the module's colour. */
export function MethodName({ f }: { f: number }) {
  const { functions } = profile;
  const { type, within, method, signature, mark } = functions.parts[f];
  return (
    <span class="method" title={functions.name[f] + (moduleName(profile, f) ? `\n${moduleName(profile, f)}` : "")}>
      <i class="swatch" style={{ background: moduleColour(functions.module[f]) }} aria-hidden="true" />
      <span class="type">{type + within}</span>
      <b>{method}</b>
      <span class="signature">{signature}</span>
      {mark ? <span class="mark">{mark}</span> : null}
    </span>
  );
}

export function timeColumn(key: string, title: string, hint: string | undefined, ns: (row: number) => number, width: string, from?: Width, none?: (row: number) => boolean): Column {
  return { key, title, hint, width, numeric: true, from, sortBy: ns, cell: (row) => <Duration ns={ns(row)} none={none?.(row)} /> };
}

export function countColumn(key: string, title: string, hint: string | undefined, n: (row: number) => number, width: string, from?: Width): Column {
  return { key, title, hint, width, numeric: true, from, sortBy: n, cell: (row) => <Count n={n(row)} /> };
}
