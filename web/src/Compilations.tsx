// SPDX-License-Identifier: MIT
// What the runtime compiled, when, and on which thread.
import { signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { MethodName, timeColumn } from "./Cells";
import { matches } from "./data";
import { count, duration } from "./format";
import { NONE, profile, query, selected, tab } from "./state";
import { Table, type Column, type Sort } from "./Table";
import { TimeStrip } from "./TimeStrip";

const sort = signal<Sort>({ key: "duration_ns", descending: true });

function columns(): Column[] {
  const { compilations: c, functions } = profile;
  const values = (key: string) => c[key] as number[];
  const time = (key: string, title: string, hint: string): Column =>
    timeColumn(key, title, hint, (row) => values(key)[row], "100px");
  return [
    {
      key: "name", title: "Method", width: "minmax(140px, 1fr)",
      sortBy: (row) => functions.name[values("function")[row]].toLowerCase(),
      cell: (row) => <MethodName f={values("function")[row]} />,
    },
    time("start_ns", "At", "From the start of the session"),
    time("duration_ns", "Took", "Time to compile"),
    {
      key: "version", title: "Version", hint: "1: first compilation of the method, 2: the next, a higher tier as a rule",
      width: "90px", numeric: true, from: "m",
      sortBy: (row) => values("version")[row],
      cell: (row) => (values("version")[row] > 0 ? count(values("version")[row]) : "\u2013"),
    },
    {
      key: "thread", title: "Thread", width: "minmax(130px, 220px)", from: "m",
      sortBy: (row) => profile.threads.label[values("thread")[row]] ?? "",
      cell: (row) => <span class="text">{profile.threads.label[values("thread")[row]] ?? "\u2013"}</span>,
    },
  ];
}

export function Compilations() {
  const { compilations: c, compilationSums, timeSlices, threads, whole } = profile;
  const all = whole.compilations <= c.function.length;
  const shown = useMemo(columns, []);
  const found = useMemo(() => matches(profile, query.value), [query.value]);
  const rows = useMemo(
    () => (c.function as number[]).flatMap((f, row) => (!found || found[f] ? [row] : [])),
    [found],
  );
  const background = (row: number) => ((threads.calls as number[])[Number(c.thread[row])] ?? 0) === 0;
  const sums = useMemo(() => {
    let whole = 0;
    let timed = 0;
    for (const ns of compilationSums.duration_ns) whole += Number(ns);
    (threads.compiling_ns as number[]).forEach((ns, row) => (timed += (threads.calls as number[])[row] > 0 ? Number(ns) : 0));
    return { timed, background: Math.max(0, whole - timed) };
  }, []);
  return (
    <section class="page">
      <div class="toolbar">
        <h2>Compilation</h2>
        <span class="status">
          {!all ? `the ${count(c.function.length)} longest of ${count(whole.compilations)}` : ""}
          {found ? `${count(rows.length)} with \u201c${query.value.trim()}\u201d` : ""}
        </span>
      </div>
      {c.function.length > 0 ? (
        <>
          <dl class="sums">
            <div><dt><i class="swatch first" />timed threads</dt><dd>{duration(sums.timed)}<small>part of the calls it held up</small></dd></div>
            <div><dt><i class="swatch second" />background</dt><dd>{duration(sums.background)}<small>on threads of the runtime</small></dd></div>
          </dl>
          <TimeStrip
            label="Compilations over the session"
            start={(all ? c.start_ns : timeSlices.start_ns) as number[]}
            length={(all ? c.duration_ns : timeSlices.compiling_ns) as number[]}
            second={all ? background : undefined}
          />
        </>
      ) : null}
      <Table
        label="Compilations"
        columns={shown}
        rows={rows}
        sort={sort}
        chosen={NONE}
        onChoose={(row) => {
          selected.value = Number(c.function[row]);
          tab.value = "time";
        }}
        empty="Nothing was compiled."
      />
    </section>
  );
}
