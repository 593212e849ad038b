// SPDX-License-Identifier: MIT
// Paths of async calls, over all awaits: who awaited whom, and what each did with its time.
import { signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { MethodName, countColumn, timeColumn } from "../Cells";
import { asyncMethod, profile } from "../state";
import type { Column, Sort } from "../Table";
import { TreeTable, type Tree } from "../tree/TreeTable";
import { Split } from "./Split";

const sort = signal<Sort>({ key: "wall", descending: true });

/** What is not simply called, and what that means. */
const HOW = new Map([
  ["spawned", "handed to the thread pool or a scheduler"],
  ["before", "begun before the recording"],
]);

function columns(): Column[] {
  const { tree: t } = profile.async;
  const time = (key: string, title: string, hint: string, ns: Float64Array, from: Column["from"]): Column =>
    timeColumn(key, title, hint, (row) => ns[row], "70px", from);
  return [
    time("wall", "Wall", "From begin to result, all calls on this path in sum", t.wall, "s"),
    {
      key: "split", title: "Split", hint: "Of the wall time: running, awaiting, queued", width: "96px",
      sortBy: (row) => t.awaiting[row] / Math.max(1, t.wall[row]),
      cell: (row) => <Split parts={t} row={row} />,
    },
    countColumn("calls", "Calls", "Calls begun on this path", (row) => t.calls[row], "76px", "m"),
    time("running", "Running", "On a thread, in no timed async call that it had made itself", t.running, "m"),
    time("awaiting", "Awaiting", "What it awaited was not there yet", t.awaiting, "m"),
    time("queued", "Queued", "What it awaited was there, and the thread pool had no thread for it", t.queued, "m"),
  ];
}

function treeOf(): Tree {
  const { tree: t } = profile.async;
  const below: number[][] = Array.from({ length: t.count }, () => []);
  const outermost: number[] = [];
  t.parent.forEach((parent, row) => (parent < 0 ? outermost : below[parent]).push(row));
  return { children: (row) => (row === null ? outermost : below[row]), hasChildren: (row) => below[row].length > 0 };
}

export function AsyncTreeTable() {
  const { tree: t, methods } = profile.async;
  const { functions } = profile;
  const tree = useMemo(treeOf, []);
  const shown = useMemo(columns, []);
  return (
    <TreeTable
      label="Async tree"
      tree={tree}
      name={{
        key: "name", title: "Async call",
        sortBy: (row) => functions.name[t.function[row]]?.toLowerCase() ?? "",
        cell: (row) => (
          <>
            {t.function[row] < 0 ? <span class="outside">paths that had no room for a row</span> : <MethodName f={t.function[row]} />}
            {HOW.has(t.how[row]) ? <small class="how" title={HOW.get(t.how[row])}>{t.how[row]}</small> : null}
          </>
        ),
      }}
      columns={shown}
      sort={sort}
      size={(row) => t.wall[row]}
      chosen={(row) => t.function[row] >= 0 && t.function[row] === methods.function[asyncMethod.value]}
      onChoose={(row) => {
        const of = methods.function.indexOf(t.function[row]);
        if (of >= 0) asyncMethod.value = of;
      }}
      empty="No async call was followed."
    />
  );
}
