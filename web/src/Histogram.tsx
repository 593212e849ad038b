// SPDX-License-Identifier: MIT
// How long the calls of a method took: calls by logarithmic bucket.
import { useMemo } from "preact/hooks";
import { scaleLog } from "d3-scale";
import { count, duration, tick } from "./format";
import { profile } from "./state";

const WIDTH = 340;
const HEIGHT = 92;
const BASE = 72;
const NS_OF_TICKS = [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13];

export function Histogram({ f }: { f: number }) {
  const { histograms: h } = profile;
  const rows = useMemo(() => {
    const found: number[] = [];
    for (let row = 0; row < h.function.length; ++row) if (h.function[row] === f) found.push(row);
    return found.sort((a, b) => h.lower[a] - h.lower[b]);
  }, [f]);
  if (rows.length === 0) return null;
  const low = Math.max(1, h.lower[rows[0]]);
  const high = Math.max(low * 2, h.upper[rows[rows.length - 1]]);
  const x = scaleLog([low, high], [1, WIDTH - 1]);
  const most = Math.max(...rows.map((row) => h.calls[row]));
  const ticks = NS_OF_TICKS.filter((ns) => ns >= low && ns <= high);
  return (
    <svg class="histogram" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`Calls by duration, from ${duration(low)} to ${duration(high)}`}>
      <line x1="0" x2={WIDTH} y1={BASE + 0.5} y2={BASE + 0.5} class="axis" />
      {rows.map((row) => {
        const left = x(Math.max(1, h.lower[row]));
        const width = Math.max(1.2, x(Math.max(1, h.upper[row])) - left - 0.6);
        const height = Math.max(1.5, (BASE - 6) * (h.calls[row] / most));
        return (
          <rect key={row} x={left} width={width} y={BASE - height} height={height}>
            <title>{`${duration(h.lower[row])} to ${duration(h.upper[row])}: ${count(h.calls[row])} calls`}</title>
          </rect>
        );
      })}
      {ticks.map((ns) => (
        <g key={ns} transform={`translate(${x(ns)} ${BASE})`}>
          <line y2="4" class="axis" />
          <text y="16" text-anchor={x(ns) < 14 ? "start" : x(ns) > WIDTH - 14 ? "end" : "middle"}>{tick(ns)}</text>
        </g>
      ))}
    </svg>
  );
}
