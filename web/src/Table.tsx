// SPDX-License-Identifier: MIT
// A table that sorts, and draws only the rows in sight.
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from "@tanstack/virtual-core";

export interface Column {
  key: string;
  title: string;
  /** What the column says, where its title does not. */
  hint?: string;
  /** Width in the grid of CSS. */
  width: string;
  /** Numbers stand right. */
  numeric?: boolean;
  /** The narrowest table that shows it: "s" all, "m" from 640, "l" from 1150 pixels. */
  from?: "s" | "m" | "l";
  sortBy: (row: number) => number | string;
  cell: (row: number) => ComponentChildren;
}

export interface Sort {
  key: string;
  descending: boolean;
}

interface Properties {
  label: string;
  columns: Column[];
  /** Row numbers, in no order. */
  rows: number[];
  sort: Sort;
  onSort: (sort: Sort) => void;
  chosen?: number;
  onChoose?: (row: number) => void;
  empty: string;
}

const ROW_PIXELS = 28;

type Size = "s" | "m" | "l";

function useSize(element: { current: HTMLElement | null }): Size {
  const [size, setSize] = useState<Size>("m");
  useLayoutEffect(() => {
    const read = () => {
      const width = element.current!.clientWidth;
      setSize(width >= 1150 ? "l" : width >= 640 ? "m" : "s");
    };
    read();
    const observer = new ResizeObserver(read);
    observer.observe(element.current!);
    return () => observer.disconnect();
  }, []);
  return size;
}

function sorted(rows: number[], column: Column, descending: boolean): number[] {
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

const FROM: Record<Size, string[]> = { s: ["s"], m: ["s", "m"], l: ["s", "m", "l"] };

export function Table({ label, columns, rows, sort, onSort, chosen, onChoose, empty }: Properties) {
  const scroller = useRef<HTMLDivElement>(null);
  const size = useSize(scroller);
  const shown = columns.filter((column) => FROM[size].includes(column.from ?? "s"));
  const by = columns.find((column) => column.key === sort.key) ?? columns[0];
  const order = useMemo(() => sorted(rows, by, sort.descending), [rows, by.key, by.sortBy, sort.descending]);
  const list = useVirtualRows(order.length, scroller);
  const [active, setActive] = useState(-1);
  useLayoutEffect(() => {
    scroller.current!.scrollTop = 0;
    setActive(-1);
  }, [order]);

  const onKeyDown = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor(scroller.current!.clientHeight / ROW_PIXELS) - 2);
    const steps: Record<string, number> = {
      ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -order.length, End: order.length,
    };
    if (event.key in steps && order.length > 0) {
      event.preventDefault();
      const to = Math.min(order.length - 1, Math.max(0, active + steps[event.key]));
      setActive(to);
      list.scrollToIndex(to);
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
        role="grid"
        tabIndex={0}
        aria-label={label}
        aria-rowcount={order.length + 1}
        aria-activedescendant={active >= 0 ? `${id}-${active}` : undefined}
        onKeyDown={onKeyDown}
      >
        <div class="row head" role="row" style={grid}>
          {shown.map((column) => (
            <Heading key={column.key} column={column} sort={sort} onSort={onSort} />
          ))}
        </div>
        <div class="rows" role="rowgroup" style={{ height: `${list.getTotalSize()}px` }}>
          {list.getVirtualItems().map(({ index, start }) => (
            <div
              key={order[index]}
              id={`${id}-${index}`}
              role="row"
              aria-rowindex={index + 2}
              aria-selected={order[index] === chosen}
              class={`row${index === active ? " active" : ""}${onChoose ? " choosable" : ""}`}
              style={{ ...grid, transform: `translateY(${start}px)` }}
              onClick={() => {
                setActive(index);
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

function Heading({ column, sort, onSort }: { column: Column; sort: Sort; onSort: (sort: Sort) => void }) {
  const sorts = column.key === sort.key;
  const next = { key: column.key, descending: sorts ? !sort.descending : column.numeric ?? false };
  return (
    <div
      role="columnheader"
      aria-sort={sorts ? (sort.descending ? "descending" : "ascending") : "none"}
      class={column.numeric ? "numeric" : undefined}
    >
      <button type="button" title={column.hint} onClick={() => onSort(next)}>
        {column.title}
        <span class="arrow" aria-hidden="true">{sorts ? (sort.descending ? "\u2193" : "\u2191") : ""}</span>
      </button>
    </div>
  );
}
