// SPDX-License-Identifier: MIT
// Paths of calls as tables: from the outermost call on, and bottom-up from the methods whose own time it is.
import { signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { Count, Duration, MethodName, Share } from "../Cells";
import type { Measure } from "../data";
import { plural, timeTitle } from "../format";
import type { Layout } from "../layout";
import { ListChoice } from "../frame/ListChoice";
import { entry, NONE, profile, selected, stacks, thread } from "../state";
import type { Column, Sort } from "../Table";
import { BottomUp } from "./inverted";
import { shownLayout, shownMeasure, shownTree } from "./shown";
import { entryName } from "./entryCalls";
import { TreeTable, type Tree } from "./TreeTable";

const topSort = signal<Sort>({ key: "total", descending: true });
const bottomSort = signal<Sort>({ key: "self", descending: true });

type Figure = (row: number) => number;

function time(key: string, name: string, hint: string, ns: Figure, from: Column["from"]): Column {
  return { key, title: name, hint, width: "78px", numeric: true, from, sortBy: ns, cell: (row) => <Duration ns={ns(row)} /> };
}

function shareOf(hint: string, ns: Figure, all: number): Column {
  return { key: "share", title: "Share", hint, width: "106px", numeric: true, from: "m", sortBy: ns, cell: (row) => <Share share={all > 0 ? ns(row) / all : 0} /> };
}

function callsOf(hint: string, calls: Figure): Column {
  return { key: "calls", title: profile.sampled ? "Samples" : "Calls", hint, width: "84px", numeric: true, from: "m", sortBy: calls, cell: (row) => <Count n={calls(row)} /> };
}

function nameOf(f: Figure) {
  const { functions } = profile;
  return {
    key: "name", title: "Method",
    sortBy: (row: number) => functions.name[f(row)].toLowerCase(),
    cell: (row: number) => <MethodName f={f(row)} />,
  };
}

function ofWhat(): string {
  if (stacks.value === "awaits") return "async calls, by who awaits whom";
  if (entry.value !== NONE) return `below ${entryName(entry.value)}`;
  return thread.value === NONE ? "all threads, merged" : profile.threads.label[thread.value];
}

function otherMeasure(by: Measure, self: (row: number, by: Measure) => number): Column[] {
  if (!profile.hasCpu || stacks.value === "awaits") return [];
  const other = by === "cpu" ? "wall" : "cpu";
  return [
    time("other", timeTitle(other, "self", profile.hasCpu), "The other measure of the time without callees", (row) => self(row, other), "l"),
    time("off", "Off CPU", "Wall time without callees and without a processor: waiting", (row) => Math.max(0, self(row, "wall") - self(row, "cpu")), "m"),
  ];
}

function choose(f: number): void {
  if (f !== profile.truncated) selected.value = f;
}

export function CallTree() {
  const layout = shownLayout.value;
  const tree = useMemo(() => topDown(layout), [layout]);
  const by = layout.measure;
  const columns = useMemo(() => {
    const { tree: nodes, total } = layout;
    return [
      time("total", timeTitle(by, "total", profile.hasCpu), "Time of the path with all below it", (row) => total[row], "s"),
      shareOf("Part of all time shown", (row) => total[row], total[0]),
      time("self", timeTitle(by, "self", profile.hasCpu), "Time on this path without callees", (row) => nodes.self[by][row], "s"),
      callsOf("Calls made on this path", (row) => nodes.calls[row]),
      ...otherMeasure(by, (row, of) => nodes.self[of][row]),
    ];
  }, [layout]);
  return (
    <section class="hotlist" aria-label="Call tree">
      <Toolbar what={`${plural(layout.tree.count - 1, "path", "paths")}; ${ofWhat()}`} />
      <TreeTable
        label="Call tree"
        tree={tree}
        name={nameOf((row) => layout.tree.function[row])}
        columns={columns}
        sort={topSort}
        size={(row) => layout.total[row]}
        chosen={(row) => layout.tree.function[row] === selected.value}
        onChoose={(row) => choose(layout.tree.function[row])}
        empty="Nothing was called."
      />
    </section>
  );
}

function topDown({ tree }: Layout): Tree {
  const below: number[][] = Array.from({ length: tree.count }, () => []);
  for (let node = 1; node < tree.count; ++node) below[tree.parent[node]].push(node);
  return { children: (row) => below[row ?? 0], hasChildren: (row) => below[row].length > 0 };
}

export function BottomUpTree() {
  const by = shownMeasure.value;
  const paths = useMemo(() => new BottomUp(shownTree.value), [shownTree.value]);
  const { tree, columns } = useMemo(() => {
    const outermost = paths.outermost.filter((row) => paths.calls(row) > 0 || paths.self(row, "wall") > 0);
    const all = outermost.reduce((sum, row) => sum + paths.self(row, by), 0);
    return {
      tree: { children: (row) => (row === null ? outermost : paths.children(row)), hasChildren: (row) => paths.hasChildren(row) } satisfies Tree,
      columns: [
        time("self", timeTitle(by, "self", profile.hasCpu), "The method's own time; below it, what of that came by this caller", (row) => paths.self(row, by), "s"),
        shareOf("Part of all time shown", (row) => paths.self(row, by), all),
        callsOf("Calls of the method; below it, those that came by this caller", (row) => paths.calls(row)),
        ...otherMeasure(by, (row, of) => paths.self(row, of)),
      ],
    };
  }, [paths, by]);
  return (
    <section class="hotlist" aria-label="Bottom-up">
      <Toolbar what={`below each method its callers; ${ofWhat()}`} />
      <TreeTable
        label="Bottom-up"
        tree={tree}
        name={nameOf((row) => paths.function(row))}
        columns={columns}
        sort={bottomSort}
        size={(row) => paths.self(row, by)}
        chosen={(row) => paths.function(row) === selected.value}
        onChoose={(row) => choose(paths.function(row))}
        empty="Nothing was called."
      />
    </section>
  );
}

function Toolbar({ what }: { what: string }) {
  return (
    <div class="toolbar">
      <ListChoice />
      <span class="status" role="status">{what}</span>
    </div>
  );
}
