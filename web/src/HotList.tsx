// SPDX-License-Identifier: MIT
// The table of methods with calls, or of a sampled profile with time.
import { useMemo } from "preact/hooks";
import { Count, Duration, MethodName, Share, timeColumn } from "./Cells";
import { Choice } from "./Choice";
import { matches, offCpu, PERCENTILES, type Sums } from "./data";
import { plural, timeTitle } from "./format";
import { ListChoice } from "./frame/ListChoice";
import { BY_SELF, entry, hotSort, measure, NONE, profile, query, selected } from "./state";
import { Table, type Column } from "./Table";
import { entryName, shownSums } from "./tree/entryCalls";

/** Samples say nothing of a single call, and a method may only have been seen as a caller. */
function listed(sums: Sums, f: number): boolean {
  if (f === profile.truncated) return false;
  return sums.calls[f] > 0 || (profile.sampled && sums.total.wall[f] > 0);
}

type Time = (key: string, title: string, hint: string, ns: Float64Array, from: Column["from"], none?: (f: number) => boolean, doubt?: (f: number) => number) => Column;

/** What stays wall time says so where the list is by CPU time. */
function ofSingleCalls(time: Time, by: "wall" | "cpu"): Column[] {
  const { functions: fn } = profile;
  const name = (what: string) => (by === "cpu" ? `Wall ${what}` : what);
  return [
    time("mean", by === "cpu" ? "Wall each" : "Each", "Mean wall time of one call, with callees", fn.mean, "m", undefined, (f) => fn.totalDoubt[f] / fn.calls[f]),
    ...PERCENTILES.map(([key, share]) =>
      time(key, name(key), `${100 * share} % of the calls took at most this wall time, with callees`, fn.percentile[key], key === "p99" ? "m" : "l",
        (f) => fn.percentile[key][f] === 0),  // no call has ended
    ),
    time("max", by === "cpu" ? "Wall max" : "Max", "Longest call by wall time, with callees", fn.max, "l"),
  ];
}

/** `fn`: calls and times of all calls, or of those of one test or endpoint. In the order of `umbra report`. */
function columns(by: "wall" | "cpu", fn: Sums, all: number): Column[] {
  const { functions, hasCpu, sampled } = profile;
  const time: Time = (key, title, hint, ns, from, none, doubt) => ({
    key, title, hint, width: "78px", numeric: true, from,
    sortBy: (f) => ns[f],
    cell: (f) => <Duration ns={ns[f]} none={!listed(fn, f) || none?.(f)} doubt={doubt?.(f)} />,
  });
  const cpu = by === "cpu";
  // Of what is below a test or endpoint nothing is known but the sums.
  const ofAll = fn === functions;
  const total = (f: number) => (ofAll ? functions.totalDoubt[f] : 0);
  const self = (f: number) => (ofAll ? functions.selfDoubt[f] : 0);
  const share: Column = {
    key: "share", title: "Share", hint: `Part of the ${cpu ? "CPU" : "wall"} self time of ${ofAll ? "all methods" : entryName(entry.value)}`, width: "106px", numeric: true, from: "m",
    sortBy: (f) => fn.self[by][f],
    cell: (f) => <Share share={fn.self[by][f] / all} />,
  };
  const calls: Column = {
    key: "calls", title: sampled ? "Samples" : "Calls", width: "80px", numeric: true, from: "m",
    sortBy: (f) => fn.calls[f],
    cell: (f) => <>{functions.inlinedInto[f] ? <span title={`Calls are missing: inlined into ${functions.inlinedInto[f]}`}>{"\u2265\u202f"}</span> : null}<Count n={fn.calls[f]} /></>,
  };
  const off = timeColumn("off", "Off CPU", "Wall time without callees and without a processor: waiting for a lock, a disk, another thread, a processor",
    (f) => offCpu(fn, f), "78px", "m", (f) => !listed(fn, f));
  return [
    {
      key: "name", title: "Method", width: "minmax(120px, 1fr)",
      sortBy: (f) => functions.name[f].toLowerCase(),
      cell: (f) => <MethodName f={f} />,
    },
    time("self", timeTitle(by, "self", hasCpu), `${cpu ? "Time on a processor" : "Wall time"} without callees`, fn.self[by], "s", undefined, self),
    share,
    time("total", timeTitle(by, "total", hasCpu), `${cpu ? "Time on a processor" : "Wall time"} with callees; recursion counted once`, fn.total[by], "s", undefined, total),
    ...(cpu ? [time("wall-total", "Wall total", "Wall time with callees; recursion counted once", fn.total.wall, "m", undefined, total)] : []),
    calls,
    ...(sampled || !ofAll ? [] : ofSingleCalls(time, by).slice(0, 1)),
    ...(hasCpu ? [off] : []),
    ...(sampled || !ofAll ? [] : ofSingleCalls(time, by).slice(1)),
    ...(hasCpu ? [time("other", cpu ? "Wall self" : "CPU self", "The other measure of the time without callees", fn.self[cpu ? "wall" : "cpu"], "l", undefined, self)] : []),
  ];
}

/** What burns a processor, and what waits: the two questions that a list is opened with. */
function OrderChoice() {
  if (!profile.hasCpu) return null;
  const { key } = hotSort.value;
  return (
    <Choice
      label="Order"
      value={key === "off" ? "off" : key === "self" && measure.value === "cpu" ? "self" : ""}
      options={[
        ["self", "On CPU", "What burns a processor: by CPU time without callees"],
        ["off", "Off CPU", "What waits: by wall time without callees and without a processor"],
      ]}
      onChange={(value) => {
        if (value === "self") measure.value = "cpu";
        hotSort.value = { ...BY_SELF, key: value };
      }}
    />
  );
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
    <section class="hotlist" aria-label="Methods">
      <div class="toolbar">
        <ListChoice />
        <OrderChoice />
        <span class="status" role="status">
          {plural(rows.length, "method", "methods")}
          {entry.value === NONE ? "" : ` in ${entryName(entry.value)}`}
          {found ? ` with \u201c${query.value.trim()}\u201d` : ""}
        </span>
      </div>
      <Table
        label="Methods"
        columns={shown}
        rows={rows}
        sort={hotSort}
        chosen={selected.value}
        onChoose={(f) => (selected.value = f)}
        empty={found ? "No method has all these words in its name or module." : "Nothing was called."}
      />
    </section>
  );
}
