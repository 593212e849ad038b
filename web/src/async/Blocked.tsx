// SPDX-License-Identifier: MIT
// Threads that were blocked until a task had ended: where, and for what.
import { signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { MethodName, countColumn, timeColumn } from "../Cells";
import { matches } from "../data";
import { profile, query } from "../state";
import { Table, type Column, type Sort } from "../Table";

const sort = signal<Sort>({ key: "total", descending: true });

function columns(): Column[] {
  const { blocked: b } = profile.async;
  const { functions } = profile;
  const awaited = (row: number) => (b.awaitedFunction[row] < 0 ? b.awaited[row] || "a task" : functions.name[b.awaitedFunction[row]]);
  return [
    {
      key: "name", title: "Method", width: "minmax(120px, 1fr)",
      sortBy: (row) => functions.name[b.function[row]]?.toLowerCase() ?? "",
      cell: (row) => (b.function[row] < 0 ? <span class="outside">those that had no room for a row</span> : <MethodName f={b.function[row]} />),
    },
    timeColumn("total", "Blocked", "Until the task had ended, all times in sum", (row) => b.total[row], "76px"),
    countColumn("times", "Times", "How often a thread was blocked", (row) => b.times[row], "76px", "s"),
    {
      key: "awaited", title: "On", hint: "The task: a call of a timed method, or what kind of task", width: "minmax(120px, 1fr)", from: "m",
      sortBy: (row) => awaited(row).toLowerCase(),
      cell: (row) => (b.awaitedFunction[row] < 0 ? <span class="text">{awaited(row)}</span> : <MethodName f={b.awaitedFunction[row]} />),
    },
  ];
}

export function BlockedTable() {
  const { blocked: b } = profile.async;
  const found = useMemo(() => matches(profile, query.value), [query.value]);
  const shown = useMemo(columns, []);
  const rows = useMemo(
    () => Array.from(b.function, (_, row) => row).filter((row) => !found || found[b.function[row]]),
    [found],
  );
  return (
    <Table
      label="Threads blocked on tasks"
      columns={shown}
      rows={rows}
      sort={sort}
      empty="No thread was blocked on a task: .Result, .Wait(), GetResult()."
    />
  );
}
