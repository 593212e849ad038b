// SPDX-License-Identifier: MIT
// Async methods by whole calls, from begin to result over all awaits, and what the chosen one awaited.
import { signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { MethodName, countColumn, timeColumn } from "../Cells";
import { Choice } from "../Choice";
import { matches } from "../data";
import { duration, plural } from "../format";
import { asyncList, asyncMethod, NONE, profile, query, showStacks, tab } from "../state";
import { Table, type Column, type Sort } from "../Table";
import { AsyncTreeTable } from "./AsyncTree";
import { Awaits } from "./Awaits";
import { BlockedTable } from "./Blocked";
import { Split } from "./Split";

const sort = signal<Sort>({ key: "wall", descending: true });

function columns(): Column[] {
  const { methods: m } = profile.async;
  const { functions } = profile;
  const time = (key: string, title: string, hint: string, ns: Float64Array, from: Column["from"], none?: (row: number) => boolean): Column =>
    timeColumn(key, title, hint, (row) => ns[row], "70px", from, none);
  const unknown = (row: number) => m.max[row] === 0; // no call of which begin and end are known
  return [
    {
      key: "name", title: "Async method", width: "minmax(120px, 1fr)",
      sortBy: (row) => functions.name[m.function[row]].toLowerCase(),
      cell: (row) => <MethodName f={m.function[row]} />,
    },
    countColumn("calls", "Calls", "Calls begun", (row) => m.calls[row], "76px", "m"),
    time("wall", "Wall", "From begin to result, all calls in sum: running + awaiting + queued", m.wall, "s"),
    {
      key: "split", title: "Split", hint: "Of the wall time: running, awaiting, queued", width: "96px",
      sortBy: (row) => m.awaiting[row] / Math.max(1, m.wall[row]),
      cell: (row) => <Split parts={m} row={row} />,
    },
    time("mean", "Mean", "Wall time of one call", m.mean, "m"),
    time("p50", "p50", "50 % of the calls took at most this wall time", m.p50, "m", unknown),
    time("p99", "p99", "99 % of the calls took at most this wall time", m.p99, "m", unknown),
    time("running", "Running", "On a thread, in no timed async call that it had made itself", m.running, "m"),
    time("awaiting", "Awaiting", "What it awaited was not there yet", m.awaiting, "m"),
    time("queued", "Queued", "What it awaited was there, and the thread pool had no thread for it", m.queued, "m"),
    time("max", "Max", "Longest call", m.max, "l", unknown),
  ];
}

export function Async() {
  const { methods, tree } = profile.async;
  const found = useMemo(() => matches(profile, query.value), [query.value]);
  const list = useMemo(columns, []);
  const rows = useMemo(
    () => Array.from({ length: methods.count }, (_, row) => row).filter((row) => !found || found[methods.function[row]]),
    [found],
  );
  const chosen = asyncMethod.value;
  return (
    <section class={chosen === NONE ? "page" : "page inspected"}>
      <div class="toolbar">
        <h2>Async calls</h2>
        <Choice
          label="Async calls as"
          value={asyncList.value}
          options={[
            ["methods", "Methods", "A row for each async method"],
            ["tree", "Who awaits whom", "Paths of async calls, over all awaits"],
            ["blocked", "Blocked threads", "Threads that waited for tasks: .Result, .Wait(), GetResult()"],
          ]}
          onChange={(value) => (asyncList.value = value)}
        />
        <button type="button" onClick={() => { showStacks("awaits"); tab.value = "time"; }}>As a graph</button>
        <Legend />
        <span class="status">
          {asyncList.value === "tree"
            ? plural(tree.count, "path", "paths")
            : asyncList.value === "blocked"
            ? duration(profile.async.blocked.total.reduce((sum, ns) => sum + ns, 0))
            : plural(rows.length, "method", "methods") + (found ? ` with \u201c${query.value.trim()}\u201d` : "")}
        </span>
      </div>
      <div class={chosen === NONE ? "split alone" : "split inspected"}>
        {asyncList.value === "tree" ? <AsyncTreeTable /> : asyncList.value === "blocked" ? <BlockedTable /> : (
          <Table
            label="Async methods"
            columns={list}
            rows={rows}
            sort={sort}
            chosen={chosen}
            onChoose={(row) => (asyncMethod.value = row)}
            empty={found ? "No async method has all these words in its name or module." : "No async method was called."}
          />
        )}
        {chosen === NONE ? null : <Awaits row={chosen} />}
      </div>
    </section>
  );
}

function Legend() {
  return (
    <ul class="legend parts" aria-label="Parts of the wall time">
      <li><i class="swatch running" />running</li>
      <li><i class="swatch awaiting" />awaiting</li>
      <li><i class="swatch queued" />queued</li>
    </ul>
  );
}
