// SPDX-License-Identifier: MIT
// The threads that ran timed code: when they lived, and what they did.
import { signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { countColumn, timeColumn } from "./Cells";
import { duration, plural } from "./format";
import { profile, showThread, tab } from "./state";
import { Table, type Column, type Sort } from "./Table";

const sort = signal<Sort>({ key: "covered_ns", descending: true });

function Life({ row }: { row: number }) {
  const { threads, wallNs } = profile;
  const start = (threads.start_ns as number[])[row];
  const end = Math.max(start, (threads.end_ns as number[])[row]);
  const left = Math.min(99.5, (100 * start) / wallNs);
  return (
    <span class="life" title={`${duration(start)} to ${duration(end)}`}>
      <i style={{ left: `${left}%`, width: `${Math.max(0.5, Math.min(100 - left, (100 * (end - start)) / wallNs))}%` }} />
    </span>
  );
}

function columns(): Column[] {
  const { threads, hasCpu } = profile;
  const values = (key: string) => threads[key] as number[];
  const time = (key: string, title: string, hint: string, from: Column["from"], none = false, width = "84px"): Column =>
    timeColumn(key, title, hint, (row) => values(key)[row], width, from, () => none);
  const off = (row: number) => Math.max(0, values("covered_ns")[row] - values("cpu_ns")[row]);
  const number = (key: string, title: string, hint: string, from: Column["from"]): Column =>
    countColumn(key, title, hint, (row) => values(key)[row], "84px", from);
  return [
    {
      key: "name", title: "Thread", width: "minmax(90px, 1fr)",
      sortBy: (row) => threads.label[row],
      cell: (row) => <span class="text">{threads.label[row]}</span>,
    },
    {
      key: "tid", title: "Id", hint: "Thread id of the kernel", width: "80px", numeric: true, from: "m",
      sortBy: (row) => threads.tid[row],
      cell: (row) => (threads.tid[row] > 0 ? String(threads.tid[row]) : "\u2013"),
    },
    {
      key: "start_ns", title: "From first event to end", width: "minmax(140px, 1fr)", from: "m",
      sortBy: (row) => values("start_ns")[row],
      cell: (row) => <Life row={row} />,
    },
    number("calls", profile.sampled ? "Samples" : "Calls", profile.sampled ? "Samples taken" : "Calls begun", "m"),
    time("covered_ns", "In calls", "Wall time inside timed calls, as measured", "s"),
    time("cpu_ns", "CPU", "On a processor inside timed calls", "s", !hasCpu),
    timeColumn("off", "Off CPU", "In calls, without a processor: waiting for a lock, a disk, another thread, a processor", off, "84px", "m", () => !hasCpu),
    time("paused_ns", "Paused", "Stopped or used by the runtime inside timed calls", "l"),
    time("wait_ns", "Held by umbra", "Waited for umbra; taken out of the times of calls", "l", false, "104px"),
    number("lost_events", "Lost", "Events dropped by a full ring", "l"),
  ];
}

export function Threads() {
  const shown = useMemo(columns, []);
  const rows = useMemo(() => Array.from({ length: profile.threads.count }, (_, row) => row), []);
  const all = (profile.threads.threads as number[]).reduce((sum, threads) => sum + Number(threads), 0);
  return (
    <section class="page">
      <div class="toolbar">
        <h2>Threads</h2>
        <span class="status">
          {plural(all, "thread", "threads")}{all > rows.length ? ", many that have ended in sum, by name" : ""}; choose one to see its calls
        </span>
      </div>
      <Table
        label="Threads"
        columns={shown}
        rows={rows}
        sort={sort}
        onChoose={(row) => {
          showThread(row);
          tab.value = "time";
        }}
        empty="No thread ran timed code."
      />
    </section>
  );
}
