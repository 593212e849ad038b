// SPDX-License-Identifier: MIT
// A table that sorts, and draws only the rows in sight.
import type { Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from "@tanstack/virtual-core";

export type Width = "s" | "m" | "l";

export interface Column {
  key: string;
  title: string;
  /** What the column says, where its title does not. */
  hint?: string;
  /** Width in the grid of CSS. */
  width: string;
  /** Numbers stand right. */
  numeric?: boolean;
  /** The narrowest table that shows it: "s" all, "m" from 640, "l" from 1150 pixels. In a table that begins with names
   * what leaves them too little room gives way, the last one first; never what is sorted by. */
  from?: Width;
  sortBy: (row: number) => number | string;
  cell: (row: number) => ComponentChildren;
}

export interface Sort {
  key: string;
  descending: boolean;
}

/** Of a table whose rows have rows below them. */
interface Levels {
  depth: (row: number) => number;
  /** Undefined: there is nothing below it. */
  opened: (row: number) => boolean | undefined;
  /** Opens or closes a row, and answers the one to go to. */
  onArrow: (row: number, key: "ArrowLeft" | "ArrowRight") => number;
}

interface Properties {
  label: string;
  columns: Column[];
  /** Row numbers, in no order; with levels in that in which they are shown. */
  rows: number[];
  levels?: Levels;
  sort: Signal<Sort>;
  chosen?: number | ((row: number) => boolean);
  onChoose?: (row: number) => void;
  empty: string;
}

const ROW_PIXELS = 28;

function useWidth(element: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(800);
  useLayoutEffect(() => {
    const read = () => setWidth(element.current!.clientWidth);
    read();
    const observer = new ResizeObserver(read);
    observer.observe(element.current!);
    return () => observer.disconnect();
  }, []);
  return width;
}

/** Part of the table that is left to its columns of names. */
const NAMES = 0.45;

/** Pixels that a column takes in any case; 0: it shares what is left. */
function pixelsOf(column: Column): number {
  return column.width.includes("fr") ? 0 : Number(column.width.match(/(\d+)px/)?.[1] ?? 0);
}

function fitting(columns: Column[], width: number, sortKey: string): Column[] {
  const rank = (column: Column) => "sml".indexOf(column.from ?? "s");
  const widest = width >= 1150 ? 2 : width >= 640 ? 1 : 0;
  const shown = columns.filter((column) => rank(column) <= widest || column.key === sortKey);
  if (pixelsOf(columns[0]) > 0) return shown;
  const [margins, gap] = width < 600 ? [20, 6] : [32, 10];
  let taken = shown.reduce((sum, column) => sum + pixelsOf(column) + gap, margins - gap);
  for (let from = 2; from >= 0; --from) {
    for (let i = shown.length - 1; i > 0 && taken > (1 - NAMES) * width; --i) {
      const column = shown[i];
      if (rank(column) !== from || column.key === sortKey || pixelsOf(column) === 0) continue;
      taken -= pixelsOf(column) + gap;
      shown.splice(i, 1);
    }
  }
  return shown;
}

export function sorted(rows: number[], column: Column, descending: boolean): number[] {
  const keys = new Map(rows.map((row) => [row, column.sortBy(row)]));
  const sign = descending ? -1 : 1;
  return [...rows].sort((a, b) => {
    const x = keys.get(a)!;
    const y = keys.get(b)!;
    return x === y ? a - b : x < y ? -sign : sign;
  });
}

/** TanStack's virtual list, bound to a component. */
function useVirtualRows(count: number, scroller: { current: HTMLElement | null }) {
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const options = {
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PIXELS,
    overscan: 8,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: () => redraw(0),
  };
  const [list] = useState(() => new Virtualizer<HTMLElement, Element>(options));
  list.setOptions(options);
  useLayoutEffect(() => list._didMount(), []);
  useLayoutEffect(() => list._willUpdate());
  return list;
}

export function Table({ label, columns, rows, levels, sort, chosen, onChoose, empty }: Properties) {
  const { key, descending } = sort.value;
  const scroller = useRef<HTMLDivElement>(null);
  const shown = fitting(columns, useWidth(scroller), key);
  const by = columns.find((column) => column.key === key) ?? columns[0];
  const inOrder = levels !== undefined;
  const order = useMemo(
    () => (inOrder ? rows : sorted(rows, by, descending)),
    [inOrder, rows, by.key, by.sortBy, descending],
  );
  const list = useVirtualRows(order.length, scroller);
  const [activeRow, setActiveRow] = useState(-1);
  const active = activeRow < 0 ? -1 : order.indexOf(activeRow);
  // What is opened or closed moves nothing.
  useLayoutEffect(() => {
    scroller.current!.scrollTop = 0;
    setActiveRow(-1);
  }, [inOrder ? `${by.key} ${descending}` : order]);
  const isChosen = (row: number) => (typeof chosen === "function" ? chosen(row) : row === chosen);

  const onKeyDown = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor(scroller.current!.clientHeight / ROW_PIXELS) - 2);
    const steps: Record<string, number> = {
      ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -order.length, End: order.length,
    };
    if (event.key in steps && order.length > 0) {
      event.preventDefault();
      const to = Math.min(order.length - 1, Math.max(0, active + steps[event.key]));
      setActiveRow(order[to]);
      list.scrollToIndex(to);
    } else if (levels && active >= 0 && (event.key === "ArrowLeft" || event.key === "ArrowRight")) {
      event.preventDefault();
      const to = levels.onArrow(order[active], event.key);
      setActiveRow(to);
      if (order.includes(to)) list.scrollToIndex(order.indexOf(to));
    } else if ((event.key === "Enter" || event.key === " ") && active >= 0) {
      event.preventDefault();
      onChoose?.(order[active]);
    }
  };
  const grid = { gridTemplateColumns: shown.map((column) => column.width).join(" ") };
  const id = label.replace(/\W+/g, "-");
  return (
    <div class="table">
      <div
        class="scroller"
        ref={scroller}
        role={levels ? "treegrid" : "grid"}
        tabIndex={0}
        aria-label={label}
        aria-rowcount={order.length + 1}
        aria-activedescendant={active >= 0 ? `${id}-${active}` : undefined}
        onKeyDown={onKeyDown}
      >
        <div class="row head" role="row" style={grid}>
          {shown.map((column) => (
            <Heading key={column.key} column={column} sort={sort} />
          ))}
        </div>
        <div class="rows" role="rowgroup" style={{ height: `${list.getTotalSize()}px` }}>
          {list.getVirtualItems().map(({ index, start }) => (
            <div
              key={order[index]}
              id={`${id}-${index}`}
              role="row"
              aria-rowindex={index + 2}
              aria-selected={isChosen(order[index])}
              aria-level={levels ? levels.depth(order[index]) + 1 : undefined}
              aria-expanded={levels?.opened(order[index])}
              class={`row${index === active ? " active" : ""}${onChoose ? " choosable" : ""}`}
              style={{ ...grid, transform: `translateY(${start}px)` }}
              onClick={() => {
                setActiveRow(order[index]);
                onChoose?.(order[index]);
              }}
            >
              {shown.map((column) => (
                <div key={column.key} role="gridcell" class={column.numeric ? "numeric" : undefined}>
                  {column.cell(order[index])}
                </div>
              ))}
            </div>
          ))}
        </div>
        {order.length === 0 ? <p class="empty">{empty}</p> : null}
      </div>
    </div>
  );
}

function Heading({ column, sort }: { column: Column; sort: Signal<Sort> }) {
  const { key, descending } = sort.value;
  const sorts = column.key === key;
  const next = { key: column.key, descending: sorts ? !descending : column.numeric ?? false };
  return (
    <div
      role="columnheader"
      aria-sort={sorts ? (descending ? "descending" : "ascending") : "none"}
      class={column.numeric ? "numeric" : undefined}
    >
      <button type="button" title={column.hint} onClick={() => (sort.value = next)}>
        {column.title}
        <span class="arrow" aria-hidden="true">{sorts ? (descending ? "\u2193" : "\u2191") : ""}</span>
      </button>
    </div>
  );
}
