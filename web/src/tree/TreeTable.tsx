// SPDX-License-Identifier: MIT
// A table whose rows have rows below them: opened and closed by a click, or by the arrow keys.
import type { Signal } from "@preact/signals";
import { useLayoutEffect, useMemo, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { sorted, Table, type Column, type Sort } from "../Table";

/** What is below what. A row is a number; `children` of null are the outermost. */
export interface Tree {
  children: (row: number | null) => number[];
  hasChildren: (row: number) => boolean;
}

interface Properties {
  label: string;
  tree: Tree;
  /** The name; the twisty and what it is indented by come before it. */
  name: { key: string; title: string; sortBy: (row: number) => string; cell: (row: number) => ComponentChildren };
  columns: Column[];
  sort: Signal<Sort>;
  /** Size of a row: what is opened at first is the path of the greatest. */
  size: (row: number) => number;
  chosen: (row: number) => boolean;
  onChoose: (row: number) => void;
  empty: string;
}

const INDENT_PIXELS = 14;
const DEEPEST_INDENT = 24;
const MOST_OPENED = 40;

/** Down from the greatest outermost row, as long as one row below has most of the time. */
function greatestPath(tree: Tree, size: (row: number) => number): Set<number> {
  const opened = new Set<number>();
  const greatest = (rows: number[]) => rows.reduce((a, b) => (size(b) > size(a) ? b : a));
  let rows = tree.children(null);
  while (rows.length > 0 && opened.size < MOST_OPENED) {
    const row = greatest(rows);
    if (!tree.hasChildren(row)) break;
    rows = tree.children(row);
    opened.add(row);
    if (size(greatest(rows)) < size(row) / 2) break;
  }
  return opened;
}

export function TreeTable({ label, tree, name, columns, sort, size, chosen, onChoose, empty }: Properties) {
  const [opened, setOpened] = useState(() => greatestPath(tree, size));
  useLayoutEffect(() => setOpened(greatestPath(tree, size)), [tree]);
  const all = [{ ...name, width: "minmax(120px, 1fr)" }, ...columns];
  const by = all.find((column) => column.key === sort.value.key) ?? all[0];
  const { descending } = sort.value;
  const { rows, depths } = useMemo(() => {
    const made: number[] = [];
    const depthOf = new Map<number, number>();
    const put = (row: number | null, depth: number) => {
      for (const child of sorted(tree.children(row), by, descending)) {
        made.push(child);
        depthOf.set(child, depth);
        if (opened.has(child)) put(child, depth + 1);
      }
    };
    put(null, 0);
    return { rows: made, depths: depthOf };
  }, [tree, opened, by.key, by.sortBy, descending]);

  const turn = (row: number) => {
    const next = new Set(opened);
    if (!next.delete(row)) next.add(row);
    setOpened(next);
  };
  /** Answers the row to go to. */
  const onArrow = (row: number, key: "ArrowLeft" | "ArrowRight"): number => {
    const open = opened.has(row);
    const at = rows.indexOf(row);
    if (key === "ArrowRight") {
      if (!tree.hasChildren(row)) return row;
      if (!open) turn(row);
      return open ? rows[at + 1] : row;
    }
    if (open) {
      turn(row);
      return row;
    }
    for (let i = at - 1; i >= 0; --i) if (depths.get(rows[i])! < depths.get(row)!) return rows[i];
    return row;
  };
  const named: Column = {
    ...all[0],
    cell: (row) => (
      <span class="twig" style={{ paddingLeft: `${INDENT_PIXELS * Math.min(DEEPEST_INDENT, depths.get(row) ?? 0)}px` }}>
        {tree.hasChildren(row) ? (
          <button
            type="button"
            class="twisty"
            tabIndex={-1}
            aria-label={opened.has(row) ? "Close" : "Open"}
            onClick={(event) => {
              event.stopPropagation();
              turn(row);
            }}
          >
            {opened.has(row) ? "\u25be" : "\u25b8"}
          </button>
        ) : <span class="twisty" />}
        {name.cell(row)}
      </span>
    ),
  };
  return (
    <Table
      label={label}
      columns={[named, ...columns]}
      rows={rows}
      sort={sort}
      levels={{ depth: (row) => depths.get(row) ?? 0, opened: (row) => (tree.hasChildren(row) ? opened.has(row) : undefined), onArrow }}
      chosen={chosen}
      onChoose={onChoose}
      empty={empty}
    />
  );
}
