// SPDX-License-Identifier: MIT
// The frame of the page: header, tabs, what the chosen tab shows, and how it was measured.
import type { ComponentChildren } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { Async } from "./async/Async";
import { Compilations } from "./Compilations";
import { Endpoints, Tests } from "./Entries";
import { Exceptions } from "./Exceptions";
import { Flame } from "./Flame";
import { Divider } from "./frame/Divider";
import { Foot } from "./frame/Foot";
import { count, duration } from "./format";
import { HotList } from "./HotList";
import { Inspector } from "./Inspector";
import { Measurement } from "./Measurement";
import { Pauses } from "./Pauses";
import { Slowest } from "./Slowest";
import { Controls, useSearchKey } from "./Controls";
import { graphShare, list, NONE, profile, selected, tab, type List, type Tab } from "./state";
import { Threads } from "./Threads";
import { BottomUpTree, CallTree } from "./tree/Paths";

/** Tabs with something to search; typing in another one leads to the first. */
const SEARCHED: Tab[] = ["time", "tests", "endpoints", "async", "compilation"];

/** What this profile has: name, label, number. */
export function tabs(): [Tab, string, number | null][] {
  const { whole } = profile;
  const slow = profile.slowCalls.start_ns.length;
  const slowest: [Tab, string, number | null][] = slow > 0 ? [["slowest", "Slowest calls", slow]] : [];
  const entries = ([["tests", "Tests", "test"], ["endpoints", "Endpoints", "endpoint"]] as const)
    .map(([name, label, kind]): [Tab, string, number] => [name, label, profile.entries.rows(kind).length])
    .filter(([, , number]) => number > 0);
  const calls = profile.async.methods.count;
  const asyncs: [Tab, string, number | null][] = calls > 0 ? [["async", "Async", calls]] : [];
  return [
    ["time", "Time", null],
    ...entries,
    ...slowest,
    ...asyncs,
    ["threads", "Threads", profile.threads.count],
    ["pauses", "Pauses", whole.pauses],
    ["compilation", "Compilation", whole.compilations],
    ["exceptions", "Exceptions", (profile.exceptions.count as number[]).reduce((a, b) => a + b, 0)],
    ["measurement", "Measurement", null],
  ];
}

const PANELS: Record<Tab, () => ComponentChildren> = {
  time: Time,
  tests: Tests,
  endpoints: Endpoints,
  slowest: Slowest,
  async: Async,
  threads: Threads,
  pauses: Pauses,
  compilation: Compilations,
  exceptions: Exceptions,
  measurement: Measurement,
};

export function App() {
  const search = useSearchKey();
  const Panel = PANELS[tab.value];
  return (
    <>
      <Header search={search} />
      <main>
        <div id={`panel-${tab.value}`} role="tabpanel" aria-labelledby={`tab-${tab.value}`} class="panel">
          <Panel />
        </div>
      </main>
      <Foot />
    </>
  );
}

const LISTS: Record<List, () => ComponentChildren> = { methods: HotList, tree: CallTree, bottom: BottomUpTree };

/** The graph, a list below it, and beside them what is chosen, once something is. */
function Time() {
  const Shown = LISTS[list.value];
  const share = graphShare.value;
  return (
    <div class={selected.value === NONE ? "split alone" : "split inspected"}>
      <div class="views" style={{ gridTemplateRows: `minmax(0, ${share}fr) auto minmax(0, ${100 - share}fr)` }}>
        <Flame />
        <Divider />
        <Shown />
      </div>
      <Inspector />
    </div>
  );
}

function Header({ search }: { search: { current: HTMLInputElement | null } }) {
  const { session } = profile;
  return (
    <header>
      <div class="bar">
        <div class="title">
          <span class="brand">umbra</span>
          <h1 title={String(session.command_line)}>{session.program || "profile"}</h1>
          <p class="about">
            <span>{session.runtime}</span>
            <span>pid {String(session.pid)}</span>
            <span class="optional">{String(session.created_utc).replace("T", " ").replace("Z", " UTC")}</span>
            <span>{duration(Number(session.wall_ns))}</span>
          </p>
        </div>
        <Controls search={search} searched={SEARCHED} />
      </div>
      <Tabs />
    </header>
  );
}

function Tabs() {
  const all = tabs();
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const at = all.findIndex(([name]) => name === tab.value);
    tab.value = all[(at + step + all.length) % all.length][0];
    document.getElementById(`tab-${tab.value}`)?.focus();
  };
  // A narrow screen has not all of them in sight.
  useLayoutEffect(() => document.getElementById(`tab-${tab.value}`)?.scrollIntoView({ block: "nearest", inline: "nearest" }), [tab.value]);
  return (
    <div class="tabs" role="tablist" aria-label="Views" onKeyDown={move}>
      {all.map(([name, label, number]) => (
        <button
          key={name}
          id={`tab-${name}`}
          role="tab"
          type="button"
          aria-selected={tab.value === name}
          aria-controls={`panel-${name}`}
          tabIndex={tab.value === name ? 0 : -1}
          onClick={() => (tab.value = name)}
        >
          {label}
          {number === null ? null : <span class="number">{count(number)}</span>}
        </button>
      ))}
    </div>
  );
}
