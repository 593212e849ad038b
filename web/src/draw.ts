// SPDX-License-Identifier: MIT
// Draws the boxes in sight on a canvas. What is narrower than a pixel is drawn once for its pixel,
// so a frame costs as much as it shows, however large the tree is.
import { firstEndingAfter, type Layout } from "./layout";
import type { Direction } from "./state";

export const ROW = 21;
const GAP = 1;
const PAD = 5;
const NARROWEST_LABEL = 26;

/** What of the graph is in sight. */
export interface Sight {
  /** Left and right edge, in ns. */
  from: number;
  to: number;
  /** Size and place of the canvas in the graph, in pixels of CSS. */
  width: number;
  height: number;
  scrollTop: number;
  /** Height of the whole graph. */
  graph: number;
  direction: Direction;
}

export interface Look {
  /** By function, or by node where `byNode` says so. */
  fills: string[];
  byNode: boolean;
  /** By function: names from the longest to the shortest. */
  labels: string[][];
  found: Uint8Array | null;
  /** The function whose boxes stand for paths without a row: these are hatched. */
  truncated: number;
  selected: number;
  focus: number;
  hover: number;
  root: string;
  colours: { ink: string; back: string; root: string; match: string; matchInk: string; line: string };
  font: string;
}

/** Top of the row of `depth`, in pixels of the graph. */
export function topOf(depth: number, sight: Sight): number {
  return sight.direction === "icicle" ? depth * ROW : sight.graph - (depth + 1) * ROW;
}

export function depthAt(y: number, sight: Sight): number {
  const top = y + sight.scrollTop;
  return Math.floor((sight.direction === "icicle" ? top : sight.graph - top) / ROW);
}

export class Painter {
  private readonly widths = new Map<string, number>();
  private font = "";
  private hatching: { line: string; pattern: CanvasPattern } | null = null;

  constructor(private readonly context: CanvasRenderingContext2D) {}

  draw(layout: Layout, sight: Sight, look: Look, pixelRatio: number): void {
    const c = this.context;
    c.setTransform(pixelRatio, 0, 0, pixelRatio, 0, 0);
    c.fillStyle = look.colours.back;
    c.fillRect(0, 0, sight.width, sight.height);
    if (this.font !== look.font) {
      this.font = look.font;
      this.widths.clear();
    }
    c.font = look.font;
    c.textBaseline = "middle";
    for (let depth = 0; depth < layout.rows.length; ++depth) {
      const y = topOf(depth, sight) - sight.scrollTop;
      if (y > -ROW && y < sight.height) this.drawRow(layout, depth, y, sight, look);
    }
    c.globalAlpha = 1;
  }

  private drawRow(layout: Layout, depth: number, y: number, sight: Sight, look: Look): void {
    const row = layout.rows[depth];
    const scale = sight.width / (sight.to - sight.from);
    for (let i = firstEndingAfter(layout, row, sight.from); i < row.length; ) {
      const node = row[i];
      const left = (layout.start[node] - sight.from) * scale;
      if (left >= sight.width) return;
      const right = left + layout.total[node] * scale;
      if (right - left >= 1) {
        this.drawBox(layout, node, Math.max(0, left), Math.min(sight.width, right), y, look);
        ++i;
        continue;
      }
      this.drawSliver(layout, node, left, y, look);
      // On to what ends behind this pixel.
      i = Math.max(i + 1, firstEndingAfter(layout, row, sight.from + (Math.floor(left) + 1) / scale));
    }
  }

  private drawSliver(layout: Layout, node: number, left: number, y: number, look: Look): void {
    const f = layout.tree.function[node];
    const c = this.context;
    c.globalAlpha = look.found && !look.found[f] ? 0.2 : 0.6;
    c.fillStyle = look.found?.[f] ? look.colours.match : look.fills[look.byNode ? node : f];
    c.fillRect(left, y, 1, ROW - GAP);
    c.globalAlpha = 1;
  }

  private drawBox(layout: Layout, node: number, left: number, right: number, y: number, look: Look): void {
    const c = this.context;
    const f = layout.tree.function[node];
    const matched = f >= 0 && look.found?.[f] === 1;
    const faint = look.found !== null && !matched && f >= 0;
    const width = Math.max(1, right - left - (right - left > 3 ? GAP : 0));
    c.fillStyle = f < 0 ? look.colours.root : matched ? look.colours.match : look.fills[look.byNode ? node : f];
    c.globalAlpha = faint ? 0.35 : 1;
    c.fillRect(left, y, width, ROW - GAP);
    if (f >= 0 && f === look.truncated) {
      c.fillStyle = this.hatch(look.colours.line);
      c.fillRect(left, y, width, ROW - GAP);
    }
    c.globalAlpha = 1;
    if (width >= NARROWEST_LABEL) {
      c.fillStyle = matched ? look.colours.matchInk : look.colours.ink;
      c.globalAlpha = faint ? 0.6 : 1;
      const label = this.fitted(f < 0 ? [look.root] : look.labels[f], width);
      c.fillText(label, left + PAD, y + ROW / 2);
      c.globalAlpha = 1;
    }
    if (node === look.focus || node === look.hover || (f >= 0 && f === look.selected)) {
      const line = node === look.focus ? 2 : 1;
      c.strokeStyle = look.colours.line;
      c.lineWidth = line;
      c.strokeRect(left + line / 2, y + line / 2, Math.max(0, width - line), ROW - GAP - line);
    }
  }

  /** Thin slanting lines: something goes on here that is not shown. */
  private hatch(line: string): CanvasPattern {
    if (this.hatching?.line !== line) {
      const tile = document.createElement("canvas");
      tile.width = tile.height = 8;
      const c = tile.getContext("2d")!;
      c.strokeStyle = line;
      c.globalAlpha = 0.25;
      for (const x of [-8, 0, 8]) {
        c.moveTo(x, 8);
        c.lineTo(x + 8, 0);
      }
      c.stroke();
      this.hatching = { line, pattern: this.context.createPattern(tile, "repeat")! };
    }
    return this.hatching.pattern;
  }

  /** The longest name that fits; where none does, the shortest, cut. */
  private fitted(names: string[], width: number): string {
    const room = width - 2 * PAD;
    const whole = names.find((name) => this.measure(name) <= room);
    if (whole !== undefined) return whole;
    const short = names[names.length - 1];
    let length = Math.floor((short.length * room) / this.measure(short));
    while (length > 0 && this.measure(short.slice(0, length) + "\u2026") > room) --length;
    return length > 0 ? short.slice(0, length) + "\u2026" : "";
  }

  private measure(text: string): number {
    let width = this.widths.get(text);
    if (width === undefined) {
      if (this.widths.size > 20000) this.widths.clear();
      width = this.context.measureText(text).width;
      this.widths.set(text, width);
    }
    return width;
  }
}
