// SPDX-License-Identifier: MIT
// What the wall time of async calls was spent in, as a bar of three parts.
import { percent } from "../format";
import type { Parts } from "./data";

export function Split({ parts, row }: { parts: Parts; row: number }) {
  const of = (ns: Float64Array) => (parts.wall[row] > 0 ? Math.min(1, Math.max(0, ns[row] / parts.wall[row])) : 0);
  const shares: [string, number][] = [
    ["running", of(parts.running)], ["awaiting", of(parts.awaiting)], ["queued", of(parts.queued)],
  ];
  const text = shares.map(([name, share]) => `${name} ${percent(share)}`).join(", ");
  return (
    <span class="parts" role="img" aria-label={text} title={text}>
      {shares.map(([name, share]) => <i key={name} class={name} style={{ width: `${100 * share}%` }} />)}
    </span>
  );
}
