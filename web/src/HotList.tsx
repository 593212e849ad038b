// SPDX-License-Identifier: MIT
// The table of methods with calls, or of a sampled profile with time.
import { signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { Count, Duration, MethodName, Share } from "./Cells";
import { matches, PERCENTILES, type Sums } from "./data";
import { plural } from "./format";
import { measure, NONE, profile, query, selected, test } from "./state";
import { Table, type Column, type Sort } from "./Table";
import { shownSums, testName } from "./testCalls";

const sort = signal<Sort>({ key: "self", descending: true });

/** Samples say nothing of a single call, and a method may only have been seen as a caller. */
function listed(sums: Sums, f: number): boolean {
  if (f === profile.truncated) return false;
  return sums.calls[f] > 0 || (profile.sampled && sums.total.wall[f] > 0);
}

type Time = (key: string, title: string, hint: string, ns: Float64Array, from: Column["from"], none?: (f: number) => boolean, doubt?: (f: number) => number) => Column;

function ofSingleCalls(time: Time): Column[] {
  const { functions: fn } = profile;
  return [
    time("mean", "Mean", "Mean wall time of one call, with callees", fn.mean, "m", undefined, (f) => fn.totalDoubt[f] / fn.calls[f]),
    ...PERCENTILES.map(([key, share]) =>
      time(key, key, `${100 * share} % of the calls took at most this wall time, with callees`, fn.percentile[key], key === "p99" ? "m" : "l",
        (f) => fn.percentile[key][f] === 0),  // no call has ended
    ),
    time("max", "Max", "Longest call, with callees", fn.max, "l"),
  ];
}

/** `fn`: calls and times of all calls, or of those of one test. */
function columns(by: "wall" | "cpu", fn: Sums, all: number): Column[] {
  const { functions, hasCpu, sampled } = profile;
  const time: Time = (key, title, hint, ns, from, none, doubt) => ({
    key, title, hint, width: "74px", numeric: true, from,
    sortBy: (f) => ns[f],
    cell: (f) => <Duration ns={ns[f]} none={!listed(fn, f) || none?.(f)} doubt={doubt?.(f)} />,
  });
  const other = by === "wall" ? "cpu" : "wall";
  // Of the calls of a test nothing is known but the sums.
  const ofAll = fn === functions;
  const total = (f: number) => (ofAll ? functions.totalDoubt[f] : 0);
  const self = (f: number) => (ofAll ? functions.selfDoubt[f] : 0);
  return [
    {
      key: "name", title: "Method", width: "minmax(120px, 1fr)",
      sortBy: (f) => functions.name[f].toLowerCase(),
      cell: (f) => <MethodName f={f} />,
    },
    {
      key: "calls", title: sampled ? "Samples" : "Calls", width: "80px", numeric: true, from: "m",
      sortBy: (f) => fn.calls[f],
      cell: (f) => <>{functions.inlinedInto[f] ? <span title={`Calls are missing: inlined into ${functions.inlinedInto[f]}`}>{"\u2265\u202f"}</span> : null}<Count n={fn.calls[f]} /></>,
    },
    time("total", "Total", "Time with callees; recursion counted once", fn.total[by], "s", undefined, total),
    time("self", "Self", "Time without callees", fn.self[by], "s", undefined, self),
    {
      key: "share", title: "Share", hint: fn === functions ? "Part of the self time of all methods" : "Part of the time of the test", width: "106px", numeric: true, from: "m",
      sortBy: (f) => fn.self[by][f],
      cell: (f) => <Share share={fn.self[by][f] / all} />,
    },
    ...(hasCpu || by === "cpu"
      ? [time(other, other === "cpu" ? "CPU self" : "Wall self", "The other measure of the time without callees", fn.self[other], "m", undefined, self)]
      : []),
    ...(sampled || fn !== functions ? [] : ofSingleCalls(time)),
  ];
}

export function HotList() {
  const by = measure.value;
  const found = useMemo(() => matches(profile, query.value), [query.value]);
  const sums = shownSums.value;
  const rows = useMemo(() => {
    const list: number[] = [];
    for (let f = 0; f < profile.functions.count; ++f) {
      if (listed(sums, f) && (!found || found[f])) list.push(f);
    }
    return list;
  }, [found, sums]);
  const shown = useMemo(() => columns(by, sums, Math.max(1, sums.self[by].reduce((a, b) => a + b, 0))), [by, sums]);
  return (
    <section class="hotlist" aria-label="Hot list">
      <div class="toolbar">
        <h2>Hot list</h2>
        <span class="status" role="status">
          {plural(rows.length, "method", "methods")}
          {test.value === NONE ? "" : ` in ${testName(test.value)}`}
          {found ? ` with \u201c${query.value.trim()}\u201d` : ""}
        </span>
      </div>
      <Table
        label="Hot list"
        columns={shown}
        rows={rows}
        sort={sort.value}
        onSort={(to) => (sort.value = to)}
        chosen={selected.value}
        onChoose={(f) => (selected.value = f)}
        empty={found ? "No method has all these words in its name or module." : "Nothing was called."}
      />
    </section>
  );
}
