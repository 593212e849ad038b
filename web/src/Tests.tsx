// SPDX-License-Identifier: MIT
// The test methods that were called; each leads to its calls.
import { signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { Count, Duration, MethodName, Share } from "./Cells";
import { matches } from "./data";
import { plural, timeTitle } from "./format";
import { measure, profile, query, showTest, test } from "./state";
import { Table, type Column, type Sort } from "./Table";

const sort = signal<Sort>({ key: "total", descending: true });

function columns(by: "wall" | "cpu"): Column[] {
  const { tests, functions, hasCpu, sampled } = profile;
  const other = by === "wall" ? "cpu" : "wall";
  const all = Math.max(1, tests.total[by].reduce((a, b) => a + b, 0));
  const time = (key: string, title: string, hint: string, ns: Float64Array, from: Column["from"]): Column => ({
    key, title, hint, width: "84px", numeric: true, from,
    sortBy: (row) => ns[row],
    cell: (row) => <Duration ns={ns[row]} />,
  });
  return [
    {
      key: "name", title: "Test", width: "minmax(120px, 1fr)",
      sortBy: (row) => functions.name[tests.function[row]].toLowerCase(),
      cell: (row) => <MethodName f={tests.function[row]} />,
    },
    {
      key: "calls", title: sampled ? "Samples" : "Calls", width: "80px", numeric: true, from: "m",
      hint: sampled ? "" : "One for each case of a theory",
      sortBy: (row) => tests.calls[row],
      cell: (row) => <Count n={tests.calls[row]} />,
    },
    time("total", timeTitle(by, "total", hasCpu), "Time with all that it calls; of an async test from begin to result, awaits included", tests.total[by], "s"),
    ...(hasCpu ? [time(other, timeTitle(other, "total", hasCpu), "The other measure of the total", tests.total[other], "m")] : []),
    time("self", timeTitle(by, "self", hasCpu), "In the test's own code", tests.self[by], "s"),
    {
      key: "share", title: "Share", hint: "Of the time of all tests", width: "106px", numeric: true, from: "m",
      sortBy: (row) => tests.total[by][row],
      cell: (row) => <Share share={tests.total[by][row] / all} />,
    },
    {
      key: "framework", title: "Framework", width: "100px", from: "l",
      sortBy: (row) => tests.framework[row],
      cell: (row) => tests.framework[row],
    },
  ];
}

/** Tests of which a telling part is on paths that the file has not kept apart. */
function truncated(): string {
  const { tests } = profile;
  const number = tests.truncated.filter((ns, row) => ns > tests.total.wall[row] / 20).length;
  return number === 0 ? "" : `; of ${plural(number, "test", "tests")} some time is on paths without a row (--tree=full keeps every path)`;
}

export function Tests() {
  const { tests } = profile;
  const by = measure.value;
  const found = useMemo(() => matches(profile, query.value), [query.value]);
  const shown = useMemo(() => columns(by), [by]);
  const rows = useMemo(
    () => [...tests.function.keys()].filter((row) => !found || found[tests.function[row]]),
    [found],
  );
  return (
    <section class="page">
      <div class="toolbar">
        <h2>Tests</h2>
        <span class="status">
          {plural(rows.length, "test", "tests")}
          {found ? ` with \u201c${query.value.trim()}\u201d` : "; choose one to see its calls"}
          {truncated()}
        </span>
      </div>
      <Table
        label="Tests"
        columns={shown}
        rows={rows}
        sort={sort.value}
        onSort={(to) => (sort.value = to)}
        chosen={test.value}
        onChoose={showTest}
        empty="No test has all these words in its name or module."
      />
    </section>
  );
}
