// SPDX-License-Identifier: MIT
// The table of compared methods, those that changed first.
import { signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { MethodName, countColumn, timeColumn } from "./Cells";
import { relative, signed, VerdictMark } from "./changes";
import { matches, type Measure } from "./data";
import { plural } from "./format";
import { measure, profile, query, selected } from "./state";
import { Table, type Column, type Sort } from "./Table";

const sort = signal<Sort>({ key: "verdict", descending: false });
const all = signal(false);

function columns(by: Measure): Column[] {
  const { functions: fn } = profile;
  const diff = profile.diff!;
  const change = (key: string, title: string, hint: string, kind: "self" | "total", from: Column["from"]): Column[] => {
    const [before, after] = [diff.old[kind][by], fn[kind][by]];
    return [
      timeColumn(key, title, `${hint} in NEW`, (f) => after[f], "78px", from),
      {
        key: `${key}-change`, title: "Change", hint: `${hint}: NEW less OLD`, width: "84px", numeric: true, from,
        sortBy: (f) => after[f] - before[f],
        cell: (f) => signed(after[f] - before[f]),
      },
      {
        key: `${key}-percent`, title: "%", hint: `${hint}: change in percent of OLD`, width: "70px", numeric: true, from: kind === "self" ? "s" : "l",
        sortBy: (f) => (before[f] > 0 ? after[f] / before[f] : after[f] > 0 ? Infinity : 0),
        cell: (f) => relative(before[f], after[f]),
      },
    ];
  };
  return [
    {
      key: "verdict", title: "Verdict", hint: "As umbra diff says it; changes first, the greatest first", width: "104px",
      sortBy: (f) => f,
      cell: (f) => <VerdictMark verdict={diff.verdict[f]} />,
    },
    {
      key: "name", title: "Method", width: "minmax(120px, 1fr)",
      sortBy: (f) => fn.name[f].toLowerCase(),
      cell: (f) => <MethodName f={f} />,
    },
    ...change("self", "Self", "Time without callees", "self", "m"),
    ...change("total", "Total", "Time with callees", "total", "m"),
    countColumn("calls", "Calls", "In NEW", (f) => fn.calls[f], "84px", "m"),
    {
      key: "calls-percent", title: "%", hint: "Calls: change in percent of OLD", width: "70px", numeric: true, from: "l",
      sortBy: (f) => (diff.old.calls[f] > 0 ? fn.calls[f] / diff.old.calls[f] : Infinity),
      cell: (f) => relative(diff.old.calls[f], fn.calls[f]),
    },
  ];
}

export function ChangeTable() {
  const by = measure.value;
  const diff = profile.diff!;
  const found = useMemo(() => matches(profile, query.value), [query.value]);
  const whole = all.value || found !== null;
  const rows = useMemo(() => {
    const list: number[] = [];
    for (let f = 0; f < (whole ? diff.count : diff.changed); ++f) {
      if (!found || found[f]) list.push(f);
    }
    return list;
  }, [found, whole]);
  const shown = useMemo(() => columns(by), [by]);
  return (
    <section class="hotlist" aria-label="Changes">
      <div class="toolbar">
        <h2>Changes</h2>
        <span class="status" role="status">
          {found
            ? `${plural(rows.length, "method", "methods")} with \u201c${query.value.trim()}\u201d`
            : `${plural(diff.changed, "method", "methods")} of ${diff.count.toLocaleString("en-US")}`}
        </span>
        <label class="all">
          <input type="checkbox" checked={all.value} onChange={(event) => (all.value = event.currentTarget.checked)} />
          unchanged ones too
        </label>
      </div>
      <Table
        label="Changes"
        columns={shown}
        rows={rows}
        sort={sort}
        chosen={selected.value}
        onChoose={(f) => (selected.value = f)}
        empty={found ? "No method has all these words in its name or module." : "No method changed by more than runs of the same program differ."}
      />
    </section>
  );
}
