// SPDX-License-Identifier: MIT
// What happened when: a stem for each event at its moment, as high as it was long (logarithmic).
import { useLayoutEffect, useRef } from "preact/hooks";
import { scaleLinear, scaleLog } from "d3-scale";
import { tick } from "./format";
import { dark, profile } from "./state";

const HEIGHT = 150;
const LEFT = 62;
const BOTTOM = 24;
const TOP = 8;

interface Properties {
  label: string;
  start: number[];
  length: number[];
  /** Those drawn in the second colour. */
  second?: (i: number) => boolean;
}

export function TimeStrip({ label, start, length, second }: Properties) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const isDark = dark.value;
  useLayoutEffect(() => {
    const element = canvas.current!;
    const draw = () => drawStrip(element, start, length, second);
    draw();
    const observer = new ResizeObserver(draw);
    observer.observe(element.parentElement!);
    return () => observer.disconnect();
  }, [start, length, isDark]);
  return (
    <div class="strip">
      <canvas ref={canvas} role="img" aria-label={label} />
    </div>
  );
}

function drawStrip(canvas: HTMLCanvasElement, start: number[], length: number[], second?: (i: number) => boolean): void {
  const width = canvas.parentElement!.clientWidth;
  const ratio = devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = HEIGHT * ratio;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${HEIGHT}px`;
  const c = canvas.getContext("2d")!;
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  c.scale(ratio, ratio);
  const x = scaleLinear([0, profile.wallNs], [LEFT, width - 12]);
  const longest = Math.max(2000, length.reduce((a, b) => Math.max(a, b), 1));
  const shortest = Math.max(1, Math.min(longest / 10, length.reduce((a, b) => Math.min(a, b), longest)));
  const base = HEIGHT - BOTTOM;
  const y = scaleLog([10 ** Math.floor(Math.log10(shortest)), longest], [base - 4, TOP]).clamp(true);

  c.font = `11px ${colour("--sans")}`;
  c.strokeStyle = colour("--rule");
  c.fillStyle = colour("--ink-2");
  c.textBaseline = "middle";
  c.textAlign = "right";
  for (let ns = 10 ** Math.ceil(Math.log10(shortest)); ns <= longest; ns *= 10) {
    const at = Math.round(y(ns)) + 0.5;
    c.beginPath();
    c.moveTo(LEFT, at);
    c.lineTo(width - 12, at);
    c.stroke();
    c.fillText(tick(ns), LEFT - 8, at);
  }
  c.textAlign = "center";
  for (const ns of x.ticks(Math.max(2, Math.floor(width / 130)))) {
    c.fillText(ns === 0 ? "0" : tick(ns), x(ns), base + 14);
  }
  const bars = [colour("--bar"), colour("--bar-2")];
  c.globalAlpha = start.length > 500 ? 0.45 : 1; // where they lie thick, show how thick
  for (let i = 0; i < start.length; ++i) {
    c.fillStyle = bars[second?.(i) ? 1 : 0];
    const top = y(Math.max(1, length[i]));
    c.fillRect(x(start[i]), top, Math.max(1, x(start[i] + length[i]) - x(start[i])), base - top);
  }
  c.globalAlpha = 1;
  c.strokeStyle = colour("--ink-3");
  c.beginPath();
  c.moveTo(LEFT, base + 0.5);
  c.lineTo(width - 12, base + 0.5);
  c.stroke();
}
