// SPDX-License-Identifier: MIT
// What a framework calls from outside, tests and endpoints, a tab each; each row leads to its calls.
import { signal, type Signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { MethodName, Share, countColumn, timeColumn } from "./Cells";
import { matches, wordsOf, type EntryKind } from "./data";
import { plural, timeTitle } from "./format";
import { entry, measure, profile, query, showEntry } from "./state";
import { Table, type Column, type Sort } from "./Table";

/** As the report orders them. */
const BY_WALL: Sort = { key: "wall", descending: true };

interface Kind {
  title: string;
  one: string;
  many: string;
  /** What a call is, where that needs a word. */
  calls: string;
  sort: Signal<Sort>;
}

const KINDS: Record<EntryKind, Kind> = {
  test: { title: "Tests", one: "test", many: "tests", calls: "One for each case of a theory", sort: signal(BY_WALL) },
  endpoint: { title: "Endpoints", one: "endpoint", many: "endpoints", calls: "Requests that it answered", sort: signal(BY_WALL) },
};

/** What tells one from another: a test's method, an endpoint's verb and route with the method that answers. */
function naming(kind: EntryKind): Column[] {
  const { entries, functions } = profile;
  const method: Column = {
    key: "name", title: kind === "test" ? "Test" : "Method", width: "minmax(120px, 1fr)",
    sortBy: (row) => functions.name[entries.function[row]].toLowerCase(),
    cell: (row) => <MethodName f={entries.function[row]} />,
  };
  if (kind === "test") return [method];
  const route: Column = {
    key: "route", title: "Endpoint", width: "minmax(120px, 1fr)",
    sortBy: (row) => entries.label[row].toLowerCase(),
    cell: (row) => <span title={entries.label[row]}>{entries.label[row]}</span>,
  };
  return [route, { ...method, from: "m" }];
}

/** What one request took; of samples, which have no calls, nothing is known of it. */
function ofOneRequest(): Column[] {
  const { entries, functions, sampled } = profile;
  /** It lasts longer than its method, which hands on a task: then single requests are not known. */
  const goesOn = (row: number): boolean => entries.total.wall[row] > functions.total.wall[entries.function[row]];
  const mean = (row: number): number =>
    goesOn(row) ? entries.total.wall[row] / Math.max(1, entries.calls[row]) : functions.mean[entries.function[row]];
  const p99 = (row: number): number => (goesOn(row) ? 0 : functions.percentile.p99[entries.function[row]]);
  const one = (key: string, title: string, hint: string, ns: (row: number) => number): Column =>
    timeColumn(key, title, hint, ns, "78px", "s", (row) => ns(row) === 0);
  return sampled ? [] : [
    one("each", "Wall each", "Mean wall time of a request, awaits included", mean),
    one("p99", "Wall p99", "99 of 100 requests took at most as long", p99),
  ];
}

function columns(kind: EntryKind, by: "wall" | "cpu", rows: number[]): Column[] {
  const { entries, hasCpu, sampled } = profile;
  const { one, many, calls } = KINDS[kind];
  const other = by === "wall" ? "cpu" : "wall";
  const all = Math.max(1, rows.reduce((sum, row) => sum + entries.total[by][row], 0));
  const time = (key: string, title: string, hint: string, ns: Float64Array, from: Column["from"]): Column =>
    timeColumn(key, title, hint, (row) => ns[row], "84px", from);
  return [
    ...naming(kind),
    countColumn("calls", sampled ? "Samples" : "Calls", sampled ? "" : calls, (row) => entries.calls[row], "80px", "s"),
    ...(kind === "endpoint" ? ofOneRequest() : []),
    time(by, timeTitle(by, "total", hasCpu), `Time with all that it calls; of an async ${one} from begin to result, awaits included`, entries.total[by], "s"),
    ...(hasCpu ? [time(other, timeTitle(other, "total", hasCpu), "The other measure of the total", entries.total[other], "m")] : []),
    time("self", timeTitle(by, "self", hasCpu), `In the ${one}'s own code`, entries.self[by], "s"),
    {
      key: "share", title: "Share", hint: `Of the time of all ${many}`, width: "106px", numeric: true, from: "m",
      sortBy: (row) => entries.total[by][row],
      cell: (row) => <Share share={entries.total[by][row] / all} />,
    },
    ...(kind === "endpoint" ? [] : [{
      key: "framework", title: "Framework", width: "100px", from: "l",
      sortBy: (row) => entries.label[row],
      cell: (row) => entries.label[row],
    } satisfies Column]),
  ];
}

/** Those of which a telling part is on paths that the file has not kept apart. */
function truncated(kind: EntryKind, rows: number[]): string {
  const { entries } = profile;
  const number = rows.filter((row) => entries.truncated[row] > entries.total.wall[row] / 20).length;
  const { one, many } = KINDS[kind];
  return number === 0 ? "" : `; of ${plural(number, one, many)} some time is on paths without a row (--tree=full keeps every path)`;
}

function Entries({ kind }: { kind: EntryKind }) {
  const { entries } = profile;
  const { title, one, many, sort } = KINDS[kind];
  const by = measure.value;
  const found = useMemo(() => matches(profile, query.value), [query.value]);
  const all = useMemo(() => entries.rows(kind), [kind]);
  const shown = useMemo(() => columns(kind, by, all), [kind, by, all]);
  const words = wordsOf(query.value);
  const hasAll = (row: number) => words.every((word) => entries.label[row].toLowerCase().includes(word));
  const rows = useMemo(
    () => all.filter((row) => !found || found[entries.function[row]] || hasAll(row)),
    [all, found],
  );
  return (
    <section class="page">
      <div class="toolbar">
        <h2>{title}</h2>
        <span class="status">
          {plural(rows.length, one, many)}
          {found ? ` with \u201c${query.value.trim()}\u201d` : "; choose one to see its calls"}
          {truncated(kind, all)}
        </span>
      </div>
      <Table
        label={title}
        columns={shown}
        rows={rows}
        sort={sort}
        chosen={entry.value}
        onChoose={showEntry}
        empty={`No ${one} has all these words in its name or module.`}
      />
    </section>
  );
}

export const Tests = () => <Entries kind="test" />;
export const Endpoints = () => <Entries kind="endpoint" />;
